//! A ring that shows how much of a span is left. Its geometry is a function of the time; nothing
//! animates.

use lictor_core::time::Instant;
use lictor_sandbox::timeline::shape::Shape;

use super::{El, Text, drawing};
use crate::var::Var;

/// A ring that is full at one moment and empty at another.
pub fn ring(label: Text, now: &'static Var<Instant>, (full, empty): (Instant, Instant)) -> El {
    let left = move |now: Instant| {
        let whole = empty.since(full).as_secs_f64().max(f64::MIN_POSITIVE);
        (empty.since(now).as_secs_f64() / whole).min(1.0)
    };
    let draw = move || {
        // The circle has a `pathLength` of 100, so the share left is the length of the first dash.
        let dashes = move |now| format!("{} 100", (left(now) * 100.0).round() as u32);
        let dashed = circle("left").attr("pathLength", "100").follow("stroke-dasharray", dashes);
        vec![circle("track"), dashed.attr("transform", "rotate(-90 12 12)")]
    };
    drawing("ring", Some(label), now, draw).attr("viewBox", "0 0 24 24")
}

fn circle(class: &str) -> Shape {
    Shape::circle(class, "12".into(), 12, "9.5")
}
