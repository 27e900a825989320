//! Faults of a world: how they begin, what they change, and how they end.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::time::Duration;

use lictor_core::engine::{Input, serf_health};
use lictor_core::id::{ActorName, CheckId};
use lictor_core::message::Operation;
use lictor_core::store::catalog::{Check, CheckStatus, Deregistration, NodeUpdate, Registration};
use lictor_core::time::Instant;

use super::World;
use super::causes::CausalContext;
use super::hosts::{Actor, Condition};
use super::queue::ScheduledEvent;
use crate::clock::Clock;
use crate::event::EventKind;
use crate::fault::{ActiveFault, Fault, LeaderFate, LeaderLoss, Plan, Repeats};
use crate::link::{CutMode, Link};

/// The shortest interval of a repeated fault.
const REPEAT_MIN: Duration = Duration::from_millis(1);

impl World {
    /// The active faults, in the order of their beginnings.
    pub fn active_faults(&self) -> &[ActiveFault] {
        &self.active_faults
    }

    /// When the cut of a client's link ends unless it is repaired before; `None` if the link is not
    /// cut, or without an end.
    pub fn end_of_cut(&self, actor: &ActorName) -> Option<Instant> {
        let is_cut = |fault: &Fault| matches!(fault, Fault::Cut { actor: cut, .. } if cut == actor);
        let active = self.active_faults.iter().find(|active| is_cut(&active.fault))?;
        let mut planned = self.scheduled_events();
        let end = planned.find(|(_, event)| {
            matches!(event, ScheduledEvent::FaultEnds { number } if *number == active.number)
        });
        end.map(|(at, _)| at)
    }

    pub(super) fn inject(&mut self, fault: Fault, plan: Plan) {
        if plan.after.is_zero() {
            return self.begin(fault, plan, None);
        }
        let at = self.now.plus(plan.after);
        self.plan(at, None, ScheduledEvent::FaultBegins { fault, plan });
    }

    /// Begins a fault, and schedules its end and its next time.
    pub(super) fn begin(&mut self, fault: Fault, plan: Plan, cause: Option<u64>) {
        if let Some(repeats) = plan.repeats.filter(|repeats| repeats.times > 0) {
            self.plan_next(&fault, plan, repeats);
        }
        if !self.can_happen(&fault) {
            return;
        }
        self.active_faults.retain(|active| !active.fault.is_like(&fault));
        let lasts = match fault {
            Fault::LeaderLost(loss) => Some(plan.lasts.unwrap_or_else(|| loss.span(&mut self.rng))),
            _ => plan.lasts,
        };
        let active = ActiveFault { number: self.next_event, fault };
        let event = self.note(cause, EventKind::Failed(active.clone()));
        if !active.fault.is_over_at_once() {
            if let Some(span) = lasts {
                let at = self.now.plus(span);
                self.plan(at, Some(event), ScheduledEvent::FaultEnds { number: event });
            }
            self.active_faults.push(active.clone());
        }
        if let Fault::LeaderLost(loss) = active.fault {
            self.lose_leader(loss, self.now.plus(lasts.unwrap_or_default()), event);
        }
        self.break_down(&active);
    }

    fn plan_next(&mut self, fault: &Fault, plan: Plan, repeats: Repeats) {
        let every = repeats.every.max(REPEAT_MIN);
        let at = self.now.plus(every).plus(self.rng.shorter_than(repeats.jitter));
        let repeats = Some(Repeats { times: repeats.times - 1, ..repeats });
        let plan = Plan { repeats, ..plan };
        self.plan(at, None, ScheduledEvent::FaultBegins { fault: fault.clone(), plan });
    }

    /// Whether a fault applies: its client exists and, to be paused or to crash, is not down; a
    /// fault of the server needs a server that runs.
    fn can_happen(&self, fault: &Fault) -> bool {
        let Some(actor) = fault.actor() else { return !self.is_server_down() };
        let Some(host) = self.actor(actor.as_str()) else { return false };
        let needs_life = matches!(fault, Fault::Pause { .. } | Fault::Crash { .. });
        !(needs_life && host.condition == Condition::Down)
    }

