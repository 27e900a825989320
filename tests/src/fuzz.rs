//! Fuzz targets: each takes arbitrary bytes and panics if the code under test does, or if a
//! property that its result must have is violated.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;
use std::{fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lictor_core::Consul;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::json;
use lictor_core::time::Instant;
use lictor_incident::{Incident, Source, parse_time};
use lictor_sim::journal::{Journal, Log};
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{Names, TraceLine, act_of, words_of};
use lictor_sim::{Act, EventKind, JournalEntry, World};
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use crate::dice::Dice;
use crate::random_acts::RandomActs;

/// The line between the requests of a file.
pub const SEPARATOR: &str = "\n---\n";

/// A world with a history of random acts.
static WORLD: LazyLock<World> = LazyLock::new(|| random_world(9, 120));

/// A server with a service that has tags, metadata and a check.
static LISTS: LazyLock<Consul> = LazyLock::new(|| {
    let mut consul = Consul::seeded(1);
    let body = br#"{"Name":"web","Tags":["v1"],"Meta":{"a":"b"},"Check":{"TTL":"10s"}}"#;
    consul.request(&HttpRequest::new("PUT", "/v1/agent/service/register", body));
    consul
});

/// Sends requests in the format of the corpus to a world with a history.
pub fn http(bytes: &[u8]) {
    let mut world = WORLD.clone();
    for text in String::from_utf8_lossy(bytes).split(SEPARATOR) {
        let actor = ActorName::from("web-1");
        let sent = world
            .perform(Act::Request { actor, request: request(text, &world) })
            .expect("it is possible");
        for event in sent {
            if let EventKind::Answered { outcome, .. } = event.kind {
                assert!((200..600).contains(&outcome.response.status), "{text}");
            }
        }
    }
    world.advance(Duration::from_secs(700));
    world.check_invariants();
}

/// Reads a list or log of an incident. If it can be read, no answer may have an earliest time after
/// its latest, and the world, if there is one, can be opened and time can pass in it.
pub fn incident(bytes: &[u8]) {
    let taken = parse_time("2026-11-26T09:14:36.363Z");
    let Ok(incident) = Incident::read(&[Source::new("fuzzed", bytes)], taken) else { return };
    for answer in incident.answers() {
        let bounds = answer.earliest.zip(answer.latest);
        assert!(bounds.is_none_or(|(earliest, latest)| earliest <= latest), "{answer:?}");
    }
    incident.report(None);
    let Ok(begun) = incident.world() else { return };
    let mut timeline: Timeline = Log::read(&begun.log).expect("a world that can be opened");
    assert_eq!(Journal::of(&timeline).to_lines(), begun.log);
    timeline.advance_to(Instant::from_millis(600_000));
    timeline.world().check_invariants();
}

/// Reads several lists with a filter, which must be applied or refused.
pub fn filter(bytes: &[u8]) {
    let mut consul = LISTS.clone();
    let filter = percent_encode(bytes, NON_ALPHANUMERIC);
    for list in ["catalog/nodes", "catalog/service/web", "health/service/web", "agent/checks"] {
        let target = format!("/v1/{list}?filter={filter}");
        let id = consul.request(&HttpRequest::new("GET", &target, b""));
        let answer = consul.poll(id).expect("it is answered at once");
        assert!(matches!(answer.status, 200 | 500), "{target}: {}", answer.text());
    }
}

/// Replays a journal, which is read as JSON, without the acts that the world refuses.
pub fn journal(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(journal) = json::from_text::<Vec<JournalEntry>>(&text) else { return };
    let mut world = World::new(1);
    for JournalEntry { at, act } in journal {
        world.advance_to(at);
        drop(world.perform(act));
    }
    world.check_invariants();
}

/// Restores a dump of this content, with a valid header. A world that is accepted can be continued.
pub fn dump(content: &[u8]) {
    let mut dump = WORLD.dump()[..12].to_vec();
    dump.extend((content.len() as u64).to_le_bytes());
    let sum = crc32fast::hash(&[&dump, content].concat());
    dump.extend(sum.to_le_bytes());
    dump.extend(content);
    let Ok(mut world) = World::restore(&dump) else { return };
    let mut random = RandomActs::new(1);
    for _ in 0..30 {
        let act = random.next(&world);
        random.learn(&world.perform(act).unwrap_or_default());
    }
    world.check_invariants();
}

/// Reads a log file. If it is accepted and leaves the cursor at the end of a branch, the journal of
/// that branch can be played and leads to the same world.
pub fn lines(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(timeline) = Log::read::<()>(&text) else { return };
    timeline.world().check_invariants();
    if !timeline.is_at_end() {
        return;
    }
    let again = Journal::of(&timeline).play::<()>().expect("it can be done again");
    assert!(again.world() == timeline.world(), "{text}");
    assert_eq!(again.observed(), timeline.observed(), "{text}");
}

/// Reads a link of this content, with a valid checksum. One that is accepted can be replayed.
pub fn link(content: &[u8]) {
    let sum = crc32fast::hash(content).to_le_bytes();
    let link = format!("#v1.{}", URL_SAFE_NO_PAD.encode([content, &sum].concat()));
    let Ok(journal) = Journal::from_link(&link) else { return };
    let timeline = journal.play::<()>().expect("a link holds what can be done");
    timeline.world().check_invariants();
    let again = Journal::of(&timeline).to_link().expect("it begins with a seed");
    let again = Journal::from_link(&again).expect("just written");
    assert_eq!(again.entries, journal.entries, "{link}");
    assert_eq!(again.observed, journal.observed, "{link}");
}

/// Parses a line of a trace. One that is accepted means the same after printing.
pub fn trace_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(line) = TraceLine::parse(&text) else { return };
    assert_eq!(TraceLine::parse(&line.to_string()).as_ref(), Ok(&line), "{text}");
    let names = Names::default();
    let Ok(act) = act_of(&line.actor, &line.what, &names) else { return };
    let words = words_of(&act, &names);
    assert_eq!(act_of(&line.actor, &words, &names).as_ref(), Ok(&act), "{words}");
}

