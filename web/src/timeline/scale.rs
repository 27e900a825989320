//! The scale: from times to places along the timeline and back, a broken line through knots. A
//! place is a second, but times in which nothing happens are folded, so that a long wait does not
//! take the room of what came before and after it.

use core::time::Duration;
use std::rc::Rc;

use lictor_core::time::Instant;

use crate::record::Shelf;
use crate::rows::EventRow;

/// Where nothing happens for more than this part of the whole, time is folded,
const IDLE: u32 = 10;
/// if it is more than this, too: shorter waits are what the lanes are to show.
const IDLE_MIN: Duration = Duration::from_secs(30);
/// A fold takes this part of the whole, and as much stays at both sides of it.
const FOLD: u32 = 40;
/// In nanoseconds.
const SECOND: f64 = 1e9;

/// A time and its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Knot {
    at: Instant,
    place: f64,
}

/// The beginning, the beginning and the end of each fold, and the end of all that can be shown.
/// Behind that it goes on as before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    knots: Vec<Knot>,
}

impl Scale {
    /// Nothing is folded.
    pub fn plain(end: Instant) -> Self {
        let mut scale = Self { knots: vec![Knot::default()] };
        scale.go(end, 1.0);
        scale
    }

    /// From when to when each fold goes.
    pub fn folds(&self) -> impl Iterator<Item = (Instant, Instant)> {
        let folds = self.knots[1..].chunks_exact(2);
        folds.map(|fold| (fold[0].at, fold[1].at))
    }

    /// Folds what is idle between events. The time `now` is one; what lies behind the last of them
    /// is not known to be idle.
    pub fn folded(events: &Shelf<Rc<EventRow>>, now: Instant, end: Instant) -> Self {
        let mut scale = Self { knots: vec![Knot::default()] };
        let whole = end.since(Instant::EPOCH);
        let (idle, fold) = ((whole / IDLE).max(IDLE_MIN), whole / FOLD);
        // Of what was before the first event that is remembered nothing is known.
        let first = events.get(events.first()).filter(|_| events.first() > 0);
        let mut at = first.map_or(Instant::EPOCH, |row| row.at);
        loop {
            let soon = at.after(idle);
            let seen = events.partition_point(|row| row.at <= soon);
            let last = seen.checked_sub(1).and_then(|place| events.get(place));
            let last = last.map_or(at, |row| row.at.max(at));
            let last = if now <= soon { last.max(now) } else { last };
            if last > at {
                at = last;
                continue;
            }
            let next = match events.get(seen) {
                Some(row) if now > at => row.at.min(now),
                Some(row) => row.at,
                None if now > at => now,
                None => break,
            };
            scale.go(at.after(fold), 1.0);
            let length = ahead(at.after(fold), next.before(fold)) / SECOND;
            scale.go(next.before(fold), fold.as_secs_f64() / length);
            at = next;
        }
        scale.go(end, 1.0);
        scale
    }

    /// Goes on to a time; a second is so long.
    fn go(&mut self, to: Instant, second: f64) {
        let (at, place) = self.end();
        self.knots.push(Knot { at: to, place: place + second * ahead(at, to) / SECOND });
    }

    /// The last time, and the last place.
    pub fn end(&self) -> (Instant, f64) {
        let end = self.knots[self.knots.len() - 1];
        (end.at, end.place)
    }

    pub fn place(&self, at: Instant) -> f64 {
        let (one, other) = self.around(|knot| knot.at <= at);
        let share = ahead(one.at, at) / ahead(one.at, other.at);
        one.place + (other.place - one.place) * share
    }

    /// The moment at a place; before the beginning there is none.
    pub fn at(&self, place: f64) -> Instant {
        let (one, other) = self.around(|knot| knot.place <= place);
        let share = (place - one.place) / (other.place - one.place);
        let nanos = (ahead(one.at, other.at) * share).round();
        Instant::from_nanos(one.at.as_nanos().saturating_add(nanos as u64))
    }

    /// The knots on both sides of where a condition ends to hold.
    fn around(&self, is_before: impl Fn(&Knot) -> bool) -> (Knot, Knot) {
        let next = self.knots.partition_point(is_before).clamp(1, self.knots.len() - 1);
        (self.knots[next - 1], self.knots[next])
    }
}

/// From one moment to a later one, in nanoseconds.
fn ahead(from: Instant, to: Instant) -> f64 {
    to.as_nanos().saturating_sub(from.as_nanos()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sandbox;
    use crate::past::Past;

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(seconds * 1000)
    }

    /// Three events at 0 s; what follows happens at other times.
    fn scale(times: &[u64], now: u64, end: u64) -> Scale {
        let mut events: Vec<_> = Past::new(sandbox()).whole().events().iter().cloned().collect();
        for time in times {
            let row = EventRow { at: at(*time), ..(*events[0]).clone() };
            events.push(Rc::new(row));
        }
        Scale::folded(&events.into_iter().collect(), at(now), at(end))
    }

    #[test]
    fn what_is_short_or_not_idle_is_not_folded() {
        assert_eq!(scale(&[20, 45, 60], 60, 90), Scale::plain(at(90)));
        // What lies behind now and the last event is not known.
        assert_eq!(scale(&[20], 20, 600).folds().count(), 0);
    }

    #[test]
    fn an_idle_time_is_folded_between_two_events() {
        let scale = scale(&[300, 310], 310, 400);
        assert_eq!(scale.folds().collect::<Vec<_>>(), [(at(10), at(290))]);
        assert_eq!((scale.place(at(10)), scale.place(at(290))), (10.0, 20.0));
        assert_eq!((scale.place(at(300)), scale.end()), (30.0, (at(400), 130.0)));
        assert_eq!((scale.at(15.0), scale.at(30.0)), (at(150), at(300)));
    }

    #[test]
    fn now_stands_between_folds_and_never_in_one() {
        let scale = scale(&[400], 200, 400);
        assert_eq!(scale.folds().collect::<Vec<_>>(), [(at(10), at(190)), (at(210), at(390))]);
    }
}
