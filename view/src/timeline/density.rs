//! Chooses which marks of a history are drawn. In a dense history, marks that nearly overlap are
//! left out; spans between them are merged, so that a held lock never looks free.

use core::time::Duration;

use lictor_core::time::Instant;
use lictor_sim::record::ChunkedLog;

use super::axis::Axis;

/// With more marks than this on the axis, marks that nearly overlap are left out.
const CROWD: usize = 100;

/// Filters the marks of a history from left to right.
pub(super) struct DensityFilter {
    axis: Axis,
    from: Instant,
    to: Instant,
    is_crowd: bool,
    /// In a dense history, marks that end before this time are too near to the last drawn one.
    next: Instant,
}

impl DensityFilter {
    /// A filter for a history with these spans, each of which has a start and perhaps an end.
    pub(super) fn of(
        axis: &Axis,
        all: &mut dyn Iterator<Item = (Instant, Option<Instant>)>,
    ) -> Self {
        let mut density = Self::new(axis);
        density.is_crowd =
            all.filter(|(from, to)| density.is_on_axis(*from, *to)).nth(CROWD).is_some();
        density
    }

    /// A filter for a history of marks at these times.
    pub(super) fn of_marks(axis: &Axis, times: impl Iterator<Item = Instant>) -> Self {
        Self::of(axis, &mut times.map(|at| (at, Some(at))))
    }

    fn new(axis: &Axis) -> Self {
        let (from, to) = (axis.start(), axis.end());
        Self { axis: axis.clone(), from, to, is_crowd: false, next: Instant::EPOCH }
    }

    fn is_on_axis(&self, from: Instant, to: Option<Instant>) -> bool {
        from <= self.to && to.is_none_or(|to| to >= self.from)
    }

    /// Whether the next span of the history is drawn.
    pub(super) fn shows(&mut self, from: Instant, to: Option<Instant>) -> bool {
        let end = to.unwrap_or(self.to);
        let is_shown = self.is_on_axis(from, to) && (!self.is_crowd || end >= self.next);
        if is_shown && self.is_crowd {
            self.next = self.axis.at(self.axis.fraction(end) + 1.0 / CROWD as f64);
        }
        is_shown
    }

    /// Whether the next mark of the history is drawn.
    pub(super) fn shows_mark(&mut self, at: Instant) -> bool {
        self.shows(at, Some(at))
    }
}

/// A span to draw.
pub(super) enum DrawnSpan {
    /// One span, by its position.
    One(usize),
    /// A period of spans that are too short to draw one by one.
    Many(Instant, Instant),
}

/// The spans to draw: in a dense history some of them, with the ones between merged.
pub(super) fn drawn_spans(axis: &Axis, spans: &[(Instant, Option<Instant>)]) -> Vec<DrawnSpan> {
    let mut density = DensityFilter::of(axis, &mut spans.iter().copied());
    let (mut drawn_spans, mut many) = (Vec::new(), None);
    for (index, (from, to)) in spans.iter().enumerate() {
        if density.shows(*from, *to) {
            drawn_spans.extend(many.take());
            drawn_spans.push(DrawnSpan::One(index));
        } else if density.is_on_axis(*from, *to) {
            let end = to.unwrap_or(density.to);
            let (from, end) = match many {
                Some(DrawnSpan::Many(first, last)) => (first, last.max(end)),
                _ => (*from, end),
            };
            many = Some(DrawnSpan::Many(from, end));
        }
    }
    drawn_spans.extend(many);
    drawn_spans
}

/// The entries of a history to draw, each with its index and time. In a dense history, the entries
/// between them are skipped by binary search.
pub(super) fn apart<T: Clone>(
    axis: &Axis,
    history: &ChunkedLog<T>,
    at: fn(&T) -> Instant,
) -> Vec<(usize, Instant)> {
    let before = |time: Instant| history.partition_point(|it| at(it) < time);
    chosen(axis, &before, &|index| history.get(index).map(at))
}

fn chosen(
    axis: &Axis,
    before: &dyn Fn(Instant) -> usize,
    at: &dyn Fn(usize) -> Option<Instant>,
) -> Vec<(usize, Instant)> {
    let mut index = before(axis.start());
    let (mut density, mut chosen) = (DensityFilter::new(axis), Vec::new());
    density.is_crowd = at(index + CROWD).is_some_and(|at| at <= density.to);
    while let Some(time) = at(index).filter(|at| *at <= density.to) {
        if density.shows_mark(time) {
            chosen.push((index, time));
        }
        index = if density.is_crowd { before(density.next).max(index + 1) } else { index + 1 };
    }
    // The last entry is the present state, so it is drawn in any case, in place of a near one.
    let last = before(density.to.plus(Duration::from_nanos(1))).checked_sub(1);
    let last = last.filter(|last| chosen.last().is_some_and(|(index, _)| index < last));
    if let Some((last, time)) = last.and_then(|last| Some((last, at(last)?))) {
        chosen.pop();
        chosen.push((last, time));
    }
    chosen
}

/// The times of a history to draw.
pub(super) fn times(axis: &Axis, history: &ChunkedLog<Instant>) -> Vec<Instant> {
    apart(axis, history, |at| *at).into_iter().map(|(_, at)| at).collect()
}
