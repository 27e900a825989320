//! Chooses what of a history is drawn: what is on the axis, and of a crowd what stands apart from
//! what is drawn before it. Pure.
use lictor_core::time::Instant;

use super::axis::Axis;
use crate::history::Shelf;

/// Of more marks of a kind than this, those are left out that stand nearly where another one stands
/// already: so many have room side by side.
const CROWD: usize = 100;

/// Goes through a history from left to right.
pub(super) struct Sieve {
    axis: Axis,
    from: Instant,
    to: Instant,
    is_crowd: bool,
    /// Of a crowd, what was over before that is too near to the one before.
    next: Instant,
}

impl Sieve {
    /// For a history, by when each part of it began and ended.
    pub(super) fn of(
        axis: &Axis,
        all: &mut dyn Iterator<Item = (Instant, Option<Instant>)>,
    ) -> Self {
        let mut sieve = Self::new(axis);
        sieve.is_crowd = all.filter(|(from, to)| sieve.is_on_axis(*from, *to)).nth(CROWD).is_some();
        sieve
    }

    fn new(axis: &Axis) -> Self {
        let (from, to) = (axis.start(), axis.end());
        Self { axis: axis.clone(), from, to, is_crowd: false, next: Instant::EPOCH }
    }

    fn is_on_axis(&self, from: Instant, to: Option<Instant>) -> bool {
        from <= self.to && to.is_none_or(|to| to >= self.from)
    }

    pub(super) fn shows(&mut self, from: Instant, to: Option<Instant>) -> bool {
        let end = to.unwrap_or(self.to);
        let is_shown = self.is_on_axis(from, to) && (!self.is_crowd || end >= self.next);
        if is_shown && self.is_crowd {
            self.next = self.axis.at(self.axis.share(end) + 1.0 / CROWD as f64);
        }
        is_shown
    }

    pub(super) fn has(&mut self, at: Instant) -> bool {
        self.shows(at, Some(at))
    }
}

/// A part of a history that is drawn.
pub(super) enum Piece {
    /// By its place.
    One(usize),
    /// From when to when there was what has no room by itself.
    Many(Instant, Instant),
}

/// What is drawn of spans that follow each other: of a crowd one here and there, and between two
/// what lies there as one, so that nothing looks free that was not.
pub(super) fn pieces(axis: &Axis, spans: &[(Instant, Option<Instant>)]) -> Vec<Piece> {
    let mut sieve = Sieve::of(axis, &mut spans.iter().copied());
    let (mut pieces, mut many) = (Vec::new(), None);
    for (place, (from, to)) in spans.iter().enumerate() {
        if sieve.shows(*from, *to) {
            pieces.extend(many.take());
            pieces.push(Piece::One(place));
        } else if sieve.is_on_axis(*from, *to) {
            let end = to.unwrap_or(sieve.to);
            let (from, end) = match many {
                Some(Piece::Many(first, last)) => (first, last.max(end)),
                _ => (*from, end),
            };
            many = Some(Piece::Many(from, end));
        }
    }
    pieces.extend(many);
    pieces
}

/// The moments of a history that are drawn, with their places in it. There may be very many: those
/// between two are not looked at.
pub(super) fn apart<T: Clone>(
    axis: &Axis,
    history: &Shelf<T>,
    at: fn(&T) -> Instant,
) -> Vec<(usize, Instant)> {
    let before = |moment: Instant| history.partition_point(|it| at(it) < moment);
    chosen(axis, &before, &|place| history.get(place).map(at))
}

fn chosen(
    axis: &Axis,
    before: &dyn Fn(Instant) -> usize,
    at: &dyn Fn(usize) -> Option<Instant>,
) -> Vec<(usize, Instant)> {
    let mut place = before(axis.start());
    let (mut sieve, mut chosen) = (Sieve::new(axis), Vec::new());
    sieve.is_crowd = at(place + CROWD).is_some_and(|at| at <= sieve.to);
    while let Some(moment) = at(place).filter(|at| *at <= sieve.to) {
        if sieve.has(moment) {
            chosen.push((place, moment));
        }
        place = if sieve.is_crowd { before(sieve.next).max(place + 1) } else { place + 1 };
    }
    chosen
}

/// The moments of a history that are drawn.
pub(super) fn moments(axis: &Axis, history: &Shelf<Instant>) -> Vec<Instant> {
    apart(axis, history, |at| *at).into_iter().map(|(_, at)| at).collect()
}
