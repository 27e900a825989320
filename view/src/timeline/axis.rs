//! The axis: the visible part of a `Scale`. An axis that follows the present time grows or moves in
//! steps, so that between two steps only the now line moves. A part that the reader chose does not
//! move.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::time::Instant;

use super::scale::Scale;
use super::shape::Shape;
use super::words::words;
use crate::format::{clock, percent};
use crate::language::Language;
use crate::settings::Spacing;

/// The spans of an axis from the start, in seconds; beyond the last one the span doubles.
const SPANS: [u64; 7] = [30, 60, 90, 120, 180, 300, 600];
/// The now line stays in this first part of the axis; the rest shows the forecast.
const NOW_AT_MOST: f64 = 0.72;
/// The largest number of labelled ticks.
const TICKS: f64 = 9.0;
/// The possible distances between two ticks, in milliseconds or tenths of an event; beyond the last
/// one the distance doubles.
const STEPS: [u64; 17] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
    300_000, 600_000, 1_800_000,
];
/// A position so far outside of the drawing that nothing of a shape is visible.
pub(super) const OUTSIDE: &str = "-200%";
/// The length of the shortest part, in positions of the scale.
const SHORTEST: f64 = 0.05;

/// A part of a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Arc<Scale>,
    /// The beginning, in positions of the scale.
    from: f64,
    /// The length, in positions of the scale.
    span: f64,
}

/// The part of the scale to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything since the start.
    Whole,
    /// 90 s around the present time.
    Recent,
    /// A part that the reader chose.
    Part { from: Instant, to: Instant },
}

impl Extent {
    /// The start and end of the part at a present time. Unless the reader chose the part, it has
    /// room after the present time.
    pub fn around(self, now: Instant) -> (Instant, Instant) {
        match self {
            Self::Whole => (Instant::EPOCH, Instant::EPOCH.plus(whole_span(now))),
            Self::Recent => recent(now),
            Self::Part { from, to } => (from, to),
        }
    }
}

impl Axis {
    pub fn new(scale: &Arc<Scale>, (from, to): (Instant, Instant)) -> Self {
        let (from, to) = (scale.position(from), scale.position(to));
        Self { scale: scale.clone(), from, span: (to - from).max(f64::MIN_POSITIVE) }
    }

    /// All of a scale.
    pub fn all(scale: &Arc<Scale>) -> Self {
        Self { scale: scale.clone(), from: 0.0, span: scale.end().1 }
    }

    /// The unit of positions: a second or an event.
    pub fn spacing(&self) -> Spacing {
        self.scale.spacing()
    }

    /// Whether its scale is still valid for this many events up to an end.
    pub fn has_room(&self, events: usize, end: Instant) -> bool {
        self.scale.has_room(events, end)
    }

    /// The position of a time: 0 at the left end of the axis, 1 at the right; a time that is not on
    /// the axis is outside of this range.
    pub fn fraction(&self, at: Instant) -> f64 {
        (self.scale.position(at) - self.from) / self.span
    }

    /// The position of a time as an attribute, clamped to the axis.
    pub fn x(&self, at: Instant) -> String {
        percent(self.fraction(at).clamp(0.0, 1.0))
    }

    /// The position of a time as an attribute, outside of the drawing if it is not on the axis.
    pub fn x_if_visible(&self, at: Instant) -> String {
        if self.shows(at, at) { self.x(at) } else { OUTSIDE.to_owned() }
    }

    /// The part of the axis that a span covers; negative if the span is not on the axis.
    pub fn share(&self, from: Instant, to: Instant) -> f64 {
        self.fraction(to).min(1.0) - self.fraction(from).max(0.0)
    }

    /// The width of the part of a span that is on the axis, as an attribute.
    pub fn width(&self, from: Instant, to: Instant) -> String {
        percent(self.share(from, to).max(0.0))
    }

    /// The width of the part after now, as an attribute.
    pub fn width_ahead(&self, now: Instant) -> String {
        self.width(now, self.end())
    }

    /// A rectangle over the part of a span that is on the axis, at this height of its lane.
    pub fn rect(
        &self,
        class: impl Into<String>,
        (from, to): (Instant, Instant),
        (y, height): (u32, u32),
    ) -> Shape {
        let rect = Shape::rect(class).attr("x", self.x(from)).attr("width", self.width(from, to));
        rect.attr("y", y.to_string()).attr("height", height.to_string())
    }

    /// Two such rectangles: over the part of the span after now, with the class `later`, and over
    /// the part before it.
    pub fn rects_around_now(
        &self,
        class: &str,
        (from, to): (Instant, Instant),
        (y, height): (u32, u32),
    ) -> [Shape; 2] {
        let rect = |class: String| {
            Shape::rect(class).attr("y", y.to_string()).attr("height", height.to_string())
        };
        let inputs = || (self.clone(), from, to);
        let ahead = rect(format!("{class} later"))
            .follow("x", inputs(), |(axis, from, _), now| axis.x(now.max(*from)))
            .follow("width", inputs(), |(axis, from, to), now| axis.width(now.max(*from), *to));
        let past = rect(class.to_owned()).attr("x", self.x(from));
        let past = past.follow("width", inputs(), |(axis, from, to), now| {
            axis.width(*from, now.min(*to).max(*from))
        });
        [ahead, past]
    }

