//! Incidents recorded from a real Consul 1.22.7: lists, a decoded snapshot and a log, and what a
//! contender got that tried to acquire each key every 100 ms from then on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lictor_incident::{Answer, AnswerKind, Incident, Source, Timestamp, parse_time};
use serde_json::Value;

/// How much later than an exact answer says the contender may have acquired a key, in milliseconds:
/// it tried every 100 ms, and its request took a moment.
const EXACT: i64 = 200;
/// How much earlier, in milliseconds, as a server logs an event a moment after it.
const EARLY: i64 = 50;

const LOG: &str = "consul.log";
const LISTS: [&str; 4] = ["sessions.json", "keys.json", "nodes.json", "checks.json"];

struct Recording {
    folder: PathBuf,
    truth: Value,
}

impl Recording {
    /// When the lists were taken.
    fn lists_taken(&self) -> Timestamp {
        time(&self.truth["taken"])
    }

    /// The incident in these files. Without `lists_taken` that time is computed from the log.
    fn incident(&self, files: &[&str], lists_taken: Option<Timestamp>) -> Incident {
        let read = |name: &str| fs::read(self.folder.join(name)).unwrap();
        let files: Vec<_> = files.iter().map(|name| (*name, read(name))).collect();
        let sources: Vec<_> = files.iter().map(|(name, bytes)| Source::new(name, bytes)).collect();
        Incident::read(&sources, lists_taken).unwrap()
    }

    /// The keys that the contender acquired, and when it acquired each of them.
    fn acquired_keys(&self) -> Vec<(&str, Timestamp)> {
        let seen = self.truth["seen"].as_array().unwrap().iter();
        let acquired = seen.filter(|seen| seen["acquire"] == true);
        acquired.map(|seen| (seen["key"].as_str().unwrap(), time(&seen["at"]))).collect()
    }
}

fn time(value: &Value) -> Timestamp {
    parse_time(value.as_str().unwrap()).unwrap()
}

fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents");
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = folders
        .map(|folder| {
            let truth = fs::read(folder.join("truth.json")).unwrap();
            Recording { truth: serde_json::from_slice(&truth).unwrap(), folder }
        })
        .collect();
    all.sort_by(|one, other| one.folder.cmp(&other.folder));
    assert!(!all.is_empty());
    all
}

/// The earliest and the latest moment at which another client can acquire the key.
fn bounds(answer: &Answer) -> [Timestamp; 2] {
    [answer.earliest, answer.latest].map(|time| time.unwrap_or_else(|| panic!("{answer:?}")))
}

#[test]
fn with_a_log_each_key_can_be_taken_when_the_answer_says() {
    for recording in recordings() {
        let files: Vec<_> = LISTS.into_iter().chain([LOG, "snapshot.ndjson"]).collect();
        let incident = recording.incident(&files, None);
        for (key, acquired) in recording.acquired_keys() {
            let answer = incident.answer_for(key).unwrap();
            for bound in bounds(&answer) {
                let difference = acquired.as_millisecond() - bound.as_millisecond();
                assert!(
                    (-EARLY..=EXACT).contains(&difference),
                    "{}: {key} was acquired at {acquired}, {difference} ms later: {}",
                    recording.folder.display(),
                    answer.sentence
                );
            }
        }
    }
}

#[test]
fn without_a_log_the_moment_is_within_the_bounds() {
    for recording in recordings() {
        let incident = recording.incident(&LISTS, Some(recording.lists_taken()));
        for (key, acquired) in recording.acquired_keys() {
            let [earliest, latest] = bounds(&incident.answer_for(key).unwrap());
            let latest = latest.as_millisecond() + EXACT;
            let acquired = acquired.as_millisecond();
            let is_within = (earliest.as_millisecond()..=latest).contains(&acquired);
            assert!(is_within, "{}: {key}", recording.folder.display());
        }
    }
}

#[test]
fn one_paste_with_prompts_and_prose_says_the_same_as_files() {
    for recording in recordings() {
        let text = |name: &str| fs::read_to_string(recording.folder.join(name)).unwrap();
        let pasted = format!(
            "at nine nobody got it!\n$ curl -s localhost:8500/v1/kv/?recurse\n{}\n\
             $ consul monitor -log-level=debug\n{}\n$ curl localhost:8500/v1/session/list\n{}\n{}",
            text("keys.json"),
            text("consul.log"),
            text("sessions.json"),
            text("nodes.json"),
        );
        let source = Source::new("pasted", pasted.as_bytes());
        let pasted = Incident::read(&[source], None).unwrap();
        let files = recording.incident(&["sessions.json", "keys.json", "nodes.json", LOG], None);
        assert_eq!(moments(&pasted), moments(&files));
    }
}

