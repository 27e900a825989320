//! The scale of the timeline: a piecewise-linear map from times to positions and back. The unit of
//! positions is a second, with idle periods folded; or an event, so that all events have the same
//! distance.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::record::{ChunkedLog, EventRow};

use crate::settings::Spacing;

/// A period without events is folded if it is longer than the whole divided by this, and than
/// [`IDLE_MIN`].
const IDLE: u32 = 10;
/// The length of the shortest period that is folded.
const IDLE_MIN: Duration = Duration::from_secs(30);
/// A fold is as long as the whole divided by this, and as much is kept on both sides of it.
const FOLD: u32 = 40;
/// A second in nanoseconds.
const SECOND: f64 = 1e9;
/// The shortest length of a scale of events, in steps.
const FEWEST: f64 = 8.0;
/// By which factor a scale of events is at least longer than its steps, as room for later events.
const ROOM: f64 = 1.1;
/// The distance in time of the last two breakpoints of a scale of events.
const MOMENT: Duration = Duration::from_millis(1);
/// A scale of events is made anew when more events than its length divided by this were added.
const PARTS: f64 = 64.0;

/// A time and its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Breakpoint {
    at: Instant,
    position: f64,
}

/// A map with these breakpoints: the start, the ends of each fold or each event, and the end. After
/// the end it continues with the last slope.
#[derive(Clone, Debug)]
pub struct Scale {
    /// All breakpoints except those of events. The latter follow the first of these, and are
    /// computed from the rows on demand, as there may be many.
    breakpoints: Vec<Breakpoint>,
    events: ChunkedLog<Arc<EventRow>>,
    /// The index of the first event that has a step.
    from: usize,
    /// The index after the last event that has a step.
    to: usize,
    spacing: Spacing,
}

/// Equal scales map all times to equal positions.
impl PartialEq for Scale {
    fn eq(&self, other: &Self) -> bool {
        self.breakpoints == other.breakpoints && self.steps() == other.steps()
    }
}

impl Scale {
    /// A scale without folds.
    pub fn plain(end: Instant) -> Self {
        let mut scale = Self::begin();
        scale.go(end, 1.0);
        scale
    }

    /// The range of events that have steps, and the address of the last one, whose history is the
    /// same if the address is.
    fn steps(&self) -> (usize, usize, Option<*const EventRow>) {
        let last = self.to.checked_sub(1).and_then(|last| self.events.get(last));
        (self.from, self.to, last.map(Arc::as_ptr))
    }

    fn begin() -> Self {
        let (breakpoints, events) = (vec![Breakpoint::default()], ChunkedLog::default());
        Self { breakpoints, events, from: 0, to: 0, spacing: Spacing::Time }
    }

    /// A scale of events: a step for each event up to a time, one from there to the end, and room
    /// so that events can be added without a movement. Events at the same time share a position.
    /// Those at time 0 have no step, and dropped ones are within the first step.
    pub fn ordered(events: &ChunkedLog<Arc<EventRow>>, until: Instant, end: Instant) -> Self {
        let known = end.minus(MOMENT);
        let from = events.partition_point(|row| row.at == Instant::EPOCH);
        let to = events.partition_point(|row| row.at <= until && row.at < known);
        let (steps, mut all) = ((to - from + 1) as f64, FEWEST);
        while all < steps * ROOM {
            all = (all * 1.25).ceil();
        }
        let (last, end) =
            (Breakpoint { at: known, position: steps }, Breakpoint { at: end, position: all });
        let (breakpoints, events) = (vec![Breakpoint::default(), last, end], events.clone());
        Self { breakpoints, events, from, to, spacing: Spacing::Order }
    }

    pub fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// The start and end of each fold.
    pub fn folds(&self) -> impl Iterator<Item = (Instant, Instant)> {
        let folds = match self.spacing {
            Spacing::Time => &self.breakpoints[1..],
            Spacing::Order => &[],
        };
        folds.chunks_exact(2).map(|fold| (fold[0].at, fold[1].at))
    }

    /// A scale of seconds in which idle periods between events are folded. `now` counts as an
    /// event; after the last event nothing is folded.
    pub fn folded(events: &ChunkedLog<Arc<EventRow>>, now: Instant, end: Instant) -> Self {
        let mut scale = Self::begin();
        let whole = end.since(Instant::EPOCH);
        let (idle, fold) = ((whole / IDLE).max(IDLE_MIN), whole / FOLD);
        // The events before the first kept one are unknown, so that time does not count as idle.
        let mut at = match events.get(events.first()) {
            Some(row) if events.first() > 0 => row.at,
            _ => Instant::EPOCH,
        };
        loop {
            let soon = at.plus(idle);
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
            scale.go(at.plus(fold), 1.0);
            let length = ahead(at.plus(fold), next.minus(fold)) / SECOND;
            scale.go(next.minus(fold), fold.as_secs_f64() / length);
            at = next;
        }
        scale.go(end, 1.0);
        scale
    }

