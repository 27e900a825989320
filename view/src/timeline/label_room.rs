//! Chooses which labels of a lane are drawn. Of labels that would overlap, the latest one is drawn,
//! which has the present value, unless another one must be drawn.

use super::page_width::LETTER;
use super::shape::Shape;

/// The room of a label, in shares of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Whether it is drawn even if it overlaps another one.
    pub(super) is_needed: bool,
}

impl Label {
    /// A label of this many letters to the right of a position.
    pub(super) fn beside(from: f64, letters: usize) -> Self {
        Self { from, to: from + LETTER * (letters + 2) as f64, is_needed: false }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// The shapes of the labels that are drawn. The labels are in the order of time.
pub(super) fn with_room(mut labels: Vec<(Label, Shape)>) -> Vec<Shape> {
    for index in (0..labels.len()).rev() {
        let label = labels[index].0;
        // All labels after this one that are not removed will be drawn.
        let is_covered = |(other, _): &(Label, Shape)| other.overlaps(&label);
        let (before, after) = labels.split_at(index);
        let is_taken = before.iter().any(|it| it.0.is_needed && is_covered(it))
            || after[1..].iter().any(is_covered);
        if !label.is_needed && is_taken {
            labels.remove(index);
        }
    }
    labels.into_iter().map(|(_, shape)| shape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::time::Instant;

    /// The positions of the labels that are drawn, of these with three letters.
    fn drawn(labels: &[(f64, bool)]) -> Vec<String> {
        let label = |(place, is_needed): &(f64, bool)| {
            let label = Label { is_needed: *is_needed, ..Label::beside(*place, 3) };
            (label, Shape::words("", (0, "0"), place.to_string()))
        };
        Shape::texts(&with_room(labels.iter().map(label).collect()), Instant::EPOCH)
    }

    #[test]
    fn of_overlapping_labels_the_latest_one_is_drawn() {
        let labels = [0.0, 0.03, 0.06, 0.09, 0.12].map(|place| (place, false));
        assert_eq!(drawn(&labels), ["0", "0.06", "0.12"]);
    }

    #[test]
    fn a_label_that_must_be_drawn_takes_its_room_from_others() {
        let labels = [(0.0, true), (0.02, true), (0.06, false), (0.09, false)];
        assert_eq!(drawn(&labels), ["0", "0.02", "0.09"]);
        assert_eq!(drawn(&[(0.0, false), (0.04, true)]), ["0.04"]);
    }
}
