//! A wait of ten years with programs that act all the time stops at a limit of events, and a
//! journal with such a wait is refused.

use std::time::Duration;

use lictor_sim::journal::{Journal, PlayError, TooManyEvents};
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{EVENTS_AT_ONCE, JournalEntry};

use super::checks::told;

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

/// A timeline with two programs that write and renew all the time.
fn busy() -> Timeline {
    let (timeline, _) = told(&[
        (0, "server guards ledger asks=nothing"),
        (0, "a joins"),
        (0, "a spawns one writer lead every=1ms uses=ledger"),
        (0, "a spawns two naive cron hold=1s again=1s"),
        (0, "server orders one start"),
        (0, "server orders two start"),
    ]);
    timeline
}

#[test]
fn a_wait_with_too_many_events_stops_and_continues() {
    let mut timeline = busy();
    let until = timeline.world().now().plus(10 * YEAR);
    let events = timeline.advance_to(until);
    let here = timeline.position();
    assert!((EVENTS_AT_ONCE..EVENTS_AT_ONCE + 1_000).contains(&events.len()));
    assert!(here.at < until && timeline.is_at_end());
    assert_eq!(here.event_number, events.last().expect("many").number, "nothing is lost");
    let more = timeline.advance_to(until);
    assert_eq!(more[0].number, here.event_number + 1, "it continues where it stopped");
    let mut world = busy().world().clone();
    let events = world.advance_to(until);
    assert!((EVENTS_AT_ONCE..EVENTS_AT_ONCE + 1_000).contains(&events.len()));
    assert!(world.now() < until);
    world.check_invariants();
}

/// The length of a journal or a link is not limited, but the number of its events is.
#[test]
fn a_journal_with_too_many_events_is_refused() {
    let mut journal = Journal::of(&busy());
    journal.end = journal.end.plus(10 * YEAR);
    assert_eq!(journal.play::<()>().err(), Some(PlayError::TooManyEvents(TooManyEvents)));
    let link = journal.to_link().expect("the end costs nothing");
    let read = Journal::from_link(&link).expect("the end costs nothing");
    assert_eq!(read.play::<()>().err(), Some(PlayError::TooManyEvents(TooManyEvents)));
    let act = act_of("a", "get lead", &Names::default()).expect("an act");
    let entry = JournalEntry { at: journal.end, act };
    journal.entries.push(entry);
    assert!(journal.to_link().is_err_and(|it| it.to_string().contains("more than 1000000")));
}
