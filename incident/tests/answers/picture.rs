//! The picture of an incident: its bars and marks are what the sources show, and no more. That its
//! bars are true is also tested with random clusters.

use std::fs;
use std::path::{Path, PathBuf};

use lictor_incident::{
    AnswerKind, BarKind, EndReason, Incident, LaneKind, MarkKind, Picture, PictureBar, PictureLane,
    Source, TimeBounds, Timestamp, parse_time,
};
use serde_json::{Value, json};

use crate::soundness::picturing::contradictions;

const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const OTHER: &str = "6cbaf640-2a1c-4d3b-9c43-0d8f0a4f1d11";
/// When the lists were taken.
const TAKEN: &str = "09:10:40.000";
/// When lists without a time count as taken.
const NOW: &str = "2026-11-28T12:00:00Z";

fn at(clock: &str) -> Timestamp {
    parse_time(&format!("2026-11-26T{clock}Z")).unwrap()
}

fn bounds(earliest: &str, latest: &str) -> TimeBounds {
    let time = |clock: &str| (!clock.is_empty()).then(|| at(clock));
    TimeBounds { earliest: time(earliest), latest: time(latest) }
}

fn session(id: &str, name: &str) -> Value {
    json!({ "ID": id, "Name": name, "Node": "n1", "LockDelay": 15_000_000_000_u64,
        "Behavior": "release", "TTL": "15s", "NodeChecks": ["serfHealth"], "ServiceChecks": null,
        "CreateIndex": 8, "ModifyIndex": 8 })
}

fn key(name: &str, holder: Option<&str>) -> Value {
    let mut key = json!({ "Key": name, "LockIndex": 1, "Flags": 0, "Value": null,
        "CreateIndex": 9, "ModifyIndex": 9 });
    if let Some(holder) = holder {
        key["Session"] = holder.into();
    }
    key
}

fn request(clock: &str, url: &str) -> String {
    format!(
        "2026-11-26T{clock}Z [DEBUG] agent.http: Request finished: method=PUT url=/v1/{url} \
         from=127.0.0.1:1 latency=1ms\n"
    )
}

fn read(texts: &[(&str, String)]) -> Incident {
    let sources = texts.iter().map(|(name, text)| Source::new(name, text.as_bytes()));
    let sources: Vec<_> = sources.collect();
    Incident::read(&sources, Some(at(TAKEN))).unwrap_or_else(|error| panic!("{error}"))
}

fn picture(texts: &[(&str, String)]) -> Picture {
    let incident = read(texts);
    let picture = incident.picture(&incident.answers());
    assert_eq!(contradictions(&picture), Vec::<String>::new());
    picture
}

/// Lists in which the first session holds a key.
fn held() -> Vec<(&'static str, String)> {
    let sessions = json!([session(HOLDER, "worker-a"), session(OTHER, "worker-b")]);
    vec![
        ("sessions.json", sessions.to_string()),
        ("keys.json", json!([key("k", Some(HOLDER))]).to_string()),
    ]
}

/// The log of the only node: the holder asks at 09:10:20, and is renewed at 09:10:35.
fn with_log(mut texts: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    let log = [
        request("09:10:10.000", "kv/other"),
        request("09:10:20.000", &format!("kv/k?acquire={HOLDER}")),
        request("09:10:25.000", &format!("kv/k?acquire={OTHER}")),
        request("09:10:35.000", &format!("session/renew/{HOLDER}")),
        request(TAKEN, "session/list").replace("PUT", "GET"),
        request(TAKEN, "kv/?recurse").replace("PUT", "GET"),
    ];
    texts.push(("n1.log", log.concat()));
    texts.push(("nodes.json", json!([{ "Node": "n1", "Address": "127.0.0.1" }]).to_string()));
    texts
}

fn lane<'a>(picture: &'a Picture, kind: LaneKind, name: &str) -> &'a PictureLane {
    let mut lanes = picture.lanes.iter().filter(|lane| lane.kind == kind);
    lanes.find(|lane| lane.name.contains(name)).unwrap_or_else(|| panic!("{name}: {picture:?}"))
}

