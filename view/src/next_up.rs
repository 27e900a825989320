//! The next events after the cursor. In the past these are the recorded events of the branch; at
//! its end they are the events of the forecast, which follow if nobody acts.

use lictor_core::time::Instant;

use crate::rows::Upcoming;
use crate::rows::due_events;
use crate::time_travel::TimeTravel;

/// The first `count` of the next events, with their times.
pub fn next_up(past: &TimeTravel, count: usize) -> Vec<(Instant, Upcoming)> {
    if !past.timeline().is_at_end() {
        let events = past.record_at_end().events();
        let next = past.record().events().len();
        let rows = (next..events.len()).take(count).filter_map(|place| events.get(place));
        return rows.map(|row| (row.at, Upcoming::Recorded(row.clone()))).collect();
    }
    let forecast = past.forecast();
    let mut events = past.events_ahead();
    let mut next = due_events(past.world(), &mut events, forecast.record, count);
    // After the end of the forecast, only deadlines are known that are set at that time. They are
    // listed only if all events of the forecast are, because those come first.
    if events.next().is_none() {
        let set = past.view().deadlines(forecast.record, count).into_iter();
        next.extend(set.filter(|(at, _)| *at > forecast.until));
    }
    next.into_iter().take(count).map(|(at, deadline)| (at, Upcoming::Due(deadline))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::rows;
    use crate::rows::Deadline;
    use lictor_core::id::Key;

    /// A program of web-1 takes a lock.
    const PROGRAM: [(u64, &str, &str); 2] =
        [(0, "web-1", "spawns one lock db/leader ttl=15s"), (0, "web-1", "orders one start")];

    /// A lock program has taken a lock with a TTL of 15 s, and renews it every 7.5 s.
    #[test]
    fn an_expiry_that_a_program_prevents_is_not_announced() {
        let mut past = TimeTravel::after(&PROGRAM, 1_000);
        assert_eq!(past.record().sessions().count(), 1, "the program has a session");
        past.extend_forecast(Instant::from_millis(10_000), &|| true);
        let expires = |next: &[(Instant, Upcoming)]| {
            let is_expiry = |upcoming: &Upcoming| {
                matches!(upcoming, Upcoming::Due(Deadline::SessionExpires { .. }))
            };
            next.iter().any(|(_, upcoming)| is_expiry(upcoming))
        };
        assert!(!expires(&next_up(&past, 9)));
    }

    /// A program holds a lock of 15 s, and 6.5 s after a renewal its network is cut.
    fn cut_world(cut: &str, now: u64) -> TimeTravel {
        const CUT: u64 = 14_000;
        let [spawned, started] = PROGRAM;
        let mut past = TimeTravel::after(&[spawned, started, (CUT, "web-1", cut)], CUT + now);
        past.extend_forecast(Instant::from_millis(CUT + now + 60_000), &|| true);
        past
    }

    /// The times are those of the recordings A-20 and C-from-20 of real clients, with the cut at
    /// 14.0 s.
    #[test]
    fn the_next_retransmission_is_next_up_and_on_the_card_of_the_lock() {
        for (cut, now, sentence, short, is_late) in [
            (
                "cut for=20s",
                5_000,
                "The renewal is repeated at 21.8 s; without it the session lasts until 37.5 s.",
                "sent again",
                false,
            ),
            (
                "cut for=20s",
                16_000,
                "The renewal is repeated at 41.8 s; the session ends at 37.5 s.",
                "sent again",
                true,
            ),
            (
                "cut way=from-server for=20s",
                16_000,
                "The answer to the renewal is repeated at 41.8 s; without it the session lasts \
                 until 45.0 s.",
                "answer again",
                false,
            ),
        ] {
            let past = cut_world(cut, now);
            let renewal = past.view().unanswered_renewal(&Key::from("db/leader")).expect(cut);
            let words = rows::words(Language::English);
            assert_eq!((words.renewal)(&renewal), sentence);
            assert_eq!(renewal.is_late(), is_late, "{cut}");
            let next = next_up(&past, 9);
            let again: Vec<_> =
                next.iter().filter(|(_, next)| words.upcoming_short(next) == short).collect();
            assert_eq!(again.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [renewal.at], "{cut}");
            assert!(words.upcoming(&again[0].1).starts_with("web-1: renew"), "{again:?}");
        }
        let healthy = cut_world("cut for=2s", 10_000);
        assert_eq!(healthy.view().unanswered_renewal(&Key::from("db/leader")), None);
    }
}
