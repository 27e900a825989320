//! Client programs on their hosts. Each reads only the clock of its host, and its calls are HTTP
//! requests over the link of its host, like those of a person.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::time::Duration;

use lictor_core::http::{HttpResponse, client};
use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};
use lictor_core::message::Failure;
use lictor_core::time::Instant;
use lictor_recipes::{Action, Belief, CallId, Due, Order, Program, Report, Stimulus};
use serde::{Deserialize, Serialize};

use super::World;
use super::hosts::Condition;
use super::queue::{QueuedEvent, ScheduledEvent};
use crate::call::Caller;
use crate::event::{EventKind, ProgramEvent};
use crate::fault::Memory;

/// How many steps a program may take at one time. Further steps happen a little later, so that a
/// loop without pauses cannot stop the progress of time.
const STEPS_AT_ONCE: u32 = 1_000;
const STEP_PAUSE: Duration = Duration::from_millis(1);

/// A program on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The client on which it runs.
    pub actor: ActorName,
    /// The program with its state.
    pub program: Program,
    /// The resource that it writes to while it believes that it holds its lock.
    pub resource: Option<ResourceName>,
    /// The program before its first step, for a start after a crash without memory.
    made: Program,
    /// The latest order of its user.
    order: Option<Order>,
    /// The calls of the world that carry the pending calls of the program.
    calls: BTreeMap<CallId, RequestId>,
    /// The number of the event that caused its latest step, and so its present deadlines.
    stepped: Option<u64>,
    /// The time of its latest step, and the number of its steps at that time.
    steps: (Instant, u32),
}

impl Running {
    /// The call of the world that carries a call of the program.
    pub fn request(&self, call: CallId) -> Option<RequestId> {
        self.calls.get(&call).copied()
    }

    /// Counts a step. Returns false if there were too many at this time, so that it has to wait.
    fn count_step(&mut self, now: Instant) -> bool {
        if self.steps.0 != now {
            self.steps = (now, 0);
        }
        self.steps.1 += 1;
        self.steps.1 <= STEPS_AT_ONCE
    }
}

impl World {
    /// The programs by name.
    pub fn programs(&self) -> impl Iterator<Item = (&ProgramName, &Running)> {
        self.programs.iter().map(|(name, running)| (name, &**running))
    }

    /// The program of a name.
    pub fn program(&self, name: &str) -> Option<&Running> {
        self.programs.get(name).map(|running| &**running)
    }

    /// When and why a program next acts at a deadline of its own, in the world's time. `None`
    /// without a deadline, and while its host is paused or down.
    pub fn program_deadline(&self, name: &str) -> Option<(Instant, Due)> {
        let at = self.wakes.get(&ProgramName::from(name))?;
        let (_, due) = self.program(name)?.program.next_deadline()?;
        Some((at, due))
    }

    pub(super) fn spawn(
        &mut self,
        actor: ActorName,
        name: &ProgramName,
        program: Program,
        resource: Option<ResourceName>,
    ) {
        let spawned = self.note_program(name, &actor, None, ProgramEvent::Spawned);
        let running = Running {
            actor,
            made: program.clone(),
            program,
            resource,
            order: None,
            calls: BTreeMap::new(),
            stepped: Some(spawned),
            steps: (self.now, 0),
        };
        self.programs.insert(name.clone(), Box::new(running));
        self.set_wake(name);
    }

    pub(super) fn order(&mut self, name: &ProgramName, order: Order) {
        let Some(running) = self.programs.get_mut(name) else { return };
        running.order = Some(order);
        let actor = running.actor.clone();
        let event = self.note_program(name, &actor, None, ProgramEvent::Ordered(order));
        self.stimulate(name, Stimulus::Order(order), Some(event));
    }