/// A world after random acts; with an even seed some of them are faults.
pub fn random_world(seed: u64, acts: usize) -> World {
    let mut world = World::new(seed);
    let mut random =
        if seed.is_multiple_of(2) { RandomActs::with_faults(seed) } else { RandomActs::new(seed) };
    for _ in 0..acts {
        let act = random.next(&world);
        random.learn(&world.perform(act).unwrap_or_default());
    }
    world
}

/// The committed inputs, in the order of their file names.
pub fn corpus() -> io::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<io::Result<Vec<_>>>()?;
    files.sort();
    let texts = files.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
    Ok(texts.iter().flat_map(|text| text.split(SEPARATOR)).map(str::to_owned).collect())
}

/// A random mutation of an input, with pieces of another one.
pub fn mutated(dice: &mut Dice, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(4) {
        let start = dice.below(bytes.len() + 1);
        let end = (start + dice.below(12)).min(bytes.len());
        match dice.below(7) {
            0 if start < bytes.len() => bytes[start] = dice.below(256) as u8,
            1 => drop(bytes.drain(start..end)),
            2 => drop(bytes.splice(start..start, bytes[start..end].to_vec())),
            3 => drop(bytes.splice(start..end, dice.one_of(&TOKENS).bytes())),
            4 => drop(bytes.splice(start..start, dice.one_of(&TOKENS).bytes())),
            5 => {
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(40)).min(other.len());
                drop(bytes.splice(start..end, other[from..to].iter().copied()));
            }
            _ => bytes.truncate(bytes.len() - dice.below(bytes.len() / 8 + 1)),
        }
    }
    bytes
}

/// Tokens that parsers often handle wrongly.
const TOKENS: [&str; 24] = [
    "%",
    "%00",
    "%ff",
    "%2F",
    "//",
    "..",
    "?",
    "&",
    "=",
    ";",
    "null",
    "[",
    "{",
    "\"",
    "\\",
    "\u{0}",
    "é",
    "-1",
    "1e400",
    "18446744073709551616",
    "9223372036854775807",
    "&index=1&wait=1ms",
    "10s",
    "\n\n",
];

/// Parses a request: method and target, headers, an empty line, and a body. `{S1}` stands for a
/// session of the world, `{S2}` for none.
fn request(text: &str, world: &World) -> HttpRequest {
    let session = world.store().sessions().iter().next().map(|it| it.id.to_string());
    let text = text.replace("{S1}", &session.unwrap_or_default()).replace("{S2}", "none");
    let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let (method, target) = lines.next().and_then(|line| line.split_once(' ')).unwrap_or_default();
    let mut request = HttpRequest::new(method, target, body.as_bytes());
    let headers = lines.filter_map(|line| line.split_once(": "));
    request.headers = headers.map(|(name, value)| (name.into(), value.into())).collect();
    request
}
