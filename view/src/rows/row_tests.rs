//! Tests of the rows of small worlds, in which real requests are sent.

use core::time::Duration;

use lictor_core::error::Cause;
use lictor_core::id::{Key, SessionId};
use lictor_core::time::Instant;
use lictor_sim::Always;
use lictor_sim::record::{AttemptResult, DocumentFormat, EventResult, LockIndexReset, Note};
use lictor_sim::timeline::SeekTarget;

use super::words;
use super::world_view::{FINAL_THRESHOLD, WorldView, threshold};
use super::{CheckLine, CheckResult, ChecksRow, Deadline, Waits};
use crate::language::Language;
use crate::test_world::{LEADER, TestWorld};
use crate::time_travel::TimeTravel;

fn view(played: &TestWorld) -> WorldView<'_> {
    WorldView { world: &played.world, record: &played.record }
}

#[test]
fn a_lock_card_shows_a_leader_election() {
    let mut played = TestWorld::of_three();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    assert_eq!(played.last(), (EventResult::True, Note::LockIndex(1)));
    played.acquire("web-2", two);
    let (reply, note) = played.last();
    let Note::Reason(why) = note else { panic!("a refusal has its reason: {note:?}") };
    assert_eq!((reply, &*why.session), (EventResult::False, "A"));

    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "web-1");
    played.acquire("web-2", two);
    let row = view(&played).lock(&Key::from(LEADER)).expect("a lock card");
    assert_eq!(row.holder.expect("held").tag.label.as_ref(), "B");
    assert_eq!((row.acquired, row.delay), (2, None), "a clean release starts no delay");

    played.destroy("web-2", two);
    let row = view(&played).lock(&Key::from(LEADER)).expect("a lock card");
    let delay = row.delay.expect("a lock-delay runs");
    assert_eq!((row.holder, &*delay.session), (None, "B"));
    assert_eq!(delay.cause.cause, Cause::Requested);
    assert_eq!(delay.until, Instant::from_millis(15_000));

    played.advance_to(15_000);
    played.acquire("web-1", one);
    assert_eq!(played.last(), (EventResult::True, Note::LockIndex(3)));
    let track = played.record.lock(&Key::from(LEADER)).expect("a track");
    let granted: Vec<_> = track.attempts.iter().map(|it| it.result).collect();
    assert_eq!(
        granted,
        [AttemptResult::Yes, AttemptResult::No, AttemptResult::Yes, AttemptResult::Yes]
    );
}

/// Two clients ask for a lock; the holder overwrites its key after it has lost the lock, which no
/// check can see.
#[test]
fn a_check_that_nothing_could_have_failed_has_not_passed() {
    let mut played = TestWorld::of_three();
    let checks = |played: &TestWorld| view(played).checks(&played.record);
    let passed = |row: &ChecksRow| -> Vec<CheckLine> {
        let lines = ChecksRow::LINES.into_iter();
        lines.filter(|line| row.result(*line) == CheckResult::Passed).collect()
    };
    assert_eq!(passed(&checks(&played)), [CheckLine::Rule(Always::IndexesGrow)], "clients joined");
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.destroy("web-3", one);
    played.advance_to(20_000);
    played.acquire("web-2", two);
    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}"), "stale");
    let row = checks(&played);
    let rules =
        [Always::OneHolder, Always::LivingHolder, Always::IndexesGrow, Always::AnsweredOnce];
    assert_eq!(passed(&row), rules.map(CheckLine::Rule));
    assert_eq!(row.passed(), (4, 5), "two clients believe that they hold the lock");
    assert_eq!(row.result(CheckLine::OneBeliever), CheckResult::Problem);
    for line in [CheckLine::StaleWrites, CheckLine::Rule(Always::FenceKept)] {
        assert_eq!(row.result(line), CheckResult::Untested, "no resource is guarded");
    }
}

#[test]
fn a_refusal_is_gone_when_its_reason_no_longer_holds() {
    let mut played = TestWorld::of_three();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    let is_shown = |played: &TestWorld| view(played).refusal().is_some();
    played.acquire("web-1", one);
    played.advance_to(1_000);
    played.acquire("web-2", two);
    assert!(is_shown(&played), "web-1 holds it");
    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "");
    assert!(!is_shown(&played), "nobody holds it");
    played.acquire("web-1", one);
    played.destroy("web-1", one);
    played.acquire("web-2", two);
    assert!(is_shown(&played), "a lock-delay runs");
    played.advance_to(16_000);
    assert!(!is_shown(&played), "the lock-delay is over");
}

