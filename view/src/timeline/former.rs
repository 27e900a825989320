//! The history without the fix, over the lanes of a lesson that runs with the fix, where the two
//! differ: dashed outlines of what a lock no longer has, and crosses where sessions ended.

use lictor_core::time::Instant;
use lictor_sim::record::{LockTrack, SessionTrack};

use super::draw_context::DrawContext;
use super::lanes::CROSS;
use super::shape::Shape;

/// After this share of the axis, a text beside a cross would extend beyond the lane.
const ROOM_AT_END: f64 = 0.74;

/// The tenures and lock-delays that a lock no longer has, or that end at another time now.
pub(super) fn lock(context: &DrawContext, former: &LockTrack, now: &LockTrack) -> Vec<Shape> {
    let spans = spans(former);
    let same = self::spans(now);
    let gone = spans.into_iter().filter(|span| !same.contains(span));
    let outline = |(from, to): (Instant, Option<Instant>)| {
        let to = context.drawn_until(to.unwrap_or(context.until));
        let outline = context.axis.rect("former", (from, to), (10, 28));
        outline.attr("rx", "3").attr("data-testid", "former")
    };
    gone.map(outline).collect()
}

fn spans(track: &LockTrack) -> Vec<(Instant, Option<Instant>)> {
    let tenures = track.tenures.iter().map(|tenure| (tenure.from, tenure.to));
    let delays = track.delays.iter().map(|delay| (delay.armed_at, Some(delay.until)));
    tenures.chain(delays).collect()
}

/// A cross where a session ended, if it ends at another time now or not at all.
pub(super) fn session(
    context: &DrawContext,
    former: &SessionTrack,
    now: &SessionTrack,
) -> Option<Shape> {
    let end = |track: &SessionTrack| track.ended.as_ref().map(|end| end.at);
    if end(former) == end(now) {
        return None;
    }
    let at = end(former)?;
    let mut marks = vec![Shape::path("former-end", CROSS)];
    if context.axis.fraction(at) < ROOM_AT_END {
        let text = (context.words().without_fix)(at);
        marks.push(Shape::words("z-text opt halo", (10, "18"), text));
    }
    Some(Shape::place(context.axis.x(at)).holding(marks))
}
