//! SVG definitions that shapes refer to by id: the actors' patterns, the hatches of the timeline
//! and the cover of the time ahead. A document needs them once.

use super::shape::Shape;

/// All definitions.
pub fn patterns() -> Vec<Shape> {
    vec![
        stripes("p-stripe", "6", ("rotate(45)", "ink-line"), "M0 0v6"),
        pattern("p-dot", "6", vec![dot("1.5"), dot("4.5")]),
        stripes("p-bar", "5", ("rotate(0)", "ink-line"), "M2.5 0v5"),
        stripes("hatch-delay", "7", ("rotate(-45)", "hatch-line"), "M0 0v7"),
        stripes("hatch-both", "6", ("rotate(45)", "both-line"), "M0 0v6M0 0h6"),
        stripes("hatch-critical", "5", ("rotate(45)", "critical-line"), "M0 0v5"),
        stripes("hatch-grace", "4", ("rotate(45)", "grace-line"), "M0 0v4"),
        pattern("hiding", "8", vec![Shape::circle("hiding-dot", "4".into(), 4, "1")]),
    ]
}

fn stripes(id: &str, size: &str, (turn, class): (&str, &str), path: &str) -> Shape {
    pattern(id, size, vec![Shape::path(class, path)]).attr("patternTransform", turn)
}

fn pattern(id: &str, size: &str, shapes: Vec<Shape>) -> Shape {
    let pattern = Shape::new("pattern", "").attr("id", id).attr("width", size);
    pattern.attr("height", size).attr("patternUnits", "userSpaceOnUse").holding(shapes)
}

fn dot(at: &str) -> Shape {
    Shape::new("circle", "ink-dot").attr("cx", at).attr("cy", at).attr("r", ".9")
}
