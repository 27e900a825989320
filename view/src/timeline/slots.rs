//! Draws the lane of a semaphore: a row of bars for each of its first eight slots.

use lictor_core::time::Instant;
use lictor_sim::record::{SemaphoreTrack, SlotSpan};

use super::bar::{Bar, BarRow, TimeSpan, bar, bars};
use super::draw_context::DrawContext;
use super::shape::Shape;
use crate::badge;

/// The largest number of slots that a lane shows.
pub(super) const SLOTS_DRAWN: usize = 8;

/// The shapes of a semaphore: the holders in each slot as bars, each with an outline from the end
/// of its session on.
pub(super) fn slots(context: &DrawContext, track: &SemaphoreTrack) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for slot in 0..SLOTS_DRAWN {
        let in_slot = track.spans.iter().filter(|span| span.slot == slot).collect::<Vec<_>>();
        let span = |it: &SlotSpan| (it.from, it.to);
        let mut shapes_of = |span| slot_shapes(context, span);
        shapes.extend(bars(&context.axis, &in_slot, span, slot_room(slot), &mut shapes_of));
    }
    shapes
}

fn slot_room(slot: usize) -> BarRow {
    BarRow { y: 4 + 20 * slot as u32, height: 16, baseline: "12.5" }
}

fn slot_shapes(context: &DrawContext, span: &SlotSpan) -> Vec<Shape> {
    let room = slot_room(span.slot);
    let y = room.y;
    let alive = TimeSpan { from: span.from, to: span.died.or(span.to) };
    let verb = context.words().holds;
    let mut shapes = bar(context, Bar { session: &span.tag, span: alive, room, verb });
    if let Some(died) = span.died {
        shapes.extend(dead_shapes(context, span, died, y));
    }
    shapes
}

/// The shapes of a holder that is still listed although its session has ended.
fn dead_shapes(context: &DrawContext, span: &SlotSpan, died: Instant, y: u32) -> Vec<Shape> {
    let axis = &context.axis;
    let to = span.to.unwrap_or(context.until);
    let class = badge::class_of(&span.tag);
    let outline = axis.rect(format!("dead {class}"), (died, to), (y, 16)).attr("rx", "2");
    let middle = (y + 8).to_string();
    let ends = (axis.x(died), axis.x(to));
    vec![outline, Shape::line(format!("dead-line {class}"), ends, (&middle, &middle))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::at;
    use lictor_sim::record::SessionTag;

    #[test]
    fn a_holder_is_an_outline_after_its_session_ended() {
        let span = SlotSpan {
            holder: "x".into(),
            tag: SessionTag { label: "A".into(), owner: None },
            slot: 0,
            from: at(10),
            died: Some(at(20)),
            to: None,
        };
        let track = SemaphoreTrack { limit: Some(2), spans: vec![span], pruned: None };
        let shapes = slots(&DrawContext::plain(100, 60), &track);
        let widths = |class| Shape::values(&shapes, class, "width", at(60));
        assert_eq!(widths("bar"), ["10.000%"]);
        assert_eq!(widths("dead"), ["40.000%"]);
    }
}
