//! Replays recorded cuts of real networks (`recorded.tsv`): a client holds a lock, its network is
//! cut for a while, and another client waits for the lock. Ends, results and texts of errors are
//! those of the record, and so are times, within the inaccuracy of the kernel's timers.

mod changed;
mod loss;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lictor_core::engine::{Config, Event};
use lictor_core::id::{ProgramName, RequestId};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::journal::{Journal, Log, Start};
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{
    Call, Caller, Checks, EventKind, Network, ObservedPast, ProgramEvent, Segment, SimEvent,
    Travel, World,
};

const RECORDED: &str = include_str!("recorded.tsv");

/// Times that kernel timers of less than half a minute determine.
const EXACT: f64 = 0.3;
/// Linux rounds timers of more than 16 s up by as much as 2 s; the simulation adds 1 s.
const LATE: f64 = 1.3;
/// How long after the end of a cut the last recorded event happens, at most.
const AFTERWARDS: f64 = 110.0;

type Row = BTreeMap<&'static str, &'static str>;

fn rows() -> impl Iterator<Item = Row> {
    let mut lines = RECORDED.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<_> = lines.next().expect("it has a head").split('\t').collect();
    lines.map(move |line| columns.iter().copied().zip(line.split('\t')).collect())
}

/// A row that was replayed: its world, its events, and when the cut began.
struct Replay {
    world: World,
    checks: Checks,
    events: Vec<SimEvent>,
    cut: Instant,
}

impl Replay {
    fn of(row: &Row, seed: u64) -> Self {
        let phase: f64 = row["phase"].parse().expect("a number");
        let has_ttl = row["ttl"] != "none";
        // The lock was taken one renewal before the last one before the cut, if it is renewed.
        let cut = Instant::from_millis(((phase + if has_ttl { 7.5 } else { 0.0 }) * 1e3) as u64);
        let world = World::new(seed);
        let checks = Checks::of(&world);
        let mut replay = Self { world, checks, events: Vec::new(), cut };
        for actor in ["a", "b", "ops"] {
            replay.act(actor, "joins");
        }
        let ttl = if has_ttl { "15s" } else { "\"\"" };
        let (http, is_go) = (row["http"], row["http"] == "go");
        let retries = if is_go { "" } else { " retries=1000000 retry-time=1s" };
        replay.act(
            "a",
            &format!("spawns one lock k ttl={ttl}{retries} on-loss=stand-still http={http}"),
        );
        // The lock that waits fails with the server, and its program starts again.
        let again = if row["mode"] == "killed" { " again=1s" } else { "" };
        replay.act("b", &format!("spawns two lock k{again}"));
        replay.act("a", "spawns fresh script step=\"0s get fresh\" step=\"1s repeats\"");
        replay.act("server", "orders one start");
        replay.act("server", "orders two start");
        replay.run(row);
        replay
    }

    fn run(&mut self, row: &Row) {
        let length: f64 = row["cut"].parse().expect("a number");
        self.wait_until(0.0);
        let (way, mode) = (row["way"], row["mode"]);
        match mode {
            "pause" => self.act("a", &format!("pauses for={length}s")),
            "none" => {}
            "killed" => {
                self.act("server", &format!("server-killed multiplier=1 for={length}s"));
            }
            "reject" => {
                self.act("a", "cut mode=reject for=0s");
                if row["name"].contains("twice") {
                    self.wait_until(length);
                    self.act("a", "cut mode=reject for=0s");
                }
            }
            mode => self.act("a", &format!("cut way={way} mode={mode} for={length}s")),
        }
        if mode != "pause" {
            self.wait_until(1.0);
            self.act("server", "orders fresh start");
        }
        if let Ok(at) = row["destroyed"].parse() {
            self.wait_until(at);
            let held = self.world.store().kv().get("k").and_then(|entry| entry.holder().cloned());
            let session = held.expect("the lock is held");
            self.act("ops", &format!("destroy {}", session.as_str()));
        }
        self.wait_until(length + AFTERWARDS);
    }

    fn act(&mut self, actor: &str, words: &str) {
        let act = act_of(actor, words, &Names::default()).expect(words);
        let events = self.world.perform(act).expect(words);
        self.follow(events);
    }

    fn wait_until(&mut self, seconds: f64) {
        let to = self.cut.plus(std::time::Duration::from_secs_f64(seconds));
        while self.world.now() < to {
            let events = self.world.advance_to(to);
            self.follow(events);
        }
        self.world.check_invariants();
    }

