//! The line about a key in small worlds: each kind of state, in both languages.

use core::time::Duration;

use lictor_core::id::Key;
use lictor_core::time::Instant;
use lictor_sim::Terms;
use lictor_sim::record::{ActorTag, Badge, DocumentFormat, SessionTag};

use super::headline::{Headline, LockHeadline, LockState, SemaphoreHeadline, Trouble};
use super::takeover::TakeoverRow;
use super::{ForecastVisibility, words};
use crate::language::Language;
use crate::test_world::LEADER;
use crate::time_travel::TimeTravel;

/// The sandbox after these acts up to a time, with a forecast of two minutes.
fn world(acts: &[(u64, &str, &str)], until: u64) -> TimeTravel {
    let mut past = TimeTravel::after(acts, until);
    past.extend_forecast(Instant::from_millis(until + 120_000), &|| true);
    past
}

fn of_leader(past: &TimeTravel, visibility: ForecastVisibility) -> Headline {
    let key = Key::from(LEADER);
    let found = past.world().earliest_takeover(&key);
    Headline::of_lock(past.view(), (past.forecast().record, visibility), &key, found.as_ref())
}

/// The line in a language: its word, its sentence, and its sum if it has one.
fn line(headline: &Headline, now: Instant, language: Language) -> String {
    let [sentence, sum] = words(language).headline(headline, now);
    let word = headline.word().unwrap_or_default();
    format!("{word} {sentence} {sum}").trim_end().to_owned()
}

fn is(past: &TimeTravel, headline: &Headline, [english, chinese]: [&str; 2]) {
    let now = past.world().now();
    assert_eq!(line(headline, now, Language::English), english);
    assert_eq!(line(headline, now, Language::Chinese), chinese);
}

fn leader_is(past: &TimeTravel, texts: [&str; 2]) {
    is(past, &of_leader(past, ForecastVisibility::Open), texts);
}

/// web-1 holds the lock by a program, and web-2 waits for it by another one.
const TWO_PROGRAMS: [(u64, &str, &str); 4] = [
    (0, "web-1", "spawns one lock db/leader ttl=15s"),
    (0, "web-1", "orders one start"),
    (1_000, "web-2", "spawns two lock db/leader ttl=15s"),
    (1_000, "web-2", "orders two start"),
];

fn programs(later: &[(u64, &str, &str)], until: u64) -> TimeTravel {
    world(&[&TWO_PROGRAMS, later].concat(), until)
}

#[test]
fn a_key_that_nobody_holds_is_free() {
    let texts = [
        "FREE db/leader is free: nobody holds it, and no lock-delay runs.",
        "FREE db/leader 空闲：无人持有，也没有锁延迟。",
    ];
    leader_is(&world(&[], 0), texts);
    let held = [(0, "web-1", "session"), (0, "web-1", "put db/leader value=x acquire=A")];
    let release = [(1_000, "web-1", "put db/leader value=x release=A")];
    leader_is(&world(&[&held[..], &release].concat(), 2_000), texts);
}

#[test]
fn a_crashed_holder_loses_the_lock_at_a_time_of_the_forecast() {
    let past = programs(&[(10_000, "web-1", "crashes")], 12_000);
    leader_is(
        &past,
        [
            "HELD db/leader is held by web-1, which has crashed. web-2 can take it in 40.5 s, at \
             52.5 s. 40.5 s = 25.5 session + 15.0 lock-delay",
            "HELD db/leader 由 web-1 持有，它已崩溃。web-2 可在 40.5 秒后（52.5 秒时）接手。 40.5 秒 = 会话 25.5 + 锁延迟 \
             15.0",
        ],
    );
}

#[test]
fn a_live_holder_keeps_the_lock_for_as_long_as_it_renews() {
    leader_is(
        &programs(&[], 12_000),
        [
            "HELD db/leader is held by web-1. If web-1 sends nothing more, web-2 can take it in \
             40.5 s at the earliest, at 52.5 s. 40.5 s = 25.5 session + 15.0 lock-delay",
            "HELD db/leader 由 web-1 持有。若 web-1 不再发送请求，web-2 最早可在 40.5 秒后（52.5 秒时）接手。 40.5 秒 = 会话 \
             25.5 + 锁延迟 15.0",
        ],
    );
}

