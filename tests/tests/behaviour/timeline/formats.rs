//! Tests the text formats: journals as lines of a log and as links, traces, and acts in the line
//! language.

use std::sync::Arc;

use lictor_core::ConsulVersion;
use lictor_core::engine::Config;
use lictor_core::time::Instant;
use lictor_recipes::{Order, Stimulus};
use lictor_sim::journal::{Journal, LinkError, Log, LogError, PlayError, Start};
use lictor_sim::timeline::{Limits, Timeline};
use lictor_sim::trace::{Names, TraceLine, TraceWriter, act_of, actor_of, words_of};
use lictor_sim::{Act, HttpClient, JournalEntry, Network, ObservedPast, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{SEEDS, random_timeline};

#[test]
fn a_journal_in_lines_gives_the_same_world() {
    for seed in 1..=SEEDS {
        let (timeline, _) = random_timeline(seed, Limits::default());
        let journal = Journal::of(&timeline);
        let read = Log::read::<()>(&journal.to_lines()).expect("just written");
        assert_eq!(Journal::of(&read), journal, "seed={seed}");
        assert!(read.world() == timeline.world(), "seed={seed}");
    }
}

#[test]
fn a_past_without_its_beginning_is_written_with_its_first_world() {
    let (timeline, _) = random_timeline(1, Limits { events: 60, ..Limits::default() });
    let journal = Journal::of(&timeline);
    assert_eq!(journal.to_link(), Err(LinkError::NoSeed));
    let read = Log::read::<()>(&journal.to_lines()).expect("just written");
    assert!(read.world() == timeline.world());
}

#[test]
fn a_journal_in_a_link_gives_the_same_world() {
    for seed in 1..=SEEDS {
        let (timeline, _) = random_timeline(seed, Limits::default());
        let journal = Journal::of(&timeline);
        let link = journal.to_link().expect("it is fresh");
        assert!(link.starts_with("#v1."));
        assert_eq!(Journal::from_link(&link).as_ref(), Ok(&journal), "seed={seed}");
        assert_eq!(Journal::from_link(&link[1..]).as_ref(), Ok(&journal), "without its #");
    }
}

#[test]
fn logs_and_links_keep_the_version_of_consul() -> Result<(), Box<dyn std::error::Error>> {
    for version in ConsulVersion::ALL {
        let mut custom = Config::of(version);
        custom.disable_kv_key_validation = true;
        for config in [Config::of(version), custom] {
            let start = Start::Fresh { seed: 7, config, network: Network::Tcp };
            let (observed, entries) = (ObservedPast::default(), Vec::new());
            let journal = Journal { start, observed, entries, end: Instant::EPOCH };
            assert_eq!(Journal::of(&Log::read::<()>(&journal.to_lines())?), journal);
            assert_eq!(Journal::from_link(&journal.to_link()?)?, journal);
        }
    }
    Ok(())
}

#[test]
fn a_log_from_before_versions_could_be_chosen_keeps_consul_1_13() -> Result<(), LogError> {
    let config = r#""config":{"node":"n1","node_id":"","node_meta":null,"address":"127.0.0.1",
        "datacenter":"dc1","session_ttl_min":{"secs":1,"nanos":0},"parked_max":3},"#;
    for config in ["", &config.replace('\n', "")] {
        let line = format!(r#"{{"lictor":"log","version":1,"seed":7,{config}"acts":0,"end":0}}"#);
        let Start::Fresh { config, .. } = Journal::of(&Log::read::<()>(&line)?).start else {
            panic!("the log has a seed");
        };
        assert_eq!(config.version, ConsulVersion::V1_13);
    }
    Ok(())
}

#[test]
fn a_link_from_before_versions_could_be_chosen_keeps_consul_1_13() -> Result<(), LinkError> {
    const WRITTEN_BEFORE: &str = "#v1.AAcCAQAABXdlYi0xBJADDgAGcGF1c2VzAAB-Pj-Q";
    let Start::Fresh { config, .. } = Journal::from_link(WRITTEN_BEFORE)?.start else {
        panic!("a link has a seed");
    };
    assert_eq!(config, Config::of(ConsulVersion::V1_13));
    Ok(())
}

/// The acts of a client that works with a lock cost about seven bytes each, nine characters of the
/// link.
#[test]
fn links_are_short() {
    let mut timeline = Timeline::new(World::new(42));
    let mut writer = TraceWriter::default();
    let mut act = |timeline: &mut Timeline, at: u64, words: &str| {
        timeline.advance_to(Instant::from_millis(at));
        let act = act_of("web-1", words, &writer.names).expect("it is well-formed");
        let events = timeline.perform(act).unwrap_or_else(|error| panic!("{words}: {error}"));
        writer.lines_of(&events);
    };
    act(&mut timeline, 0, "joins");
    for round in 0..20 {
        let at = round * 60_000;
        act(&mut timeline, at + 100, "session ttl=15s delay=0s");
        let name = round + 1;
        act(&mut timeline, at + 350, &format!("put db/leader value=web-1 acquire=S{name}"));
        act(&mut timeline, at + 7_500, &format!("renew S{name}"));
        act(&mut timeline, at + 9_000, &format!("put db/leader value=web-1 release=S{name}"));
        act(&mut timeline, at + 9_500, &format!("destroy S{name}"));
    }
    let journal = Journal::of(&timeline);
    let (acts, link) = (journal.entries.len(), journal.to_link().expect("it is fresh"));
    assert_eq!(acts, 101);
    assert!(link.len() < 950, "{} characters for {acts} acts", link.len());
    assert_eq!(Journal::from_link(&link), Ok(journal));
}

#[test]
fn damaged_links_are_refused_with_a_reason() {
    let (timeline, _) = random_timeline(1, Limits::default());
    let link = Journal::of(&timeline).to_link().expect("it is fresh");
    for place in (4..link.len()).step_by(7) {
        let cut = &link[..place];
        assert_eq!(Journal::from_link(cut), Err(LinkError::Damaged), "cut off at {place}");
        let other = if link.as_bytes()[place] == b'A' { "B" } else { "A" };
        let damaged = format!("{cut}{other}{}", &link[place + 1..]);
        assert_eq!(Journal::from_link(&damaged), Err(LinkError::Damaged), "changed at {place}");
    }
    for (text, reason) in [
        ("", "this is not a link to a journal"),
        ("#section-2", "this is not a link to a journal"),
        ("#v2.AAAA", "the link has version v2; this program reads v1"),
        ("#v1.", "the link is damaged or cut off"),
        ("#v1.****", "the link is damaged or cut off"),
    ] {
        let error = Journal::from_link(text).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(reason), "{text}");
    }
}

