//! Flat maps as they are read back: entry by entry, so that the number of entries that damaged
//! bytes promise reserves no memory.

use alloc::vec::Vec;

use litemap::LiteMap;
use serde::{Deserialize, Deserializer};

use crate::ordered::BTreeMap;

/// For `deserialize_with`.
pub(crate) fn read<'de, D, K, V>(deserializer: D) -> Result<LiteMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    let map = BTreeMap::<K, V>::deserialize(deserializer)?;
    Ok(map.into_iter().collect())
}

/// The same where there may be none.
pub(crate) fn read_option<'de, D, K, V>(deserializer: D) -> Result<Option<LiteMap<K, V>>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    let map = Option::<BTreeMap<K, V>>::deserialize(deserializer)?;
    Ok(map.map(|map| map.into_iter().collect()))
}

type List<K, V> = Vec<Option<LiteMap<K, V>>>;

/// The same for a list of them, where there may be none.
pub(crate) fn read_list<'de, D, K, V>(deserializer: D) -> Result<Option<List<K, V>>, D::Error>
where
    D: Deserializer<'de>,
    K: Ord + Deserialize<'de>,
    V: Deserialize<'de>,
{
    let maps = Option::<Vec<Option<BTreeMap<K, V>>>>::deserialize(deserializer)?;
    let flat = |map: Option<BTreeMap<K, V>>| map.map(|map| map.into_iter().collect());
    Ok(maps.map(|maps| maps.into_iter().map(flat).collect()))
}
