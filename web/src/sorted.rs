//! A map in one sorted list. It does what the page needs of a map with a fraction of the code of a tree,
//! of which the page would carry one for each kind of row; moving ten thousand rows takes microseconds.

/// Keys in order, each with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorted<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<K: Ord, V> Sorted<K, V> {
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.find(key).ok().map(|at| &mut self.entries[at].1)
    }

    /// Puts a value in place of any earlier one of its key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(at) => self.entries[at].1 = value,
            Err(at) => self.entries.insert(at, (key, value)),
        }
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    fn find(&self, key: &K) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| known.cmp(key))
    }
}

impl<K: Ord + Clone, V: Default> Sorted<K, V> {
    /// The value of a key, made now if there is none.
    pub fn or_default(&mut self, key: &K) -> &mut V {
        let at = self.find(key).unwrap_or_else(|at| {
            self.entries.insert(at, (key.clone(), V::default()));
            at
        });
        &mut self.entries[at].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_in_order_and_are_found() {
        let mut map = Sorted::default();
        for key in [5, 1, 9, 3] {
            map.insert(key, key * 10);
        }
        map.insert(1, 11);
        assert_eq!(map.keys().copied().collect::<Vec<_>>(), [1, 3, 5, 9]);
        assert_eq!((map.get(&1), map.get(&2)), (Some(&11), None));
        assert_eq!((map.remove(&5), map.remove(&5)), (Some(50), None));
        *map.or_default(&7) += 1;
        assert_eq!(map.get(&7), Some(&1));
    }
}
