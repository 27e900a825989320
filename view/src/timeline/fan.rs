//! Places the marks of one instant next to each other, so that none hides another. After five
//! marks, further ones are drawn over the last.

use std::collections::BTreeMap;

use lictor_core::time::Instant;

/// How many marks of one instant are drawn beside the first; further ones are drawn over the last.
const MOST: u32 = 4;

/// Counts the marks of each instant of a lane.
#[derive(Default)]
pub(super) struct Fan {
    counts: BTreeMap<Instant, u32>,
}

impl Fan {
    /// The number of steps by which the next mark of this instant is moved to the right.
    pub(super) fn beside(&mut self, at: Instant) -> u32 {
        let count = self.counts.entry(at).or_default();
        let beside = *count;
        *count = (beside + 1).min(MOST);
        beside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_one_instant_are_counted_up_to_a_limit() {
        let (one, two) = (Instant::from_millis(1), Instant::from_millis(2));
        let mut fan = Fan::default();
        let places = [one, one, two, one].map(|at| fan.beside(at));
        assert_eq!(places, [0, 1, 0, 2]);
        assert_eq!((0..9).map(|_| fan.beside(two)).last(), Some(MOST));
    }
}
