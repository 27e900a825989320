//! The last values of a LockIndex as a step line, with resets in red.

use lictor_sim::record::LockIndexStep;

use super::shape::Shape;

/// The largest number of values that are drawn.
const SHOWN: usize = 6;
/// The `y` of the bottom of the line.
const FOOT: u64 = 30;
/// The height of the highest value above the bottom.
const RISE: u64 = 20;

/// The last values, in a box of 120 x 32.
pub fn steps(history: &[LockIndexStep]) -> Vec<Shape> {
    let steps = &history[history.len().saturating_sub(SHOWN)..];
    let highest = steps.iter().map(|step| step.lock_index).max().unwrap_or(1).max(1);
    let width = 118 / steps.len().max(1);
    let height = |step: &LockIndexStep| FOOT - step.lock_index.saturating_mul(RISE) / highest;
    let mut line = String::new();
    let mut shapes = vec![base()];
    for (index, step) in steps.iter().enumerate() {
        let (x, y) = (1 + index * width, height(step));
        let is_start = index == 0 || step.after_reset;
        line += &if is_start { format!("M{x} {FOOT}V{y}") } else { format!("V{y}") };
        line += &format!("H{}", x + width);
        if step.after_reset && index > 0 {
            let from = height(&steps[index - 1]);
            let fall = format!("M{x} {from}V{FOOT}m-3.5-4l3.5 4 3.5-4");
            shapes.push(Shape::path("step-reset", fall));
        }
        let middle = (x + width / 2) as u32;
        shapes.push(Shape::words(
            "step-text",
            (middle, &(y - 3).to_string()),
            step.lock_index.to_string(),
        ));
    }
    shapes.push(Shape::path("step-line", line));
    if let Some(last) = steps.last() {
        let x = (steps.len() * width + 1).to_string();
        shapes.push(Shape::circle("step-dot", x, height(last) as u32, "3"));
    }
    shapes
}

fn base() -> Shape {
    Shape::line("step-base", ("0".into(), "120".into()), ("30.5", "30.5"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::time::Instant;

    fn line(history: &[(u64, bool)]) -> String {
        let history: Vec<_> = history
            .iter()
            .map(|&(lock_index, after_reset)| LockIndexStep { lock_index, after_reset })
            .collect();
        let is_line = |shape: &Shape| {
            shape.attribute("class", Instant::EPOCH).as_deref() == Some("step-line")
        };
        let shapes = steps(&history);
        let found = shapes.iter().find(|shape| is_line(shape)).expect("a line");
        found.attribute("d", Instant::EPOCH).expect("a path")
    }

    #[test]
    fn the_line_rises_and_restarts_after_a_reset() {
        assert_eq!(line(&[(1, false), (2, false)]), "M1 30V20H60V10H119");
        assert_eq!(line(&[(2, false), (1, true)]), "M1 30V10H60M60 30V20H119");
    }

    #[test]
    fn even_the_largest_lock_index_can_be_drawn() {
        assert!(!line(&[(u64::MAX, false)]).is_empty());
        assert_eq!(line(&[]), "");
    }
}
