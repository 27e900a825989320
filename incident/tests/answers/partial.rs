//! Incidents of which something is missing, each with an `expect.json`: what a sound answer may and
//! must say. Seven are rewritten from public reports. What is not shown is not known.
//!
//! `at` and `files` are what is read; `sound` limits the bounds (`earliest_max`, `latest_min`;
//! null: no such moment is known); `not_free` forbids a kind that says that nobody holds the key; a
//! pattern of `never_says` matches nowhere, one that begins with `{claim}` in no sentence without a
//! word of doubt; one of `must_say` matches somewhere; `refuse`: which refusal is right, too.

use std::fs;
use std::path::{Path, PathBuf};

use fancy_regex::Regex;
use lictor_incident::{Incident, Source, Timestamp, parse_time};
use serde_json::Value;

/// When lists without a time count as taken.
const NOW: &str = "2026-11-28T12:00:00Z";
/// How much a bound may be off, in milliseconds.
const TOLERATED: i64 = 300;
const FREE: &str = "(?i)^(free|released|available)$";
const DOUBT: &str = concat!(
    r"(?i)\b(if|whether|when|unless|perhaps|maybe|may|might|could|would|can ?not|possibl[ey]|",
    r"probabl[ey]|likely|seem\w*|assum\w*|suppos\w*|unknown|unclear|either|not known|",
    r"not (say|said|mean|prove|proven|show|sure|certain)|no proof)\b|\bcan't\b",
);
const UNKNOWN: &str = concat!(
    r"(?:not known|(?<!happened before is )(?<!it did is )(?<!what happened is )\bunknown|unclear|",
    r"undetermined|not (?:be )?(?:said|told|determined|decided)|(?:can ?not|can't|no way to) ",
    r"(?:be )?(?:say|said|tell|told|know|known|determine|judge)|nothing(?: \w+){0,3} says ",
    r"(?:who|whether)|no(?:t a| such)? list|not in any list|no file (?:has|says))",
);

/// What is answered to an input.
struct Output {
    status: u8,
    text: String,
    answers: Vec<Value>,
    /// The text, and each string in the JSON.
    everything: String,
}

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partial");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push(path.join("expect.json"));
        } else if path.to_string_lossy().ends_with(".expect.json") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?im){}", text.replace("{unknown}", UNKNOWN))).unwrap()
}

/// The part of a text that a pattern finds.
fn said(pattern_text: &str, text: &str) -> Option<String> {
    let find = |regex: &Regex, text: &str| {
        regex.find(text).unwrap().map(|found| found.as_str().trim().to_owned())
    };
    let Some(claim) = pattern_text.strip_prefix("{claim}") else {
        return find(&pattern(pattern_text), text);
    };
    let (claim, doubt) = (pattern(claim), Regex::new(DOUBT).unwrap());
    let ends = Regex::new(r"(?<=[.;!?])\s+|\n").unwrap();
    let mut sentences = ends.split(text).map(Result::unwrap);
    sentences.find_map(|sentence| {
        if doubt.is_match(sentence).unwrap() { None } else { find(&claim, sentence) }
    })
}

fn strings(value: &Value, all: &mut String) {
    match value {
        Value::String(text) => *all += &format!("{text}\n"),
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(members) => members.values().for_each(|member| strings(member, all)),
        _ => {}
    }
}

fn answer(folder: &Path, expect: &Value) -> Output {
    let names = expect["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let files: Vec<_> = names.map(|name| (name, fs::read(folder.join(name)).unwrap())).collect();
    let sources: Vec<_> = files.iter().map(|(name, bytes)| Source::new(name, bytes)).collect();
    let at = expect["at"].as_str().and_then(parse_time);
    let read = Incident::read_now(&sources, at, parse_time(NOW).unwrap(), &mut |_| {});
    let (status, text, json) = match read {
        Err(error) => (2, error.to_string(), Value::Null),
        Ok(incident) => {
            let answers = incident.answers();
            let is_known = !answers.is_empty() && Incident::is_known(&answers);
            let status = match (answers.is_empty(), incident.knows_absent_keys(), is_known) {
                (true, true, _) => 1,
                (_, _, true) => 0,
                _ => 3,
            };
            let text = incident.report(None) + &incident.events_text(10);
            (status, text, incident.report_to_json(None))
        }
    };
    let mut everything = text.clone();
    strings(&json, &mut everything);
    let answers = json["answers"].as_array().cloned().unwrap_or_default();
    Output { status, text, answers, everything }
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| parse_time(text).unwrap())
}

