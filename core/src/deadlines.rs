//! A queue of deadlines by key, popped in the order of (time, key). Each key has at most one
//! deadline.

use alloc::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::time::Instant;

/// A set of deadlines: at most one for each key, ordered by `(deadline, key)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "BTreeMap<K, Instant>",
    into = "BTreeMap<K, Instant>",
    bound(
        serialize = "K: Clone + Ord + Serialize",
        deserialize = "K: Clone + Ord + Deserialize<'de>"
    )
)]
pub struct Deadlines<K> {
    by_key: BTreeMap<K, Instant>,
    in_order: BTreeSet<(Instant, K)>,
}

impl<K> Default for Deadlines<K> {
    fn default() -> Self {
        Self { by_key: BTreeMap::new(), in_order: BTreeSet::new() }
    }
}

impl<K: Clone + Ord> Deadlines<K> {
    /// Sets the deadline of `key`, in place of any that it had.
    pub fn set(&mut self, key: K, at: Instant) {
        self.clear(&key);
        self.in_order.insert((at, key.clone()));
        self.by_key.insert(key, at);
        debug_assert_eq!(self.by_key.len(), self.in_order.len(), "a key has one deadline");
    }

    /// Removes the deadline of `key`, if it has one.
    pub fn clear(&mut self, key: &K) {
        if let Some((key, at)) = self.by_key.remove_entry(key) {
            self.in_order.remove(&(at, key));
        }
    }

    /// The deadline of `key`.
    pub fn get(&self, key: &K) -> Option<Instant> {
        self.by_key.get(key).copied()
    }

    /// The earliest deadline and its key.
    pub fn next(&self) -> Option<(Instant, &K)> {
        self.in_order.first().map(|(at, key)| (*at, key))
    }

    /// Removes and returns the earliest deadline if it is not after `now`.
    pub fn pop_due(&mut self, now: Instant) -> Option<(Instant, K)> {
        let (at, _) = self.next()?;
        if at > now {
            return None;
        }
        let (at, key) = self.in_order.pop_first()?;
        self.by_key.remove(&key);
        Some((at, key))
    }

    /// All deadlines, earliest first.
    pub fn iter(&self) -> impl Iterator<Item = (Instant, &K)> {
        self.in_order.iter().map(|(at, key)| (*at, key))
    }

    /// How many deadlines are set.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether no deadline is set.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

impl<K: Clone + Ord> From<BTreeMap<K, Instant>> for Deadlines<K> {
    fn from(by_key: BTreeMap<K, Instant>) -> Self {
        let mut deadlines = Self::default();
        for (key, at) in by_key {
            deadlines.set(key, at);
        }
        deadlines
    }
}

impl<K> From<Deadlines<K>> for BTreeMap<K, Instant> {
    fn from(deadlines: Deadlines<K>) -> Self {
        deadlines.by_key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    /// The reference that `Deadlines` is compared with: a plain list.
    #[derive(Default)]
    struct PlainList(Vec<(u32, Instant)>);

    impl PlainList {
        fn set(&mut self, key: u32, at: Instant) {
            self.0.retain(|(k, _)| *k != key);
            self.0.push((key, at));
        }

        fn pop_due(&mut self, now: Instant) -> Option<(Instant, u32)> {
            let first =
                self.0.iter().map(|(k, at)| (*at, *k)).filter(|(at, _)| *at <= now).min()?;
            self.0.retain(|(k, _)| *k != first.1);
            Some(first)
        }
    }

    #[test]
    fn random_use_agrees_with_a_plain_list() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (mut real, mut naive) = (Deadlines::default(), PlainList::default());
        for step in 0..5_000 {
            let key = rng.next_u32() % 16;
            let at = Instant::from_nanos(u64::from(rng.next_u32() % 64));
            match rng.next_u32() % 4 {
                0 | 1 => {
                    real.set(key, at);
                    naive.set(key, at);
                }
                2 => {
                    real.clear(&key);
                    naive.0.retain(|(k, _)| *k != key);
                }
                _ => assert_eq!(real.pop_due(at), naive.pop_due(at), "seed=7 step={step}"),
            }
            assert_eq!(real.len(), naive.0.len(), "seed=7 step={step}");
        }
    }
}