/// The kind, the begin and the end of the bars before or after the moment of the answer.
fn bars(lane: &PictureLane, ahead: bool) -> Vec<(BarKind, TimeBounds, Option<TimeBounds>)> {
    let bars = lane.bars.iter().filter(|bar| bar.if_nobody_acts == ahead);
    bars.map(|bar| (bar.kind, bar.begin, bar.end)).collect()
}

#[test]
fn a_holder_of_which_only_a_list_says_so_has_an_open_begin_at_the_list() {
    let picture = picture(&held());
    let lock = lane(&picture, LaneKind::Lock, "k");
    let now = TimeBounds::exact(at(TAKEN));
    assert_eq!(bars(lock, false), [(BarKind::Held, bounds("", TAKEN), None)]);
    let ends = bounds(TAKEN, "09:11:10.000");
    let open = bounds("09:10:55.000", "09:11:25.000");
    let expected = [(BarKind::Held, now, Some(ends)), (BarKind::Delayed, ends, Some(open))];
    assert_eq!(bars(lock, true), expected);
    assert_eq!(lock.open_from, Some(open));
    let life = lane(&picture, LaneKind::Session, "worker-a");
    assert_eq!(bars(life, false), [(BarKind::Lives, bounds("", TAKEN), None)]);
    assert_eq!(bars(life, true), [(BarKind::Lives, now, Some(ends))]);
    assert!(life.marks.is_empty() && picture.lanes.len() == 2, "worker-b has not asked");
}

/// When something ends that follows if nobody acts, and why.
type End = (Option<TimeBounds>, Option<EndReason>);

/// The ends of the holder's session, and when another client can take the lock, if the list of
/// sessions has this TTL.
fn with_ttl(ttl: Option<&str>) -> (Vec<End>, Option<TimeBounds>) {
    let mut holder = session(HOLDER, "worker-a");
    match ttl {
        Some(ttl) => holder["TTL"] = ttl.into(),
        None => drop(holder.as_object_mut().unwrap().remove("TTL")),
    }
    let mut texts = held();
    texts[0].1 = json!([holder]).to_string();
    let picture = picture(&texts);
    let life = lane(&picture, LaneKind::Session, "worker-a");
    let ahead = life.bars.iter().filter(|bar| bar.if_nobody_acts);
    let ahead = ahead.map(|bar| (bar.end, bar.end_reason)).collect();
    (ahead, lane(&picture, LaneKind::Lock, "k").open_from)
}

#[test]
fn only_a_ttl_that_is_known_is_why_a_session_ends_and_without_one_no_moment_is_named() {
    let ends = Some(bounds(TAKEN, "09:11:10.000"));
    let open = Some(bounds("09:10:55.000", "09:11:25.000"));
    assert_eq!(with_ttl(Some("15s")), (vec![(ends, Some(EndReason::Expired))], open));
    assert_eq!(with_ttl(Some("")), (vec![(None, None)], None));
    let open = Some(bounds("09:10:55.000", ""));
    assert_eq!(with_ttl(None), (vec![(Some(bounds(TAKEN, "")), None)], open));
}

#[test]
fn a_session_that_may_have_ended_already_has_no_reason_for_its_end() {
    let mut texts = with_log(held());
    texts[2].1 += &request("09:10:45.000", "txn");
    texts[2].1 += &request("09:10:46.000", "kv/other");
    let life = lane(&picture(&texts), LaneKind::Session, "worker-a").bars.clone();
    let ahead: Vec<_> = life.iter().filter(|bar| bar.if_nobody_acts).collect();
    assert_eq!(ahead[0].end, Some(bounds("09:10:46.000", "09:11:05.000")));
    assert_eq!((ahead.len(), ahead[0].end_reason), (1, None));
}

#[test]
fn a_log_with_every_request_shows_since_when_the_holder_holds_and_who_asks() {
    let picture = picture(&with_log(held()));
    let lock = lane(&picture, LaneKind::Lock, "k");
    assert_eq!(bars(lock, false), [(BarKind::Held, bounds("", "09:10:20.000"), None)]);
    let ends = TimeBounds::exact(at("09:11:05.000"));
    assert_eq!(bars(lock, true)[0].2, Some(ends));
    assert_eq!(bars(lock, true)[1].2, Some(TimeBounds::exact(at("09:11:20.000"))));
    let asked: Vec<_> = lock.marks.iter().map(|mark| (mark.kind, mark.time)).collect();
    let expected = ["09:10:20.000", "09:10:25.000"].map(|clock| (MarkKind::Asked, at(clock)));
    assert_eq!(asked, expected, "the log does not have the answers");
    let renewed: Vec<_> = lane(&picture, LaneKind::Session, "worker-a").marks.clone();
    assert_eq!(renewed.iter().map(|mark| mark.kind).collect::<Vec<_>>(), [MarkKind::Renewed]);
    assert_eq!(lane(&picture, LaneKind::Session, "worker-b").bars.len(), 2);
}

