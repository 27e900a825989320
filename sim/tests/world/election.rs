//! Compares the time without a leader with recorded servers whose leader was killed or cut off
//! (`failover.tsv`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use lictor_core::engine::Event;
use lictor_core::http::HttpResponse;
use lictor_core::id::{ProgramName, RequestId};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{Call, Caller, Checks, EventKind, ProgramEvent, SimEvent, World};

const ROWS: &str = include_str!("failover.tsv");
/// The recorded `raft_multiplier`s, with the shortest and the longest election in seconds.
const RECORDED: [(u8, f64, f64); 2] = [(1, 1.2, 2.8), (5, 7.5, 13.6)];
/// A request that was held is answered within this after the election: the sixth pause of a server
/// lasts up to 7 s / 16 x 2^5 = 14 s, and a seventh needs six that last less than 7 s. The longest
/// recorded time is 10.1 s.
const HELD: f64 = 14.5;
const SEEDS: u64 = 40;
/// How exact recorded times are.
const EXACT: f64 = 0.3;
/// The longest time until a blocking query fails after the loss, as its server tries once more.
const ONE_PAUSE: f64 = 0.45;
/// The TTL of the sessions whose ends the record has.
const TTL: &str = "10s";
/// When the leader is lost.
const LOST: Instant = Instant::from_millis(20_000);

fn act(world: &mut World, actor: &str, words: &str) -> Vec<SimEvent> {
    let act = act_of(actor, words, &Names::default()).expect(words);
    world.perform(act).expect(words)
}

fn answers(events: &[SimEvent]) -> Vec<(Instant, Instant, HttpResponse)> {
    let mut sent = BTreeMap::new();
    let mut answers = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::Sent(call) => drop(sent.insert(call.id, event.at)),
            EventKind::Answered { call, outcome } => {
                answers.push((sent[&call.id], event.at, outcome.response.clone()));
            }
            _ => {}
        }
    }
    answers
}

#[test]
fn reads_without_a_leader_end_within_the_recorded_times() {
    for (multiplier, least, most) in RECORDED {
        for seed in 0..SEEDS {
            let mut world = World::new(seed);
            act(&mut world, "a", "joins");
            let mut events = act(&mut world, "a", "session ttl=10s");
            let killed = format!("leader-killed multiplier={multiplier}");
            act(&mut world, "server", &killed);
            let began = world.now();
            while world.active_faults().iter().next().is_some() {
                events.extend(act(&mut world, "a", "get k"));
                events.extend(world.advance(Duration::from_millis(100)));
            }
            let gap = world.now().since(began).as_secs_f64();
            assert!((least..most + 0.2).contains(&gap), "{multiplier}: {gap}");
            events.extend(world.advance(Duration::from_millis(19_500)));
            let left = world.store().sessions().len();
            assert_eq!(left, 1, "its TTL began again at the election, {gap} s after the loss");
            events.extend(world.advance(Duration::from_millis(10_500)));
            assert_eq!(world.store().sessions().len(), 0, "it ended after twice its TTL");
            for (sent, at, response) in &answers(&events)[1..] {
                let text = response.text();
                let is_known = text.starts_with("rpc error getting client: failed to get conn: ")
                    || text == "Raft leader not found in server lookup mapping";
                match response.status {
                    404 => assert!(at.since(began).as_secs_f64() <= gap + HELD, "{sent} {at}"),
                    _ => assert!(is_known && at == sent, "{sent} {at} {text}"),
                }
            }
        }
    }
}

type Row = BTreeMap<&'static str, &'static str>;

fn rows() -> impl Iterator<Item = Row> {
    let mut lines = ROWS.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<_> = lines.next().expect("it has a head").split('\t').collect();
    lines.map(move |line| columns.iter().copied().zip(line.split('\t')).collect())
}