#[test]
fn the_lock_of_consul_lock_has_a_lock_card_and_no_semaphore() {
    let mut played = TestWorld::of_three();
    let one = played.session("web-1", "");
    let (prefix, key) = (Key::from("jobs/"), Key::from("jobs/.lock"));
    played.call("web-1", "PUT", &format!("/v1/kv/jobs/.lock?acquire={one}"), "");
    let holder = view(&played).lock(&key).expect("a lock card").holder.expect("it is held");
    assert_eq!(holder.tag.label.as_ref(), "A");
    assert_eq!(view(&played).semaphore(&prefix), None);
    assert_eq!(played.record.semaphores().count(), 0);
    played.call("web-1", "PUT", &format!("/v1/kv/jobs/.lock?release={one}"), "");
    played.call("web-1", "DELETE", "/v1/kv/jobs/.lock", "");
    assert_eq!(view(&played).semaphore(&prefix), None);
}

#[test]
fn a_session_ends_at_twice_its_ttl() {
    let mut played = TestWorld::of_three();
    let id = played.session("web-1", r#"{"TTL": "10s"}"#);
    played.advance_to(4_000);
    played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
    let due = view(&played).deadlines(&played.record, 3);
    assert_eq!(
        due,
        [(Instant::from_millis(24_000), Deadline::SessionExpires { label: "A".into() })]
    );
    played.advance_to(30_000);
    let row = view(&played).session(id).expect("a row");
    let ended = row.ended.map(|(at, cause)| (at, cause.cause));
    assert_eq!(ended, Some((Instant::from_millis(24_000), Cause::TtlExpired)));
    assert_eq!(played.last().0, EventResult::Ended);
}

#[test]
fn an_ended_holder_of_a_semaphore_is_listed_until_a_contender_removes_it() {
    let mut played = TestWorld::of_three();
    let ids = ["web-1", "web-2", "web-3"].map(|actor| (actor, played.session(actor, "")));
    for (actor, id) in ids {
        let target = format!("/v1/kv/jobs/{id}?acquire={id}");
        played.call(actor, "PUT", &target, actor);
    }
    let [(_, a), (_, b), (_, c)] = ids;
    let document = |one: SessionId, two: SessionId| {
        format!(r#"{{"Limit": 2, "Holders": ["{one}", "{two}"]}}"#)
    };
    played.call("web-1", "PUT", "/v1/kv/jobs/.lock?cas=0", &document(a, b));
    let prefix = Key::from("jobs/");
    let row = view(&played).semaphore(&prefix).expect("a card");
    assert_eq!((row.shape, row.limit, row.holders.len()), (DocumentFormat::List, Some(2), 3));
    assert!(!row.holders[2].is_listed, "the third only contends");

    played.destroy("web-1", a);
    let row = view(&played).semaphore(&prefix).expect("a card");
    assert!(row.holders[0].is_dead_and_listed());
    let index = row.modify_index.expect("there is a document");

    played.call("web-3", "PUT", &format!("/v1/kv/jobs/.lock?cas={index}"), &document(b, c));
    let row = view(&played).semaphore(&prefix).expect("a card");
    let pruned = row.pruned.expect("it says who did it");
    assert_eq!((pruned.label.as_ref(), pruned.by.as_ref()), ("A", "web-3"));
    assert!(row.holders.iter().filter(|it| it.is_live()).count() == 2);
    assert!(played.record.locks().next().is_none(), "contender keys have no lock card");
}

#[test]
fn a_deleted_key_resets_its_lock_index_and_stays_on_its_card() {
    let mut played = TestWorld::of_three();
    let id = played.session("web-1", "");
    played.acquire("web-1", id);
    played.call("web-2", "DELETE", &format!("/v1/kv/{LEADER}"), "");
    let row = view(&played).lock(&Key::from(LEADER)).expect("a lock card");
    assert_eq!((row.indexes, row.reset), (None, Some(LockIndexReset::Deleted(Instant::EPOCH))));
    played.acquire("web-1", id);
    let row = view(&played).lock(&Key::from(LEADER)).expect("a lock card");
    assert!(row.history.last().is_some_and(|step| step.after_reset && step.lock_index == 1));
}

#[test]
fn a_client_that_does_not_know_the_end_of_its_session_is_shown_as_wrong() {
    let mut played = TestWorld::of_three();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.advance_to(1_000);
    played.destroy("web-3", one);
    played.advance_to(16_000);
    played.acquire("web-2", two);
    let wrong = |played: &TestWorld, name: &str| {
        let actor = played.world.actor(name).expect("it joined");
        view(played).actor(actor).and_then(|row| row.wrongly_believes)
    };
    assert_eq!(wrong(&played, "web-1").as_deref(), Some(LEADER));
    assert_eq!(wrong(&played, "web-2"), None);
}

#[test]
fn the_belief_in_a_semaphore_slot_is_right_until_the_session_ends() {
    let mut played = TestWorld::of_three();
    for (actor, program) in [("web-1", "one"), ("web-2", "two")] {
        played.act(actor, &format!("spawns {program} semaphore jobs limit=2 ttl=10s"));
        played.act("server", &format!("orders {program} start"));
    }
    let wrong = |played: &TestWorld| {
        ["web-1", "web-2"].map(|actor| {
            let actor = played.world.actor(actor).expect("it joined");
            view(played).actor(actor).and_then(|row| row.wrongly_believes)
        })
    };
    played.advance_to(1_000);
    assert_eq!(
        played.record.beliefs(&Key::from("jobs/.lock")).map(|it| it.believers().count()),
        Some(2)
    );
    assert_eq!((wrong(&played), played.record.overlap_count()), ([None, None], 0));
    played.act("web-1", "cut");
    played.advance_to(60_000);
    assert_eq!(wrong(&played), [Some("jobs/.lock".into()), None]);
}

#[test]
fn a_countdown_is_announced_at_half_of_its_time_and_five_seconds_before_its_end() {
    let at = Instant::from_millis;
    let passed = |whole: u64, now: u64| threshold(at(1_000), at(1_000 + whole), at(1_000 + now));
    assert_eq!(passed(20_000, 9_999), None);
    assert_eq!(passed(20_000, 14_999), Some((at(11_000), Duration::from_secs(10))));
    assert_eq!(passed(20_000, 15_000), Some((at(16_000), FINAL_THRESHOLD)));
    // Half of a countdown of 8 s is after the beginning of its last 5 s.
    assert_eq!(passed(8_000, 3_000), Some((at(4_000), FINAL_THRESHOLD)));
    assert_eq!(passed(8_000, 4_000), Some((at(5_000), Duration::from_secs(4))));
    assert_eq!(passed(3_000, 1_000), None);
    assert_eq!(passed(3_000, 1_500), Some((at(2_500), Duration::from_millis(1_500))));
}

/// The names of the branches in English.
fn branch_names(past: &TimeTravel) -> Vec<String> {
    let branches = super::branches(past.timeline(), past.record()).all;
    let words = words(Language::English);
    branches.iter().map(|row| (words.branch_name)(&row.title)).collect()
}

#[test]
fn branches_are_named_after_the_act_that_began_them() {
    let mut past = TimeTravel::after(&[(0, "web-1", "put a"), (2_500, "web-1", "put b")], 9_000);
    past.undo();
    past.perform_words("web-1", "put c");
    past.undo();
    let expected = ["main", "without 2.5 s web-1: PUT kv/b", "without 2.5 s web-1: PUT kv/c"];
    assert_eq!(branch_names(&past), expected);
}

#[test]
fn an_edited_act_and_a_fault_name_their_branches() {
    let mut past = TimeTravel::after(&[(0, "web-1", "session")], 2_500);
    let session = past.act_at_cursor().expect("an act");
    past.edit_act(session, (Instant::EPOCH, "session delay=0s")).expect("it is possible");
    past.seek(SeekTarget::Time(Instant::from_millis(1_000)));
    past.perform_words("web-1", "cut");
    let edited = "0.0 s web-1: PUT session/create with LockDelay 0s";
    assert_eq!(branch_names(&past), ["main", edited, "1.0 s web-1: network cut"]);
}

#[test]
fn a_branch_names_the_client_of_a_program_and_the_act_that_it_lacks() {
    let acts = [
        (0, "web-1", "spawns lock-1 lock a"),
        (1_000, "server", "orders lock-1 start"),
        (3_000, "web-1", "put b"),
        (4_000, "web-1", "put b"),
        (10_000, "server", "orders lock-1 stop"),
    ];
    let mut past = TimeTravel::after(&acts, 10_000);
    let stop = past.act_at_cursor().expect("an act");
    past.undo();
    past.remove_act(stop - 2).expect("it is possible");
    let stopped = "without 10.0 s web-1: lock-1 stopped";
    let removed = "without 3.0 s web-1: PUT kv/b";
    assert_eq!(branch_names(&past), ["main", stopped, removed]);
}

#[test]
fn only_a_blocking_query_at_the_server_waits_for_a_change() {
    let mut played = TestWorld::of_three();
    let waits = |played: &TestWorld, name: &str| {
        let actor = played.world.actor(name).expect("it joined");
        view(played).actor(actor).and_then(|row| row.waits)
    };
    assert_eq!(waits(&played, "web-1"), None);
    played.act("web-1", "cut");
    played.call("web-1", "GET", "/v1/kv/a", "");
    assert_eq!(waits(&played, "web-1"), Some(Waits::ForAnswer));
    played.call("web-2", "PUT", "/v1/kv/a", "1");
    played.call("web-2", "GET", "/v1/kv/a?index=1000&wait=60s", "");
    assert_eq!(waits(&played, "web-2"), Some(Waits::ForChange));
}
