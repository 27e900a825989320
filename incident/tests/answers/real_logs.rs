//! Lines of programs that hold a lock of Consul, in the forms in which people have posted them or
//! in which the sources print them. Times, hosts, keys and ids are others than in the original.

use std::fmt::Write as _;

use lictor_incident::{Incident, Source, parse_time};

const SESSION: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const TAKEN: &str = "2026-11-20T09:30:00Z";

/// The lines of each program, with where they are from and what is read of them.
const LOGS: &str = include_str!("../real-logs.txt");

/// A program, and its lines, each with what is read of it; "" is nothing.
type Log = (String, Vec<(String, String)>);

fn logs() -> Vec<Log> {
    let mut logs: Vec<Log> = Vec::new();
    for line in LOGS.lines() {
        if let Some(program) = line.strip_prefix('[') {
            logs.push((program.trim_end_matches(']').to_owned(), Vec::new()));
            continue;
        }
        let Some((_, lines)) = logs.last_mut() else { continue };
        if let Some(line) = line.strip_prefix("- ") {
            lines.push((line.to_owned(), String::new()));
        } else if let Some((last, expected)) = lines.last_mut() {
            match line.split_at_checked(2) {
                Some(("+ ", second)) => *last += &format!("\n{second}"),
                Some(("= ", read)) => read.clone_into(expected),
                _ => {}
            }
        }
    }
    logs
}

fn incident(text: &str) -> Option<Incident> {
    let text = text.replace("SESSION", SESSION);
    Incident::read(&[Source::new("app.log", text.as_bytes())], parse_time(TAKEN)).ok()
}

/// What is read of the lines, in the order of time: the time, the event and the names.
fn read(text: &str) -> Vec<String> {
    let Some(incident) = incident(text) else { return Vec::new() };
    let (_, events) = incident.observed(usize::MAX);
    let said = events.iter().filter_map(|event| {
        let said = event.text.strip_prefix("app.log logs ")?.replace("session ", "");
        Some(format!("{} {said}", event.time.strftime("%H:%M:%S%.3f")))
    });
    said.collect()
}

#[test]
fn each_line_of_a_real_program_says_what_happened_or_nothing() {
    let mut misses = String::new();
    for (program, lines) in logs() {
        for (line, expected) in &lines {
            let read = read(line);
            let read = read.first().map_or("", String::as_str);
            if read != expected {
                let _ = writeln!(misses, "{program}: {line}\n  {expected:?}, read {read:?}");
            }
        }
    }
    assert!(logs().len() > 15 && misses.is_empty(), "\n{misses}");
}

#[test]
fn the_lines_of_a_program_say_together_what_each_says_alone() {
    for (program, lines) in logs() {
        let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
        let mut alone: Vec<&str> = lines.iter().map(|(_, expected)| expected.as_str()).collect();
        alone.retain(|expected| !expected.is_empty());
        alone.sort_unstable();
        assert_eq!(read(&text), alone, "{program}");
    }
}

#[test]
fn a_date_whose_order_no_line_shows_is_said_and_counts_as_the_nearest() {
    let unknown = "11/08/2026 9:10:07 AM - acquired lock jobs/a\n\
                   11/09/2026 9:10:07 AM - lost lock jobs/a\n";
    let known = format!("{unknown}11/20/2026 9:10:07 AM - GET /health\n");
    let days_first = format!("{unknown}20/11/2026 9:10:07 AM - GET /health\n");
    for (text, is_said, days) in [
        (unknown, true, ["2026-11-08", "2026-11-09"]),
        (&known, false, ["2026-11-08", "2026-11-09"]),
        (&days_first, false, ["2026-08-11", "2026-09-11"]),
    ] {
        let incident = incident(text).unwrap();
        let said = incident.unused().iter().any(|it| it.reason.contains("month or the day first"));
        assert_eq!(said, is_said, "{text}");
        let (_, events) = incident.observed(usize::MAX);
        let of_client = events.iter().filter(|event| event.line.is_some());
        let found: Vec<_> =
            of_client.map(|event| event.time.strftime("%Y-%m-%d").to_string()).collect();
        assert_eq!(found, days, "{text}");
    }
}

#[test]
fn a_proposed_pattern_does_not_find_a_line_that_denies_the_same() {
    let lines = "2026-11-20T09:10:07Z INFO acquired lock jobs/a\n\
                 2026-11-20T09:10:17Z INFO did not get an acquired lock jobs/a\n";
    assert_eq!(read(lines), ["09:10:07.000 \"acquired\" jobs/a"]);
}
