//! The axis as shapes: its grid and ground, its labels, and the line of now over all lanes.

use lictor_core::time::Instant;

use super::axis::Axis;
use super::shape::Shape;
use crate::text::clock;

/// Labels as near as this to the plate of now are not shown; the word beside the plate takes room,
/// too.
const TOO_NEAR: f64 = 0.055;
const TOO_NEAR_AHEAD: f64 = 0.12;

/// The grid, and the ground of what lies ahead.
pub fn ground(axis: &Axis) -> Vec<Shape> {
    let later = || Shape::rect("later").attr("y", "24").attr("height", "100%");
    let ahead = later().follow("x", axis.x_of_now()).follow("width", axis.width_ahead());
    let edge = later().attr("x", "100%").attr("width", "16");
    let mut shapes = vec![ahead, edge];
    for at in axis.ticks() {
        shapes.push(Shape::line("grid-line", (axis.x(at), axis.x(at)), ("24", "100%")));
    }
    shapes
}

/// The labels, and the plate that stands at now.
pub fn labels(axis: &Axis, ahead: &str) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for at in axis.ticks() {
        shapes.push(label(axis, at));
    }
    let plate = Shape::rect("now-plate").attr("x", "-24").attr("y", "3").attr("width", "48");
    let plate = plate.attr("height", "18").attr("rx", "3");
    let time = Shape::words("now-text", (0, "16"), "").say(|now| format!("{} s", clock(now)));
    let ahead = Shape::words("axis-ahead opt", (30, "16"), ahead);
    shapes.push(Shape::moving(axis.x_of_now_seen()).holding(vec![plate, time, ahead]));
    shapes
}

/// The line of now over all lanes, and the veil over what is not yet.
pub fn over(axis: &Axis) -> Vec<Shape> {
    let veil = Shape::rect("veil").attr("y", "24").attr("height", "100%");
    let veil = veil.follow("x", axis.x_of_now()).follow("width", axis.width_ahead());
    let line = Shape::new("line", "now-line").attr("y1", "21").attr("y2", "100%");
    let edge = Shape::rect("veil").attr("x", "100%").attr("y", "24");
    let edge = edge.attr("width", "16").attr("height", "100%");
    vec![veil, edge, line.follow("x1", axis.x_of_now_seen()).follow("x2", axis.x_of_now_seen())]
}

fn label(axis: &Axis, at: Instant) -> Shape {
    let (share, shown) = (axis.share(at), axis.clone());
    let class = if share < 0.01 { "axis-text first" } else { "axis-text" };
    let seconds = seconds(at);
    let text = Shape::words(class, (0, "16"), "").say(move |now| {
        let ahead = share - shown.share(now);
        let is_free = !(-TOO_NEAR..=TOO_NEAR_AHEAD).contains(&ahead);
        if is_free { seconds.clone() } else { String::new() }
    });
    Shape::place(axis.x(at)).holding(vec![text])
}

/// In seconds, with as many decimals as it needs.
fn seconds(at: Instant) -> String {
    match at.as_millis() {
        millis if millis % 1000 == 0 => (millis / 1000).to_string(),
        millis if millis % 100 == 0 => clock(at),
        _ => {
            let mut text = at.to_string();
            text.pop();
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_decimals_that_they_need() {
        let all = [0, 5_000, 12_500, 3_010, 1_001].map(Instant::from_millis).map(seconds);
        assert_eq!(all, ["0", "5", "12.5", "3.010", "1.001"]);
    }
}