fn number(row: &Row, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// What happened in a replay of a row.
struct Replay {
    world: World,
    checks: Checks,
    events: Vec<SimEvent>,
}

impl Replay {
    /// The world of a row at the time when its leader is lost.
    fn of(row: &Row, seed: u64) -> Self {
        let world = World::new(seed);
        let checks = Checks::of(&world);
        let mut replay = Self { world, checks, events: Vec::new() };
        replay.act("a", "joins");
        replay.wait_until(-14.99);
        for retries in ["0", "3", "20"] {
            replay.act("a", &format!("spawns lock-{retries} lock k{retries} retries={retries}"));
            replay.act("server", &format!("orders lock-{retries} start"));
        }
        replay.act("a", "session ttl=10s");
        for consistency in ["", "&consistent", "&stale"] {
            let target = format!("GET /v1/kv/parked?index=99999&wait=60s{consistency}");
            replay.act("a", &target);
        }
        replay.act("a", "session delay=15s name=delayed");
        let sessions = replay.world.store().sessions();
        let delayed = sessions.iter().find(|session| &*session.name == "delayed");
        let delayed = delayed.expect("it was created").id.to_string();
        replay.act("a", &format!("put delayed acquire={delayed}"));
        replay.wait_until(-5.0);
        replay.act("a", &format!("destroy {delayed}"));
        replay.wait_until(-3.0);
        replay.act("a", "session ttl=10s");
        replay.wait_until(-1.0);
        let steps = ["0s session", "1.05s put delayed acquire=@", "0.1s repeats"];
        let steps = steps.map(|step| format!(" step=\"{step}\"")).concat();
        replay.act("a", &format!("spawns delays script{steps}"));
        replay.act("server", "orders delays start");
        replay.wait_until(0.0);
        let (fate, multiplier, gap) = (row["fate"], row["multiplier"], row["gap"]);
        replay.act("server", &format!("{fate} multiplier={multiplier} for={gap}s"));
        replay
    }

    /// Whether its servers learn of the loss when the recorded ones did, which the seed decides.
    fn has_the_times_of(&self, row: &Row) -> bool {
        let mut probe =
            Self { world: self.world.clone(), checks: self.checks.clone(), events: Vec::new() };
        let gap = number(row, "gap").expect("a number");
        let unknown = number(row, "unknown_from").unwrap_or(gap);
        probe.wait_until((unknown - 0.2).max(0.01));
        probe.act("a", "put hanging");
        if !probe.knows_leader() {
            return false;
        }
        probe.wait_until((unknown + 0.05).min(gap - 0.01));
        if probe.knows_leader() != (row["unknown_from"] == "-") {
            return false;
        }
        let Some(silence) = number(row, "silence") else { return true };
        probe.wait_until(silence + 0.2);
        let (_, end) = probe.calls("hanging").next().expect("it was sent");
        end.is_some_and(|(at, _)| at > silence - 0.2)
    }

    /// What the server that is asked knows of a leader now.
    fn knows_leader(&mut self) -> bool {
        let asked = self.events.len();
        self.act("a", "GET /v1/kv/read?stale");
        self.events[asked..].iter().any(|event| match &event.kind {
            EventKind::Answered { outcome, .. } => {
                outcome.response.header("X-Consul-KnownLeader") == Some("true")
            }
            _ => false,
        })
    }

    fn run(&mut self, row: &Row) {
        let gap = number(row, "gap").expect("a number");
        self.act("a", "GET /v1/kv/short?index=99999&wait=1s");
        let mut at = 0.0;
        while at < gap + 1.0 {
            self.act("a", "put polled");
            self.act("a", "GET /v1/kv/read?stale");
            at += 0.1;
            self.wait_until(at);
        }
        self.wait_until(50.0);
    }

    fn act(&mut self, actor: &str, words: &str) {
        let events = act(&mut self.world, actor, words);
        self.follow(events);
    }

    fn wait_until(&mut self, seconds: f64) {
        let to = Instant::from_nanos((LOST.as_nanos() as f64 + seconds * 1e9) as u64);
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

    fn end(&self, id: RequestId) -> Option<(f64, &HttpResponse)> {
        self.events.iter().find_map(|event| match &event.kind {
            EventKind::Answered { call, outcome } if call.id == id => {
                Some((since_loss(event.at), &outcome.response))
            }
            _ => None,
        })
    }

    /// When a person has sent calls whose target ends with a text, with their ends.
    fn calls<'a>(
        &'a self,
        target: &'a str,
    ) -> impl Iterator<Item = (f64, Option<(f64, &'a HttpResponse)>)> {
        self.sent(move |call| caller(call).is_none() && call.request.target.ends_with(target))
    }

    /// When a program has sent calls whose target contains a text, with their ends.
    fn calls_of<'a>(
        &'a self,
        program: &'a str,
        target: &'a str,
    ) -> impl Iterator<Item = (f64, Option<(f64, &'a HttpResponse)>)> {
        let is_of = move |call: &Call| caller(call) == Some(program);
        self.sent(move |call| is_of(call) && call.request.target.contains(target))
    }

    fn sent<'a>(
        &'a self,
        is_such: impl Fn(&Call) -> bool + 'a,
    ) -> impl Iterator<Item = (f64, Option<(f64, &'a HttpResponse)>)> {
        self.events.iter().filter_map(move |event| match &event.kind {
            EventKind::Sent(call) if is_such(call) => {
                Some((since_loss(event.at), self.end(call.id)))
            }
            _ => None,
        })
    }

    /// When a lock is known to be lost.
    fn lost(&self, retries: &str) -> Option<f64> {
        let name = ProgramName::from(format!("lock-{retries}").as_str());
        let mut was_held = false;
        self.events.iter().find_map(|event| match &event.kind {
            EventKind::Program { program, event: ProgramEvent::Believes(belief), .. }
                if *program == name =>
            {
                let is_held = matches!(belief, Belief::Believes { .. });
                let is_lost = was_held && !is_held;
                was_held = is_held;
                is_lost.then(|| since_loss(event.at))
            }
            _ => None,
        })
    }

    /// When the sessions with a TTL of 10 s end.
    fn ends(&self) -> Vec<f64> {
        let ends = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::Server {
                event: Event::Changed(Change::SessionEnded { session, .. }),
                ..
            } if session.ttl.as_str() == TTL => Some(since_loss(event.at)),
            _ => None,
        });
        ends.collect()
    }

    fn delay_acquired(&self) -> Option<f64> {
        let tries = self.calls_of("delays", "delayed?acquire");
        let mut ends = tries.filter_map(|(_, end)| end);
        ends.find_map(|(at, response)| (response.text() == "true").then_some(at))
    }
}