/// A line of a server about the end of the holder.
fn expired(clock: &str) -> String {
    format!("2026-11-26T{clock}Z [DEBUG] agent.server: Session TTL expired: session={HOLDER}\n")
}

#[test]
fn the_end_of_a_holder_after_the_lists_begins_its_lock_delay() {
    let mut texts = with_log(held());
    texts[2].1 += &expired("09:11:05.000");
    texts[2].1 += &request("09:11:06.000", "kv/other");
    let picture = picture(&texts);
    let lock = lane(&picture, LaneKind::Lock, "k");
    let ended = TimeBounds::exact(at("09:11:05.000"));
    let past = bars(lock, false);
    assert_eq!(past[0], (BarKind::Held, bounds("", "09:10:20.000"), Some(ended)));
    assert!(past.contains(&(BarKind::Delayed, ended, None)), "{past:?}");
    let until = TimeBounds::exact(at("09:11:20.000"));
    let now = TimeBounds::exact(at("09:11:06.000"));
    assert_eq!(bars(lock, true)[0], (BarKind::Delayed, now, Some(until)));
    let life = &lane(&picture, LaneKind::Session, "worker-a").bars;
    assert_eq!((life.len(), life[0].end_reason), (1, Some(EndReason::Expired)));
}

#[test]
fn without_every_request_the_end_of_a_session_does_not_say_that_it_held_the_key_until_then() {
    let mut texts = held();
    texts.push(("n1.log", expired("09:11:05.000")));
    let picture = picture(&texts);
    let lock = lane(&picture, LaneKind::Lock, "k");
    let past = bars(lock, false);
    let ends = Some(bounds(TAKEN, "09:11:05.000"));
    assert_eq!(past, [(BarKind::Held, bounds("", TAKEN), ends)], "no lock-delay is known");
    assert_eq!(bars(lock, true), []);
}

#[test]
fn a_request_alone_does_not_show_that_a_session_holds_the_key_or_lives() {
    let log = request("09:10:20.000", &format!("kv/k?acquire={HOLDER}"));
    let picture = picture(&[("n1.log", log)]);
    let lock = lane(&picture, LaneKind::Lock, "k");
    assert_eq!((bars(lock, false), bars(lock, true)), (vec![], vec![]));
    let life = lane(&picture, LaneKind::Session, "4154283e");
    let expected = (BarKind::Lives, bounds("", "09:10:20.000"), Some(TimeBounds::default()));
    assert_eq!(bars(life, false), [expected], "it was created before, and may have ended");
}

#[test]
fn a_lock_delay_that_the_server_has_named_is_drawn_and_nothing_before_it() {
    let log = "2026-11-26T09:10:30.000Z [WARN]  agent.server.kvs: Rejecting lock of key due to \
               lock-delay: key=k expire_time=\"2026-11-26 09:10:50 +0000 UTC\"\n";
    let mut texts = vec![("keys.json", json!([key("k", None)]).to_string())];
    texts.push(("n1.log", log.into()));
    let picture = picture(&texts);
    let lock = lane(&picture, LaneKind::Lock, "k");
    let delayed: Vec<&PictureBar> =
        lock.bars.iter().filter(|bar| bar.kind == BarKind::Delayed).collect();
    assert_eq!(delayed[0].begin, bounds("09:09:50.000", "09:10:30.000"));
    assert_eq!(delayed[1].end, Some(TimeBounds::exact(at("09:10:50.000"))));
    assert_eq!((delayed.len(), delayed[1].if_nobody_acts), (2, true));
}

