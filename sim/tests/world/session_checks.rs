//! Checks that follow sessions: what the end of one session brings about through its check, and how
//! causes and the lines of a trace lead back to it.

use lictor_core::engine::Event;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_sim::trace::{Names, act_of, trace_of};
use lictor_sim::{Act, EventKind, SimEvent, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A world with the client `a`, and all its events.
struct CheckedWorld {
    world: World,
    names: Names,
    events: Vec<SimEvent>,
}

impl CheckedWorld {
    fn new() -> Self {
        let mut world = Self { world: World::new(1), names: Names::default(), events: Vec::new() };
        world.act("joins");
        world
    }

    /// The same with a check that follows sessions of this name on the node of `a`.
    fn following(session_name: &str) -> Self {
        let mut world = Self::new();
        let body = format!(
            r#"{{"Node": "a", "SkipNodeUpdate": true, "Check": {{"CheckID": "work",
                "Type": "session", "Definition": {{"SessionName": "{session_name}"}}}}}}"#
        );
        let request = HttpRequest::new("PUT", "/v1/catalog/register", body.as_bytes());
        world.perform(Act::Request { actor: ActorName::from("a"), request });
        world
    }

    fn act(&mut self, words: &str) -> Vec<SimEvent> {
        self.perform(act_of("a", words, &self.names).expect(words))
    }

    fn perform(&mut self, act: Act) -> Vec<SimEvent> {
        let events = self.world.perform(act).expect("it is possible");
        self.names.learn(&events);
        self.events.extend(events.clone());
        events
    }

    fn wait_until(&mut self, millis: u64) {
        self.perform(Act::Advance { to: Instant::from_millis(millis) });
    }

    /// The events that led to another one, from that to the act with which they began.
    fn chain(&self, number: u64) -> Vec<&SimEvent> {
        let event = |number: u64| &self.events[number as usize - 1];
        core::iter::successors(Some(event(number)), |at| at.cause.map(event)).collect()
    }

    /// The lines of the trace from a time on.
    fn lines_from(&self, millis: u64) -> Vec<String> {
        let at = format!("{}.{:03}s", millis / 1000, millis % 1000);
        let lines = trace_of(&self.events);
        let words = |line: &str| {
            let words = line.split_whitespace().skip_while(|word| word.starts_with('#'));
            words.collect::<Vec<_>>().join(" ")
        };
        lines.lines().map(words).skip_while(|line| !line.starts_with(&at)).collect()
    }
}

fn ended_session(event: &SimEvent) -> Option<&str> {
    match &event.kind {
        EventKind::Server {
            event: Event::Changed(Change::SessionEnded { session, .. }), ..
        } => Some(&session.name),
        _ => None,
    }
}

#[test]
fn the_causes_of_a_lock_delay_lead_through_a_check_to_the_end_of_another_session() {
    let mut world = CheckedWorld::following("first");
    world.act("session name=first");
    world.act("session name=second checks=work");
    world.act("put key acquire=S2");
    world.wait_until(1_000);
    world.act("destroy S1");
    world.wait_until(2_000);
    world.act("session name=third checks=");
    let refused = world.act("put key acquire=S3");
    let because = refused.iter().find_map(|event| match &event.kind {
        EventKind::Answered { outcome, .. } => outcome.because.clone(),
        _ => None,
    });
    let chain = world.chain(because.expect("the lock-delay has a cause").event);
    assert!(chain.is_sorted_by(|one, other| one.number > other.number), "causes come before");
    let ended: Vec<_> = chain.iter().filter_map(|event| ended_session(event)).collect();
    assert_eq!(ended, ["second", "first"]);
    let act = chain.last().expect("it begins with an act");
    assert!(matches!(&act.kind, EventKind::Sent(call)
        if call.request.target.starts_with("/v1/session/destroy/")));
}

#[test]
fn the_causes_of_each_change_of_a_check_are_those_of_the_session_that_it_follows() {
    let mut world = CheckedWorld::following("first");
    let is_check = |event: &&SimEvent| {
        matches!(
            &event.kind,
            EventKind::Server {
                event: Event::Changed(Change::CheckWritten { followed: Some(_), .. }),
                ..
            }
        )
    };
    for words in ["session name=first", "destroy S1"] {
        let events = world.act(words);
        let change = events.iter().find(is_check).and_then(|event| event.cause);
        let cause = &world.events[change.expect("the check changes by the session") as usize - 1];
        let EventKind::Server { event: Event::Changed(cause), .. } = &cause.kind else {
            panic!("{words}: {cause:?}");
        };
        let is_of_session = match words {
            "destroy S1" => matches!(cause, Change::SessionEnded { .. }),
            _ => matches!(cause, Change::SessionCreated(_)),
        };
        assert!(is_of_session, "{words}: {cause:?}");
    }
}

#[test]
fn a_trace_says_in_words_how_the_end_of_a_session_ends_another_one() {
    let mut world = CheckedWorld::following("first");
    world.act("session name=first");
    world.act("session name=second checks=work");
    world.act("put key acquire=S2");
    world.wait_until(1_000);
    world.act("destroy S1");
    world.act("renew S2");
    assert_eq!(
        world.lines_from(1_000),
        [
            "1.000s server S2 ends: check work is critical, as S1 ended, releases key",
            "1.000s server key cannot be locked until 16.000s",
            "1.000s server check work of a -> critical: S1 ended",
            "1.000s a destroy S1 -> true",
            "1.000s a renew S2 -> error: S2 ended at 1.000s: check work is critical, as S1 ended",
        ]
    );
}

#[test]
fn a_check_is_critical_although_another_session_of_its_name_lives() {
    let mut world = CheckedWorld::following("twin");
    world.act("session name=twin");
    world.act("session name=twin");
    world.wait_until(1_000);
    world.act("destroy S1");
    world.act("renew S2");
    world.wait_until(2_000);
    world.act("session name=twin");
    assert_eq!(
        world.lines_from(1_000),
        [
            "1.000s server check work of a -> critical: S1 ended",
            "1.000s a destroy S1 -> true",
            "1.000s a renew S2 -> ok",
            "2.000s server check work of a -> passing: S3 began",
            "2.000s a session name=twin -> S3",
        ]
    );
}