fn caller(call: &Call) -> Option<&str> {
    match &call.caller {
        Caller::Person => None,
        Caller::Program { program, .. } => Some(program.as_str()),
    }
}

fn since_loss(at: Instant) -> f64 {
    (at.as_nanos() as f64 - LOST.as_nanos() as f64) / 1e9
}

/// The differences between a row and its replay.
struct Differences {
    found: String,
}

impl Differences {
    fn compare(&mut self, what: &str, recorded: Option<f64>, replayed: Option<f64>, within: f64) {
        let is_right = match (recorded, replayed) {
            (Some(recorded), Some(replayed)) => (recorded - replayed).abs() <= within,
            (recorded, replayed) => recorded.is_none() && replayed.is_none(),
        };
        self.expect(is_right, || format!("{what}: recorded {recorded:?}, replayed {replayed:?}"));
    }

    fn expect(&mut self, is_right: bool, text: impl FnOnce() -> String) {
        if !is_right {
            writeln!(self.found, "  {}", text()).expect("a String");
        }
    }
}

fn differences(row: &Row, mut replay: Replay) -> String {
    replay.run(row);
    let mut differences = Differences { found: String::new() };
    let gap = number(row, "gap").expect("a number");
    let is_killed = row["fate"] == "leader-killed";
    compare_stale_reads(&mut differences, row, &replay);
    for end in replay.ends() {
        differences.compare("session ended", Some(gap + 20.0), Some(end), EXACT);
        // The poll that saw the end was later where its request was held.
        let seen = number(row, "sessions_ended").expect("a number");
        differences.expect(end <= seen + EXACT, || format!("session ended {end}, seen {seen}"));
    }
    let acquired = replay.delay_acquired();
    let recorded = number(row, "delay_acquired");
    let is_held = is_killed && recorded.is_some_and(|at| at > gap.max(10.0) + EXACT);
    let within = if is_held { HELD } else { EXACT };
    if recorded.is_some() {
        differences.compare("delayed key acquired", recorded, acquired, within);
    }
    for retries in ["0", "3", "20"] {
        let column = format!("lost_{retries}");
        differences.compare(&column, number(row, &column), replay.lost(retries), ONE_PAUSE);
    }
    compare_renewals(&mut differences, row, &replay);
    compare_writes(&mut differences, row, &replay);
    compare_parked_queries(&mut differences, row, &replay);
    differences.found
}

/// What `?stale` reads show of the leader. They are always answered at once.
fn compare_stale_reads(differences: &mut Differences, row: &Row, replay: &Replay) {
    let (mut unknown, mut contact) = (None, 0.0_f64);
    for (sent, end) in replay.calls("read?stale") {
        let Some((at, response)) = end else {
            differences.expect(false, || format!("the stale read of {sent} is not answered"));
            continue;
        };
        let is_answered = response.status == 404 && at == sent;
        differences.expect(is_answered, || format!("stale: {} at {at}", response.status));
        if response.header("X-Consul-KnownLeader") == Some("false") {
            unknown.get_or_insert(sent);
        }
        let millis = response.header("X-Consul-LastContact").and_then(|it| it.parse::<f64>().ok());
        contact = contact.max(millis.unwrap_or_default() / 1e3);
    }
    differences.compare("no known leader", number(row, "unknown_from"), unknown, EXACT);
    differences.compare("last contact", number(row, "contact_max"), Some(contact), EXACT);
}

