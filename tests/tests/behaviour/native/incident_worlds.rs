//! Worlds that begin at the moment of an incident: a contender in them gets each key at the time in
//! the importer's answer, which is when one got it from the recorded Consul.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lictor_core::id::{Key, SessionId};
use lictor_core::time::Instant;
use lictor_incident::{Incident, Source, Timestamp, WorldError, parse_time};
use lictor_sim::journal::{Journal, Log};
use lictor_sim::record::Record;
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{Names, act_of};
use serde_json::Value;

/// The interval of the recorded contender's attempts.
const EVERY: Duration = Duration::from_millis(100);
/// The largest error of an answer that rests on a log, in milliseconds.
const EXACT: i64 = 200;
/// The id of a session that the lists have.
const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const TAKEN: &str = "2026-11-26T09:10:41Z";

/// A client with a session in the world of an incident.
pub(crate) struct Contender {
    timeline: Timeline<Record>,
    begins: Timestamp,
    session: SessionId,
}

impl Contender {
    pub(crate) fn of(incident: &Incident) -> Self {
        let world = incident.world().expect("lists of one cluster");
        let timeline: Timeline<Record> =
            Log::read(&world.log).unwrap_or_else(|error| panic!("{error}: {}", world.log));
        assert_eq!(Journal::of(&timeline).to_lines(), world.log, "as the simulation writes it");
        let mut contender =
            Self { timeline, begins: world.begins, session: SessionId::from_bytes([0; 16]) };
        let known: Vec<_> = contender.sessions();
        contender.act("joins");
        contender.act("session");
        let new = contender.sessions().into_iter().find(|session| !known.contains(session));
        contender.session = new.expect("its session was created");
        contender
    }

    fn sessions(&self) -> Vec<SessionId> {
        self.timeline.world().store().sessions().iter().map(|session| session.id).collect()
    }

    fn act(&mut self, words: &str) {
        let act = act_of("contender", words, &Names::default()).expect(words);
        self.timeline.perform(act).expect(words);
    }

    /// Whether it gets a key if it waits and tries to acquire it at a time.
    pub(crate) fn gets(&self, key: &str, at: Timestamp) -> bool {
        let mut later = Self { timeline: self.timeline.clone(), ..*self };
        let span = at.duration_since(self.begins);
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(0);
        later.timeline.advance_to(Instant::from_nanos(nanos));
        later.acquires(key)
    }

    fn acquires(&mut self, key: &str) -> bool {
        let session = self.session;
        self.act(&format!("put {key} acquire={session}"));
        let entry = self.timeline.world().store().kv().get(Key::from(key).as_str());
        let holder = entry.and_then(|entry| entry.holder()?.id());
        holder == Some(session)
    }

    /// When it gets a key if it repeats its attempts; `None` if it does not within five minutes.
    fn first(mut self, key: &str) -> Option<Timestamp> {
        for _ in 0..3_000 {
            if self.acquires(key) {
                let nanos = self.timeline.world().now().as_nanos();
                return self.begins.checked_add(Duration::from_nanos(nanos)).ok();
            }
            self.timeline.advance_to(self.timeline.world().now().plus(EVERY));
        }
        None
    }
}

/// A recorded incident, and what happened after it.
struct Recording {
    folder: PathBuf,
    truth: Value,
}

impl Recording {
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../incident/tests/incidents");
        let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |folder: PathBuf| {
            let truth = fs::read(folder.join("truth.json")).unwrap();
            Self { truth: serde_json::from_slice(&truth).unwrap(), folder }
        };
        folders.map(read).collect()
    }

    fn incident(&self, files: &[&str], taken: Option<Timestamp>) -> Incident {
        let read = |name: &str| fs::read(self.folder.join(name)).unwrap();
        let files: Vec<_> = files.iter().map(|name| (*name, read(name))).collect();
        let sources: Vec<_> = files.iter().map(|(name, bytes)| Source::new(name, bytes)).collect();
        Incident::read(&sources, taken).unwrap()
    }

    /// The keys that the recorded contender acquired, each with the time.
    fn acquired(&self) -> impl Iterator<Item = (&str, Timestamp)> {
        let seen = self.truth["seen"].as_array().unwrap().iter();
        let acquired = seen.filter(|seen| seen["acquire"] == true);
        acquired.map(|seen| (seen["key"].as_str().unwrap(), time(&seen["at"])))
    }
}

