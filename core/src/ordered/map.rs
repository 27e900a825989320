//! A map whose entries lie in a list, in any order, beside the [`Order`] of their places there.
//! Most of its work is the order's; little is compiled anew for each kind of entry.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, RangeBounds};

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::order::{Order, Place, Walk};

#[derive(Clone)]
pub struct BTreeMap<K, V> {
    order: Order,
    /// By number; none where the number is free.
    entries: Vec<Option<(K, V)>>,
}

/// Entries in order, from both ends.
pub struct Iter<'a, K, V> {
    entries: &'a [Option<(K, V)>],
    numbers: Walk<'a>,
}

/// Entries in order, taken out one by one.
pub struct IntoIter<K, V>(BTreeMap<K, V>);

pub struct Entry<'a, K, V> {
    map: &'a mut BTreeMap<K, V>,
    key: K,
}

impl<K, V> BTreeMap<K, V> {
    pub fn new() -> Self {
        Self { order: Order::default(), entries: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        self.between((0, 0), self.order.end())
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub fn pop_first(&mut self) -> Option<(K, V)> {
        if self.is_empty() { None } else { self.take((0, 0)) }
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        self.order.retain(&mut |number| {
            let entry = &mut self.entries[number];
            let stays = entry.as_mut().is_some_and(|(key, value)| is_kept(key, value));
            if !stays {
                *entry = None;
            }
            stays
        });
    }

    fn between(&self, front: Place, back: Place) -> Iter<'_, K, V> {
        Iter { entries: &self.entries, numbers: self.order.walk(front, back) }
    }

    fn value(&mut self, number: usize) -> Option<&mut V> {
        self.entries.get_mut(number)?.as_mut().map(|(_, value)| value)
    }

    fn take(&mut self, place: Place) -> Option<(K, V)> {
        self.entries[self.order.take(place)].take()
    }
}

impl<K: Ord, V> BTreeMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q, equal: Ordering) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.order.find(equal, &mut |number| match &self.entries[number] {
            Some((it, _)) => it.borrow().cmp(key),
            None => Ordering::Less,
        })
    }

    fn place_of<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.find(key, Ordering::Equal)
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let number = self.order.number(self.place_of(key).ok()?);
        self.entries[number].as_ref().map(|(_, value)| value)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let number = self.order.number(self.place_of(key).ok()?);
        self.value(number)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place_of(key).is_ok()
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let number = self.number_of(&key);
        self.entries[number].replace((key, value)).map(|(_, value)| value)
    }

    /// The number of a key; if it is new, one without an entry.
    fn number_of(&mut self, key: &K) -> usize {
        match self.place_of(key) {
            Ok(place) => self.order.number(place),
            Err(place) => {
                let number = self.order.put(place);
                if number == self.entries.len() {
                    self.entries.push(None);
                }
                number
            }
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(key).ok()?;
        self.take(place)
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    pub fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(&self, range: R) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let front = match range.start_bound() {
            Bound::Unbounded => (0, 0),
            Bound::Included(key) => self.edge(key, Ordering::Greater),
            Bound::Excluded(key) => self.edge(key, Ordering::Less),
        };
        let back = match range.end_bound() {
            Bound::Unbounded => self.order.end(),
            Bound::Included(key) => self.edge(key, Ordering::Less),
            Bound::Excluded(key) => self.edge(key, Ordering::Greater),
        };
        self.between(front, back)
    }

    /// The place before all entries that equal the key, or after them; `equal` is how they count.
    fn edge<Q: Ord + ?Sized>(&self, key: &Q, equal: Ordering) -> Place
    where
        K: Borrow<Q>,
    {
        let (Ok(place) | Err(place)) = self.find(key, equal);
        place
    }
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let number = self.map.number_of(&self.key);
        &mut self.map.entries[number].get_or_insert_with(|| (self.key, make())).1
    }

    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        shown(self.entries, self.numbers.next()?)
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        shown(self.entries, self.numbers.next_back()?)
    }
}

fn shown<K, V>(entries: &[Option<(K, V)>], number: usize) -> Option<(&K, &V)> {
    entries[number].as_ref().map(|(key, value)| (key, value))
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        self.0.pop_first()
    }
}

impl<K, V> IntoIterator for BTreeMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        IntoIter(self)
    }
}

impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> Default for BTreeMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for BTreeMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for BTreeMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for BTreeMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for BTreeMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for BTreeMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Serialize, V: Serialize> Serialize for BTreeMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for BTreeMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Takes what is read entry by entry.
struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests;