#[test]
fn a_log_in_json_says_the_same_as_one_in_text() {
    for recording in recordings() {
        let text = fs::read_to_string(recording.folder.join(LOG)).unwrap();
        let json: String =
            text.lines().filter_map(in_json).map(|line| format!("{line}\n")).collect();
        let [sessions, keys] = ["sessions.json", "keys.json"]
            .map(|name| fs::read(recording.folder.join(name)).unwrap());
        let sources = [
            Source::new("keys", &keys),
            Source::new("log", json.as_bytes()),
            Source::new("sessions", &sessions),
        ];
        let from_json = Incident::read(&sources, None).unwrap();
        let from_text = recording.incident(&["sessions.json", "keys.json", LOG], None);
        assert_eq!(moments(&from_json), moments(&from_text));
    }
}

/// A line as `-log-json` writes it.
fn in_json(line: &str) -> Option<Value> {
    let (time, rest) = line.split_once(" [")?;
    let (level, rest) = rest.split_once(']')?;
    let (module, message) = rest.trim_start().split_once(": ")?;
    let (message, fields) = message.split_once(": ").unwrap_or((message, ""));
    let mut json = serde_json::json!({
        "@level": level.to_lowercase(), "@timestamp": time, "@module": module, "@message": message,
    });
    let mut rest = fields;
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        json[name.trim()] = value.into();
        rest = after;
    }
    if json.as_object()?.len() == 4 && !fields.is_empty() {
        json["@message"] = format!("{message}: {fields}").into();
    }
    Some(json)
}

/// The keys, each with the earliest and the latest moment at which another client can acquire it.
fn moments(incident: &Incident) -> Vec<(String, Option<Timestamp>, Option<Timestamp>)> {
    let answers = incident.answers().into_iter();
    answers.map(|answer| (answer.key, answer.earliest, answer.latest)).collect()
}

/// The ids, the moments and the names in a text. An id counts by its first part, as in reports.
fn particulars(text: &str) -> BTreeSet<String> {
    let pattern = r"\b([0-9a-f]{8})-[0-9a-f]{4}-|\b(\d\d:\d\d:\d\d\.\d{3})|\b(worker-\w+)";
    let pattern = fancy_regex::Regex::new(pattern).unwrap();
    let found = pattern.captures_iter(text).map(Result::unwrap);
    let first = |found: fancy_regex::Captures<'_, str>| {
        found.iter().skip(1).flatten().next().unwrap().as_str().to_owned()
    };
    found.map(first).collect()
}

#[test]
fn without_a_file_nothing_is_said_that_it_alone_shows() {
    let all = [&LISTS[..], &[LOG, "snapshot.ndjson"]].concat();
    for recording in recordings() {
        let text = |name: &str| fs::read_to_string(recording.folder.join(name)).unwrap();
        for left_out in &all {
            let files: Vec<&str> = all.iter().copied().filter(|name| name != left_out).collect();
            let shown: BTreeSet<String> =
                files.iter().flat_map(|name| particulars(&text(name))).collect();
            let hidden: Vec<String> =
                particulars(&text(left_out)).difference(&shown).cloned().collect();
            let taken = (*left_out == LOG).then(|| recording.lists_taken());
            let incident = recording.incident(&files, taken);
            let report = incident.report(None) + &incident.events_text(usize::MAX);
            let report = report + &incident.to_json().to_string();
            let name = format!("{} without {left_out}", recording.folder.display());
            for particular in &hidden {
                assert!(!report.contains(particular.as_str()), "{name}: {particular}\n{report}");
            }
            let answers = incident.answers();
            if *left_out == "keys.json" {
                // A server that refuses an acquire shows that nobody holds the key.
                let is_sound = |answer: &Answer| {
                    answer.holder.is_none()
                        && matches!(answer.kind, AnswerKind::Unknown | AnswerKind::Delayed)
                };
                assert!(answers.iter().all(is_sound), "{name}: {report}");
                assert!(report.contains("no list of keys") || answers.is_empty(), "{name}");
            }
            if *left_out == LOG {
                assert!(!report.contains("in vain"), "{name}: {report}");
            }
            if *left_out == "sessions.json" {
                assert!(!report.contains("TTL 1") && !report.contains("LockDelay of"), "{name}");
            }
            if *left_out == "nodes.json" {
                let is_exact = |answer: &Answer| {
                    answer.kind == AnswerKind::Held && answer.earliest == answer.latest
                };
                assert!(!answers.iter().any(is_exact), "{name}: {report}");
            }
        }
    }
}