#[test]
fn the_faults_of_a_holder_are_named() {
    leader_is(
        &programs(&[(10_000, "web-1", "pauses")], 12_000),
        [
            "HELD db/leader is held by web-1, which is frozen. web-2 can take it in 40.5 s, at \
             52.5 s. 40.5 s = 25.5 session + 15.0 lock-delay",
            "HELD db/leader 由 web-1 持有，它已冻结。web-2 可在 40.5 秒后（52.5 秒时）接手。 40.5 秒 = 会话 25.5 + 锁延迟 \
             15.0",
        ],
    );
    leader_is(
        &programs(&[(10_000, "web-1", "cut")], 12_000),
        [
            "HELD db/leader is held by web-1, whose network is cut. web-2 can take it in 40.5 s, \
             at 52.5 s. 40.5 s = 25.5 session + 15.0 lock-delay",
            "HELD db/leader 由 web-1 持有，它的网络已断开。web-2 可在 40.5 秒后（52.5 秒时）接手。 40.5 秒 = 会话 25.5 + \
             锁延迟 15.0",
        ],
    );
}

#[test]
fn a_lock_delay_has_its_cause_and_its_end() {
    leader_is(
        &programs(&[(10_000, "web-1", "crashes")], 40_000),
        [
            "DELAYED Nobody holds db/leader: session A expired (2 × TTL) at 37.5 s. web-2 can \
             take it in 12.5 s, at 52.5 s.",
            "DELAYED db/leader 无人持有：会话 A 在 37.5 秒时到期（2 × TTL）。web-2 可在 12.5 秒后（52.5 秒时）接手。",
        ],
    );
    let acts = [
        (0, "web-1", "session"),
        (0, "web-1", "put db/leader value=x acquire=A"),
        (5_000, "web-1", "destroy A"),
    ];
    leader_is(
        &world(&acts, 6_000),
        [
            "DELAYED Nobody holds db/leader: session A was destroyed at 5.0 s. Another client can \
             take it in 14.0 s, at 20.0 s.",
            "DELAYED db/leader 无人持有：会话 A 在 5.0 秒时被销毁。别的客户端可在 14.0 秒后（20.0 秒时）接手。",
        ],
    );
}

#[test]
fn nothing_ends_a_session_without_a_ttl() {
    let acts = [(0, "web-1", "session"), (0, "web-1", "put db/leader value=x acquire=A")];
    leader_is(
        &world(&acts, 6_000),
        [
            "HELD db/leader is held by web-1. The session has no TTL: it ends only when it is \
             destroyed, a check turns critical or its node leaves.",
            "HELD db/leader 由 web-1 持有。该会话没有 TTL：只有被销毁、检查变为 critical 或节点离开时才会结束。",
        ],
    );
}

#[test]
fn two_clients_can_believe_that_they_hold_a_lock() {
    leader_is(
        &programs(&[(5_000, "web-1", "cut")], 60_000),
        [
            "HELD web-1 and web-2 both believe that they hold db/leader, for 15.0 s. At the \
             server web-2 holds it.",
            "HELD web-1 和 web-2 都自认为持有 db/leader，已有 15.0 秒。在服务器上，持有者是 web-2。",
        ],
    );
}

#[test]
fn no_time_that_is_ahead_is_shown_while_a_question_is_open() {
    let is_hidden = |past: &TimeTravel, texts| {
        is(past, &of_leader(past, ForecastVisibility::Closed), texts);
    };
    is_hidden(
        &programs(&[(10_000, "web-1", "crashes")], 12_000),
        [
            "HELD db/leader is held by web-1, which has crashed.",
            "HELD db/leader 由 web-1 持有，它已崩溃。",
        ],
    );
    is_hidden(
        &programs(&[(10_000, "web-1", "crashes")], 40_000),
        [" Nobody holds db/leader.", " db/leader 无人持有。"],
    );
}