    fn break_down(&mut self, active: &ActiveFault) {
        let (cause, now) = (Some(active.number), self.now);
        match &active.fault {
            Fault::Pause { actor } => {
                self.set_condition(actor, Condition::Paused);
                self.set_wakes(actor);
            }
            Fault::Crash { actor, .. } => self.crash(actor, cause),
            Fault::Cut { actor, cut } => {
                let replaced = self.actor(actor.as_str()).and_then(|host| host.cut);
                self.with_host(actor, |host| host.cut = Some(*cut));
                if self.tcp.is_some() {
                    self.cut_connections(actor, (*cut, replaced), active.number);
                } else if cut.mode == CutMode::Reject {
                    self.break_calls(actor, cause);
                }
            }
            Fault::ClockRate { actor, rate } => {
                self.with_host(actor, |host| host.clock.run_at(now, *rate));
                self.set_wakes(actor);
            }
            Fault::ClockJump { actor, jump } => {
                self.with_host(actor, |host| host.clock.jump(now, *jump));
                self.set_wakes(actor);
            }
            Fault::NodeSilent { detection, .. } => {
                let number = active.number;
                self.plan(now.plus(*detection), cause, ScheduledEvent::SilenceNoticed { number });
            }
            Fault::NodeRemoved { actor } => {
                let remove =
                    |host: &Actor| Operation::Deregister(Deregistration::Node(host.node.clone()));
                self.ask_about(actor, remove, cause);
            }
            Fault::CheckCritical { actor, check } => {
                self.set_check(actor, check, CheckResult::Critical, cause);
            }
            Fault::LostAnswer { .. } | Fault::LeaderLost(_) => {}
            Fault::Failover => self.fail_over(cause),
        }
    }

    /// Makes `serfHealth` critical when gossip has noticed that a node is silent, if it still is.
    pub(super) fn notice_silence(&mut self, number: u64) {
        let silent = self.active_faults.iter().find(|active| active.number == number);
        let actor = silent.and_then(|active| active.fault.actor()).cloned();
        if let Some(actor) = actor {
            self.set_check(&actor, &gossip_check(), CheckResult::Critical, Some(number));
        }
    }

    /// Ends a fault whose time is over, unless it was repaired or replaced before.
    pub(super) fn end_planned(&mut self, number: u64) {
        let index = self.active_faults.iter().position(|active| active.number == number);
        if let Some(index) = index {
            let active = self.active_faults.remove(index);
            self.mend(&active, Some(number));
        }
    }

    /// Ends the active fault of the same kind and place, if there is one.
    pub(super) fn repair(&mut self, fault: &Fault) {
        let index = self.active_faults.iter().position(|active| active.fault.is_like(fault));
        if let Some(index) = index {
            let active = self.active_faults.remove(index);
            self.mend(&active, None);
        }
    }

    /// Another server becomes leader at once. While there is none, that ends the election; while
    /// the only server is down, nothing happens.
    pub(super) fn fail_over(&mut self, cause: Option<u64>) {
        let is_election = |active: &ActiveFault| matches!(active.fault, Fault::LeaderLost(_));
        match self.active_faults.iter().position(is_election) {
            Some(_) if self.is_server_down() => {}
            Some(index) => {
                let active = self.active_faults.remove(index);
                self.mend(&active, cause);
            }
            None => self.input(Input::Failover, CausalContext::of(cause, None)),
        }
    }

    /// Ends all active and planned faults, and makes every link perfect.
    pub(super) fn heal(&mut self) {
        self.queue.retain(|scheduled| !matches!(scheduled, ScheduledEvent::FaultBegins { .. }));
        for host in &mut self.actors {
            host.link = Link::default();
        }
        // A server that runs again has no leader, which is healed after that.
        while !self.active_faults.is_empty() {
            for active in mem::take(&mut self.active_faults) {
                self.mend(&active, None);
            }
        }
    }

    fn mend(&mut self, active: &ActiveFault, cause: Option<u64>) {
        let event = self.note(cause, EventKind::Mended(active.clone()));
        let cause = Some(event);
        match &active.fault {
            Fault::Pause { actor } => self.resume(actor),
            Fault::Crash { actor, memory } => {
                self.set_condition(actor, Condition::Up);
                self.restart_programs(actor, *memory, event);
            }
            Fault::Cut { actor, cut } => {
                self.with_host(actor, |host| host.cut = None);
                self.heal_connections(actor, *cut);
            }
            Fault::ClockRate { actor, .. } | Fault::ClockJump { actor, .. } => {
                self.with_host(actor, |host| host.clock = Clock::default());
                self.set_wakes(actor);
            }
            Fault::NodeSilent { actor, .. } => {
                self.set_check(actor, &gossip_check(), CheckResult::Passing, cause);
            }
            Fault::NodeRemoved { actor } => {
                let register = |host: &Actor| Operation::Register(Box::new(host.registration()));
                self.ask_about(actor, register, cause);
            }
            Fault::CheckCritical { actor, check } => {
                self.set_check(actor, check, CheckResult::Passing, cause);
            }
            Fault::LeaderLost(loss) if loss.fate == LeaderFate::Alone => {
                self.restart_server();
                let fault = Fault::LeaderLost(LeaderLoss { fate: LeaderFate::Restarted, ..*loss });
                self.begin(fault, Plan::NOW, cause);
            }
            Fault::LeaderLost(_) => self.elect_leader(cause),
            Fault::LostAnswer { .. } | Fault::Failover => {}
        }
    }

