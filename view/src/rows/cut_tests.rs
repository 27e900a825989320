//! Recorded cuts of a network, and what the page shows of them: a program of web-1 holds a lock,
//! one of web-2 waits for it, and 6.5 s after a renewal the network of web-1 is cut.

use lictor_core::id::Key;
use lictor_core::time::Instant;
use lictor_sim::record::SessionTag;

use super::headline::Headline;
use super::{ForecastVisibility, words};
use crate::language::Language;
use crate::next_up::next_up;
use crate::test_world::LEADER;
use crate::time_travel::TimeTravel;

/// When the network is cut, in milliseconds.
const CUT: u64 = 14_000;

/// The card of the lock, the row of web-1, the next events and the list of events, one value a
/// line.
fn displays(past: &mut TimeTravel) -> String {
    let now = past.world().now();
    past.extend_forecast(Instant::from_millis(now.as_millis() + 60_000), &|| true);
    let words = words(Language::English);
    let (key, view) = (Key::from(LEADER), past.view());
    let lock = view.lock(&key).expect("a card of the lock");
    let web_1 = past.world().actor("web-1").and_then(|it| view.actor(it)).expect("it joined");
    let name = |tag: &SessionTag| tag.owner.as_ref().expect("a client").name.to_string();
    let believers: Vec<_> = lock.believers.iter().map(name).collect();
    let mut lines = vec![
        format!("holder: {}", lock.holder.map_or(words.nobody.into(), |it| name(&it.tag))),
        format!("believers: {}.", believers.join(", ")),
        format!("web-1 holds: {}", web_1.holds.join(", ")),
        format!("web-1 wrongly believes: {}", web_1.wrongly_believes.unwrap_or_default()),
    ];
    let ahead = (past.forecast().record, ForecastVisibility::Open);
    let headline = Headline::of_lock(view, ahead, &key, None);
    lines.extend(words.headline(&headline, now));
    lines.extend(view.unanswered_renewal(&key).map(|renewal| (words.renewal)(&renewal)));
    lines.extend(next_up(past, 3).iter().map(|(_, next)| words.upcoming_short(next)));
    let events = past.record().events().iter();
    lines.extend(events.map(|row| words.description(row, ForecastVisibility::Open)));
    lines.join("\n")
}

/// Repeats a recorded cut, and compares what is shown at times after its beginning.
fn shows(cut: &str, expected: &[(u64, &[&str])]) {
    let acts = [
        (0, "web-1", "spawns lock-1 lock db/leader value=web-1"),
        (0, "web-1", "orders lock-1 start"),
        (0, "web-2", "spawns lock-2 lock db/leader value=web-2"),
        (0, "web-2", "orders lock-2 start"),
        (CUT, "web-1", cut),
    ];
    let mut past = TimeTravel::after(&acts, CUT);
    for (after, texts) in expected {
        past.advance_to(Instant::from_millis(CUT + after));
        let shown = displays(&mut past);
        for text in *texts {
            assert!(shown.contains(text), "no {text:?} {after} ms after {cut}:\n{shown}");
        }
    }
}

#[test]
fn a_cut_of_two_seconds_costs_nothing_as_recorded() {
    shows(
        "cut for=2s",
        &[
            (1_500, &["repeated at 15.8 s", "sent again"]),
            (2_000, &["repeated at 16.7 s"]),
            (2_800, &["holder: web-1", "believers: web-1.", "expires at 46.7 s"]),
            (60_000, &["holder: web-1", "web-1 holds: db/leader"]),
        ],
    );
}

#[test]
fn a_cut_of_twenty_seconds_costs_the_lock_as_recorded() {
    shows(
        "cut for=20s",
        &[
            (16_000, &["repeated at 41.8 s; the session ends at 37.5 s"]),
            (23_600, &["holder: nobody", "believers: .", "can take it in 14.9 s"]),
            (38_600, &["holder: web-2", "believers: web-2."]),
        ],
    );
}

#[test]
fn a_cut_of_ninety_seconds_lets_two_believe_as_recorded() {
    shows(
        "cut for=90s",
        &[
            (23_600, &["holder: nobody", "believers: web-1."]),
            (24_000, &["repeated at 41.8 s; the session ended at 37.5 s"]),
            (38_600, &["holder: web-2", "believers: web-1, web-2."]),
            (92_000, &["repeated at 122.6 s", "web-1 wrongly believes: db/leader"]),
            (131_500, &["holder: web-2", "believers: web-2."]),
        ],
    );
}

#[test]
fn a_cut_of_the_answers_renews_once_as_recorded() {
    shows(
        "cut way=from-server for=20s",
        &[
            (1_500, &["The answer to the renewal is repeated at 15.8 s"]),
            (16_000, &["repeated at 41.8 s; without it the session lasts until 45.0 s"]),
            (30_000, &["holder: web-1"]),
            (31_100, &["holder: nobody", "believers: ."]),
            (46_100, &["holder: web-2"]),
        ],
    );
}