#[test]
fn a_semaphore_has_its_holders_and_who_waits() {
    let acts = [
        (0, "web-1", "spawns one semaphore jobs limit=2"),
        (0, "web-1", "orders one start"),
        (1_000, "web-2", "spawns two semaphore jobs limit=2"),
        (1_000, "web-2", "orders two start"),
        (2_000, "web-3", "spawns three semaphore jobs limit=2"),
        (2_000, "web-3", "orders three start"),
    ];
    let semaphore_is = |acts: &[(u64, &str, &str)], until, texts| {
        let past = world(acts, until);
        let prefix = past.record().semaphores().next().expect("it is used").0.clone();
        let headline = Headline::of_semaphore(past.view(), &prefix).expect("it exists");
        is(&past, &headline, texts);
    };
    semaphore_is(
        &acts[..2],
        1_000,
        [
            "HELD 1 of 2 jobs/ has 1 of 2 slots taken: web-1.",
            "HELD 1 of 2 jobs/ 的 2 个名额已占用 1 个：web-1。",
        ],
    );
    semaphore_is(
        &acts,
        5_000,
        [
            "HELD 2 of 2 jobs/ is full: web-2 and web-1. web-3 waits.",
            "HELD 2 of 2 jobs/ 已满：web-2 和 web-1。web-3 正在等待。",
        ],
    );
}

/// A state that is made by hand, as the line says it in English.
fn says(headline: &Headline, now: u64) -> String {
    line(headline, Instant::from_millis(now), Language::English)
}

fn tag(name: &str) -> SessionTag {
    let owner = ActorTag { name: name.into(), badge: Badge(0) };
    SessionTag { label: "A".into(), owner: Some(owner) }
}

#[test]
fn the_next_try_of_a_waiting_client_is_a_part_of_the_sum() {
    let [session, delay, retry] = [32, 15, 1].map(Duration::from_secs);
    let takeover = TakeoverRow::At {
        at: Instant::from_millis(76_000),
        terms: Terms { session, delay, retry },
        is_certain: true,
        taker: Some(tag("web-2")),
    };
    let state = LockState::Held { holder: tag("web-1"), trouble: Some(Trouble::Crashed) };
    let (key, takeover) = (LEADER.to_owned(), Some(takeover));
    let lock = LockHeadline { key, state, takeover, overlap: None, wrong: Some(tag("web-3")) };
    assert_eq!(
        says(&Headline::Lock(lock), 28_000),
        "HELD db/leader is held by web-1, which has crashed. But web-3 believes that it holds \
         db/leader. web-2 can take it in 47.0 s, at 75.0 s. web-2 would get it at 76.0 s: 48.0 s = \
         32.0 session + 15.0 lock-delay + 1.0 retry"
    );
}

#[test]
fn a_semaphore_says_what_its_document_does_not_show() {
    let semaphore = |shape, listed: &[&str], dead: &[&str], contenders: &[&str]| {
        let tags = |names: &[&str]| names.iter().map(|name| tag(name)).collect();
        let [listed, dead, contenders] = [listed, dead, contenders].map(tags);
        let (prefix, limit) = ("jobs/".to_owned(), Some(2));
        let all = SemaphoreHeadline { prefix, shape, limit, listed, dead, contenders };
        says(&Headline::Semaphore(all), 0)
    };
    assert_eq!(
        semaphore(DocumentFormat::Map, &["web-1", "web-2"], &["web-1"], &["web-3", "web-4"]),
        "HELD 2 of 2 jobs/ is full: web-1 and web-2. web-1 is listed, but its contender key is not \
         locked. web-3 and web-4 wait."
    );
    assert_eq!(
        semaphore(DocumentFormat::List, &[], &[], &["web-3"]),
        "FREE jobs/ is free: its document lists no holder."
    );
    assert_eq!(
        semaphore(DocumentFormat::Missing, &[], &[], &["web-3"]),
        "CONTENDED jobs/ has 1 contender, and no document that lists holders."
    );
    assert_eq!(
        semaphore(DocumentFormat::Unreadable, &[], &[], &[]),
        "CONTENDED jobs/ has no readable document, so its holders are unknown."
    );
}