/// What is wrong with the answer for the key.
fn wrong_answer(row: &Value, expect: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let kind = row["kind"].as_str().unwrap();
    if expect["not_free"] == true && Regex::new(FREE).unwrap().is_match(kind).unwrap() {
        wrong.push(format!("kind {kind}"));
    }
    let sound = &expect["sound"];
    let is_later = |one: Timestamp, other: Timestamp| {
        one.as_millisecond() > other.as_millisecond() + TOLERATED
    };
    let (earliest, latest) = (time(&row["earliest"]), time(&row["latest"]));
    // "From now on" claims nothing.
    let is_now =
        expect["at"].is_null() && row["earliest"].as_str() == Some("2026-11-28T12:00:00.000Z");
    if let (Some(earliest), Some(most)) = (earliest, time(&sound["earliest_max"]))
        && is_later(earliest, most)
        && !is_now
    {
        wrong.push(format!("earliest {earliest} is after {most}"));
    }
    if let (Some(latest), Some(least)) = (latest, sound.get("latest_min")) {
        match time(least) {
            None => wrong.push(format!("latest {latest}, but none is known")),
            Some(least) if is_later(least, latest) => {
                wrong.push(format!("latest {latest} is before {least}"));
            }
            Some(_) => {}
        }
    }
    wrong
}

fn wrong(output: &Output, expect: &Value) -> Vec<String> {
    let list = |name: &str| expect[name].as_array().cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    for never in list("never_says") {
        if let Some(found) = said(never.as_str().unwrap(), &output.everything) {
            wrong.push(format!("says {found:?}"));
        }
    }
    if expect["exit_not"].as_u64() == Some(output.status.into()) {
        wrong.push(format!("status {}", output.status));
    }
    let is_refused = output.status != 0;
    let names_file = || {
        let files = list("files");
        files.iter().any(|file| output.text.contains(file.as_str().unwrap()))
    };
    let is_right_refusal = is_refused
        && match &expect["refuse"] {
            Value::Bool(true) => names_file(),
            Value::String(reason) => pattern(reason).is_match(&output.text).unwrap(),
            _ => false,
        };
    if is_right_refusal {
        return wrong;
    }
    if let Some(status) = expect["exit"].as_u64().filter(|it| *it != u64::from(output.status)) {
        wrong.push(format!("status {} in place of {status}", output.status));
    }
    if let Some(key) = expect["key"].as_str() {
        match output.answers.iter().find(|row| row["key"] == key) {
            Some(row) => wrong.extend(wrong_answer(row, expect)),
            None if expect["named"] == true || expect["not_free"] != true => {
                wrong.push(format!("no answer for {key}"));
            }
            None => {}
        }
    }
    for must in list("must_say") {
        let must = must.as_str().unwrap();
        if said(must, &output.text).is_none() {
            wrong.push(format!("does not say {must}"));
        }
    }
    wrong
}

#[test]
fn what_is_not_shown_is_not_claimed() {
    let mut failures = String::new();
    let inputs = inputs();
    for path in &inputs {
        let expect: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let output = answer(path.parent().unwrap(), &expect);
        let wrong = wrong(&output, &expect);
        if !wrong.is_empty() {
            failures += &format!("{}: {}\n", path.display(), wrong.join("; "));
        }
    }
    assert!(inputs.len() >= 54 && failures.is_empty(), "\n{failures}");
}
