//! Client programs in a world: each uses the clock and the link of its host, and is affected by the
//! host's faults.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::id::{ActorName, Key, ProgramName};
use lictor_core::time::Instant;
use lictor_recipes::{Belief, Due, Naive, Order, Program, Recipe, Script, Step, Task, UserPolicy};
use lictor_sim::{
    Act, CallStage, Caller, Checks, EventKind, Fault, HttpClient, Jump, Leg, Link, Memory, Plan,
    ProgramEvent, SimEvent, Sometimes, Travel, Upcoming, World,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SECOND: Duration = Duration::from_secs(1);
const KEY: &str = "lead";

/// A world with programs that have the names of their clients, all its events, and its checks.
struct ProgramWorld {
    world: World,
    events: Vec<SimEvent>,
    checks: Checks,
}

impl ProgramWorld {
    fn new() -> Self {
        let world = World::new(1);
        Self { checks: Checks::of(&world), world, events: Vec::new() }
    }

    /// Adds a client with a shell script that contends for the lock, and starts it.
    fn with_naive(mut self, client: &str) -> Self {
        self.spawn(client, Program::new(naive()));
        self
    }

    /// The same at a later time. Its session lives for 20 s, because the script does not renew it.
    fn with_naive_later(mut self, client: &str) -> Self {
        self.wait(18 * SECOND);
        self.with_naive(client)
    }

    fn spawn(&mut self, client: &str, program: Program) {
        self.act(Act::Join { actor: ActorName::from(client) });
        self.act(Act::Spawn {
            actor: ActorName::from(client),
            program: ProgramName::from(client),
            initial: Arc::new(program),
            resource: None,
            http: HttpClient::Go,
        });
        self.order(client, Order::Start);
    }

    fn order(&mut self, program: &str, order: Order) {
        self.act(Act::Order { program: ProgramName::from(program), order });
    }

    fn inject(&mut self, fault: Fault, plan: Plan) {
        self.act(Act::Inject { fault, plan });
    }

    fn wait(&mut self, span: Duration) -> Vec<SimEvent> {
        let to = self.world.now().plus(span);
        self.act(Act::Advance { to })
    }

    fn act(&mut self, act: Act) -> Vec<SimEvent> {
        assert_eq!(self.world.check_act(&act), Ok(()), "{act:?}");
        let events = self.world.perform(act).expect("it is possible");
        self.world.check_invariants();
        for event in &events {
            self.checks.follow(event);
        }
        assert_eq!(self.checks.broken(), []);
        self.events.extend(events.clone());
        events
    }

    fn believes(&self, program: &str) -> bool {
        matches!(self.belief(program), Belief::Believes { .. })
    }

    fn belief(&self, program: &str) -> &Belief {
        self.world.program(program).expect("it was spawned").program.belief()
    }

    fn holder_node(&self) -> Option<String> {
        let entry = self.world.store().kv().get(KEY)?;
        let session = self.world.store().sessions().get(entry.holder()?.id()?)?;
        Some(session.node.to_string())
    }
}

#[test]
fn the_calls_of_a_program_travel_over_the_link_of_its_client() {
    let mut fixture = ProgramWorld::new();
    fixture.act(Act::Join { actor: name("a") });
    let link = Link { latency: Duration::from_millis(20), ..Link::default() };
    fixture.act(Act::Link { actor: name("a"), link });
    let (actor, program) = (name("a"), ProgramName::from("a"));
    let initial = Arc::new(Program::new(naive()));
    fixture.act(Act::Spawn {
        actor,
        program: program.clone(),
        initial,
        resource: None,
        http: HttpClient::Go,
    });
    fixture.order("a", Order::Start);
    fixture.wait(SECOND);
    let sent = fixture.events.iter().filter_map(|event| match &event.kind {
        EventKind::Sent(call) if call.caller != Caller::Person => {
            let path = call.request.target.split('?').next();
            Some((event.at.as_millis(), path.map(str::to_owned)))
        }
        _ => None,
    });
    let targets = ["/v1/session/create", "/v1/kv/lead"].map(|it| Some(it.to_owned()));
    assert!(sent.eq([0, 80].into_iter().zip(targets)), "{:#?}", fixture.events);
    let Belief::Believes { since, .. } = fixture.belief("a") else { panic!("it holds the lock") };
    assert_eq!(*since, Instant::from_millis(120));
}

#[test]
fn the_next_deadline_of_a_program_has_its_reason() {
    let fixture = ProgramWorld::new().with_naive("a").with_naive("b");
    let next = fixture.world.next_deadline();
    let b = ProgramName::from("b");
    let tries_again = Upcoming::Program(&b, Due::TryAgain);
    assert_eq!(next, Some((Instant::from_millis(1_000), tries_again)));
}

#[test]
fn two_believe_to_hold_a_lock_when_one_does_not_renew() {
    let mut fixture = ProgramWorld::new().with_naive("a").with_naive_later("b");
    fixture.wait(42 * SECOND);
    assert!(fixture.believes("a") && fixture.believes("b"));
    assert_eq!(fixture.checks.seen(Sometimes::TwoBelievers), 1);
    let [overlap] = fixture.checks.overlaps() else { panic!("one overlap") };
    assert_eq!(overlap.from, Instant::from_millis(35_000), "2 x 10 s, and 15 s of lock-delay");
    assert_eq!(overlap.to, None);
    fixture.order("a", Order::Stop);
    assert_eq!(fixture.checks.overlap(fixture.world.now()), 25 * SECOND);
}

#[test]
fn a_paused_program_acts_late() {
    let mut fixture = ProgramWorld::new().with_naive("a").with_naive_later("b").with_naive("c");
    fixture.inject(Fault::Pause { actor: name("b") }, Plan::lasting(20 * SECOND));
    fixture.wait(19 * SECOND);
    assert_eq!(fixture.holder_node().as_deref(), Some("c"));
    let resumed = fixture.wait(SECOND);
    let woke = |event: &&SimEvent| match &event.kind {
        EventKind::Program { program, event: ProgramEvent::Due(due), .. } => {
            program.as_str() == "b" && *due == Due::TryAgain
        }
        _ => false,
    };
    assert_eq!(resumed.iter().filter(woke).count(), 1, "of all tries that it missed, one");
}

#[test]
fn after_a_crash_a_program_starts_with_or_without_its_memory() {
    for (memory, believes) in [(Memory::Kept, true), (Memory::Lost, false)] {
        let mut fixture = ProgramWorld::new().with_naive("a");
        let fault = Fault::Crash { actor: name("a"), memory };
        fixture.inject(fault, Plan::lasting(SECOND));
        fixture.wait(2 * SECOND);
        assert_eq!(fixture.believes("a"), believes, "{memory:?}");
        let sessions = fixture.world.store().sessions().len();
        assert_eq!(sessions, if believes { 1 } else { 2 }, "a fresh start makes a session");
    }
}

#[test]
fn a_program_restarted_with_its_memory_gets_failures_for_its_broken_calls() {
    let mut fixture = ProgramWorld::new().with_naive("a").with_naive("b");
    let link = Link { latency: SECOND, ..Link::default() };
    fixture.act(Act::Link { actor: name("b"), link });
    fixture.wait(Duration::from_millis(1_500));
    let fault = Fault::Crash { actor: name("b"), memory: Memory::Kept };
    fixture.inject(fault, Plan::lasting(SECOND));
    fixture.wait(Duration::from_millis(2_500));
    assert_eq!(fixture.world.program("b").map(|it| it.program.state()), Some("Acquiring"));
}

#[test]
fn a_slow_clock_makes_a_program_slow() {
    let mut fixture = ProgramWorld::new().with_naive("a").with_naive("b");
    fixture.inject(Fault::ClockRate { actor: name("b"), rate: 100 }, Plan::NOW);
    let at = |world: &World| world.program_deadline("b").map(|(at, _)| at.as_millis());
    assert_eq!(at(&fixture.world), Some(10_000));
    let jump = Jump::Ahead(Duration::from_millis(500));
    fixture.inject(Fault::ClockJump { actor: name("b"), jump }, Plan::NOW);
    assert_eq!(at(&fixture.world), Some(5_000));
    fixture.act(Act::Repair { fault: Fault::ClockRate { actor: name("b"), rate: 0 } });
    assert_eq!(at(&fixture.world), Some(1_000));
}

#[test]
fn a_client_that_loses_the_answer_to_its_acquire_holds_without_knowing() {
    let mut fixture = ProgramWorld::new();
    let program = Program::new(naive()).with_request_timeout(2 * SECOND);
    fixture.act(Act::Join { actor: name("a") });
    let (actor, name) = (name("a"), ProgramName::from("a"));
    let initial = Arc::new(program);
    fixture.act(Act::Spawn {
        actor: actor.clone(),
        program: name,
        initial,
        resource: None,
        http: HttpClient::Go,
    });
    let link = Link { latency: Duration::from_millis(100), ..Link::default() };
    fixture.act(Act::Link { actor: actor.clone(), link });
    fixture.order("a", Order::Start);
    fixture.wait(Duration::from_millis(450));
    fixture.inject(Fault::LostAnswer { actor }, Plan::NOW);
    let events = fixture.wait(Duration::from_millis(200));
    assert_eq!(fixture.holder_node().as_deref(), Some("a"));
    assert!(!fixture.believes("a"));
    assert_eq!(fixture.checks.seen(Sometimes::EffectWithoutAnswer), 1);
    let stage = CallStage::Lost(Leg::Answer);
    let is_broken = |event: &SimEvent| match &event.kind {
        EventKind::Travel(Travel::Broken { stage: found, .. }) => *found == stage,
        _ => false,
    };
    assert!(events.iter().any(is_broken), "{events:#?}");
}

#[test]
fn a_program_without_a_pause_does_not_stop_time() {
    let mut fixture = ProgramWorld::new();
    let step = Step { after: Duration::ZERO, task: Task::DestroyHolder(Key::from(KEY)) };
    let habit = UserPolicy::default().with_again(Duration::ZERO);
    let script = Program::new(Recipe::Script(Script::new([step].into()))).with_policy(habit);
    fixture.spawn("a", script);
    fixture.wait(Duration::from_millis(3));
    assert_eq!(fixture.world.now(), Instant::from_millis(3));
}

#[test]
fn the_causes_of_a_takeover_lead_back_to_the_order_that_started_the_holder() {
    let mut fixture = ProgramWorld::new().with_naive("a").with_naive_later("b");
    fixture.wait(18 * SECOND);
    let takeover = fixture.events.iter().rev().find(|event| match &event.kind {
        EventKind::Program {
            program,
            event: ProgramEvent::Believes(Belief::Believes { .. }),
            ..
        } => program.as_str() == "b",
        _ => false,
    });
    let mut at = takeover.expect("b takes over");
    let mut passed = Vec::new();
    while let Some(cause) = at.cause {
        at = &fixture.events[cause as usize - 1];
        passed.push(at.number);
    }
    assert!(matches!(
        &at.kind,
        EventKind::Program { program, event: ProgramEvent::Ordered(Order::Start), .. }
            if program.as_str() == "b"
    ));
    assert!(passed.is_sorted_by(|one, other| one > other), "causes come before: {passed:?}");
}

fn name(name: &str) -> ActorName {
    ActorName::from(name)
}

fn naive() -> Recipe {
    Recipe::Naive(Naive::new(Key::from(KEY), b"me"))
}