fn time(value: &Value) -> Timestamp {
    parse_time(value.as_str().unwrap()).unwrap()
}

const LISTS: [&str; 4] = ["sessions.json", "keys.json", "nodes.json", "checks.json"];

#[test]
fn with_a_log_a_contender_gets_each_key_when_the_recorded_one_did() {
    let mut compared = 0;
    for recording in Recording::all() {
        let files: Vec<_> = LISTS.into_iter().chain(["consul.log", "snapshot.ndjson"]).collect();
        let incident = recording.incident(&files, None);
        for (key, truth) in recording.acquired() {
            let got = Contender::of(&incident).first(key).expect("it gets the key");
            let difference = truth.as_millisecond() - got.as_millisecond();
            let place = recording.folder.display();
            assert!(difference.abs() <= EXACT, "{place}: {key} at {got}, in truth at {truth}");
            let latest = incident.answer_for(key).unwrap().latest.unwrap();
            assert!(Contender::of(&incident).gets(key, latest), "{place}: {key} at {latest}");
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared} keys were acquired");
}

#[test]
fn without_a_log_a_contender_gets_each_key_at_the_latest_moment() {
    for recording in Recording::all() {
        let incident = recording.incident(&LISTS, Some(time(&recording.truth["taken"])));
        for (key, truth) in recording.acquired() {
            let answer = incident.answer_for(key).unwrap();
            let got = Contender::of(&incident).first(key).expect("it gets the key");
            let earliest = answer.earliest.unwrap();
            let is_within =
                earliest <= truth && truth.as_millisecond() <= got.as_millisecond() + EXACT;
            assert!(is_within, "{}: {key} at {got}", recording.folder.display());
            assert!(Contender::of(&incident).gets(key, answer.latest.unwrap()));
        }
    }
}

fn read(sources: &[&str]) -> Incident {
    let sources: Vec<_> = sources.iter().map(|text| Source::new("f", text.as_bytes())).collect();
    Incident::read(&sources, parse_time(TAKEN)).unwrap()
}

fn session(more: &str) -> String {
    format!(
        r#"[{{"ID":"{HOLDER}","Node":"n1","LockDelay":5000000000,"Behavior":"delete",
        "NodeChecks":[],"ServiceChecks":[]{more}}}]"#
    )
}

fn key(session: &str, value: &str) -> String {
    format!(
        r#"[{{"Key":"k","LockIndex":1,"Value":"{value}","Session":"{session}",
        "CreateIndex":9,"ModifyIndex":12}}]"#
    )
}

