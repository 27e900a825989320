//! A small generator of random choices. The same seed gives the same choices on every target.

/// A generator of random choices.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; 0 if that is 0.
    pub fn below(&mut self, sides: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 = next;
        (next >> 33) as usize % sides.max(1)
    }

    /// One of the choices; panics if there is none.
    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
