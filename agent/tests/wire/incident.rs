//! `lictor-agent incident`: its output, its exit status and its errors.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::server::command;

const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const KEY: &str = "jobs/nightly/leader";

const FILES: [&str; 4] = ["consul.log", "keys.json", "sessions.json", "nodes.json"];

/// A file of a recorded incident, in which a holder renewed its session for the last time 9 s ago.
fn recorded(file: &str) -> String {
    of("holder-crashed", file)
}

fn of(incident: &str, file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../incident/tests/incidents");
    let path: PathBuf = folder.join(incident).join(file);
    path.into_os_string().into_string().expect("a path of text")
}

/// The exit status, the output and the error output for this input.
fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let arguments: Vec<&str> = ["incident"].iter().chain(arguments).copied().collect();
    let mut command = command(&arguments);
    let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = process.spawn().expect("it was built");
    let mut stdin = process.stdin.take().expect("it is piped");
    // A command that needs no input does not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let [mut output, mut errors] = [String::new(), String::new()];
    process.stdout.take().expect("it is piped").read_to_string(&mut output).expect("text");
    process.stderr.take().expect("it is piped").read_to_string(&mut errors).expect("text");
    (process.wait().expect("it is a child").code(), output, errors)
}

#[test]
fn files_in_any_order_and_standard_input_give_the_same_answer() {
    let [log, keys, sessions, nodes] = FILES.map(recorded);
    let (status, text, errors) = run(&[&log, &keys, &sessions, &nodes], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("another client can take the key at 09:11:17.124 (lock-delay 15 s)"));
    let read = |path: &String| std::fs::read_to_string(path).expect("a recorded file");
    let input = [&sessions, &keys, &nodes, &log].map(read).join("\n");
    let (status, piped, _) = run(&[], &input);
    assert_eq!(status, Some(0));
    let first_answer = |text: &str| text.lines().next().map(String::from);
    assert_eq!(first_answer(&piped), first_answer(&text));
}