    /// Extends the map to a time; `second` is the length of a second in positions.
    fn go(&mut self, to: Instant, second: f64) {
        let (at, place) = self.end();
        self.breakpoints
            .push(Breakpoint { at: to, position: place + second * ahead(at, to) / SECOND });
    }

    /// The last time and the last position.
    pub fn end(&self) -> (Instant, f64) {
        let end = self.breakpoints[self.breakpoints.len() - 1];
        (end.at, end.position)
    }

    /// Whether the scale can hold this many events in all without a visible movement, if it has
    /// this end.
    pub fn has_room(&self, events: usize, end: Instant) -> bool {
        let (at, whole) = self.end();
        at == end && events.saturating_sub(self.to) as f64 * PARTS < whole
    }

    /// The time of the first event at this position or after it; `None` after the last event.
    pub fn step(&self, position: f64) -> Option<Instant> {
        let place = position.ceil() as usize;
        (place <= self.to - self.from).then(|| self.breakpoint(place).at)
    }

    pub fn position(&self, at: Instant) -> f64 {
        let next = self.count_while(&|breakpoint| breakpoint.at <= at);
        let breakpoint = self.breakpoint(next.saturating_sub(1));
        if breakpoint.at == at {
            return breakpoint.position;
        }
        let (one, other) = self.around(next);
        let share = ahead(one.at, at) / ahead(one.at, other.at);
        one.position + (other.position - one.position) * share
    }

    /// The time at a position; before the start it is the start.
    pub fn at(&self, position: f64) -> Instant {
        let next = self.count_while(&|breakpoint| breakpoint.position <= position);
        let (one, other) = self.around(next);
        let share = (position - one.position) / (other.position - one.position);
        let nanos = (ahead(one.at, other.at) * share).round();
        Instant::from_nanos(one.at.as_nanos().saturating_add(nanos as u64))
    }

    /// The breakpoints before and at an index, at different times; of several at one time, the
    /// last.
    fn around(&self, next: usize) -> (Breakpoint, Breakpoint) {
        let at = self.breakpoint(next.clamp(1, self.len() - 1)).at;
        let from = self.count_while(&|breakpoint| breakpoint.at < at).max(1);
        let to = self.count_while(&|breakpoint| breakpoint.at <= at).max(from + 1);
        (self.breakpoint(from - 1), self.breakpoint(to - 1))
    }

    /// The number of breakpoints for which a condition holds that holds for the first ones only.
    fn count_while(&self, is_before: &dyn Fn(&Breakpoint) -> bool) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if is_before(&self.breakpoint(middle)) { from = middle + 1 } else { to = middle }
        }
        from
    }

    fn len(&self) -> usize {
        self.breakpoints.len() + self.to - self.from
    }

    fn breakpoint(&self, place: usize) -> Breakpoint {
        let event = place.checked_sub(1).map(|step| self.from + step).filter(|it| *it < self.to);
        match event.and_then(|event| self.events.get(event)) {
            Some(row) => Breakpoint { at: row.at, position: place as f64 },
            None if place == 0 => self.breakpoints[0],
            None => self.breakpoints[place - (self.to - self.from)],
        }
    }
}