    fn follow(&mut self, events: Vec<SimEvent>) {
        events.iter().for_each(|event| self.checks.follow(event));
        self.events.extend(events);
    }

    /// The time of an event after the beginning of the cut.
    fn since_cut(&self, at: Instant) -> f64 {
        (at.as_nanos() as f64 - self.cut.as_nanos() as f64) / 1e9
    }

    /// The calls of a program, in order, with the times at which they were sent.
    fn calls<'a>(&'a self, of: &'a str, target: &'a str) -> impl Iterator<Item = (f64, RequestId)> {
        self.events.iter().filter_map(move |event| match &event.kind {
            EventKind::Sent(call) if is_of(call, of) && call.request.target.contains(target) => {
                Some((self.since_cut(event.at), call.id))
            }
            _ => None,
        })
    }

    /// When and how a call ended, if it has.
    fn end(&self, id: RequestId) -> Option<(f64, String)> {
        self.events.iter().find_map(|event| match &event.kind {
            EventKind::Answered { call, outcome } if call.id == id => {
                Some((self.since_cut(event.at), outcome.response.status.to_string()))
            }
            EventKind::Travel(Travel::Broken { call, failure: Some(failure), .. })
                if call.id == id =>
            {
                Some((self.since_cut(event.at), call.failure_text(failure)))
            }
            _ => None,
        })
    }

    /// When a program last began or ceased to believe that it holds the lock.
    fn belief(&self, of: &str, is_held: bool) -> Option<f64> {
        let of = ProgramName::from(of);
        let mut was_held = false;
        let mut changed = None;
        for event in &self.events {
            if let EventKind::Program { program, event: ProgramEvent::Believes(belief), .. } =
                &event.kind
                && *program == of
            {
                let holds = matches!(belief, Belief::Believes { .. });
                if holds != was_held && holds == is_held {
                    changed = Some(self.since_cut(event.at));
                }
                was_held = holds;
            }
        }
        changed
    }

    fn session_ended(&self) -> Option<f64> {
        self.events.iter().find_map(|event| match &event.kind {
            EventKind::Server { event: Event::Changed(Change::SessionEnded { .. }), .. } => {
                Some(self.since_cut(event.at))
            }
            _ => None,
        })
    }

    fn repeated(&self) -> Option<f64> {
        self.events.iter().find_map(|event| match &event.kind {
            EventKind::Travel(Travel::Repeated { call, .. }) if is_of(call, "one") => {
                Some(self.since_cut(event.at))
            }
            _ => None,
        })
    }
}

fn is_of(call: &Call, of: &str) -> bool {
    matches!(&call.caller, Caller::Program { program, .. } if program.as_str() == of)
}

/// Compares a recorded time with a replayed one.
fn compare(wrong: &mut String, what: &str, recorded: &str, replayed: Option<f64>, within: f64) {
    let is_right = match (recorded.parse::<f64>(), replayed) {
        (Ok(recorded), Some(replayed)) => (recorded - replayed).abs() <= within,
        (Err(_), replayed) => replayed.is_none(),
        (Ok(_), None) => false,
    };
    if !is_right {
        writeln!(wrong, "  {what}: recorded {recorded}, replayed {replayed:?}").expect("a String");
    }
}