    /// Steps a program whose deadline has come.
    pub(super) fn wake_program(&mut self, name: &ProgramName) {
        let Some(running) = self.programs.get(name) else { return };
        let (actor, cause) = (running.actor.clone(), running.stepped);
        let Some((_, due)) = running.program.next_deadline() else { return };
        let woke = self.note_program(name, &actor, cause, ProgramEvent::Due(due));
        self.stimulate(name, Stimulus::Tick, Some(woke));
    }

    /// Delivers a stimulus to a program; a paused host delivers it later, a host that is down
    /// never.
    pub(super) fn reach_program(
        &mut self,
        name: &ProgramName,
        stimulus: Stimulus,
        cause: Option<u64>,
    ) {
        let Some(actor) = self.programs.get(name).map(|running| running.actor.clone()) else {
            return;
        };
        let Some(host) = self.host(&actor) else { return };
        match host.condition {
            Condition::Up => self.stimulate(name, stimulus, cause),
            Condition::Paused => {
                let scheduled = ScheduledEvent::Stimulus { program: name.clone(), stimulus };
                host.inbox.push(QueuedEvent { cause, scheduled });
            }
            Condition::Down => {}
        }
    }

    /// Runs one step of a program and carries out its actions.
    fn stimulate(&mut self, name: &ProgramName, stimulus: Stimulus, cause: Option<u64>) {
        let now = self.now;
        let Some(running) = self.programs.get_mut(name) else { return };
        if !running.count_step(now) {
            let scheduled = ScheduledEvent::Stimulus { program: name.clone(), stimulus };
            return self.plan(now.plus(STEP_PAUSE), cause, scheduled);
        }
        let actor = running.actor.clone();
        let Some(clock) = self.actor(actor.as_str()).map(|host| host.clock) else { return };
        let Some(running) = self.programs.get_mut(name) else { return };
        let before = running.program.belief().clone();
        let mut actions = Vec::new();
        running.program.step(clock.read(now), stimulus, &mut actions);
        running.stepped = cause;
        let belief = running.program.belief().clone();
        if belief != before {
            self.note_program(name, &actor, cause, ProgramEvent::Believes(belief));
        }
        for action in actions {
            self.carry_out(name, &actor, action, cause);
        }
        self.set_wake(name);
    }

    fn carry_out(
        &mut self,
        name: &ProgramName,
        actor: &ActorName,
        action: Action,
        cause: Option<u64>,
    ) {
        match action {
            Action::Send { call, operation } => match client::encode(&operation) {
                Ok(request) => {
                    let caller = Caller::Program { program: name.clone(), call };
                    self.send((actor, caller), request, cause);
                }
                Err(failure) => {
                    let stimulus = Stimulus::Reply { call, result: Err(failure) };
                    let scheduled = ScheduledEvent::Stimulus { program: name.clone(), stimulus };
                    self.plan(self.now, cause, scheduled);
                }
            },
            Action::Abandon(call) => {
                let running = self.programs.get_mut(name);
                if let Some(id) = running.and_then(|running| running.calls.remove(&call)) {
                    self.cancel(id, cause);
                }
            }
            Action::Use(write) => self.use_resource(name, actor, write, cause),
            Action::Report(report) => {
                let written = match &report {
                    Report::Written { number, is_accepted } => Some((*number, *is_accepted)),
                    _ => None,
                };
                let event =
                    self.note_program(name, actor, cause, ProgramEvent::Reports(Arc::new(report)));
                if let Some(written) = written {
                    self.record_checked(name, actor, written, event);
                }
            }
        }
    }

    /// Notes which call of the world carries a call of a program.
    pub(super) fn set_request(&mut self, program: &ProgramName, call: CallId, id: RequestId) {
        if let Some(running) = self.programs.get_mut(program) {
            running.calls.insert(call, id);
        }
    }

