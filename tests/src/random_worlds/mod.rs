//! Simulation tests of whole worlds: each seed chooses programs and kinds of faults.
//!
//! While faults last, no safety rule may break. After all faults are repaired, locks must be held
//! again; after all programs have stopped, no lock may be held.

mod contenders;
mod earliest_takeover;
mod leases;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use lictor_core::id::{ActorName, Key, ProgramName};
use lictor_core::time::Instant;
use lictor_recipes::{ContenderStep, OnFailure, Order, Recipe};
use lictor_sim::trace::trace_of;
use lictor_sim::{
    Act, Broken, Caller, Checks, EventKind, Fault, HttpClient, Plan, Repeats, SimEvent, Sometimes,
    Travel, World,
};

use self::contenders::{Hosted, Input};
use self::earliest_takeover::{EarliestTakeover, PredictionState};
pub use self::leases::LeaseOverlaps;
use self::leases::Leases;
use crate::dice::Dice;
use crate::random_faults::{fault, link};
use crate::random_programs::{COMMAND, ELECTION, LOCK, ProgramRole, SEMAPHORES};

/// How many acts are done while faults occur.
const STEPS: usize = 120;
/// The longest time until a lock is held again: the expiry of a session, a lock-delay and a retry,
/// with room for failed tries.
const LIVE_WITHIN: Duration = Duration::from_secs(240);
/// The longest time until everything is released: sessions of crashed clients expire.
const QUIET_WITHIN: Duration = Duration::from_secs(180);
const SECOND: Duration = Duration::from_secs(1);
/// How many events before a failure are printed.
const EVENTS_SHOWN: usize = 60;

/// A liveness rule, which must hold some time after all faults are repaired.
#[derive(Debug)]
enum Eventually {
    /// As long as some client contends for the key, some session holds it.
    SomebodyHolds(Key),
    /// After all programs have stopped, no key under the prefix is held.
    NothingHeld(Key),
}

/// How often each expected thing occurred.
pub type SometimesCounts = BTreeMap<Sometimes, u64>;

/// What occurred in worlds.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub seen: SometimesCounts,
    /// The overlaps of clients that act only while their leases run.
    pub overlaps: LeaseOverlaps,
    /// How often contenders, the driver of the published packages, have acquired their locks.
    pub holds: u64,
}

/// A rule that a world broke, with the last events before that.
#[derive(Debug)]
pub struct WorldFailure {
    pub seed: u64,
    pub steps: usize,
    pub what: String,
    pub trace: String,
}

/// One world under test.
struct RandomWorld {
    seed: u64,
    dice: Dice,
    world: World,
    checks: Checks,
    events: Vec<SimEvent>,
    steps: usize,
    prediction: Option<EarliestTakeover>,
    leases: Leases,
    /// The clients with the driver of the published packages; about every second world has some.
    contenders: Vec<Hosted>,
    /// The kinds of faults that occur in this world, a bit for each. Pauses occur in every world.
    fault_kinds: u64,
}

/// Runs a world from start to end, and returns what occurred in it. Fails if a rule breaks, and if
/// the world panics.
pub fn run(seed: u64) -> Result<Found, Box<WorldFailure>> {
    let mut world = RandomWorld::new(seed);
    match catch_unwind(AssertUnwindSafe(|| world.run())) {
        Ok(Ok(())) => Ok(Found {
            seen: Sometimes::ALL.map(|it| (it, world.checks.seen(it))).into(),
            overlaps: world.leases.overlaps,
            holds: world.contenders.iter().map(|hosted| hosted.holds).sum(),
        }),
        Ok(Err(what)) => Err(world.failure(what)),
        Err(_) => Err(world.failure("a panic".to_owned())),
    }
}

impl Found {
    /// Adds what occurred in another world.
    pub fn add(&mut self, other: Self) {
        self.holds += other.holds;
        for (what, times) in other.seen {
            *self.seen.entry(what).or_default() += times;
        }
        for (lost_by, (times, longest)) in other.overlaps {
            let (all, record) = self.overlaps.entry(lost_by).or_default();
            *all += times;
            *record = longest.max(*record);
        }
    }

    /// The expected things that never occurred.
    pub fn unseen(&self) -> Vec<Sometimes> {
        let is_unseen = |it: &Sometimes| self.seen.get(it).copied().unwrap_or_default() == 0;
        Sometimes::ALL.into_iter().filter(is_unseen).collect()
    }
}

