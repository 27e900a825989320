//! The recipes `election` and `watcher`: candidates that contend for leadership, and followers that
//! read the leader from the key.

use std::time::Duration;

use lictor_core::id::Index;
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::store::Found;
use lictor_core::time::Instant;
use lictor_recipes::{
    Action, Candidate, IndexReset, LockOptions, News, OnLoss, Order, Program, Recipe, Report,
    Stimulus, UserPolicy, Watcher, WatcherOptions, WatcherReports,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

fn candidate(name: &str) -> Program {
    let candidate = Candidate::new(LockOptions::new("leader", name.as_bytes()));
    let candidate = candidate.expect("the options are in order");
    let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
    Program::new(Recipe::Candidate(Box::new(candidate))).with_policy(policy)
}

fn watcher(options: WatcherOptions) -> Program {
    Program::new(Recipe::Watcher(Box::new(Watcher::new(options))))
}

fn follower() -> Program {
    watcher(WatcherOptions::new("leader").with_reports(WatcherReports::Leaders))
}

/// The leaders that a client has reported, with a dash for none.
fn leaders(harness: &Harness, client: usize) -> Vec<String> {
    let seen = harness.client(client).reports.iter().filter_map(|(_, report)| match report {
        Report::Leader(leader) => Some(leader.as_deref()),
        _ => None,
    });
    seen.map(|leader| leader.map_or("-".into(), |it| String::from_utf8_lossy(it).into_owned()))
        .collect()
}

#[test]
fn candidates_and_followers_read_the_leader_from_the_key() {
    let mut harness = Harness::new();
    let follower = harness.start(follower());
    let one = harness.start(candidate("one"));
    let two = harness.start(candidate("two"));
    harness.run(40);
    harness.order(one, Order::Stop);
    harness.run(1);
    assert_eq!(leaders(&harness, follower), ["-", "one", "-", "two"]);
    assert_eq!(leaders(&harness, two), ["one", "-", "two"]);
    assert_eq!(leaders(&harness, one), ["-", "one"]);
    let watched = &harness.client(follower).sent;
    assert!(watched.iter().all(|(_, line)| line.starts_with("GET /v1/kv/leader")), "{watched:?}");
}

#[test]
fn no_leader_is_elected_during_the_lock_delay_of_a_destroyed_session() {
    let mut harness = Harness::new();
    let one = harness.start(candidate("one"));
    let follower = harness.start(follower());
    harness.start(candidate("two"));
    harness.destroy_session_of(one);
    harness.run(16);
    let times: Vec<_> =
        harness.client(follower).reports.iter().map(|(at, _)| at.as_millis()).collect();
    assert_eq!(leaders(&harness, follower), ["one", "-", "two"]);
    assert_eq!(times, [0, 0, 15_000]);
    assert_eq!(leaders(&harness, one), ["-", "one", "-"]);
}

#[test]
fn a_follower_retries_after_a_failure() {
    let mut harness = Harness::new();
    let follower = harness.start(follower());
    harness.set_network(follower, Network::Refuses);
    harness.start(candidate("one"));
    harness.run(3);
    harness.set_network(follower, Network::Works);
    harness.run(2);
    assert_eq!(leaders(&harness, follower), ["-", "one"]);
}

/// A blocking read of a missing key returns after any write (BLK-10).
#[test]
fn a_watch_of_a_missing_key_wakes_without_a_change() {
    let mut harness = Harness::new();
    let pause = Duration::from_secs(3);
    let one = harness.start(watcher(WatcherOptions::new("missing").with_pause(pause)));
    for number in 0..18 {
        harness.ask("PUT", "/v1/kv/other", &number.to_string());
        harness.run(1);
    }
    let client = harness.client(one);
    let counts = [News::First, News::Nothing, News::Changed].map(|it| client.count(polled(it)));
    assert_eq!(counts, [1, 6, 0], "{:?}", client.reports);
    harness.ask("PUT", "/v1/kv/missing", "");
    harness.run(3);
    assert_eq!(harness.client(one).count(polled(News::Changed)), 1);
}

fn polled(wanted: News) -> impl Fn(&Report) -> bool {
    move |report| matches!(report, Report::Polled { news, .. } if *news == wanted)
}

/// A client that does not reset its index sends one that is higher than the server's (BLK-17).
#[test]
fn a_watcher_resets_its_index_when_that_of_an_answer_falls() {
    for (index_reset, next) in [(IndexReset::OnDecrease, None), (IndexReset::Never, Some(Index(5)))]
    {
        let mut program = watcher(WatcherOptions::new("k").with_index_reset(index_reset));
        let mut asked = Vec::new();
        let mut stimulus = Stimulus::Order(Order::Start);
        for index in [9, 5, 5] {
            let mut actions = Vec::new();
            program.step(Instant::EPOCH, stimulus, &mut actions);
            let sent = actions.into_iter().find_map(|action| match action {
                Action::Send { call, operation } => Some((call, operation)),
                _ => None,
            });
            let (call, operation) = sent.expect("it asks on and on");
            let Operation::Read { wait, .. } = operation else { panic!("it only reads") };
            asked.push(wait.map(|wait| wait.min_index));
            let answer = Answer::Found(Found::Entry(None));
            let response = Response { index: Index(index), answer, reason: None };
            stimulus = Stimulus::Reply { call, result: Ok(response) };
        }
        assert_eq!(asked, [None, Some(Index(9)), next]);
    }
}

#[test]
fn a_poll_without_wait_is_sent_at_its_interval_which_has_a_minimum() {
    for (pause, polls) in [(Duration::from_secs(1), 11), (Duration::ZERO, 10_001)] {
        let mut harness = Harness::new();
        let options = WatcherOptions::new("k").with_wait(None).with_pause(pause);
        let one = harness.start(watcher(options));
        harness.run(10);
        assert_eq!(harness.client(one).sent.len(), polls);
    }
}