#[test]
fn a_client_believes_from_one_line_of_its_log_to_another_one() {
    let line = |clock: &str, text: &str| format!("2026-11-26T{clock}Z worker-a {text} k\n");
    let log = [
        line("09:10:01.000", "acquired lock"),
        line("09:10:05.000", "lost lock"),
        line("09:10:20.000", "acquired lock"),
    ];
    let mut texts = held();
    texts.push(("worker-a.log", log.concat()));
    let picture = picture(&texts);
    let client = lane(&picture, LaneKind::Client, "worker-a");
    let [first, last] = ["09:10:01.000", "09:10:20.000"].map(|clock| TimeBounds::exact(at(clock)));
    let expected = [
        (BarKind::Believes, first, Some(TimeBounds::exact(at("09:10:05.000")))),
        (BarKind::Believes, last, Some(bounds("09:10:20.000", ""))),
    ];
    assert_eq!(bars(client, false), expected);
}

#[test]
fn of_many_keys_those_that_nobody_holds_are_left_out_first_and_counted() {
    let mut keys: Vec<Value> = (0..60).map(|number| key(&format!("a/{number}"), None)).collect();
    keys.push(key("k", Some(HOLDER)));
    let mut texts = held();
    texts[1].1 = Value::from(keys).to_string();
    let picture = picture(&texts);
    assert_eq!(picture.lanes.len(), 40);
    assert_eq!((picture.lanes[0].name.as_str(), picture.left_out_keys), ("k", 61 - 39));
}

/// Two lists of the key, the second of which is a minute older than the others.
#[test]
fn two_lists_with_the_same_modify_index_show_a_holder_between_them_and_a_lock_index_does_not() {
    let list = |clock: &str, modified: u64| {
        let mut key = key("k", Some(HOLDER));
        key["ModifyIndex"] = modified.into();
        format!(
            "$ curl -si localhost:8500/v1/kv/?recurse\nHTTP/1.1 200 OK\nDate: Thu, 26 Nov 2026 \
             {clock} GMT\n\n{}\n",
            json!([key])
        )
    };
    let held = |modified: u64| {
        let texts = [("keys.txt", list("09:09:40", 9) + &list("09:10:40", modified))];
        bars(lane(&picture(&texts), LaneKind::Lock, "k"), false)
    };
    let [one, ..] = &held(9)[..] else { panic!("a bar") };
    assert_eq!(one.1, bounds("", "09:09:40.999"));
    assert_eq!((held(9).len(), held(10).len()), (1, 2), "it may have been released in between");
}

/// All incidents, each with the files that it consists of and the moment of its lists.
fn incidents() -> Vec<(PathBuf, Vec<String>, Option<Timestamp>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut all = Vec::new();
    for folder in ["incidents", "partial"] {
        for entry in fs::read_dir(tests.join(folder)).unwrap() {
            let folder = entry.unwrap().path();
            if !folder.is_dir() {
                continue;
            }
            let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name());
            let files = files.map(|name| name.into_string().unwrap());
            let is_shown = |name: &String| !["truth.json", "expect.json"].contains(&name.as_str());
            let mut files: Vec<String> = files.filter(is_shown).collect();
            files.sort();
            let expect = fs::read(folder.join("expect.json")).ok();
            let expect: Option<Value> = expect.map(|text| serde_json::from_slice(&text).unwrap());
            let at = expect.and_then(|expect| parse_time(expect["at"].as_str()?));
            all.push((folder, files, at));
        }
    }
    all.sort();
    all
}

/// The incident in these texts, unless they are refused.
fn read_any(texts: &[(&str, &[u8])], at: Option<Timestamp>) -> Option<Incident> {
    let sources: Vec<_> = texts.iter().map(|(name, text)| Source::new(name, text)).collect();
    Incident::read_now(&sources, at, parse_time(NOW).unwrap(), &mut |_| {}).ok()
}