impl RandomWorld {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x5eed);
        let world = World::new(seed);
        let fault_kinds = (0..16).fold(0, |bits, _| bits << 1 | dice.below(2) as u64);
        let (checks, events, leases) = (Checks::of(&world), Vec::new(), Leases::default());
        let contenders = if dice.below(2) == 0 { contenders::some(&mut dice) } else { Vec::new() };
        let (steps, prediction) = (0, None);
        Self {
            seed,
            dice,
            world,
            checks,
            events,
            steps,
            prediction,
            leases,
            contenders,
            fault_kinds,
        }
    }

    fn run(&mut self) -> Result<(), String> {
        self.start_programs()?;
        for _ in 0..STEPS {
            self.step()?;
        }
        self.act(Act::Heal)?;
        self.order_all(Order::Start)?;
        let elects = |it: &Recipe| matches!(it, Recipe::Candidate(_));
        let candidates = self.world.programs().filter(|(_, it)| elects(it.program.recipe()));
        // A single candidate may believe for minutes that it leads, until its watch times out.
        let is_contested = candidates.count() > 1;
        for key in [Some(LOCK), is_contested.then_some(ELECTION)].into_iter().flatten() {
            self.eventually(&[Eventually::SomebodyHolds(Key::from(key))], LIVE_WITHIN)?;
        }
        self.order_all(Order::Stop)?;
        self.stop_contenders()?;
        // Only the first semaphore: in that of the guide, sessions have no TTL, so a crashed client
        // keeps its slot (SES-26).
        let quiet = [SEMAPHORES[0], LOCK, ELECTION, COMMAND];
        let quiet = quiet.map(|it| Eventually::NothingHeld(Key::from(it)));
        self.eventually(&quiet, QUIET_WITHIN)?;
        self.end_contenders()
    }

    /// Waits until all contenders have ended. Fails if one does not end in time.
    fn end_contenders(&mut self) -> Result<(), String> {
        let until = self.world.now().plus(QUIET_WITHIN);
        while let Some(left) = self.contenders.iter().find(|hosted| !hosted.is_over()) {
            if self.world.now() >= until {
                return Err(format!("the contender of {} does not end", left.actor));
            }
            self.act(Act::Advance { to: self.world.now().plus(SECOND) })?;
        }
        Ok(())
    }

    /// All clients join, and most programs start at once. At least two are contenders
    /// for the lock.
    fn start_programs(&mut self) -> Result<(), String> {
        for actor in self.contenders.iter().map(|it| it.actor.clone()).collect::<Vec<_>>() {
            self.act(Act::Join { actor })?;
        }
        let roles = ProgramRole::some(&mut self.dice);
        for (number, role) in roles.into_iter().enumerate() {
            let (actor, program) = (format!("c{}", number % 4), format!("p{number}"));
            if self.world.actor(&actor).is_none() {
                self.act(Act::Join { actor: ActorName::from(actor.as_str()) })?;
            }
            if let Some((resource, asks)) = role.guard()
                && self.world.resource(resource.as_str()).is_none()
            {
                self.act(Act::Guard { resource, asks })?;
            }
            let resource = role.guard().map(|(resource, _)| resource);
            let program = ProgramName::from(program.as_str());
            // Failures are treated as by the Go client, or as by a contender.
            let failures = [OnFailure::AsInGo, OnFailure::Repeat];
            let initial = Arc::new(role.program(&mut self.dice, &failures));
            let http = *self.dice.one_of(&HttpClient::ALL);
            let actor = ActorName::from(actor.as_str());
            self.act(Act::Spawn { actor, program: program.clone(), initial, resource, http })?;
            if self.dice.below(4) > 0 {
                self.act(Act::Order { program, order: Order::Start })?;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.prediction.is_none() && self.steps.is_multiple_of(3) {
            self.prediction = EarliestTakeover::of(&self.world);
        }
        let act = match self.dice.below(12) {
            0..2 => self.fault_act(),
            2 => Act::Link { actor: self.actor(), link: link(&mut self.dice) },
            3 => self.order(),
            4 if self.dice.below(8) == 0 => Act::Failover,
            _ => {
                let span = Duration::from_millis(self.dice.below(6_000) as u64);
                Act::Advance { to: self.world.now().plus(span) }
            }
        };
        self.act(act)
    }

    /// A fault of a kind that occurs in this world; a pause in place of one of another kind.
    fn fault_act(&mut self) -> Act {
        let actor = self.actor();
        let fault = fault(&mut self.dice, actor.clone());
        let is_allowed = self.fault_kinds >> kind(&fault) & 1 == 1;
        let fault = if is_allowed { fault } else { Fault::Pause { actor } };
        let span = Duration::from_millis(self.dice.below(45_000) as u64);
        let repeats = Repeats { times: 2, every: 30 * SECOND, jitter: 20 * SECOND };
        let repeats = (self.dice.below(5) == 0).then_some(repeats);
        Act::Inject { fault, plan: Plan { repeats, ..Plan::lasting(span) } }
    }

    fn order(&mut self) -> Act {
        let names: Vec<_> = self.world.programs().map(|(name, _)| name.clone()).collect();
        let program = self.dice.one_of(&names).clone();
        let order = *self.dice.one_of(&[Order::Start, Order::Start, Order::Stop]);
        Act::Order { program, order }
    }

    fn order_all(&mut self, order: Order) -> Result<(), String> {
        let names: Vec<_> = self.world.programs().map(|(name, _)| name.clone()).collect();
        names.into_iter().try_for_each(|program| self.act(Act::Order { program, order }))
    }

    fn actor(&mut self) -> ActorName {
        self.dice.one_of(self.world.actors()).name.clone()
    }

    /// Performs an act, and checks all events that follow; one that the world refuses changes
    /// nothing. Time advances from one deadline to the next.
    fn act(&mut self, act: Act) -> Result<(), String> {
        if let Act::Advance { to } = act {
            while let Some(at) = self.next_deadline().filter(|at| *at < to) {
                self.perform(Act::Advance { to: at })?;
            }
        }
        self.perform(act)?;
        self.world.check_invariants();
        Ok(())
    }

    /// When something happens next without an act.
    fn next_deadline(&mut self) -> Option<Instant> {
        let (world, now) = (&self.world, self.world.now());
        let contenders = self.contenders.iter_mut().filter_map(|hosted| hosted.wakes(world));
        let own = world.next_deadline().map(|(at, _)| at);
        contenders.chain(own).filter(|at| *at > now).min()
    }

    /// Performs an act, and steps the contenders that are due after it.
    fn perform(&mut self, act: Act) -> Result<(), String> {
        let events = self.perform_checked(act)?;
        self.settle(events)?;
        for index in 0..self.contenders.len() {
            let world = &self.world;
            if self.contenders[index].wakes(world).is_some_and(|wakes| wakes <= world.now()) {
                let events = self.step_contender(index, Input::Due)?;
                self.settle(events)?;
            }
        }
        self.check_leases(&[])
    }

    /// Passes events on to contenders, and also the events that these cause.
    fn settle(&mut self, events: Vec<SimEvent>) -> Result<(), String> {
        let mut events = VecDeque::from(events);
        while let Some(event) = events.pop_front() {
            events.extend(self.pass_to_contender(&event)?);
        }
        Ok(())
    }

    fn check_leases(&mut self, events: &[SimEvent]) -> Result<(), String> {
        let world = &self.world;
        let holders = self.contenders.iter_mut().filter_map(|it| it.holder(world)).collect();
        self.leases.follow(world, events, holders).map_err(|it| it.to_string())
    }

    /// Passes an event on to the contender that it is about.
    fn pass_to_contender(&mut self, event: &SimEvent) -> Result<Vec<SimEvent>, String> {
        let (id, answer) = match &event.kind {
            EventKind::Answered { call, outcome } if call.caller == Caller::Person => {
                (call.id, Some(outcome.response.clone()))
            }
            EventKind::Travel(Travel::Broken { call, .. }) => (call.id, None),
            EventKind::Failed(active) => {
                if let Fault::Crash { actor, .. } = &active.fault {
                    let crashed = self.contenders.iter_mut().filter(|it| it.actor == *actor);
                    crashed.for_each(Hosted::crash);
                }
                return Ok(Vec::new());
            }
            _ => return Ok(Vec::new()),
        };
        let found = self.contenders.iter().position(|it| it.calls.contains_key(&id));
        let Some(index) = found else { return Ok(Vec::new()) };
        let Some(call) = self.contenders[index].calls.remove(&id) else { return Ok(Vec::new()) };
        self.step_contender(index, Input::Answer(call, answer))
    }

    /// Steps a contender, sends and cancels its requests in the world, and returns the events.
    fn step_contender(&mut self, index: usize, input: Input) -> Result<Vec<SimEvent>, String> {
        let steps = self.contenders[index].step(&mut self.dice, &self.world, input)?;
        let mut all = Vec::new();
        for step in steps {
            match step {
                ContenderStep::Send { call, request } => {
                    let actor = self.contenders[index].actor.clone();
                    let events = self.perform_checked(Act::Request { actor, request })?;
                    let sent = events.iter().find_map(|event| match &event.kind {
                        EventKind::Sent(sent) => Some(sent.id),
                        _ => None,
                    });
                    if let Some(id) = sent {
                        self.contenders[index].calls.insert(id, call);
                    }
                    all.extend(events);
                }
                ContenderStep::Abandon(call) => {
                    let calls = &mut self.contenders[index].calls;
                    let found = calls.iter().find(|(_, it)| **it == call).map(|(id, _)| *id);
                    if let Some(id) = found {
                        calls.remove(&id);
                        all.extend(self.perform_checked(Act::Cancel { id })?);
                    }
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn stop_contenders(&mut self) -> Result<(), String> {
        for index in 0..self.contenders.len() {
            let events = self.step_contender(index, Input::Stop)?;
            self.settle(events)?;
        }
        Ok(())
    }

    /// Performs an act, and checks its events. Fails if a rule breaks.
    fn perform_checked(&mut self, act: Act) -> Result<Vec<SimEvent>, String> {
        let events = self.world.perform(act).unwrap_or_default();
        self.check_leases(&events)?;
        for event in &events {
            self.checks.follow(event);
            let state = self.prediction.as_mut().map(|it| it.observe(event));
            if state == Some(PredictionState::Ended) {
                let early = self.prediction.take().filter(|it| event.at < it.not_before);
                if early.is_some_and(|it| it.is_taken(event)) {
                    return Err(format!("a takeover came earlier than predicted, at {}", event.at));
                }
            }
        }
        self.events.extend(events.iter().cloned());
        match self.checks.broken() {
            [] => Ok(events),
            [Broken { rule, event, at }, ..] => {
                Err(format!("{rule:?} is broken at event {event}, {at}"))
            }
        }
    }

    /// Advances until all rules hold at once. Fails if they do not in time.
    fn eventually(&mut self, what: &[Eventually], within: Duration) -> Result<(), String> {
        let until = self.world.now().plus(within);
        while !what.iter().all(|rule| rule.holds_in(&self.world)) {
            if self.world.now() >= until {
                return Err(format!("not met within {within:?}: {what:?}\n{}", self.summary()));
            }
            self.act(Act::Advance { to: self.world.now().plus(SECOND) })?;
        }
        Ok(())
    }

    /// The holders of all keys, and the state of every program.
    fn summary(&self) -> String {
        let held = self.world.store().kv().with_prefix("").filter(|it| it.hold.is_some());
        let held = held.map(|it| format!("{} is held by {:?}", it.key, it.holder()));
        let programs = self.world.programs().map(|(name, running)| {
            let program = &running.program;
            let (state, due) = (program.state(), self.world.program_deadline(name.as_str()));
            format!("{name} on {}: {state} {:?} {due:?}", running.actor, program.belief())
        });
        held.chain(programs).collect::<Vec<_>>().join("\n")
    }

    fn failure(&self, what: String) -> Box<WorldFailure> {
        let last = &self.events[self.events.len().saturating_sub(EVENTS_SHOWN)..];
        let (seed, steps) = (self.seed, self.steps);
        Box::new(WorldFailure { seed, steps, what, trace: trace_of(last) })
    }
}

impl Eventually {
    /// Whether the rule holds now.
    fn holds_in(&self, world: &World) -> bool {
        let kv = world.store().kv();
        match self {
            Self::SomebodyHolds(key) => {
                kv.get(key.as_str()).is_some_and(|entry| entry.hold.is_some())
            }
            Self::NothingHeld(prefix) => {
                kv.with_prefix(prefix.as_str()).all(|entry| entry.hold.is_none())
            }
        }
    }
}

/// The bit of a kind of fault.
fn kind(fault: &Fault) -> u32 {
    match fault {
        Fault::Pause { .. } => 0,
        Fault::Crash { .. } => 1,
        Fault::Cut { .. } => 2,
        Fault::ClockRate { .. } => 3,
        Fault::ClockJump { .. } => 4,
        Fault::NodeSilent { .. } => 5,
        Fault::NodeRemoved { .. } => 6,
        Fault::CheckCritical { .. } => 7,
        Fault::LostAnswer { .. } => 8,
        Fault::Failover => 9,
        Fault::LeaderLost(_) => 10,
    }
}

impl fmt::Display for WorldFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, steps, what, trace } = self;
        write!(f, "seed={seed} steps={steps}: {what}\n{trace}")
    }
}