    /// Delivers the answer to a call of a program.
    pub(super) fn answer_program(
        &mut self,
        (program, call): (&ProgramName, CallId),
        answer: Result<&HttpResponse, Failure>,
        cause: Option<u64>,
    ) {
        let Some(running) = self.programs.get_mut(program) else { return };
        running.calls.remove(&call);
        let outstanding = running.program.outstanding().iter().find(|it| it.call == call);
        let Some(operation) = outstanding.map(|it| &it.operation) else { return };
        let result = answer.and_then(|response| client::decode(operation, response));
        let (program, stimulus) = (program.clone(), Stimulus::Reply { call, result });
        self.plan(self.now, cause, ScheduledEvent::Stimulus { program, stimulus });
    }

    /// Schedules the programs of a host again after the host was paused or resumed, or its clock
    /// was set.
    pub(super) fn set_wakes(&mut self, actor: &ActorName) {
        for name in self.programs_of(actor) {
            self.set_wake(&name);
        }
    }

    /// Starts the programs of a host again after a crash.
    pub(super) fn restart_programs(&mut self, actor: &ActorName, memory: Memory, cause: u64) {
        for name in self.programs_of(actor) {
            let restarted =
                self.note_program(&name, actor, Some(cause), ProgramEvent::Restarted(memory));
            let Some(running) = self.programs.get_mut(&name) else { continue };
            running.stepped = Some(restarted);
            match memory {
                Memory::Kept => self.fail_calls(&name, restarted),
                Memory::Lost => self.restart_without_memory(&name, restarted),
            }
            self.set_wake(&name);
        }
    }

    /// Fails the calls of a program that was started again with its memory: its connections have
    /// broken.
    fn fail_calls(&mut self, name: &ProgramName, cause: u64) {
        let Some(running) = self.programs.get(name) else { return };
        let calls = running.program.outstanding().iter().map(|it| it.call);
        for call in calls.collect::<Vec<_>>() {
            let stimulus = Stimulus::Reply { call, result: Err(Failure::Unreachable) };
            let scheduled = ScheduledEvent::Stimulus { program: name.clone(), stimulus };
            self.plan(self.now, Some(cause), scheduled);
        }
    }

    fn restart_without_memory(&mut self, name: &ProgramName, cause: u64) {
        let Some(running) = self.programs.get_mut(name) else { return };
        let before = mem::replace(&mut running.program, running.made.clone());
        let (order, actor) = (running.order, running.actor.clone());
        if *before.belief() != Belief::Unknown {
            self.note_program(name, &actor, Some(cause), ProgramEvent::Believes(Belief::Unknown));
        }
        if let Some(order) = order.filter(|order| *order == Order::Start) {
            let scheduled = ScheduledEvent::Stimulus {
                program: name.clone(),
                stimulus: Stimulus::Order(order),
            };
            self.plan(self.now, Some(cause), scheduled);
        }
    }

    fn programs_of(&self, actor: &ActorName) -> Vec<ProgramName> {
        let of_actor = self.programs.iter().filter(|(_, running)| running.actor == *actor);
        of_actor.map(|(name, _)| name.clone()).collect()
    }

    fn set_wake(&mut self, name: &ProgramName) {
        let at = self.programs.get(name).and_then(|running| {
            let host = self.actor(running.actor.as_str())?;
            let (at, _) = running.program.next_deadline()?;
            let may_step_now = running.steps.0 != self.now || running.steps.1 < STEPS_AT_ONCE;
            let soonest = if may_step_now { self.now } else { self.now.plus(STEP_PAUSE) };
            (host.condition == Condition::Up).then(|| host.clock.when(at).max(soonest))
        });
        match at {
            Some(at) => self.wakes.set(name.clone(), at),
            None => self.wakes.clear(name),
        }
    }

    fn note_program(
        &mut self,
        program: &ProgramName,
        actor: &ActorName,
        cause: Option<u64>,
        event: ProgramEvent,
    ) -> u64 {
        let (program, actor) = (program.clone(), actor.clone());
        self.note(cause, EventKind::Program { program, actor, event })
    }
}