/// Compares a picture with the answers of its incident.
fn check(incident: &Incident, name: &str) {
    let answers = incident.answers();
    let picture = incident.picture(&answers);
    assert_eq!(contradictions(&picture), Vec::<String>::new(), "{name}");
    let is_of_key = |lane: &&PictureLane| lane.session.is_none() && lane.kind != LaneKind::Client;
    for lane in picture.lanes.iter().filter(is_of_key) {
        let is_semaphore = lane.kind == LaneKind::Semaphore;
        let answer = answers.iter().find(|answer| answer.key == lane.key).unwrap();
        assert_eq!(is_semaphore, answer.kind == AnswerKind::Semaphore, "{name}");
        assert!(!is_semaphore || lane.bars.is_empty(), "{name}: nobody locks the document");
        let open = Some([answer.earliest, answer.latest]);
        let open = open.filter(|open| answer.kind != AnswerKind::Unknown && *open != [None; 2]);
        assert_eq!(lane.open_from.map(|open| [open.earliest, open.latest]), open, "{name}");
        for bar in lane.bars.iter().filter(|bar| bar.end.is_none() || bar.if_nobody_acts) {
            let is_of_answer = match bar.kind {
                BarKind::Held => bar.session == answer.holder && answer.kind == AnswerKind::Held,
                _ => answer.kind != AnswerKind::Unknown,
            };
            assert!(is_of_answer, "{name}: {bar:?} of {answer:?}");
        }
    }
    let written = json!(picture);
    let read: Picture = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(json!(read), written, "{name}");
}

#[test]
fn a_picture_agrees_with_the_answers_of_each_incident_and_survives_json() {
    for (folder, files, at) in incidents() {
        let texts: Vec<Vec<u8>> =
            files.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
        for left_out in 0..=files.len() {
            let shown = files.iter().zip(&texts).enumerate();
            let shown = shown.filter(|(place, _)| *place != left_out);
            let shown: Vec<(&str, &[u8])> =
                shown.map(|(_, (name, text))| (name.as_str(), &text[..])).collect();
            if let Some(incident) = read_any(&shown, at) {
                check(&incident, &format!("{} without {left_out}", folder.display()));
            }
        }
    }
}

/// In how many parts an incident is cut.
const PARTS: usize = 8;

#[test]
fn a_picture_of_an_incident_that_is_cut_anywhere_has_gaps_and_no_contradictions() {
    for (folder, files, at) in incidents() {
        let texts = files.iter().map(|name| fs::read(folder.join(name)).unwrap());
        let texts: Vec<Vec<u8>> = texts.collect();
        for part in 1..PARTS {
            let cut = |text: &Vec<u8>| text.len() * part / PARTS;
            for is_begin in [true, false] {
                let shown = files.iter().zip(&texts).map(|(name, text)| {
                    let part = if is_begin { &text[..cut(text)] } else { &text[cut(text)..] };
                    (name.as_str(), part)
                });
                let shown: Vec<(&str, &[u8])> = shown.collect();
                if let Some(incident) = read_any(&shown, at) {
                    check(&incident, &format!("{} {part} {is_begin}", folder.display()));
                }
            }
        }
    }
}

/// When the contender of a recorded incident got each key.
#[test]
fn the_recorded_truth_is_within_the_bounds_of_the_picture() {
    for (folder, files, _) in incidents() {
        let Ok(truth) = fs::read(folder.join("truth.json")) else { continue };
        let truth: Value = serde_json::from_slice(&truth).unwrap();
        let texts: Vec<_> = files
            .iter()
            .map(|name| (name.as_str(), fs::read(folder.join(name)).unwrap()))
            .collect();
        let texts: Vec<(&str, &[u8])> =
            texts.iter().map(|(name, text)| (*name, &text[..])).collect();
        let incident = read_any(&texts, None).unwrap();
        let picture = incident.picture(&incident.answers());
        let got = truth["seen"].as_array().unwrap().iter().filter(|seen| seen["acquire"] == true);
        for seen in got {
            let got = parse_time(seen["at"].as_str().unwrap()).unwrap();
            let mut lanes = picture.lanes.iter().filter(|lane| lane.session.is_none());
            let lock = lanes.find(|lane| lane.name == seen["key"]).unwrap();
            let open = lock.open_from.unwrap_or_default();
            let late = open.latest.map(|latest| got.duration_since(latest).as_millis());
            assert!(open.earliest <= Some(got) && late <= Some(200), "{lock:?} {got}");
            // Nobody holds it any more, and no lock-delay lasts, when the contender got it.
            for end in lock.bars.iter().filter(|bar| bar.kind != BarKind::Unheld) {
                let end = end.end.and_then(|end| end.earliest);
                assert!(end.is_none_or(|end| end <= got), "{lock:?} {got}");
            }
        }
    }
}
