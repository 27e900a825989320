//! The history without the fix, as dashed outlines over the lanes of a lesson that runs with the
//! fix: only where the two differ.

use lictor_core::time::Instant;

use super::draw_context::DrawContext;
use super::shape::Shape;
use lictor_sim::record::{LockTrack, SessionTrack};

/// After this position, the words would leave the lane.
const ROOM_AT_END: f64 = 0.74;
const CROSS: &str = "M-4 10l8 8M4 10l-8 8";

/// The tenures and lock-delays that a lock no longer has, or that end at another time now.
pub(super) fn lock(scene: &DrawContext, former: &LockTrack, now: &LockTrack) -> Vec<Shape> {
    let spans = spans(former);
    let same = self::spans(now);
    let gone = spans.into_iter().filter(|span| !same.contains(span));
    let outline = |(from, to): (Instant, Option<Instant>)| {
        let to = scene.drawn_until(to.unwrap_or(scene.until));
        let outline = Shape::rect("former").attr("x", scene.axis.x(from)).attr("y", "10");
        let outline = outline.attr("width", scene.axis.width(from, to)).attr("height", "28");
        outline.attr("rx", "3").attr("data-testid", "former")
    };
    gone.map(outline).collect()
}

fn spans(track: &LockTrack) -> Vec<(Instant, Option<Instant>)> {
    let tenures = track.tenures.iter().map(|tenure| (tenure.from, tenure.to));
    let delays = track.delays.iter().map(|delay| (delay.armed_at, Some(delay.until)));
    tenures.chain(delays).collect()
}

/// Where a session ended, if it ends at another time now.
pub(super) fn session(
    scene: &DrawContext,
    former: &SessionTrack,
    now: &SessionTrack,
) -> Option<Shape> {
    let end = |track: &SessionTrack| track.ended.as_ref().map(|end| end.at);
    if end(former) == end(now) {
        return None;
    }
    let at = end(former)?;
    let mut marks = vec![Shape::path("former-end", CROSS)];
    if scene.axis.fraction(at) < ROOM_AT_END {
        let says = (scene.words().without_fix)(at);
        marks.push(Shape::words("z-text opt halo", (10, "18"), says));
    }
    Some(Shape::place(scene.axis.x(at)).holding(marks))
}
