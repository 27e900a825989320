//! The seeded generator: the only source of chance, and a part of the state.

use core::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::time::nanos;

/// A generator that gives the same numbers for the same seed, everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Place", into = "Place")]
pub struct Rng(ChaCha8Rng);

/// A generator in a dump: its seed and how far it has been read.
#[derive(Serialize, Deserialize)]
struct Place {
    seed: [u8; 32],
    words: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Sixteen random bytes. Consul's own ids are plain random bytes too: no version bits are set.
    pub fn bytes16(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.0.next_u64()) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the product of two u64 shifted by 64 fits")
    }

    /// A time shorter than `bound`.
    pub fn shorter_than(&mut self, bound: Duration) -> Duration {
        Duration::from_nanos(self.below(nanos(bound)))
    }
}

impl From<Rng> for Place {
    fn from(rng: Rng) -> Self {
        let words = rng.0.get_word_pos() & u128::from(u64::MAX);
        Self { seed: rng.0.get_seed(), words: u64::try_from(words).expect("64 bits were kept") }
    }
}

impl From<Place> for Rng {
    fn from(place: Place) -> Self {
        let mut rng = ChaCha8Rng::from_seed(place.seed);
        rng.set_word_pos(u128::from(place.words));
        Self(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_numbers() {
        let (mut a, mut b) = (Rng::new(42), Rng::new(42));
        assert_eq!(a.bytes16(), b.bytes16());
        assert!((0..1000).all(|_| a.below(7) < 7));
        assert_eq!(a.below(0), 0);
    }

    #[test]
    fn a_dumped_generator_goes_on_where_it_was() {
        let mut rng = Rng::new(42);
        rng.below(9);
        let mut restored: Rng = crate::json::from_text(&crate::json::to_text(&rng)).expect("json");
        assert_eq!(restored.bytes16(), rng.bytes16());
    }
}