#[test]
fn damaged_lines_are_refused_with_a_reason() {
    let (timeline, _) = random_timeline(1, Limits::default());
    let lines = Journal::of(&timeline).to_lines();
    let all: Vec<&str> = lines.lines().collect();
    let cut = all[..all.len() - 1].join("\n");
    let count = all.len() - 1;
    let cut_off = LogError::CutOff { expected: count, found: count - 1 };
    assert_eq!(Log::read::<()>(&cut).err(), Some(cut_off));
    let head = r#"{"lictor":"log","version":1,"seed":1,"acts":1,"end":0}"#;
    let request = r#""method":"PUT","target":"/v1/kv/a""#;
    for (text, reason) in [
        ("", "this is not a log"),
        ("[1, 2]", "this is not a log"),
        (r#"{"lictor":"scenario","version":1}"#, "this is not a log"),
        (r#"{"lictor":"log","version":9}"#, "the log has version 9; this program reads 1"),
        (
            r#"{"lictor":"log","version":1,"acts":0,"end":0}"#,
            "line 1: a log begins with either a seed or a world",
        ),
        (
            r#"{"lictor":"log","version":1,"seed":1,"seed":2,"acts":0,"end":0}"#,
            "line 1: duplicate field `seed`",
        ),
        (
            r#"{"lictor":"log","version":1,"seed":1,"acts":0,"end":0,"more":1}"#,
            "line 1: unknown field `more`",
        ),
        (
            r#"{"lictor":"log","version":1,"seed":1,"consul":"2.0","acts":0,"end":0}"#,
            "line 1: unknown version of Consul \"2.0\"; the known versions are 1.13, 1.22",
        ),
        (&format!("{head}\n{{}}"), "line 2: missing field `at`"),
        (
            &format!("{head}\n{{\"at\":1,\"actor\":\"a\"}}"),
            "line 2: an act has either `does` or `request`",
        ),
        (
            &format!("{head}\n\n{{\"at\":1,\"actor\":\"a\",\"does\":\"sleeps\"}}"),
            "line 3: unknown action \"sleeps\"",
        ),
        (
            &format!(
                "{head}\n{{\"at\":1,\"actor\":\"a\",\"request\":{{{request},\"base64\":\"?\"}}}}"
            ),
            "line 2: the body is not base64",
        ),
    ] {
        let error = Log::read::<()>(text).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.starts_with(reason)), "{text}: {error:?}");
    }
}

