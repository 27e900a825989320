//! What a person would want to find again on the line of time, each kind in the order of time.

use lictor_core::time::Instant;

use super::Shelf;

#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// From when to when a lock-delay kept everybody from a lock.
    pub delays: Shelf<(Instant, Instant)>,
    /// When somebody came to hold a lock,
    pub acquired: Shelf<Instant>,
    /// when a session ended,
    pub ended: Shelf<Instant>,
    /// and when something went wrong.
    pub faults: Shelf<Instant>,
}

impl Marks {
    /// Forgets what was over before a moment, little by little.
    pub(super) fn forget(&mut self, begin: Instant) {
        self.delays.forget(|(_, until)| *until < begin);
        for moments in self.moments() {
            moments.forget(|at| *at < begin);
        }
    }

    pub(super) fn let_go(&mut self) {
        self.delays.let_go(usize::MAX);
        for moments in self.moments() {
            moments.let_go(usize::MAX);
        }
    }

    fn moments(&mut self) -> [&mut Shelf<Instant>; 3] {
        [&mut self.acquired, &mut self.ended, &mut self.faults]
    }
}
