//! A moment of another day than that of its answer has its date in each text.

use lictor_incident::{Incident, Source, parse_time};
use serde_json::json;

use crate::bounds::{HOLDER, held_key, request, session};

fn read(texts: &[&str], taken: &str) -> Incident {
    let sources: Vec<_> = texts.iter().map(|text| Source::new("pasted", text.as_bytes())).collect();
    let taken = parse_time(taken);
    assert!(taken.is_some());
    Incident::read(&sources, taken).unwrap_or_else(|error| panic!("{error}"))
}

/// The first line about the key, and its sentence.
fn texts(incident: &Incident) -> [String; 2] {
    let answer = incident.answer_for("k").expect("the key is listed");
    [incident.headline(&answer), answer.sentence]
}

#[test]
fn the_bounds_of_a_ttl_of_a_day_are_on_five_days() {
    let session = session(&json!({ "TTL": "24h" }));
    let incident = read(&[&session, &held_key()], "2026-11-26T09:10:40Z");
    let [headline, sentence] = texts(&incident);
    assert_eq!(
        headline,
        "HELD k by session 4154283e (worker-a) on node n1; others can get it possibly from \
         09:10:55.000 (in 15 s), surely from 2026-11-28 09:10:55.000 (in 48 h 15 s), if nobody \
         acts and the leader stays"
    );
    assert_eq!(
        sentence,
        "k is held by session 4154283e (worker-a), TTL 86400 s, created or renewed between \
         2026-11-24 09:10:40.000 and 09:10:40.000. If it is not renewed and the leader stays, it \
         ends between 09:10:40.000 and 2026-11-28 09:10:40.000 (2 x TTL), and another client can \
         take the key between 09:10:55.000 and 2026-11-28 09:10:55.000 (lock-delay 15 s)."
    );
}

#[test]
fn only_what_is_after_midnight_has_a_date_before_midnight() {
    let lists = [session(&json!({})), held_key()];
    let [headline, sentence] = texts(&read(&[&lists[0], &lists[1]], "2026-12-31T23:59:40Z"));
    assert!(
        headline.contains(
            "possibly from 23:59:55.000 (in 15 s), surely from 2027-01-01 00:00:25.000 (in 45 s)"
        ),
        "{headline}"
    );
    assert!(
        sentence.contains("ends between 23:59:40.000 and 2027-01-01 00:00:10.000 (2 x TTL)"),
        "{sentence}"
    );
}

#[test]
fn a_lock_that_is_held_since_two_days_says_since_when() {
    let acquire = request("PUT", &format!("/v1/kv/k?acquire={HOLDER}"));
    let log = format!("2026-11-24T09:10:27.123Z [DEBUG] {acquire}\n");
    let incident = read(&[&session(&json!({})), &held_key(), &log], "2026-11-26T09:10:40Z");
    let [headline, _] = texts(&incident);
    assert!(headline.contains("since 2026-11-24 09:10:27.123; others"), "{headline}");
    let holds = &incident.sources()[2].holds;
    assert_eq!(holds, "1 line of a log, 2026-11-24 09:10:27.123 to 2026-11-24 09:10:27.123");
    let events = incident.events_text(10);
    assert!(events.contains("\n    2026-11-24 09:10:27.123 session 4154283e"), "{events}");
    assert!(events.contains("\n    09:10:40.000 the list of keys"), "{events}");
}

#[test]
fn an_answer_as_of_another_day_than_the_report_has_all_its_dates() {
    let head = |date: &str| format!("HTTP/1.1 200 OK\nDate: {date}\n\n");
    let sessions = format!("{}{}", head("Thu, 26 Nov 2026 09:10:40 GMT"), session(&json!({})));
    let keys = format!("{}{}", head("Wed, 25 Nov 2026 23:59:50 GMT"), held_key());
    let [headline, sentence] = texts(&read(&[&sessions, &keys], "2026-11-26T09:10:40Z"));
    assert!(headline.contains(", as of 2026-11-25 23:59:50.999;"), "{headline}");
    assert!(
        sentence.contains(
            "That is as of 2026-11-25 23:59:50.999; whether it has changed until 2026-11-26 \
             09:10:40.999 is not known"
        ),
        "{sentence}"
    );
}

#[test]
fn an_answer_that_is_read_on_the_next_day_has_all_its_dates() {
    let mut incident = read(&[&session(&json!({})), &held_key()], "2026-11-26T23:59:00Z");
    let [before, _] = texts(&incident);
    assert!(before.contains("surely from 23:59:45.000"), "{before}");
    incident.set_read_at(parse_time("2026-11-27T00:00:01Z").expect("a time"));
    let [after, _] = texts(&incident);
    assert!(after.contains("surely from 2026-11-26 23:59:45.000"), "{after}");
}
