//! Flat maps as they are built and read back: entry by entry, so that the number of entries that
//! damaged bytes promise reserves no memory, and that no sort comes with them.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use litemap::LiteMap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The entries as a map; quick if they come in order.
pub(crate) fn collect<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> LiteMap<K, V> {
    let mut map = LiteMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// For `deserialize_with`.
pub(crate) fn read<'de, D, K, V>(deserializer: D) -> Result<LiteMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    Flat::deserialize(deserializer).map(|map| map.0)
}

/// The same where there may be none.
pub(crate) fn read_option<'de, D, K, V>(deserializer: D) -> Result<Option<LiteMap<K, V>>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    let map = Option::<Flat<K, V>>::deserialize(deserializer)?;
    Ok(map.map(|map| map.0))
}

type List<K, V> = Vec<Option<LiteMap<K, V>>>;

/// The same for a list of them, where there may be none.
pub(crate) fn read_list<'de, D, K, V>(deserializer: D) -> Result<Option<List<K, V>>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    let maps = Option::<Vec<Option<Flat<K, V>>>>::deserialize(deserializer)?;
    Ok(maps.map(|maps| maps.into_iter().map(|map| map.map(|map| map.0)).collect()))
}

struct Flat<K, V>(LiteMap<K, V>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Flat<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = Flat<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Flat<K, V>, A::Error> {
        let mut map = LiteMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(Flat(map))
    }
}
