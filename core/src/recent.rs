//! What is remembered of the sessions that ended last.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::SessionId;

/// So many at least; of an older one only its absence is known.
const REMEMBERED: usize = 10_000;
/// So many are forgotten, copied or shared at once.
const BUNDLE: usize = 256;

/// In the order in which they ended; copies share all but the last few. They are looked for when a
/// request is refused, so a search is cheap enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent<T> {
    /// All but the last one are full.
    bundles: Vec<Arc<Vec<(SessionId, T)>>>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { bundles: Vec::new() }
    }
}

impl<T> Recent<T> {
    pub fn len(&self) -> usize {
        self.bundles.iter().map(|bundle| bundle.len()).sum()
    }

    pub fn get(&self, id: SessionId) -> Option<&T> {
        self.iter().rev().find(|(of, _)| *of == id).map(|(_, what)| what)
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &(SessionId, T)> {
        self.bundles.iter().flat_map(|bundle| bundle.iter())
    }
}

impl<T: Clone> Recent<T> {
    pub fn remember(&mut self, id: SessionId, what: T) {
        match self.bundles.last_mut().filter(|last| last.len() < BUNDLE) {
            Some(last) => Arc::make_mut(last).push((id, what)),
            None => {
                self.bundles.push(Arc::new(Vec::from([(id, what)])));
                let old = self.bundles.len().saturating_sub(REMEMBERED / BUNDLE + 2);
                self.bundles.drain(..old);
            }
        }
    }
}

impl<T: Serialize> Serialize for Recent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for item in self.iter() {
            list.serialize_element(item)?;
        }
        list.end()
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for Recent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut recent = Self::default();
        for (id, what) in Vec::deserialize(deserializer)? {
            recent.remember(id, what);
        }
        Ok(recent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> SessionId {
        SessionId::from_bytes((number as u128).to_be_bytes())
    }

    #[test]
    fn of_many_the_last_ten_thousand_at_least_are_remembered() {
        let mut recent = Recent::default();
        for number in 0..35_000 {
            recent.remember(id(number), number);
            assert!(recent.len() > number.min(REMEMBERED - 1) && recent.len() < 11_000);
        }
        assert_eq!(recent.get(id(34_999)), Some(&34_999));
        assert_eq!(recent.get(id(25_000)), Some(&25_000));
        assert_eq!(recent.get(id(20_000)), None);
    }

    #[test]
    fn a_copy_goes_its_own_way() {
        let mut recent = Recent::default();
        (0..300).for_each(|number| recent.remember(id(number), number));
        let copy = recent.clone();
        recent.remember(id(300), 300);
        assert_eq!((copy.get(id(300)), recent.get(id(300))), (None, Some(&300)));
        assert_eq!((copy.get(id(299)), copy.len()), (Some(&299), 300));
    }

    #[test]
    fn it_is_written_as_a_list_and_read_back() {
        let mut recent = Recent::default();
        (0..12_345).for_each(|number| recent.remember(id(number), number as u64));
        let bytes = postcard::to_allocvec(&recent).expect("it fits");
        let list: Vec<(SessionId, u64)> = postcard::from_bytes(&bytes).expect("a list");
        assert_eq!(list.len(), recent.len());
        assert_eq!(postcard::from_bytes::<Recent<u64>>(&bytes), Ok(recent));
    }
}
