//! The axis: the span of virtual time that is drawn. It grows by whole steps as time goes on, so
//! that marks stand still between two steps and only the now line moves.

use core::time::Duration;

use lictor_core::gather::Gather;
use lictor_core::time::Instant;

use crate::text::percent;

/// The spans that an axis can show, in seconds; beyond the last it doubles.
const SPANS: [u64; 7] = [30, 60, 90, 120, 180, 300, 600];
/// The now line stays in the first part of the axis; the rest shows what lies ahead.
const NOW_AT_MOST: f64 = 0.72;
/// How many labelled ticks the axis has at most.
const TICKS: u64 = 9;

/// The part of time that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    pub from: Instant,
    pub span: Duration,
}

/// What the axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything since the start.
    Whole,
    /// The last minute, and what is ahead.
    Minute,
}

impl Axis {
    /// The axis on which `now` has room ahead of it.
    pub fn around(now: Instant, extent: Extent) -> Self {
        match extent {
            Extent::Whole => Self { from: Instant::EPOCH, span: whole_span(now) },
            Extent::Minute => last_minute(now),
        }
    }

    /// Where a moment stands: 0 at the left end, 1 at the right; outside the axis, outside this
    /// range.
    pub fn share(&self, at: Instant) -> f64 {
        let span = self.span.as_secs_f64().max(f64::MIN_POSITIVE);
        let ahead = at.since(self.from).as_secs_f64() - self.from.since(at).as_secs_f64();
        ahead / span
    }

    /// A moment's place as an attribute, held to the axis.
    pub fn x(&self, at: Instant) -> String {
        percent(self.share(at).clamp(0.0, 1.0))
    }

    /// The width of a span as an attribute, as far as it lies on the axis.
    pub fn width(&self, from: Instant, to: Instant) -> String {
        percent((self.share(to).clamp(0.0, 1.0) - self.share(from).clamp(0.0, 1.0)).max(0.0))
    }

    pub fn end(&self) -> Instant {
        self.from.after(self.span)
    }

    /// Whether any of a span is on the axis.
    pub fn shows(&self, from: Instant, to: Instant) -> bool {
        to >= self.from && from <= self.end()
    }

    /// The moment at a place of the axis.
    pub fn at(&self, share: f64) -> Instant {
        self.from.after(self.span.mul_f64(share.clamp(0.0, 1.0)))
    }

    /// The moments that get a label: round seconds, at most `TICKS`.
    pub fn ticks(&self) -> Vec<Instant> {
        const STEPS: [u64; 9] = [5, 10, 15, 30, 60, 120, 300, 600, 1800];
        let seconds = self.span.as_secs();
        let fits = |step: &&u64| seconds / **step < TICKS;
        let step = STEPS.iter().find(fits).copied().unwrap_or((seconds / TICKS).max(1));
        let first = self.from.as_millis().div_ceil(1000 * step);
        let last = self.end().as_millis() / (1000 * step);
        (first..=last).map(|count| Instant::from_millis(count * step * 1000)).gather()
    }
}

fn whole_span(now: Instant) -> Duration {
    let needed = now.since(Instant::EPOCH).as_secs_f64() / NOW_AT_MOST;
    let listed = SPANS.iter().copied().find(|span| *span as f64 >= needed);
    let mut span = listed.unwrap_or(SPANS[SPANS.len() - 1]);
    while (span as f64) < needed {
        span = span.saturating_mul(2);
    }
    Duration::from_secs(span)
}

/// A minute and a half, moved on by half a minute at a time.
fn last_minute(now: Instant) -> Axis {
    const SPAN: Duration = Duration::from_secs(90);
    const STEP: u64 = 30;
    let latest = SPAN.mul_f64(NOW_AT_MOST);
    let beyond = now.since(Instant::EPOCH).saturating_sub(latest).as_secs_f64();
    let steps = (beyond / STEP as f64).ceil() as u64;
    Axis { from: Instant::from_millis(steps.saturating_mul(STEP * 1000)), span: SPAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(seconds * 1000)
    }

    #[test]
    fn now_always_has_room_ahead() {
        for seconds in [0, 1, 21, 22, 100, 599, 3_600, 86_400] {
            for extent in [Extent::Whole, Extent::Minute] {
                let share = Axis::around(at(seconds), extent).share(at(seconds));
                assert!(
                    (0.0..=NOW_AT_MOST + 1e-9).contains(&share),
                    "{seconds} {extent:?} {share}"
                );
            }
        }
    }

    #[test]
    fn the_axis_stands_still_while_now_moves_on() {
        let early = Axis::around(at(3), Extent::Whole);
        assert_eq!(early, Axis::around(at(20), Extent::Whole));
        assert_eq!(early.span, Duration::from_secs(30));
        assert_eq!(early.x(at(15)), "50.000%");
        assert_eq!(early.width(at(15), at(300)), "50.000%");
    }

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = Axis::around(at(0), Extent::Whole).ticks();
        assert_eq!(ticks, [0, 5, 10, 15, 20, 25, 30].map(at));
        for seconds in [100, 1_000, 100_000] {
            assert!(Axis::around(at(seconds), Extent::Whole).ticks().len() <= 10, "{seconds}");
        }
    }

    #[test]
    fn a_place_and_its_moment_agree() {
        let axis = Axis { from: at(60), span: Duration::from_secs(90) };
        assert_eq!(axis.at(axis.share(at(100))), at(100));
        assert!(axis.share(at(50)) < 0.0);
    }
}