#[test]
fn what_the_sources_do_not_say_is_listed_as_an_assumption() {
    let world = read(&[&session(r#","TTL":"10s""#), &key(HOLDER, "")]).world().unwrap();
    assert_eq!(
        world.assumptions,
        [
            "session 4154283e ends at 09:11:01.000, the latest moment: it may end from \
             09:10:41.000 on",
            "node n1 is not in a list of nodes",
        ]
    );
    assert_eq!(
        assumed(&world.log),
        ["assumed: session 4154283e ends at 20 s, the latest moment: it may end from 0 s on"],
        "the deadline has bounds, in the times of the world"
    );
    let without_checks = format!(r#"[{{"ID":"{HOLDER}","Node":"n1","TTL":"10s"}}]"#);
    let dropped = read(&[&without_checks, &key(HOLDER, "")]).world().unwrap().assumptions;
    let checks = "the list does not have the checks of session 4154283e";
    assert!(dropped.iter().any(|it| it.starts_with(checks)), "{dropped:?}");
    let unlisted = read(&[&key(HOLDER, "YQ==")]).world().unwrap();
    assert!(unlisted.assumptions[0].contains("no TTL here and a lock-delay of 60 s"));
    let free =
        r#"[{"Key":"k","LockIndex":1,"Flags":0,"Value":null,"CreateIndex":9,"ModifyIndex":12}]"#;
    let free = read(&[&session(r#","TTL":"""#), free]);
    assert_eq!(
        free.world().unwrap().assumptions[0],
        "k is delayed until 09:11:41.000, the latest moment"
    );
    let rows = ["assumed: k is delayed until 60 s, the latest moment"];
    assert_eq!(assumed(&free.world().unwrap().log), rows);
    let contender = Contender::of(&free);
    assert!(!contender.gets("k", parse_time("2026-11-26T09:11:40.999Z").unwrap()));
    assert!(contender.gets("k", parse_time("2026-11-26T09:11:41Z").unwrap()));
}

#[test]
fn a_world_lists_a_limited_number_of_assumptions_before_its_events() {
    let id = |number: usize| format!("4154283e-0000-0000-0000-{number:012}");
    let session = |number: usize| {
        format!(
            r#"{{"ID":"{}","Node":"n1","TTL":"10s","LockDelay":0,"Behavior":"release",
            "NodeChecks":[],"ServiceChecks":[]}}"#,
            id(number)
        )
    };
    let sessions = (0..500).map(session).collect::<Vec<_>>().join(",");
    let world = read(&[&format!("[{sessions}]")]).world().unwrap();
    let rows = assumed(&world.log);
    assert_eq!((rows.len(), rows.last().map(String::as_str)), (21, Some("480 more assumptions")));
}

/// What a world assumes of its deadlines, as the last rows before its events.
fn assumed(log: &str) -> Vec<String> {
    let timeline: Timeline<Record> = Log::read(log).unwrap();
    let rows = timeline.observed().events.iter().filter(|row| row.is_gap);
    let rows = rows.skip(1).inspect(|row| assert_eq!(row.ago, Duration::ZERO));
    rows.map(|row| row.text.clone()).collect()
}

#[test]
fn what_was_observed_is_the_past_of_the_world_in_its_own_times() {
    let recordings = Recording::all();
    let is_named = |it: &&Recording| it.folder.ends_with("nobody-holds-it");
    let recording = recordings.iter().find(is_named).expect("it was recorded");
    let incident =
        recording.incident(&["sessions.json", "keys.json", "nodes.json", "consul.log"], None);
    let timeline: Timeline<Record> = Log::read(&incident.world().unwrap().log).unwrap();
    let observed = timeline.observed();
    let (first, rest) = observed.events.split_first().expect("the log shows events");
    assert_eq!(
        (observed.before, first.is_gap, &*first.text),
        (0, true, "what happened before is unknown")
    );
    assert!(rest.iter().all(|event| !event.is_gap), "{rest:?}");
    let refused = rest.iter().rfind(|event| event.text.contains("is false"));
    let refused = refused.map(|event| (event.ago.as_millis(), &*event.text));
    let text = "an acquire of jobs/nightly/leader is false: a lock-delay until 15.959 s";
    assert_eq!(refused, Some((1_037, text)));
}

#[test]
fn a_session_that_ended_after_the_lists_were_taken_has_ended_in_the_world() {
    let log = format!(
        "2026-11-26T09:10:45.000Z [DEBUG] agent.server: Session TTL expired: session={HOLDER}"
    );
    let incident = read(&[&session(r#","TTL":"10s""#), &key(HOLDER, ""), &log]);
    let contender = Contender::of(&incident);
    let world = contender.timeline.world();
    assert!(world.store().kv().is_empty(), "its behavior is delete");
    let delay = world.lock_delay("k").expect("it had a lock-delay");
    // The world begins with the list, 4 s before the end of the session.
    assert_eq!((delay.until.as_millis(), delay.session.to_string()), (9_000, HOLDER.to_owned()));
}

#[test]
fn lists_that_cannot_be_of_one_cluster_make_no_world() {
    let refused = |sources: &[&str]| read(sources).world().unwrap_err();
    let no_id = refused(&[&key("<redacted>", "")]);
    assert_eq!(no_id, WorldError::NotAnId("<redacted>".into()));
    let value = refused(&[&session(""), &key(HOLDER, "?")]);
    assert_eq!(value, WorldError::NotBase64("k".into()));
    let key = r#"[{"Key":"k","LockIndex":0,"Value":null,"CreateIndex":19,"ModifyIndex":12}]"#;
    let error = refused(&[&session(""), key]).to_string();
    assert_eq!(error, "the indexes of key k are 19 and 12, and the log ends at 12");
}