#[test]
fn acts_that_cannot_have_happened_are_refused() {
    let (timeline, _) = random_timeline(2, Limits::default());
    let journal = Journal::of(&timeline);
    let mut backwards = journal.clone();
    let count = backwards.entries.len();
    backwards.entries[count - 1].at = Instant::EPOCH;
    assert_eq!(backwards.play::<()>().err(), Some(PlayError::BackInTime(count)));
    let mut twice = journal;
    let first: JournalEntry = twice.entries[0].clone();
    twice.entries.insert(0, first);
    let why = twice.play::<()>().err().map(|error| error.to_string());
    assert_eq!(why.as_deref(), Some("act 2: there is already a client called web-1"));
}

#[test]
fn acts_survive_writing_and_parsing() {
    for seed in 1..=SEEDS {
        let (timeline, events) = random_timeline(seed, Limits::default());
        let mut names = Names::default();
        names.learn(&events);
        for (_, entry) in timeline.here().acts() {
            let words = words_of(&entry.act, &names);
            assert!(!words.contains(" of="), "seed={seed}: a record: {words}");
            let again = act_of(actor_of(&entry.act), &words, &names);
            assert_eq!(again.as_ref(), Ok(&entry.act), "seed={seed}: {words}");
        }
    }
}

#[test]
fn traces_survive_printing_and_parsing() {
    for seed in 1..=SEEDS {
        let (timeline, events) = random_timeline(seed, Limits::default());
        let lines = TraceWriter::default().lines_of(&events);
        assert_eq!(lines.len() as u64, timeline.here().end().events, "one line for each event");
        for line in lines {
            let text = line.to_string();
            assert_eq!(TraceLine::parse(&text).as_ref(), Ok(&line), "seed={seed}: {text}");
        }
    }
}

/// Writes and parses each kind of program with its options, and the record of a running one.
#[test]
fn programs_of_every_kind_survive_writing_and_parsing() {
    for line in PROGRAMS.lines() {
        let act = act_of("web-1", line, &Names::default());
        let act = act.unwrap_or_else(|problem| panic!("{line}: {problem}"));
        let Act::Spawn { initial, .. } = &act else { panic!("{line} spawns") };
        assert_eq!(words_of(&act, &Names::default()), line);
        let again = act_of("web-1", &words_of(&act, &Names::default()), &Names::default());
        assert_eq!(again.as_ref(), Ok(&act), "{line}");
        let mut begun = (**initial).clone();
        begun.step(Instant::EPOCH, Stimulus::Order(Order::Start), &mut Vec::new());
        let record = Act::Spawn {
            actor: "web-1".into(),
            program: "p".into(),
            initial: Arc::new(begun),
            resource: None,
            http: HttpClient::Go,
        };
        let words = words_of(&record, &Names::default());
        assert!(words.contains(" of="), "{words}");
        assert_eq!(act_of("web-1", &words, &Names::default()), Ok(record), "{line}");
    }
}

/// A program of each kind with all options, and one without options.
const PROGRAMS: &str = include_str!("../../../golden/spawns.txt");

#[test]
fn invalid_programs_are_refused_with_a_reason() {
    for (line, why) in [
        ("spawns p", "\"spawns\" needs a kind of program"),
        ("spawns p lock", "\"spawns\" needs a key"),
        ("spawns p oracle delphi", "program=\"oracle\" is not a program"),
        ("spawns p lock a limit=2", "unexpected argument \"limit\""),
        ("spawns p lock a ttl=soon", "no program for \"a\": invalid SessionTTL"),
        ("spawns p semaphore jobs/", "no program for \"jobs/\": semaphore limit must be positive"),
        ("spawns p writer a token=magic", "token=\"magic\" is not a value"),
        ("spawns p script step=\"1s flies\"", "step=\"1s flies\" is not a step"),
        ("spawns p script step=soon", "step=\"soon\" is not a step"),
    ] {
        let error = act_of("web-1", line, &Names::default()).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.starts_with(why)), "{line}: {error:?}");
    }
}