/// The differences between a row and its replay.
fn differences(row: &Row, seed: u64) -> String {
    let replay = Replay::of(row, seed);
    let mut wrong = String::new();
    let number = |name: &str| row[name].parse::<f64>().ok();
    // An answer or a request that was sent for long is retransmitted at long intervals.
    let within = |end: Option<f64>, since: Option<f64>| match (end, since) {
        (Some(end), Some(since)) if end - since < 30.0 => EXACT,
        (Some(end), None) if end < 30.0 => EXACT,
        _ => LATE,
    };
    let renewal = replay.calls("one", "session/renew").find(|(at, _)| *at > 0.0);
    let end = renewal.and_then(|(_, id)| replay.end(id));
    if number("renew_sent").is_some() {
        compare(&mut wrong, "renewal sent", row["renew_sent"], renewal.map(|(at, _)| at), EXACT);
        let precision = within(number("renew_end"), number("renew_sent"));
        let at = end.as_ref().map(|(at, _)| *at);
        compare(&mut wrong, "renewal ended", row["renew_end"], at, precision);
        let result = end.map_or_else(|| "-".to_owned(), |(_, result)| result);
        compare_text(&mut wrong, "renewal", row["renew_result"], &result);
    }
    let watch = replay.calls("one", "index=").take_while(|(at, _)| *at < 0.0).last();
    let (_, watch) = watch.expect("the lock is watched");
    let end = replay.end(watch);
    // A watch of five minutes ends by itself, which the record does not always contain.
    let end = end.filter(|_| row["bq_result"] != "-" || number("cut").is_some_and(|it| it < 250.0));
    let precision = within(number("bq_end"), number("session_ended"));
    compare(&mut wrong, "watch ended", row["bq_end"], end.as_ref().map(|it| it.0), precision);
    let result = end.map_or_else(|| "-".to_owned(), |(_, result)| result);
    compare_text(&mut wrong, "watch", row["bq_result"], &result);
    compare(&mut wrong, "watch repeated", row["bq_redialled_at"], replay.repeated(), LATE);
    compare(&mut wrong, "session ended", row["session_ended"], replay.session_ended(), 0.1);
    let lost = replay.belief("one", false);
    compare(&mut wrong, "loss known", row["lost_closed"], lost, precision.max(0.3));
    let acquired = replay.belief("two", true);
    compare(&mut wrong, "other acquired", row["other_acquired"], acquired, 0.1);
    let fresh = replay.calls("fresh", "fresh").filter_map(|(_, id)| replay.end(id));
    let fresh = fresh.filter(|(_, result)| result == "404").map(|(at, _)| at).next();
    if row["fresh_ok_first"] != "-" {
        compare(&mut wrong, "new connection", row["fresh_ok_first"], fresh, EXACT);
    }
    wrong
}

fn compare_text(wrong: &mut String, what: &str, recorded: &str, replayed: &str) {
    if without_client_address(recorded) != without_client_address(replayed) {
        writeln!(wrong, "  {what}: recorded {recorded:?}, replayed {replayed:?}")
            .expect("a String");
    }
}

/// A text of an error without the client's address, which differs from run to run.
fn without_client_address(text: &str) -> String {
    match (text.find("read tcp "), text.find("->")) {
        (Some(0), Some(end)) => format!("read tcp CLIENT{}", &text[end..]),
        _ => text.to_owned(),
    }
}

#[test]
fn real_clients_and_simulated_ones_end_alike() {
    let mut wrong = String::new();
    for row in rows() {
        // How long a server that was killed takes to elect itself is random.
        let seeds = if row["mode"] == "killed" { 1..200 } else { 1..2 };
        let mut found = seeds.map(|seed| differences(&row, seed));
        let differences = found.find(String::is_empty).unwrap_or_else(|| differences(&row, 1));
        if !differences.is_empty() {
            write!(wrong, "{}:\n{differences}", row["name"]).expect("a String");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The recorded retransmissions of one renewal in a cut that outlasts them.
#[test]
fn a_renewal_in_a_long_cut_is_sent_at_the_recorded_times() {
    let row = rows().find(|row| row["name"] == "A-1010").expect("it is recorded");
    let replay = Replay::of(&row, 1);
    let sent: Vec<f64> = replay
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Travel(Travel::SentAgain { call, segment: Segment::Request, .. })
                if is_of(call, "one") && call.request.target.contains("renew") =>
            {
                Some(replay.since_cut(event.at))
            }
            _ => None,
        })
        .collect();
    let recorded = [
        1.2, 1.4, 1.9, 2.7, 4.3, 7.8, 14.5, 27.8, 55.2, 108.4, 214.9, 335.7, 456.6, 577.4, 698.2,
        819.1,
    ];
    assert_eq!(sent.len(), recorded.len(), "{sent:?}");
    for (sent, recorded) in sent.iter().zip(recorded) {
        assert!((sent - recorded).abs() <= LATE.min(0.1 + recorded / 100.0), "{sent} {recorded}");
    }
}

#[test]
fn logs_and_links_keep_their_network_and_older_ones_have_no_connections() {
    for network in [Network::Messages, Network::Tcp] {
        let start = Start::Fresh { seed: 7, config: Config::default(), network };
        let (observed, entries) = (ObservedPast::default(), Vec::new());
        let journal = Journal { start, observed, entries, end: Instant::EPOCH };
        let read = Log::read::<()>(&journal.to_lines()).expect("it is a log");
        assert_eq!(read.world().network(), network);
        let link = journal.to_link().expect("it has a seed");
        assert_eq!(Journal::from_link(&link).as_ref(), Ok(&journal));
    }
    let before = r#"{"lictor":"log","version":1,"seed":7,"consul":"1.22","acts":0,"end":0}"#;
    let read = Log::read::<()>(before).expect("it is a log");
    assert_eq!(read.world().network(), Network::Messages);
}