fn compare_renewals(differences: &mut Differences, row: &Row, replay: &Replay) {
    let renewals = replay.calls_of("lock-20", "session/renew");
    let mut renewals = renewals.filter(|(sent, _)| *sent >= -0.1);
    let unknown = number(row, "unknown_from").unwrap_or(f64::INFINITY);
    for recorded in row["renewals"].split(' ') {
        let (at, status) = recorded.split_once(':').expect("a time and a status");
        let (at, status) = (at.parse::<f64>().expect("a number"), status.parse::<u16>());
        let renewal = renewals.next();
        let end = renewal.and_then(|(_, end)| end);
        let replayed_status = end.map(|(_, response)| response.status);
        differences.expect(status.as_ref().ok() == replayed_status.as_ref(), || {
            format!("renewal of {at}: recorded {status:?}, replayed {replayed_status:?}")
        });
        let is_held =
            row["fate"] == "leader-killed" && renewal.is_some_and(|(sent, _)| sent > unknown - 0.5);
        let within = if is_held { HELD } else { EXACT };
        differences.compare("renewal", Some(at), end.map(|(at, _)| at), within);
        // The next one is sent half a TTL after that.
        if is_held {
            break;
        }
    }
}

/// The writes of a client ten times a second.
fn compare_writes(differences: &mut Differences, row: &Row, replay: &Replay) {
    let gap = number(row, "gap").expect("a number");
    let silence = number(row, "silence");
    let mut bad_last = None;
    for (sent, end) in replay.calls("polled") {
        let Some((at, response)) = end else {
            differences.expect(false, || format!("the write of {sent} is not answered"));
            continue;
        };
        let (text, took) = (response.text(), at - sent);
        if response.status == 200 {
            let is_soon = at <= sent.max(gap) + HELD;
            differences.expect(is_soon, || format!("write of {sent} held until {at}"));
            continue;
        }
        bad_last = Some(sent);
        let is_right = match silence {
            None => {
                let is_known = text.starts_with("rpc error getting client: failed to get conn: ")
                    || text == "Raft leader not found in server lookup mapping"
                    || text == "rpc error making call: EOF" && sent < 0.01;
                is_known && took == 0.0
            }
            Some(silence) => text == "rpc error making call: EOF" && (at - silence).abs() <= EXACT,
        };
        differences.expect(is_right, || format!("write of {sent} ended at {at}: {text}"));
    }
    differences.compare("last failed write", number(row, "bad_last"), bad_last, EXACT);
}

/// The queries that wait at the leader when it is lost, and one of a second soon after that.
fn compare_parked_queries(differences: &mut Differences, row: &Row, replay: &Replay) {
    let is_killed = row["fate"] == "leader-killed";
    for (target, is_stale) in
        [("wait=60s", false), ("wait=60s&consistent", false), ("wait=60s&stale", true)]
    {
        let (_, end) = replay.calls(target).next().expect("it was sent");
        let end = end.map(|(at, response)| (at, response.status));
        let is_right = match end {
            _ if is_stale => end.is_some_and(|(at, _)| (44.9..48.8).contains(&at)),
            Some((at, 500)) => is_killed && (0.0..=ONE_PAUSE).contains(&at),
            Some(_) => false,
            None => !is_killed,
        };
        differences.expect(is_right, || format!("{target}: {end:?}"));
    }
    let (_, end) = replay.calls("short?index=99999&wait=1s").next().expect("it was sent");
    let end = end.map(|(at, response)| (at, response.text()));
    let is_right = match end.as_ref().map(|(at, text)| (*at, text.as_str())) {
        Some((at, "rpc error making call: i/o deadline reached")) => {
            !is_killed && (at - 8.1).abs() <= EXACT
        }
        Some((at, text)) => is_killed && at == 0.0 && text.starts_with("rpc error getting client"),
        None => false,
    };
    differences.expect(is_right, || format!("query of a second: {end:?}"));
}

/// The seed decides when the servers learn of the loss, and how long each pauses. A row has a seed
/// with which everything is as recorded.
#[test]
fn recorded_failovers_and_simulated_ones_are_alike() {
    let mut wrong = String::new();
    for row in rows() {
        let mut found = String::from("  no seed has its times\n");
        let worlds = (0..20_000).map(|seed| Replay::of(&row, seed));
        for replay in worlds.filter(|replay| replay.has_the_times_of(&row)).take(4) {
            found = differences(&row, replay);
            if found.is_empty() {
                break;
            }
        }
        if !found.is_empty() {
            write!(wrong, "{}:\n{found}", row["name"]).expect("a String");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