/// The nanoseconds from one time to a later one.
fn ahead(from: Instant, to: Instant) -> f64 {
    to.as_nanos().saturating_sub(from.as_nanos()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{at, rows_at};

    /// Three events at 0 s; what follows happens at other times.
    fn scale(times: &[u64], now: u64, end: u64) -> Scale {
        let mut events = rows_at(&[0, 0, 0]);
        events.extend(rows_at(times));
        Scale::folded(&events.into_iter().collect(), at(now), at(end))
    }

    /// The same as a scale of events, up to an end.
    fn order(times: &[u64], end: u64) -> Scale {
        let events = [rows_at(&[0, 0, 0]), rows_at(times)].concat();
        Scale::ordered(&events.into_iter().collect(), at(end), at(end))
    }

    fn places(scale: &Scale, times: &[u64]) -> Vec<f64> {
        times.iter().map(|time| scale.position(at(*time))).collect()
    }

    #[test]
    fn every_event_is_one_step_however_long_it_took() {
        let scale = order(&[1, 3, 3_600, 3_601], 6_000);
        assert_eq!(places(&scale, &[0, 1, 3, 3_600, 3_601]), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!((scale.position(at(2)), scale.folds().count()), (1.5, 0));
    }

    #[test]
    fn events_at_the_same_time_share_a_position_after_all_their_steps() {
        let scale = order(&[2, 10, 10, 10, 11], 60);
        assert_eq!(places(&scale, &[2, 6, 10, 11]), [1.0, 2.5, 4.0, 5.0]);
        assert_eq!((scale.at(2.5), scale.at(3.0)), (at(6), Instant::from_nanos(7_333_333_333)));
        assert_eq!(places(&order(&[2, 60, 60], 60), &[2, 60]), [1.0, 8.0]);
    }

    #[test]
    fn an_idle_period_takes_at_most_one_step() {
        let scale = order(&[10, 20], 60);
        let places = [20, 59].map(|time| scale.position(at(time)));
        assert!(places[0] == 2.0 && (2.9..3.0).contains(&places[1]), "{places:?}");
        // The next step is that of the end of the forecast.
        assert_eq!((scale.at(3.0), scale.end()), (at(60).minus(MOMENT), (at(60), 8.0)));
        assert!((0.5..0.51).contains(&order(&[], 60).position(at(30))));
    }

    #[test]
    fn positions_and_times_convert_both_ways_on_a_scale_of_events() {
        let scale = order(&[1, 3, 3, 3, 50, 3_600], 6_000);
        for time in [0, 1, 2, 40, 50, 51, 3_600, 5_000, 6_000] {
            assert_eq!(scale.at(scale.position(at(time))), at(time), "{time}");
        }
        for step in 0..=100 {
            let place = f64::from(step) / 10.0;
            assert!((scale.position(scale.at(place)) - place).abs() < 1e-5, "{place}");
        }
    }

    #[test]
    fn a_scale_of_events_does_not_move_while_events_are_added() {
        let whole = |count: u64| order(&(1..=count).collect::<Vec<_>>(), 200_000).end().1;
        assert_eq!([0, 5, 6, 8, 9].map(whole), [8.0, 8.0, 8.0, 10.0, 13.0]);
        for count in [10, 100, 5_000] {
            let room = whole(count) / count as f64;
            assert!((1.1..1.6).contains(&room), "{count} {room}");
        }
    }

    #[test]
    fn a_scale_of_events_has_room_for_a_few_more() {
        let scale = order(&(1..=5_000).collect::<Vec<_>>(), 9_000);
        assert!(scale.has_room(5_003 + 80, at(9_000)) && !scale.has_room(5_003 + 200, at(9_000)));
        assert!(!scale.has_room(5_003, at(9_001)));
        assert!(!order(&[1, 2], 30).has_room(6, at(30)));
    }

    #[test]
    fn forgotten_events_take_one_step_together() {
        let mut events: ChunkedLog<_> =
            rows_at(&(1..=600).collect::<Vec<_>>()).into_iter().collect();
        events.forget(|row| row.at < at(300));
        events.drop_forgotten(usize::MAX);
        let scale = Scale::ordered(&events, at(700), at(700));
        assert_eq!(events.first(), 256);
        assert_eq!(places(&scale, &[0, 257, 258, 600]), [0.0, 1.0, 2.0, 344.0]);
    }

    #[test]
    fn scales_of_equal_histories_are_equal() {
        let events: ChunkedLog<_> = rows_at(&[1, 2, 3]).into_iter().collect();
        let scale = |until, end| Scale::ordered(&events, at(until), at(end));
        assert_eq!(scale(3, 30), scale(20, 30));
        assert_ne!(scale(3, 30), scale(2, 30));
        assert_ne!(scale(3, 30), scale(3, 60));
        // Another one that is as long and ends at the same time.
        assert_ne!(order(&[1, 2, 3], 30), order(&[1, 1, 3], 30));
    }

    #[test]
    fn short_and_busy_periods_are_not_folded() {
        assert_eq!(scale(&[20, 45, 60], 60, 90), Scale::plain(at(90)));
        // The time after now and the last event is not folded, as its events are unknown.
        assert_eq!(scale(&[20], 20, 600).folds().count(), 0);
    }

    #[test]
    fn an_idle_period_between_two_events_is_folded() {
        let scale = scale(&[300, 310], 310, 400);
        assert_eq!(scale.folds().collect::<Vec<_>>(), [(at(10), at(290))]);
        assert_eq!((scale.position(at(10)), scale.position(at(290))), (10.0, 20.0));
        assert_eq!((scale.position(at(300)), scale.end()), (30.0, (at(400), 130.0)));
        assert_eq!((scale.at(15.0), scale.at(30.0)), (at(150), at(300)));
    }

    #[test]
    fn now_is_never_inside_a_fold() {
        let scale = scale(&[400], 200, 400);
        assert_eq!(scale.folds().collect::<Vec<_>>(), [(at(10), at(190)), (at(210), at(390))]);
    }
}