/// The answer in the documentation is that of the program, but for cut lines of the log.
#[test]
fn the_documentation_shows_what_the_program_prints() {
    let page = include_str!("../../../docs/en/use/incident.md");
    let begin = page.find("DELAYED jobs/nightly").expect("the answer");
    let shown = page[begin..].split("```").next().expect("a block");
    let [log, keys, sessions, nodes] = FILES.map(|file| of("nobody-holds-it", file));
    let (_, printed, _) = run(&[&sessions, &keys, &nodes, &log], "");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut printed = words(&printed);
    for (path, name) in [&log, &keys, &sessions, &nodes].into_iter().zip(FILES) {
        printed = printed.replace(path, name);
    }
    for part in words(shown).split("...") {
        let part = part.trim();
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn json_has_an_answer_for_each_key_and_the_moment_of_each_list() {
    let [log, keys, sessions, nodes] = FILES.map(recorded);
    let (_, json, _) = run(&["--json", "--key", KEY, &log, &keys, &sessions, &nodes], "");
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let [answer] = &report["answers"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!((&report["complete"], &report["missing"]), (&true.into(), &Value::Array(vec![])));
    assert_eq!(report["lists"][0]["asOf"], "2026-11-26T09:10:41.127Z");
    assert_eq!(report["lists"][0]["by"], "log");
    assert_eq!(answer["key"], KEY);
    assert_eq!(answer["holder"], HOLDER);
    assert_eq!(answer["earliest"], "2026-11-26T09:11:17.124Z");
    assert_eq!(answer["latest"], answer["earliest"]);
    assert!(answer["reasons"][0].as_str().expect("text").contains("consul.log:96"));
}

#[test]
fn without_a_log_the_time_of_the_lists_is_given_or_is_now() {
    let [keys, sessions] = ["keys.json", "sessions.json"].map(recorded);
    let at = ["--at", "2026-11-26T09:10:41.126Z", "--json", &keys, &sessions];
    let (_, json, _) = run(&at, "");
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["answers"][0]["earliest"], "2026-11-26T09:10:56.126Z");
    assert_eq!(report["answers"][0]["latest"], "2026-11-26T09:11:26.126Z");
    let (status, text, _) = run(&[&keys, &sessions], "");
    assert_eq!((status, text.contains("which is now, ")), (Some(0), true), "{text}");
    let (_, json, _) = run(&["--json", &keys, &sessions], "");
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["lists"][0]["assumed"], true);
    assert_eq!(report["complete"], false);
}

#[test]
fn the_world_of_an_incident_is_written_into_a_new_file() {
    let [log, keys, sessions] = ["consul.log", "keys.json", "sessions.json"].map(recorded);
    let folder = std::env::temp_dir().join(format!("lictor-incident-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("it is new");
    let world = folder.join("world.jsonl").into_os_string().into_string().expect("text");
    let arguments = ["--json", "--world", &world, &log, &keys, &sessions];
    let (status, output, errors) = run(&arguments, "");
    assert_eq!(status, Some(0), "{errors}");
    assert!(output.starts_with('{'), "{output}");
    assert!(errors.contains("world.jsonl: a world that begins at 2026-11-26T09:10:41.128Z\n"));
    assert!(errors.contains("assumed: node consul-1 is not in a list of nodes"), "{errors}");
    let text = std::fs::read_to_string(&world).expect("it was written");
    assert!(text.starts_with(r#"{"lictor":"log","version":1,"#) && text.ends_with("}\n"));
    let (status, output, errors) = run(&arguments, "");
    assert_eq!((status, output.as_str()), (Some(2), ""));
    assert!(errors.contains("world.jsonl: "), "{errors}");
    assert_eq!(std::fs::read_to_string(&world).expect("it is kept"), text);
    let nodes = recorded("nodes.json");
    let other = ["--world", &world, "--key", "other", &keys, &sessions, &log, &nodes];
    let (status, _, errors) = run(&other, "");
    assert_eq!((status, errors.contains("there is no key")), (Some(1), true));
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn what_is_redacted_has_neither_values_nor_addresses() {
    let texts = concat!(
        r#"[{"ID": "4154283e-a8f4-f7f1-22ce-3de43166da77", "Name": "a", "Node": "n1","#,
        r#" "LockDelay": 15000000000, "Behavior": "release", "TTL": "15s", "CreateIndex": 8}]"#,
        r#"[{"Key": "k", "LockIndex": 1, "Flags": 0, "Value": "c2VjcmV0", "CreateIndex": 9,"#,
        r#" "ModifyIndex": 9, "Session": "4154283e-a8f4-f7f1-22ce-3de43166da77"}]"#,
        "\n2026-11-26T09:10:32.124Z [DEBUG] agent.http: Request finished: method=PUT ",
        "url=/v1/session/renew/4154283e-a8f4-f7f1-22ce-3de43166da77 from=10.1.2.3:40404 ",
        "latency=1ms\n",
    );
    let folder = std::env::temp_dir().join(format!("lictor-redact-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("it is new");
    let world = folder.join("world.jsonl").into_os_string().into_string().expect("text");
    let (status, output, errors) = run(&["--redact", "--json", "--world", &world], texts);
    assert_eq!(status, Some(0), "{errors}");
    let written = std::fs::read_to_string(&world).expect("it was written");
    std::fs::remove_dir_all(folder).expect("it can be removed");
    assert!(output.contains("192.0.2.1:40404") && !output.contains("10.1.2.3"), "{output}");
    let has_value = ["secret", "c2VjcmV0"].iter().any(|value| written.contains(value));
    assert!(written.contains("cmVkYWN0ZWQ=") && !has_value, "{written}");
}

#[test]
fn an_application_is_read_by_a_proposed_pattern_by_another_one_or_not_at_all() {
    let [keys, sessions] = ["keys.json", "sessions.json"].map(recorded);
    let application = "2026-11-26T09:10:20Z INFO worker-b acquired lock jobs/nightly/leader\n\
                       2026-11-26T09:10:21Z INFO worker-b has the lock jobs/nightly/leader now\n";
    let at = ["--at", "2026-11-26T09:10:41.126Z", &keys, &sessions, "-"];
    let run = |arguments: &[&str]| run(&[&at, arguments].concat(), application);
    let (status, text, errors) = run(&[]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("    acquired={time} {*} acquired lock {key}  (1)\n"), "{text}");
    assert!(
        text.contains("    09:10:20.000 - logs \"acquired\" jobs/nightly/leader (-:1)"),
        "{text}"
    );
    let (_, text, _) = run(&["--pattern", "acquired={time} {*} {client} has the lock {key}"]);
    assert!(text.contains("worker-b logs \"acquired\" jobs/nightly/leader (-:2)"), "{text}");
    let (_, text, _) = run(&["--no-application", "--events", "0"]);
    assert!(!text.contains("logs \"acquired\"") && text.contains("turned off"), "{text}");
    assert!(!text.contains("What the inputs show"), "{text}");
}

#[test]
fn the_exit_status_tells_a_missing_key_an_unknown_holder_and_unreadable_input_apart() {
    let [log, keys, sessions, nodes] = FILES.map(recorded);
    // Nothing says that these lists cover the key, or who holds any.
    for arguments in [&["--key", "other", &keys, &sessions][..], &[&sessions]] {
        let (status, text, errors) = run(arguments, "");
        assert_eq!((status, errors.as_str()), (Some(3), ""), "{text}");
        assert!(text.contains("UNKNOWN") && text.contains("/v1/kv/"), "{text}");
    }
    for (arguments, input, status, expected) in [
        (&["--key", "other", &keys, &sessions, &log, &nodes][..], "", 1, "there is no key"),
        (&[], "<!DOCTYPE html><h1>502", 2, "HTML, such as the page of a proxy"),
        (&[], "[{\"ID\": \"4154", 2, "JSON that ends before it is complete"),
        (&["/nowhere"], "", 2, "/nowhere: "),
        (&["--at", "noon", &keys], "", 2, "--at: \"noon\" is no time"),
        (&["--offset", "log", &keys], "", 2, "--offset"),
        (&["--until", "1"], "", 2, "--until"),
        (&["--events", "all"], "", 2, "all"),
        (&["--pattern", "lost={time} {kye}"], "", 2, "{kye} is no placeholder, "),
    ] {
        let (code, output, errors) = run(arguments, input);
        assert_eq!(code, Some(status), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
        assert_eq!(output, "");
    }
    let (status, help, _) = run(&["--help"], "");
    assert_eq!(status, Some(0));
    assert!(help.contains("lictor-agent incident [--key KEY]"));
}
