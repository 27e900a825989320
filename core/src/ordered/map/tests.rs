//! The map against std's tree: the same answers to the same questions.

use super::*;
use alloc::collections;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

#[test]
fn random_use_agrees_with_a_tree() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut real, mut tree) = (BTreeMap::new(), collections::BTreeMap::new());
    for step in 0..20_000_u32 {
        // Grows to some chunks, and shrinks to none.
        let is_growing = step % 5_000 < 3_000;
        let key = rng.next_u32() % 400;
        match rng.next_u32() % 8 {
            0 | 1 => assert_eq!(real.remove(&key), tree.remove(&key)),
            2 if !is_growing => assert_eq!(real.pop_first(), tree.pop_first()),
            3 if !is_growing => {
                real.retain(|it, _| it % 7 != key % 7);
                tree.retain(|it, _| it % 7 != key % 7);
            }
            4 => assert_eq!(real.entry(key).or_default(), tree.entry(key).or_default()),
            _ => assert_eq!(real.insert(key, step), tree.insert(key, step)),
        }
        let other = rng.next_u32() % 400;
        let (low, high) = (key.min(other), key.max(other));
        assert_eq!(real.get(&other), tree.get(&other), "step {step}");
        assert!(real.range(low..high).eq(tree.range(low..high)), "step {step}");
        assert!(real.range(..=high).rev().eq(tree.range(..=high).rev()), "step {step}");
        assert_eq!(real.len(), tree.len(), "step {step}");
    }
}
