//! The seeded random number generator: the only source of randomness in an engine or a world, and
//! part of its state, so that a clone continues with the same numbers.

use core::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

use crate::time::nanos;

/// A generator that gives the same numbers for the same seed on every platform: ChaCha with eight
/// rounds. Its state is the seed and the number of words that were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rng {
    seed: [u8; 32],
    /// How many words have been read.
    words: u64,
}

impl Rng {
    /// A generator at its beginning.
    pub fn new(seed: u64) -> Self {
        Self { seed: ChaCha8Rng::seed_from_u64(seed).get_seed(), words: 0 }
    }

    /// Sixteen random bytes. Consul's own ids are plain random bytes too: no version bits are set.
    pub fn bytes16(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        self.read(|stream| stream.fill_bytes(&mut bytes));
        bytes
    }

    /// A random number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.read(ChaCha8Rng::next_u64)) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the product of two u64 shifted by 64 fits")
    }

    /// A random duration below `bound`.
    pub fn shorter_than(&mut self, bound: Duration) -> Duration {
        Duration::from_nanos(self.below(nanos(bound)))
    }

    fn read<T>(&mut self, read: impl FnOnce(&mut ChaCha8Rng) -> T) -> T {
        let mut stream = ChaCha8Rng::from_seed(self.seed);
        stream.set_word_pos(self.words.into());
        let value = read(&mut stream);
        // Positions above 2^64 words are never reached.
        self.words = stream.get_word_pos() as u64;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (mut a, mut b) = (Rng::new(42), Rng::new(42));
        assert_eq!(a.bytes16(), b.bytes16());
        assert!((0..1000).all(|_| a.below(7) < 7));
        assert_eq!(a.below(0), 0);
    }

    #[test]
    fn all_reads_share_one_stream() {
        for seed in [0, 1, 42, u64::MAX] {
            let (mut rng, mut stream) = (Rng::new(seed), ChaCha8Rng::seed_from_u64(seed));
            for _ in 0..400 {
                assert_eq!(rng.below(1 << 40), stream.next_u64() >> 24);
                let mut bytes = [0; 16];
                stream.fill_bytes(&mut bytes);
                assert_eq!(rng.bytes16(), bytes);
            }
        }
    }

    #[test]
    fn a_restored_generator_continues_its_stream() {
        let mut rng = Rng::new(42);
        rng.below(9);
        let mut restored: Rng = crate::json::from_text(&crate::json::to_text(&rng)).expect("json");
        assert_eq!(restored.bytes16(), rng.bytes16());
    }
}