    /// Places a rectangle over the time after now; its attributes follow the present time.
    pub fn over_ahead(&self, rect: Shape) -> Shape {
        let rect = rect.follow("x", self.clone(), Self::x);
        rect.follow("width", self.clone(), Self::width_ahead)
    }

    /// Places a vertical line at now, outside of the drawing while now is not on the axis.
    pub fn at_visible_now(&self, line: Shape) -> Shape {
        let line = line.follow("x1", self.clone(), Self::x_if_visible);
        line.follow("x2", self.clone(), Self::x_if_visible)
    }

    /// The folds on the axis.
    pub fn folds(&self) -> Vec<(Instant, Instant)> {
        self.scale.folds().filter(|(from, to)| self.shows(*from, *to)).collect()
    }

    /// The start and end as a text.
    pub fn description(&self, language: Language) -> String {
        let (from, to, end) = (clock(self.start()), clock(self.end()), clock(self.scale.end().0));
        (words(language).visible_part)(&from, &to, &end)
    }

    pub fn start(&self) -> Instant {
        self.at(0.0)
    }

    pub fn end(&self) -> Instant {
        self.at(1.0)
    }

    /// Whether a part of a span is on the axis.
    pub fn shows(&self, from: Instant, to: Instant) -> bool {
        self.fraction(to) >= 0.0 && self.fraction(from) <= 1.0
    }

    /// The time at a position of the axis, or outside of it.
    pub fn at(&self, share: f64) -> Instant {
        self.scale.at(self.from + self.span * share)
    }

    /// An axis that shows all of the scale.
    pub fn whole(&self) -> Self {
        Self::all(&self.scale)
    }

    /// The part between two positions of the axis, which may be outside of it. The part is moved
    /// into the scale, and made longer if it is too short.
    pub fn part(&self, (from, to): (f64, f64)) -> Extent {
        let (span, (_, end)) = ((self.span * (to - from)).max(SHORTEST), self.scale.end());
        if span >= end {
            return Extent::Whole;
        }
        let middle = self.from + self.span * (from + to) / 2.0;
        let from = (middle - span / 2.0).min(end - span).max(0.0);
        Extent::Part { from: self.scale.at(from), to: self.scale.at(from + span) }
    }

    /// The times that get a label: round times outside of folds, or events at equal distances.
    pub fn ticks(&self) -> Vec<Instant> {
        let (from, to) = (self.start().as_millis(), self.end().as_millis());
        let unit = match self.spacing() {
            Spacing::Time => 1000.0,
            Spacing::Order => 10.0,
        };
        let fits = |step: u64| self.span * unit / (step as f64) < TICKS;
        let listed = STEPS.iter().copied().find(|step| fits(*step));
        let mut step = listed.unwrap_or(STEPS[STEPS.len() - 1]);
        while !fits(step) {
            step = step.saturating_mul(2);
        }
        if self.spacing() == Spacing::Order {
            return self.events(step as f64 / unit);
        }
        let folds = self.folds();
        let (mut ticks, mut at) = (Vec::new(), from.div_ceil(step) * step);
        while at <= to {
            let tick = Instant::from_millis(at);
            at += step;
            match folds.iter().find(|(from, to)| *from < tick && tick < *to) {
                Some((_, end)) => at = end.as_millis().div_ceil(step) * step,
                None => ticks.push(tick),
            }
        }
        ticks
    }

    /// Events on the axis that are at least this many steps apart.
    fn events(&self, step: f64) -> Vec<Instant> {
        let (mut ticks, mut place) = (Vec::new(), (self.from / step).ceil() * step);
        while let Some(at) = self.scale.step(place).filter(|at| self.fraction(*at) <= 1.0) {
            ticks.push(at);
            place = self.scale.position(at) + step;
        }
        ticks
    }
}

fn whole_span(now: Instant) -> Duration {
    span_for(now, NOW_AT_MOST)
}

/// The shortest span of an axis from the start on which a time is in the first part of this share.
pub(super) fn span_for(at: Instant, share: f64) -> Duration {
    let needed = at.since(Instant::EPOCH).as_secs_f64() / share;
    let listed = SPANS.iter().copied().find(|span| *span as f64 >= needed);
    let mut span = listed.unwrap_or(SPANS[SPANS.len() - 1]);
    while (span as f64) < needed {
        span = span.saturating_mul(2);
    }
    Duration::from_secs(span)
}

