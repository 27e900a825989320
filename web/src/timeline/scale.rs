//! The scale: from times to places along the timeline and back, a broken line through knots. On the
//! plain one a second is as long as any other.

use lictor_core::time::Instant;

/// In nanoseconds.
const SECOND: f64 = 1e9;

/// A time and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knot {
    at: Instant,
    place: f64,
}

/// Two knots at least: the beginning, and the end of all that can be shown. Behind that it goes on
/// as before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    knots: Vec<Knot>,
}

impl Scale {
    /// Places are seconds.
    pub fn plain(end: Instant) -> Self {
        let end = Knot { at: end, place: ahead(Instant::EPOCH, end) / SECOND };
        Self { knots: vec![Knot { at: Instant::EPOCH, place: 0.0 }, end] }
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
