//! The effects of faults and of slow, lossy and duplicating links, the schedule of faults, their
//! repair, and the chains of causes.

use core::time::Duration;

use lictor_core::engine::{Config, Event};
use lictor_core::error::Cause;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, CheckId};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_sim::{
    Act, ActError, CallStage, Cut, CutDirection, CutMode, EventKind, Fault, JOURNAL_MAX, Leg, Link,
    Memory, MessageLoss, Network, Overtaking, Plan, Repeats, SimEvent, Travel, Verdict, World,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SECOND: Duration = Duration::from_secs(1);

/// A world with the clients `a` and `b`, and all its events.
struct FaultWorld {
    world: World,
    events: Vec<SimEvent>,
}

impl FaultWorld {
    fn new() -> Self {
        Self::of(Network::Tcp)
    }

    fn of(network: Network) -> Self {
        let world = World::with_network(1, Config::default(), network);
        let mut fixture = Self { world, events: Vec::new() };
        fixture.act(Act::Join { actor: name("a") });
        fixture.act(Act::Join { actor: name("b") });
        fixture
    }

    fn act(&mut self, act: Act) -> Vec<SimEvent> {
        let events = self.world.perform(act).expect("it is possible");
        self.world.check_invariants();
        self.events.extend(events.clone());
        events
    }

    fn inject(&mut self, fault: Fault, plan: Plan) -> Vec<SimEvent> {
        self.act(Act::Inject { fault, plan })
    }

    fn wait(&mut self, span: Duration) -> Vec<SimEvent> {
        let to = self.world.now().plus(span);
        self.act(Act::Advance { to })
    }

    fn ask(&mut self, actor: &str, call: &str, body: &str) -> Vec<SimEvent> {
        let (method, target) = call.split_once(' ').expect("method and target");
        let request = HttpRequest::new(method, &format!("/v1/{target}"), body.as_bytes());
        self.act(Act::Request { actor: name(actor), request })
    }

    /// Creates a session and returns its id.
    fn session(&mut self, actor: &str, body: &str) -> String {
        let answered = answers(&self.ask(actor, "PUT session/create", body));
        answered[0].split('"').nth(3).expect("an id").to_owned()
    }

    fn link(&mut self, actor: &str, link: Link) {
        self.act(Act::Link { actor: name(actor), link });
    }

    /// Waits until something happens.
    fn wait_for_next(&mut self) -> Vec<SimEvent> {
        let (to, _) = self.world.next_deadline().expect("something is due");
        self.act(Act::Advance { to })
    }

    /// Waits until a request is lost, and returns how many are lost at that time.
    fn wait_until_lost(&mut self) -> usize {
        loop {
            let events = self.wait_for_next();
            let lost = travels(&events, |travel| matches!(travel, Travel::RequestLost { .. }));
            if lost > 0 {
                return lost;
            }
        }
    }

    /// How far the only pending call has come.
    fn stage(&self) -> CallStage {
        let (_, pending) = self.world.pending().next().expect("a call waits");
        pending.stage
    }

    fn sessions(&self) -> usize {
        self.world.store().sessions().len()
    }
}

#[test]
fn a_paused_client_gets_its_messages_when_it_resumes() {
    let mut fixture = FaultWorld::new();
    fixture.ask("a", "GET kv/k?index=1000&wait=60s", "");
    fixture.inject(pause("a"), Plan::lasting(10 * SECOND));
    for _ in 0..1_000 {
        fixture.ask("b", "PUT kv/k", "v");
        fixture.ask("b", "PUT kv/k", "w");
    }
    assert_eq!(answers_to("a", &fixture.events), 0);
    let resumed = fixture.wait(10 * SECOND);
    assert_eq!(answers_to("a", &resumed), 1);
    assert_eq!(resumed.last().map(|event| event.at), Some(Instant::from_millis(10_000)));
}

#[test]
fn a_paused_or_crashed_client_sends_nothing() {
    let mut fixture = FaultWorld::new();
    fixture.inject(pause("a"), Plan::NOW);
    let request =
        || Act::Request { actor: name("a"), request: HttpRequest::new("GET", "/v1/", b"") };
    assert_eq!(fixture.world.check_act(&request()), Err(ActError::Paused(name("a"))));
    fixture.inject(crash("a"), Plan::lasting(SECOND));
    assert_eq!(fixture.world.check_act(&request()), Err(ActError::Down(name("a"))));
    fixture.wait(SECOND);
    assert_eq!(fixture.world.check_act(&request()), Ok(()));
    assert!(fixture.world.active_faults().is_empty(), "a crash ends the pause");
}

#[test]
fn a_crash_breaks_the_calls_of_a_client() {
    let mut fixture = FaultWorld::new();
    fixture.ask("a", "GET kv/k?index=1000", "");
    let crashed = fixture.inject(crash("a"), Plan::NOW);
    let is_broken =
        |travel: &Travel| matches!(travel, Travel::Broken { stage: CallStage::Waits, .. });
    assert_eq!(travels(&crashed, is_broken), 1);
    assert_eq!(fixture.world.parked().count(), 0, "the server hears of it");
}

#[test]
fn a_crash_forgets_connections_that_failed_while_the_client_was_paused() {
    let mut fixture = FaultWorld::new();
    fixture.ask("a", "GET kv/k?index=1000", "");
    fixture.inject(pause("a"), Plan::NOW);
    fixture.inject(cut("a", CutDirection::Both, CutMode::Reject), Plan::NOW);
    fixture.inject(crash("a"), Plan::NOW);
    assert_eq!(fixture.world.connections().count(), 0);
}

#[test]
fn without_connections_a_cut_that_drops_messages_leaves_the_caller_waiting() {
    for (way, lost) in [(CutDirection::Both, Leg::Request), (CutDirection::FromServer, Leg::Answer)]
    {
        let mut fixture = FaultWorld::of(Network::Messages);
        fixture.inject(cut("a", way, CutMode::Drop), Plan::lasting(5 * SECOND));
        fixture.ask("a", "PUT kv/k", "v");
        let (_, pending) = fixture.world.pending().next().expect("the call waits");
        assert_eq!(pending.stage, CallStage::Lost(lost));
        let took_effect = fixture.world.store().kv().get("k").is_some();
        assert_eq!(took_effect, lost == Leg::Answer, "{way:?}");
        fixture.wait(5 * SECOND);
        assert_eq!(answers(&fixture.ask("a", "PUT kv/k", "v")), ["true"]);
    }
}

#[test]
fn a_cut_that_rejects_messages_is_noticed_at_once() {
    let mut fixture = FaultWorld::new();
    fixture.ask("a", "GET kv/k?index=1000", "");
    let is_broken = |travel: &Travel| matches!(travel, Travel::Broken { .. });
    let begun = fixture.inject(cut("a", CutDirection::Both, CutMode::Reject), Plan::NOW);
    assert_eq!(travels(&begun, is_broken), 1, "the call that waits breaks");
    assert_eq!(fixture.world.parked().count(), 0);
    let sent = fixture.ask("a", "PUT kv/k", "v");
    assert_eq!(travels(&sent, is_broken), 1, "so does a new one");
    assert!(fixture.world.store().kv().get("k").is_none());
    fixture.act(Act::Repair { fault: cut("a", CutDirection::ToServer, CutMode::Drop) });
    assert_eq!(answers(&fixture.ask("a", "PUT kv/k", "v")), ["true"]);
}

#[test]
fn without_connections_a_cut_keeps_a_cancelled_query_waiting_at_the_server() {
    let mut fixture = FaultWorld::of(Network::Messages);
    fixture.ask("a", "GET kv/k?index=1000&wait=10s", "");
    fixture.inject(cut("a", CutDirection::Both, CutMode::Drop), Plan::NOW);
    let (id, _) = fixture.world.pending().next().expect("the call waits");
    fixture.act(Act::Cancel { id });
    assert_eq!(fixture.world.parked().count(), 1, "the server does not know");
    let ended = fixture.wait(11 * SECOND);
    let is_lost = |it: &Travel| matches!(it, Travel::AnswerLost { loss: MessageLoss::Cut, .. });
    assert_eq!(travels(&ended, is_lost), 1);
}

#[test]
fn after_a_lost_answer_the_write_has_happened_and_its_outcome_is_unknown() {
    let mut fixture = FaultWorld::of(Network::Messages);
    fixture.inject(Fault::LostAnswer { actor: name("a") }, Plan::NOW);
    let sent = fixture.ask("a", "PUT kv/k", "v");
    let took_effect = |travel: &Travel| match travel {
        Travel::AnswerLost { loss: MessageLoss::LostAnswer, outcome, .. } => {
            outcome.verdict() == Verdict::True
        }
        _ => false,
    };
    assert_eq!(travels(&sent, took_effect), 1);
    let (id, _) = fixture.world.pending().next().expect("the call waits");
    let given_up = fixture.act(Act::Cancel { id });
    let stage = CallStage::Lost(Leg::Answer);
    let is_unknown =
        |it: &SimEvent| matches!(it.kind, EventKind::Cancelled { stage: s, .. } if s == stage);
    assert!(given_up.iter().any(is_unknown), "{given_up:?}");
    assert_eq!(answers(&fixture.ask("a", "GET kv/k?raw", "")), ["v"], "only one answer is lost");
}

#[test]
fn messages_take_the_latency_of_their_link() {
    let mut fixture = FaultWorld::of(Network::Messages);
    let link = Link { latency: Duration::from_millis(40), ..Link::default() };
    fixture.link("a", link);
    assert!(answers(&fixture.ask("a", "PUT kv/k", "v")).is_empty());
    let arrived = fixture.wait(Duration::from_millis(79));
    assert!(fixture.world.store().kv().get("k").is_some(), "after 40 ms it has arrived");
    assert!(answers(&arrived).is_empty());
    assert_eq!(answers(&fixture.wait(Duration::from_millis(1))), ["true"]);
}

#[test]
fn a_duplicated_request_is_carried_out_twice_and_answered_once() {
    let mut fixture = FaultWorld::of(Network::Messages);
    fixture.link("a", Link { duplicates: 1_000, latency: SECOND, ..Link::default() });
    let before = fixture.world.index();
    fixture.ask("a", "PUT kv/k", "v");
    let events = fixture.wait(4 * SECOND);
    assert_eq!(fixture.world.index().0, before.0 + 2);
    assert_eq!(answers(&events), ["true"]);
    assert_eq!(travels(&events, |travel| matches!(travel, Travel::Late { .. })), 1);
}

/// A link on which each request is delivered twice, at different times.
const TWICE: Link = Link {
    latency: SECOND,
    jitter: Duration::from_secs(10),
    loss: 0,
    duplicates: 1_000,
    overtaking: Overtaking::Never,
};

#[test]
fn a_request_is_lost_only_when_both_of_its_copies_are() {
    for is_repaired in [true, false] {
        let mut fixture = FaultWorld::of(Network::Messages);
        fixture.link("a", TWICE);
        fixture.ask("a", "PUT kv/k", "v");
        let cut = cut("a", CutDirection::ToServer, CutMode::Drop);
        fixture.inject(cut.clone(), Plan::NOW);
        assert_eq!(fixture.wait_until_lost(), 1, "the first copy meets the cut");
        assert_eq!(fixture.stage(), CallStage::Sent, "the second copy is on its way");
        if is_repaired {
            fixture.act(Act::Repair { fault: cut });
            assert_eq!(answers(&fixture.wait(30 * SECOND)), ["true"]);
        } else {
            assert_eq!(fixture.wait_until_lost(), 1, "the second copy meets the cut");
            assert_eq!(fixture.stage(), CallStage::Lost(Leg::Request));
        }
    }
}

#[test]
fn a_copy_that_is_lost_after_the_other_was_carried_out_changes_nothing() {
    let mut fixture = FaultWorld::of(Network::Messages);
    // With this jitter both copies arrive before the first answer does, in either order.
    let jitter = Duration::from_millis(900);
    fixture.link("a", Link { jitter, overtaking: Overtaking::Possible, ..TWICE });
    let cut = cut("a", CutDirection::ToServer, CutMode::Drop);
    for number in 0..20 {
        let key = format!("k{number}");
        fixture.ask("a", &format!("PUT kv/{key}"), "v");
        while fixture.world.store().kv().get(&key).is_none() {
            fixture.wait_for_next();
        }
        fixture.inject(cut.clone(), Plan::NOW);
        assert_eq!(fixture.wait_until_lost(), 1, "the other copy meets the cut");
        assert_eq!(fixture.stage(), CallStage::Done, "the answer is on its way");
        fixture.act(Act::Repair { fault: cut.clone() });
        assert_eq!(answers(&fixture.wait(10 * SECOND)), ["true"]);
    }
}

#[test]
fn a_call_whose_copy_did_nothing_keeps_its_log_entry() {
    let mut fixture = FaultWorld::of(Network::Messages);
    let session = fixture.session("a", "{}");
    fixture.link("a", Link { jitter: Duration::ZERO, ..TWICE });
    fixture.inject(Fault::LostAnswer { actor: name("a") }, Plan::NOW);
    fixture.ask("a", &format!("PUT session/destroy/{session}"), "");
    fixture.wait(SECOND);
    let destroyed = fixture.world.index();
    let (_, pending) =
        fixture.world.pending().next().expect("the answer to the copy is on its way");
    assert_eq!((pending.stage, pending.logged), (CallStage::Done, Some(destroyed)));
}

#[test]
fn a_query_that_is_cancelled_in_a_cut_ends_at_the_server_when_its_end_arrives() {
    let mut fixture = FaultWorld::new();
    fixture.ask("a", "GET kv/k?index=1000&wait=60s", "");
    fixture.inject(cut("a", CutDirection::Both, CutMode::Drop), Plan::lasting(5 * SECOND));
    let (id, _) = fixture.world.pending().next().expect("the call waits");
    fixture.act(Act::Cancel { id });
    fixture.wait(6 * SECOND);
    assert_eq!(fixture.world.parked().count(), 1, "the server does not know");
    let heard = fixture.wait(SECOND);
    assert_eq!(travels(&heard, |travel| matches!(travel, Travel::HungUp { .. })), 1);
    assert_eq!(fixture.world.parked().count(), 0);
    assert_eq!(fixture.world.connections().count(), 0);
}

#[test]
fn a_lost_answer_breaks_its_connection() {
    let mut fixture = FaultWorld::new();
    fixture.inject(Fault::LostAnswer { actor: name("a") }, Plan::NOW);
    let sent = fixture.ask("a", "PUT kv/k", "v");
    let stage = CallStage::Lost(Leg::Answer);
    let is_broken = |it: &Travel| matches!(it, Travel::Broken { stage: s, .. } if *s == stage);
    assert_eq!(travels(&sent, is_broken), 1);
    assert_eq!(answers(&fixture.ask("a", "GET kv/k?raw", "")), ["v"], "it took effect");
}

#[test]
fn a_request_that_a_proxy_repeats_is_carried_out_twice_and_answered_once() {
    let mut fixture = FaultWorld::new();
    fixture.link("a", Link { duplicates: 1_000, latency: SECOND, ..Link::default() });
    let before = fixture.world.index();
    fixture.ask("a", "PUT kv/k", "v");
    let events = fixture.wait(6 * SECOND);
    assert_eq!(fixture.world.index().0, before.0 + 2);
    assert_eq!(answers(&events), ["true"]);
}

#[test]
fn a_lossy_link_delays_requests_and_loses_none() {
    let mut fixture = FaultWorld::new();
    let latency = Duration::from_millis(10);
    fixture.link("a", Link { loss: 200, latency, ..Link::default() });
    let before = fixture.world.index();
    for _ in 0..100 {
        assert!(answers(&fixture.ask("a", "PUT kv/k", "v")).is_empty());
        let mut waited = 0;
        while answers(&fixture.wait(SECOND)).is_empty() {
            waited += 1;
            assert!(waited < 60, "an answer takes too long");
        }
    }
    assert_eq!(fixture.world.index().0, before.0 + 100, "each is carried out once");
}

#[test]
fn answers_to_cancelled_calls_are_late() {
    let mut fixture = FaultWorld::of(Network::Messages);
    fixture.link("a", Link { latency: SECOND, ..Link::default() });
    fixture.ask("a", "PUT kv/k", "v");
    let (id, _) = fixture.world.pending().next().expect("the call waits");
    fixture.act(Act::Cancel { id });
    let late = fixture.wait(4 * SECOND);
    assert_eq!(travels(&late, |travel| matches!(travel, Travel::Late { .. })), 1);
    assert!(fixture.world.store().kv().get("k").is_some(), "it took effect all the same");
}

#[test]
fn a_silent_node_loses_its_sessions_when_gossip_has_noticed() {
    let mut fixture = FaultWorld::new();
    fixture.session("a", "{}");
    let silent = Fault::NodeSilent { actor: name("a"), detection: 3 * SECOND };
    fixture.inject(silent.clone(), Plan::lasting(2 * SECOND));
    fixture.wait(10 * SECOND);
    assert_eq!(fixture.sessions(), 1, "it was heard from again in time");
    fixture.inject(silent.clone(), Plan::NOW);
    let events = fixture.wait(3 * SECOND);
    assert_eq!(ends(&events), [Cause::CheckCritical(CheckId::from("serfHealth"))]);
    assert!(answers(&fixture.ask("a", "PUT session/create", ""))[0].contains("critical state"));
    fixture.act(Act::Repair { fault: silent });
    fixture.session("a", "{}");
}

#[test]
fn a_removed_node_is_registered_again_by_the_repair() {
    let mut fixture = FaultWorld::new();
    fixture.session("a", "{}");
    let events = fixture.inject(Fault::NodeRemoved { actor: name("a") }, Plan::lasting(SECOND));
    assert_eq!(ends(&events), [Cause::CheckRemoved(CheckId::from("serfHealth"))]);
    assert_eq!(
        answers(&fixture.ask("a", "PUT session/create", "")),
        ["apply failed: Missing node registration"]
    );
    fixture.wait(SECOND);
    fixture.session("a", "{}");
}

#[test]
fn a_critical_check_ends_the_sessions_that_are_bound_to_it() {
    let mut fixture = FaultWorld::new();
    let check = CheckId::from("app");
    let fault = Fault::CheckCritical { actor: name("a"), check: check.clone() };
    fixture.inject(fault.clone(), Plan::lasting(SECOND));
    fixture.wait(SECOND);
    fixture.session("a", r#"{"NodeChecks": ["app"]}"#);
    fixture.session("a", "{}");
    assert_eq!(ends(&fixture.inject(fault, Plan::NOW)), [Cause::CheckCritical(check)]);
}

#[test]
fn a_schedule_happens_as_often_as_planned() {
    let mut fixture = FaultWorld::new();
    let repeats = Some(Repeats { times: 2, every: 10 * SECOND, jitter: Duration::ZERO });
    let plan = Plan { after: SECOND, lasts: Some(3 * SECOND), repeats };
    fixture.inject(pause("a"), plan);
    let events = fixture.wait(100 * SECOND);
    let troubles = events.iter().filter_map(|event| match &event.kind {
        EventKind::Failed(_) => Some((event.at.as_millis() / 1_000, "failed")),
        EventKind::Mended(_) => Some((event.at.as_millis() / 1_000, "mended")),
        _ => None,
    });
    let expected = [
        (1, "failed"),
        (4, "mended"),
        (11, "failed"),
        (14, "mended"),
        (21, "failed"),
        (24, "mended"),
    ];
    assert!(troubles.eq(expected), "{events:?}");
}

#[test]
fn a_later_fault_of_the_same_kind_replaces_the_earlier_one() {
    let mut fixture = FaultWorld::new();
    fixture.inject(pause("a"), Plan::lasting(5 * SECOND));
    fixture.wait(3 * SECOND);
    fixture.inject(pause("a"), Plan::lasting(10 * SECOND));
    fixture.wait(9 * SECOND);
    assert_eq!(
        fixture.world.active_faults().len(),
        1,
        "the end of the first does not end the second"
    );
    fixture.wait(SECOND);
    assert!(fixture.world.active_faults().is_empty());
}

#[test]
fn healing_ends_all_active_and_planned_faults() {
    let mut fixture = FaultWorld::new();
    fixture.inject(pause("a"), Plan::later(SECOND));
    fixture.inject(cut("b", CutDirection::Both, CutMode::Drop), Plan::NOW);
    fixture.link("a", Link { loss: 1_000, ..Link::default() });
    fixture.act(Act::Heal);
    fixture.wait(10 * SECOND);
    assert!(fixture.world.active_faults().is_empty());
    assert_eq!(answers(&fixture.ask("a", "PUT kv/k", "v")), ["true"]);
    assert_eq!(answers(&fixture.ask("b", "PUT kv/k", "v")), ["true"]);
}

#[test]
fn a_full_journal_refuses_acts_but_time_still_passes() {
    let mut world = World::new(1);
    for _ in 1..JOURNAL_MAX {
        world.perform(Act::Failover).expect("it is possible");
    }
    assert_eq!(world.perform(Act::Failover), Err(ActError::JournalFull));
    for seconds in 1..4 {
        world.advance_to(Instant::from_millis(seconds * 1_000));
    }
    assert_eq!(world.journal().len(), JOURNAL_MAX);
    assert_eq!(world.now(), Instant::from_millis(3_000));
}

#[test]
fn the_reason_of_a_refusal_refers_to_the_acquire_of_the_holder() {
    let mut fixture = FaultWorld::new();
    let (ours, theirs) = (fixture.session("a", "{}"), fixture.session("b", "{}"));
    fixture.ask("a", &format!("PUT kv/lead?acquire={ours}"), "a");
    let refused = fixture.ask("b", &format!("PUT kv/lead?acquire={theirs}"), "b");
    let because = refused.iter().find_map(|event| match &event.kind {
        EventKind::Answered { outcome, .. } => outcome.because.clone(),
        _ => None,
    });
    let because = because.expect("held by another");
    assert_eq!(because.by, Some(name("a")));
    let begun = fixture.chain(because.event);
    assert!(matches!(&begun.kind, EventKind::Sent(call) if call.actor == name("a")));
}

#[test]
fn the_end_of_a_session_leads_back_to_its_last_renewal() {
    let mut fixture = FaultWorld::new();
    let session = fixture.session("a", r#"{"TTL": "10s"}"#);
    fixture.wait(SECOND);
    let renewed = fixture.ask("a", &format!("PUT session/renew/{session}"), "");
    let expired = fixture.wait(20 * SECOND);
    let end = expired.iter().find(|event| !ends(&[(*event).clone()]).is_empty());
    let begun = fixture.chain(end.expect("it expires").number);
    assert_eq!(begun.number, renewed[0].number);
}

impl FaultWorld {
    /// The first event in the chain of causes of an event, given by its number.
    fn chain(&self, number: u64) -> &SimEvent {
        let mut at = &self.events[number as usize - 1];
        while let Some(cause) = at.cause {
            at = &self.events[cause as usize - 1];
        }
        at
    }
}

fn name(name: &str) -> ActorName {
    ActorName::from(name)
}

fn pause(actor: &str) -> Fault {
    Fault::Pause { actor: name(actor) }
}

fn crash(actor: &str) -> Fault {
    Fault::Crash { actor: name(actor), memory: Memory::Kept }
}

fn cut(actor: &str, way: CutDirection, mode: CutMode) -> Fault {
    Fault::Cut { actor: name(actor), cut: Cut { way, mode } }
}

fn answers(events: &[SimEvent]) -> Vec<String> {
    let answer = |event: &SimEvent| match &event.kind {
        EventKind::Answered { outcome, .. } => Some(outcome.response.text()),
        _ => None,
    };
    events.iter().filter_map(answer).collect()
}

fn answers_to(name: &str, events: &[SimEvent]) -> usize {
    let is_to = |event: &&SimEvent| match &event.kind {
        EventKind::Answered { call, .. } => call.actor.as_str() == name,
        _ => false,
    };
    events.iter().filter(is_to).count()
}

fn travels(events: &[SimEvent], is_such: impl Fn(&Travel) -> bool) -> usize {
    let is_it = |event: &&SimEvent| matches!(&event.kind, EventKind::Travel(it) if is_such(it));
    events.iter().filter(is_it).count()
}

/// The causes of all session ends.
fn ends(events: &[SimEvent]) -> Vec<Cause> {
    let end = |event: &SimEvent| match &event.kind {
        EventKind::Server { event: Event::Changed(Change::SessionEnded { cause, .. }), .. } => {
            Some(cause.clone())
        }
        _ => None,
    };
    events.iter().filter_map(end).collect()
}