    /// Ends the fault that loses the next answer to a client, and returns whether there was one.
    pub(super) fn take_lost_answer(&mut self, actor: &ActorName, cause: Option<u64>) -> bool {
        let fault = Fault::LostAnswer { actor: actor.clone() };
        let index = self.active_faults.iter().position(|active| active.fault.is_like(&fault));
        let Some(index) = index else { return false };
        let active = self.active_faults.remove(index);
        self.mend(&active, cause);
        true
    }

    fn crash(&mut self, actor: &ActorName, cause: Option<u64>) {
        let paused = Fault::Pause { actor: actor.clone() };
        self.active_faults.retain(|active| !active.fault.is_like(&paused));
        self.set_condition(actor, Condition::Down);
        self.with_host(actor, |host| host.inbox.clear());
        self.set_wakes(actor);
        self.break_calls(actor, cause);
    }

    /// Resumes a client; messages that arrived while it was paused are delivered.
    fn resume(&mut self, actor: &ActorName) {
        let Some(host) = self.host(actor) else { return };
        if host.condition != Condition::Paused {
            return;
        }
        host.condition = Condition::Up;
        for entry in mem::take(&mut host.inbox) {
            self.run_scheduled(entry);
        }
        self.set_wakes(actor);
    }

    /// Sets the status of a check of a client's node, and creates the check if it does not exist.
    fn set_check(&mut self, actor: &ActorName, id: &CheckId, to: CheckResult, cause: Option<u64>) {
        let Some(host) = self.actor(actor.as_str()) else { return };
        let catalog = self.engine.store().catalog();
        let Some(node) = catalog.node(&host.node.folded()) else { return };
        let passing = Check {
            id: id.clone(),
            name: Arc::from(id.as_str()),
            output: Arc::default(),
            ..serf_health(&host.node)
        };
        let known = catalog.check(&host.node.folded(), &id.folded());
        let check = known.map_or(passing, |check| Check::clone(check));
        let registration = Registration {
            node: node.as_ref().clone(),
            node_update: NodeUpdate::Skip,
            service: None,
            checks: Vec::from([to.of(check)]),
        };
        let agent = host.node.clone();
        self.ask(agent, Operation::Register(Box::new(registration)), cause);
    }

    fn ask_about(
        &mut self,
        actor: &ActorName,
        operation: impl FnOnce(&Actor) -> Operation,
        cause: Option<u64>,
    ) {
        let Some(host) = self.actor(actor.as_str()) else { return };
        let (agent, operation) = (host.node.clone(), operation(host));
        self.ask(agent, operation, cause);
    }

    fn set_condition(&mut self, actor: &ActorName, condition: Condition) {
        self.with_host(actor, |host| host.condition = condition);
    }

    fn with_host(&mut self, actor: &ActorName, change: impl FnOnce(&mut Actor)) {
        if let Some(host) = self.host(actor) {
            change(host);
        }
    }
}

/// The status that a fault or its repair gives to a check.
#[derive(Clone, Copy)]
enum CheckResult {
    Passing,
    Critical,
}

impl CheckResult {
    /// The check with this status. The output of `serfHealth` is in Serf's words (CAT-10).
    fn of(self, check: Check) -> Check {
        let (status, gossip) = match self {
            Self::Passing => (CheckStatus::Passing, "Agent alive and reachable"),
            Self::Critical => (CheckStatus::Critical, "Agent not live or unreachable"),
        };
        let is_gossip = check.id.folded() == gossip_check().folded();
        let output = if is_gossip { Arc::from(gossip) } else { check.output.clone() };
        Check { status, output, ..check }
    }
}

fn gossip_check() -> CheckId {
    CheckId::from("serfHealth")
}
