//! The seeded generator: the only source of chance, and a part of the state.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::nanos;

/// A generator that gives the same numbers for the same seed, everywhere: the words of a ChaCha
/// stream with eight rounds, one after the other. What has been read of it is only counted, so a
/// copy of a world stays small.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rng {
    seed: [u8; 32],
    /// How many words have been read.
    words: u64,
}

/// So many words are worked out together.
const BLOCK: usize = 16;
/// "expand 32-byte k", with which every block begins.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// The words of a block that are mixed with each other, in two rounds: its columns, then its
/// diagonals.
const MIXED: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self { seed: widened(seed), words: 0 }
    }

    /// Sixteen random bytes. Consul's own ids are plain random bytes too: no version bits are set.
    pub fn bytes16(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let words: [u32; 4] = self.read();
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let [low, high] = self.read().map(u64::from);
        let wide = u128::from((high << 32) | low) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the product of two u64 shifted by 64 fits")
    }

    /// A time shorter than `bound`.
    pub fn shorter_than(&mut self, bound: Duration) -> Duration {
        Duration::from_nanos(self.below(nanos(bound)))
    }

    /// The next words of the stream.
    fn read<const N: usize>(&mut self) -> [u32; N] {
        let mut read = [0; N];
        self.read_into(&mut read);
        read
    }

    fn read_into(&mut self, read: &mut [u32]) {
        let mut block = self.block();
        for word in read {
            let place = (self.words % BLOCK as u64) as usize;
            *word = block[place];
            self.words = self.words.wrapping_add(1);
            if place + 1 == BLOCK {
                block = self.block();
            }
        }
    }

    /// The block in which the next word stands.
    fn block(&self) -> [u32; BLOCK] {
        let number = self.words / BLOCK as u64;
        let mut start = [0; BLOCK];
        start[..4].copy_from_slice(&CONSTANTS);
        for (word, bytes) in start[4..12].iter_mut().zip(self.seed.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        (start[12], start[13]) = (number as u32, (number >> 32) as u32);
        let mut block = start;
        for _ in 0..4 {
            MIXED.iter().for_each(|places| mix(&mut block, *places));
        }
        for (word, start) in block.iter_mut().zip(start) {
            *word = word.wrapping_add(start);
        }
        block
    }
}

/// The quarter round of ChaCha.
fn mix(block: &mut [u32; BLOCK], [a, b, c, d]: [usize; 4]) {
    for (left, right) in [(16, 12), (8, 7)] {
        block[a] = block[a].wrapping_add(block[b]);
        block[d] = (block[d] ^ block[a]).rotate_left(left);
        block[c] = block[c].wrapping_add(block[d]);
        block[b] = (block[b] ^ block[c]).rotate_left(right);
    }
}

/// A seed of 32 bytes out of one of eight, as `rand_core` makes it: by the generator PCG32.
fn widened(mut seed: u64) -> [u8; 32] {
    let mut wide = [0; 32];
    for bytes in wide.chunks_exact_mut(4) {
        seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
        let mixed = (((seed >> 18) ^ seed) >> 27) as u32;
        bytes.copy_from_slice(&mixed.rotate_right((seed >> 59) as u32).to_le_bytes());
    }
    wide
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
    fn the_numbers_are_those_of_the_crate_rand_chacha() {
        use rand_chacha::ChaCha8Rng;
        use rand_core::{RngCore, SeedableRng};
        for seed in [0, 1, 42, u64::MAX] {
            let (mut ours, mut theirs) = (Rng::new(seed), ChaCha8Rng::seed_from_u64(seed));
            for turn in 0..400 {
                assert_eq!(ours.below(1 << 40), theirs.next_u64() >> 24);
                if turn % 3 == 0 {
                    // From here on numbers lie across the ends of blocks, too.
                    let [word] = ours.read();
                    assert_eq!(word, theirs.next_u32());
                }
                let mut bytes = [0; 16];
                theirs.fill_bytes(&mut bytes);
                assert_eq!(ours.bytes16(), bytes);
            }
        }
    }

    #[test]
    fn a_dumped_generator_goes_on_where_it_was() {
        let mut rng = Rng::new(42);
        rng.below(9);
        let mut restored: Rng = crate::json::from_text(&crate::json::to_text(&rng)).expect("json");
        assert_eq!(restored.bytes16(), rng.bytes16());
    }
}
