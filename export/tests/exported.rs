//! The worlds in `tests/worlds`, exported. Their tests in Rust are compiled and run here. They and
//! the stored tests in Go are compared with what the library writes; `LICTOR_EXPORTED=write` writes
//! them again.

use std::fs;
use std::path::{Path, PathBuf};

use lictor_export::{ExportError, Format, export};
use serde_json::Value;

#[rustfmt::skip]
#[path = "exported/check_and_lock.rs"]
mod check_and_lock;
#[rustfmt::skip]
#[path = "exported/failover.rs"]
mod failover;
#[rustfmt::skip]
#[path = "exported/older_server.rs"]
mod older_server;
#[rustfmt::skip]
#[path = "exported/semaphore.rs"]
mod semaphore;
#[rustfmt::skip]
#[path = "exported/ttl_twice.rs"]
mod ttl_twice;
#[rustfmt::skip]
#[path = "exported/two_believers.rs"]
mod two_believers;
#[rustfmt::skip]
#[path = "exported/values.rs"]
mod values;
#[rustfmt::skip]
#[path = "exported/without_checks.rs"]
mod without_checks;

const WORLDS: [&str; 8] = [
    "check_and_lock",
    "failover",
    "older_server",
    "semaphore",
    "ttl_twice",
    "two_believers",
    "values",
    "without_checks",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn world(name: &str) -> String {
    let file = folder().join("worlds").join(name).with_extension("txt");
    fs::read_to_string(file).expect("a saved world")
}

/// The formats that are tests.
const TESTS: [Format; 5] =
    [Format::Rust, Format::Go, Format::Python, Format::JavaScript, Format::Bash];

fn exported(name: &str, format: Format) -> String {
    export(&world(name), format).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn assert_same(file: &Path, text: &str) {
    if std::env::var("LICTOR_EXPORTED").is_ok_and(|value| value == "write") {
        fs::write(file, text).expect("the folder exists");
    }
    let found = fs::read_to_string(file).unwrap_or_default();
    assert!(found == text, "{} is not what is exported now", file.display());
}

#[test]
fn the_tests_in_rust_are_those_that_are_exported() {
    for name in WORLDS {
        let file = folder().join("exported").join(name).with_extension("rs");
        assert_same(&file, &exported(name, Format::Rust));
    }
}

/// They are compiled and run with the other tests of HashiCorp's client.
#[test]
fn the_tests_in_go_are_those_that_are_exported() {
    for name in ["failover", "ttl_twice", "values"] {
        let tests = folder().join("../../agent/tests/clients/go/exported");
        assert_same(&tests.join(name).join("world_test.go"), &exported(name, Format::Go));
    }
}

#[test]
fn every_answer_of_these_worlds_is_asserted() {
    for name in WORLDS {
        let text = exported(name, Format::Python);
        let (_, text) = text.split_once("def test_world").expect("it has a test");
        let count = |words: &str| text.lines().filter(|line| line.contains(words)).count();
        let sent = count("    answer = send(");
        let asserted =
            count("    expect_") + count("created(answer)") + count("    assert answer[0]");
        assert!(sent > 1, "{name}");
        assert_eq!(asserted, sent, "{name}");
    }
}

/// Each test starts its server with the configuration of the world's server.
#[test]
fn the_settings_of_the_server_are_in_a_test() {
    let log = concat!(
        r#"{"lictor":"log","version":1,"seed":7,"network":"tcp","acts":2,"end":0,"config":"#,
        r#"{"version":"1.13","node":"s-1","node_id":"","node_meta":null,"address":"127.0.0.1","#,
        r#""datacenter":"east","session_ttl_min":{"secs":1,"nanos":0},"parked_max":65536}}"#,
        "\n{\"at\":0,\"actor\":\"web-1\",\"does\":\"joins\"}",
        "\n{\"at\":0,\"actor\":\"web-1\",\"does\":\"session ttl=1s\"}",
    );
    for (format, words) in [
        (Format::Rust, "config.version = lictor_core::ConsulVersion::V1_13;"),
        (Format::Rust, "config.session_ttl_min = Duration::from_nanos(1000000000);"),
        (Format::Go, r#""--consul-version", "1.13", "-datacenter", "east""#),
        (Format::Go, r#""-node", "s-1", "--session-ttl-min", "1s"}"#),
        (Format::JavaScript, r#"{ version: "1.13", node: "s-1", datacenter: "east", sessionT"#),
        (Format::Bash, "`lictor-agent --clock manual --consul-version 1.13 -datacenter east"),
        (Format::Python, "--clock manual --consul-version 1.13 -datacenter east"),
    ] {
        let text = export(log, format).unwrap_or_else(|error| panic!("{error}"));
        let joined = text.replace("\n# ", " ");
        assert!(text.contains(words) || joined.contains(words), "{words}\n{text}");
    }
}

#[test]
fn no_id_of_the_world_is_in_a_test() {
    for name in WORLDS {
        for format in TESTS {
            let text = exported(name, format);
            let is_id = |word: &str| word.len() == 36 && word.matches('-').count() == 4;
            let separators = |it: char| !it.is_ascii_hexdigit() && it != '-';
            assert!(!text.split(separators).any(is_id), "{name} {format}");
        }
    }
}

#[test]
fn a_diagram_has_a_line_for_each_request_and_fault() {
    let text = exported("two_believers", Format::Mermaid);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    for line in lines {
        let line = line.strip_prefix("    ").expect("it is indented");
        let (head, _) = line.split_once(": ").unwrap_or((line, ""));
        let is_name = |name: &str| {
            let digits = name.strip_prefix('c').unwrap_or_default();
            name == "server" || !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
        };
        let is_line = if let Some(name) = head.strip_prefix("Note over ") {
            is_name(name)
        } else if let Some(name) = head.strip_prefix("participant ") {
            name.split_once(" as ").is_some_and(|(name, shown)| is_name(name) && !shown.is_empty())
        } else {
            let ends = ["->>", "-->>", "--x"].iter().find_map(|arrow| head.split_once(arrow));
            ends.is_some_and(|(from, to)| is_name(from.trim_end_matches('-')) && is_name(to))
        };
        assert!(is_line, "{line}");
    }
    for part in ["->>server: ", "server-->>c1: ", "cut"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// As the format's description demands: each slice ends, and not before it began.
#[test]
fn a_trace_is_valid_and_its_slices_end() {
    for name in WORLDS {
        let text = exported(name, Format::Perfetto);
        let trace: Value = serde_json::from_str(&text).expect("JSON");
        let mut open = std::collections::BTreeMap::new();
        let mut ended = 0;
        for event in trace["traceEvents"].as_array().expect("a list") {
            assert!(event["pid"].is_u64() && event["name"].is_string(), "{event}");
            let id = (event["cat"].to_string(), event["id"].to_string());
            match event["ph"].as_str().expect("a phase") {
                "M" => assert!(!event["args"].is_null()),
                "i" => assert_eq!(event["s"], "p"),
                "b" => assert_eq!(open.insert(id, event.clone()), None),
                "e" => {
                    let begun = open.remove(&id).expect("it has begun");
                    assert!(event["ts"].as_f64() >= begun["ts"].as_f64());
                    assert_eq!(event["name"], begun["name"]);
                    ended += 1;
                }
                other => panic!("{other}"),
            }
        }
        assert!(open.is_empty() && ended > 1, "{name}");
    }
}

#[test]
fn a_world_without_requests_and_other_texts_are_refused() {
    let log = r#"{"lictor":"log","version":1,"seed":7,"consul":"1.22","acts":1,"end":0}
{"at":0,"actor":"web-1","does":"joins"}"#;
    assert_eq!(export(log, Format::Bash), Err(ExportError::NothingToAssert));
    assert!(export(log, Format::Mermaid).is_ok());
    assert!(matches!(export("hello", Format::Mermaid), Err(ExportError::Unreadable(_))));
    let error = "java".parse::<Format>().map_err(|error| error.to_string());
    let names = "rust, go, python, javascript, bash, mermaid, perfetto";
    assert_eq!(error, Err(format!("\"java\" is none of {names}")));
}
