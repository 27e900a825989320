//! Maps and sets in sorted chunks: to find is two binary searches, and a change moves the entries
//! of one chunk. No chunk is empty.

use alloc::vec::{IntoIter, Vec};
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ops::{Bound, RangeBounds};

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone)]
pub(crate) struct BTreeMap<K, V> {
    chunks: Vec<Vec<(K, V)>>,
    len: usize,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct BTreeSet<T>(BTreeMap<T, ()>);

/// Which chunk, and where in it. The end is the place after the last chunk.
type Place = (usize, usize);

/// Entries in order, from both ends.
pub(crate) struct Iter<'a, K, V> {
    chunks: &'a [Vec<(K, V)>],
    front: Place,
    back: Place,
}

pub(crate) struct Entry<'a, K, V> {
    map: &'a mut BTreeMap<K, V>,
    key: K,
}

impl<K, V> BTreeMap<K, V> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter { chunks: &self.chunks, front: (0, 0), back: (self.chunks.len(), 0) }
    }

    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        if self.is_empty() { None } else { Some(self.take((0, 0))) }
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| is_kept(key, value));
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
        self.len = self.chunks.iter().map(Vec::len).sum();
    }

    /// The first place where `order` is not less; `Ok` if it is equal there.
    fn find(&self, mut order: impl FnMut(&K) -> Ordering) -> Result<Place, Place> {
        let at = self.chunks.partition_point(|chunk| order(&chunk[0].0).is_le()).saturating_sub(1);
        let Some(chunk) = self.chunks.get(at) else { return Err((0, 0)) };
        match chunk.binary_search_by(|(key, _)| order(key)) {
            Ok(place) => Ok((at, place)),
            Err(place) => Err((at, place)),
        }
    }

    /// Puts an entry where [`BTreeMap::find`] says that it belongs.
    fn put(&mut self, (mut at, mut place): Place, entry: (K, V)) -> &mut V {
        self.len += 1;
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        if self.chunks[at].len() == MOST {
            let upper = self.chunks[at].split_off(MOST / 2);
            self.chunks.insert(at + 1, upper);
            if place > MOST / 2 {
                (at, place) = (at + 1, place - MOST / 2);
            }
        }
        self.chunks[at].insert(place, entry);
        &mut self.chunks[at][place].1
    }

    fn take(&mut self, (at, place): Place) -> (K, V) {
        self.len -= 1;
        let entry = self.chunks[at].remove(place);
        if self.chunks[at].is_empty() {
            self.chunks.remove(at);
        }
        entry
    }
}

impl<K: Ord, V> BTreeMap<K, V> {
    fn place_of<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.find(|it| it.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (at, place) = self.place_of(key).ok()?;
        Some(&self.chunks[at][place].1)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (at, place) = self.place_of(key).ok()?;
        Some(&mut self.chunks[at][place].1)
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place_of(key).is_ok()
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place_of(&key) {
            Ok((at, place)) => Some(mem::replace(&mut self.chunks[at][place].1, value)),
            Err(place) => {
                self.put(place, (key, value));
                None
            }
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    pub(crate) fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(key).ok()?;
        Some(self.take(place))
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    pub(crate) fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(&self, range: R) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let start = match range.start_bound() {
            Bound::Unbounded => (0, 0),
            Bound::Included(key) => self.edge(key, Ordering::Greater),
            Bound::Excluded(key) => self.edge(key, Ordering::Less),
        };
        let end = match range.end_bound() {
            Bound::Unbounded => (self.chunks.len(), 0),
            Bound::Included(key) => self.edge(key, Ordering::Less),
            Bound::Excluded(key) => self.edge(key, Ordering::Greater),
        };
        Iter { chunks: &self.chunks, front: start, back: end }
    }

    /// The place before all entries that equal the key, or after them; `equal` is how they count.
    fn edge<Q: Ord + ?Sized>(&self, key: &Q, equal: Ordering) -> Place
    where
        K: Borrow<Q>,
    {
        let (Ok(place) | Err(place)) = self.find(|it| it.borrow().cmp(key).then(equal));
        settled(&self.chunks, place)
    }
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    pub(crate) fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self.map.place_of(&self.key) {
            Ok((at, place)) => &mut self.map.chunks[at][place].1,
            Err(place) => self.map.put(place, (self.key, make())),
        }
    }

    pub(crate) fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<T> BTreeSet<T> {
    pub(crate) fn new() -> Self {
        Self(BTreeMap::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.keys()
    }

    pub(crate) fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }

    pub(crate) fn pop_first(&mut self) -> Option<T> {
        self.0.pop_first().map(|(item, ())| item)
    }
}

impl<T: Ord> BTreeSet<T> {
    pub(crate) fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    pub(crate) fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    pub(crate) fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(
        &self,
        range: R,
    ) -> impl DoubleEndedIterator<Item = &T>
    where
        T: Borrow<Q>,
    {
        self.0.range(range).map(|(item, ())| item)
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        let (at, place) = self.front;
        self.front = settled(self.chunks, (at, place + 1));
        let (key, value) = &self.chunks[at][place];
        Some((key, value))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        let (at, place) = self.back;
        self.back = match place {
            0 => (at - 1, self.chunks[at - 1].len() - 1),
            _ => (at, place - 1),
        };
        let (key, value) = &self.chunks[self.back.0][self.back.1];
        Some((key, value))
    }
}

/// The end of a chunk is the start of the next one.
fn settled<T>(chunks: &[Vec<T>], (at, place): Place) -> Place {
    match chunks.get(at) {
        Some(chunk) if chunk.len() == place => (at + 1, 0),
        _ => (at, place),
    }
}

impl<K, V> Default for BTreeMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Default for BTreeSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for BTreeMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for BTreeMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for BTreeMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for BTreeSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for BTreeMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<T: Ord> Extend<T> for BTreeSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
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

impl<T: Ord> FromIterator<T> for BTreeSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<K, V> IntoIterator for BTreeMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        let mut all = Vec::with_capacity(self.len);
        for mut chunk in self.chunks {
            all.append(&mut chunk);
        }
        all.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for BTreeSet<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(item, ())| item).collect::<Vec<_>>().into_iter()
    }
}

impl<K: Serialize, V: Serialize> Serialize for BTreeMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<T: Serialize> Serialize for BTreeSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.len()))?;
        for item in self.iter() {
            items.serialize_element(item)?;
        }
        items.end()
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for BTreeMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read::<Self>(PhantomData))
    }
}

impl<'de, T: Ord + Deserialize<'de>> Deserialize<'de> for BTreeSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Read::<Self>(PhantomData))
    }
}

/// Takes what is read entry by entry.
struct Read<T>(PhantomData<T>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Read<BTreeMap<K, V>> {
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

impl<'de, T: Ord + Deserialize<'de>> Visitor<'de> for Read<BTreeSet<T>> {
    type Value = BTreeSet<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut set = BTreeSet::new();
        while let Some(item) = items.next_element()? {
            set.insert(item);
        }
        Ok(set)
    }
}

/// A chunk of so many entries is split before it takes one more.
const MOST: usize = 64;

#[cfg(test)]
mod tests;