/// The 90 s that contain now with room after it; they move in steps of 30 s.
fn recent(now: Instant) -> (Instant, Instant) {
    const SPAN: Duration = Duration::from_secs(90);
    const STEP: u64 = 30;
    let latest = SPAN.mul_f64(NOW_AT_MOST);
    let beyond = now.since(Instant::EPOCH).saturating_sub(latest).as_secs_f64();
    let steps = (beyond / STEP as f64).ceil() as u64;
    let from = Instant::from_millis(steps.saturating_mul(STEP * 1000));
    (from, from.plus(SPAN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{at, rows_at};

    fn axis(now: Instant, extent: Extent) -> Axis {
        let (_, end) = Extent::Whole.around(now);
        Axis::new(&Arc::new(Scale::plain(end)), extent.around(now))
    }

    fn part(from: u64, to: u64) -> Extent {
        Extent::Part { from: at(from), to: at(to) }
    }

    #[test]
    fn now_always_has_room_ahead() {
        for seconds in [0, 1, 21, 22, 100, 599, 3_600, 86_400] {
            for extent in [Extent::Whole, Extent::Recent] {
                let share = axis(at(seconds), extent).fraction(at(seconds));
                assert!(
                    (0.0..=NOW_AT_MOST + 1e-9).contains(&share),
                    "{seconds} {extent:?} {share}"
                );
            }
        }
    }

    #[test]
    fn the_axis_does_not_move_while_now_does() {
        let early = axis(at(3), Extent::Whole);
        assert_eq!(early, axis(at(20), Extent::Whole));
        assert_eq!(early.end(), at(30));
        assert_eq!(early.x(at(15)), "50.000%");
        assert_eq!(early.width(at(15), at(300)), "50.000%");
    }

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = axis(at(0), Extent::Whole).ticks();
        assert_eq!(ticks, [0, 5, 10, 15, 20, 25, 30].map(at));
        for seconds in [100, 1_000, 100_000] {
            assert!(axis(at(seconds), Extent::Whole).ticks().len() <= 10, "{seconds}");
        }
        let near = Extent::Part { from: at(3), to: at(3).plus(Duration::from_millis(50)) };
        let ticks = axis(at(0), near).ticks();
        assert_eq!(ticks, [3000, 3010, 3020, 3030, 3040, 3050].map(Instant::from_millis));
    }

    #[test]
    fn positions_and_times_convert_both_ways() {
        let axis = axis(at(70), part(60, 150));
        for seconds in [0, 50, 100, 200] {
            assert_eq!(axis.at(axis.fraction(at(seconds))), at(seconds));
        }
        assert!(axis.fraction(at(50)) < 0.0);
        assert_eq!(axis.at(-2.0), Instant::EPOCH);
    }

    #[test]
    fn a_part_of_a_part_is_a_part_of_the_whole() {
        let whole = axis(at(50), Extent::Whole);
        assert_eq!(whole.end(), at(90));
        assert_eq!(whole.part((1.0 / 3.0, 2.0 / 3.0)), part(30, 60));
        let shown = axis(at(50), part(30, 60));
        assert_eq!(shown.whole(), whole);
        assert_eq!(shown.part((-0.5, 0.5)), part(15, 45));
        assert_eq!(shown.part((0.0, 2.0)), part(30, 90));
    }

    #[test]
    fn a_part_stays_in_the_whole_and_has_a_length() {
        let shown = axis(at(50), part(30, 60));
        assert_eq!(shown.part((-9.0, -8.0)), part(0, 30));
        assert_eq!(shown.part((5.0, 6.0)), part(60, 90));
        assert_eq!(shown.part((-1.0, 2.0)), Extent::Whole);
        let Extent::Part { from, to } = shown.part((0.5, 0.5)) else { panic!("a part") };
        assert_eq!(to.since(from), Duration::from_millis(50));
    }

    /// An event every two seconds, the third to fifth of them at the same time.
    fn order(count: u64) -> Axis {
        let time = |event: u64| if (3..=5).contains(&event) { 10 } else { 2 * event };
        let events = rows_at(&(1..=count).map(time).collect::<Vec<_>>()).into_iter().collect();
        Axis::all(&Arc::new(Scale::ordered(&events, at(9_000), at(9_000))))
    }

    #[test]
    fn ticks_of_a_scale_of_events_are_at_equal_distances() {
        assert_eq!(order(6).ticks(), [0, 2, 4, 10, 12].map(at));
        assert_eq!(order(13).ticks(), [0, 4, 10, 14, 18, 22, 26].map(at));
        for count in [100, 1_000, 4_000] {
            let axis = order(count);
            let places: Vec<_> = axis.ticks().iter().map(|at| axis.fraction(*at)).collect();
            assert!((5..=9).contains(&places.len()), "{count} {places:?}");
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 0.1), "{count} {places:?}");
        }
        // Between two events there is no tick.
        let near = Axis::new(&order(7).scale, (at(4), at(9)));
        assert_eq!(near.ticks(), [at(4)]);
    }

    #[test]
    fn a_part_of_a_scale_of_events_has_whole_steps() {
        let axis = order(7);
        assert_eq!((axis.part((-1.0, 1.0)), axis.end()), (Extent::Whole, at(9_000)));
        for middle in [0.3, 0.5, 0.7, 2.0] {
            let Extent::Part { from, to } = axis.part((middle - 0.25, middle + 0.25)) else {
                panic!("a part")
            };
            let shown = Axis::new(&axis.scale, (from, to));
            assert!((shown.span - axis.span / 2.0).abs() < 1e-5, "{middle} {shown:?}");
        }
    }
}
