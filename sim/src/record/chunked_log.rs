//! An append-only log in chunks: a copy shares all chunks but the last, and the oldest chunks can
//! be dropped. Positions never change.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// Items in a chunk of a [`ChunkedLog`]. The oldest chunks are dropped as a whole.
pub const CHUNK: usize = 256;
/// How many forgotten items are dropped when a chunk is added. Dropping all at once would take
/// longer than a frame.
const DROPPED_PER_CHUNK: usize = 3 * CHUNK;

/// Items by position; positions do not change when earlier items are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkedLog<T> {
    /// How many items were dropped.
    first: usize,
    /// How many of the remaining items are forgotten and will be dropped.
    old: usize,
    /// All but the last one are full.
    chunks: Vec<Arc<Vec<T>>>,
}

impl<T> Default for ChunkedLog<T> {
    fn default() -> Self {
        Self { first: 0, old: 0, chunks: Vec::new() }
    }
}

impl<T: Clone> ChunkedLog<T> {
    pub(super) fn push(&mut self, item: T) {
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => Arc::make_mut(last).push(item),
            None => {
                self.chunks.push(Arc::new(vec![item]));
                self.drop_forgotten(DROPPED_PER_CHUNK);
            }
        }
    }

    /// Marks the oldest items as forgotten, whole chunks at a time. They are dropped as new ones
    /// are added.
    pub fn forget(&mut self, is_old: impl Fn(&T) -> bool) {
        let is_past =
            |chunk: &&Arc<Vec<T>>| chunk.len() == CHUNK && chunk.last().is_some_and(&is_old);
        self.old = CHUNK * self.chunks.iter().take_while(is_past).count();
    }

    /// Drops forgotten items in whole chunks, at most this many.
    pub fn drop_forgotten(&mut self, count: usize) {
        let chunks = count.min(self.old) / CHUNK;
        self.chunks.drain(..chunks);
        let going = chunks * CHUNK;
        (self.first, self.old) = (self.first + going, self.old - going);
    }

    /// The memory in bytes of a copy: the list of chunks, and the last chunk once it changes.
    pub(super) fn weight(&self) -> usize {
        self.chunks.len() * size_of::<usize>() + CHUNK * size_of::<T>()
    }

    /// The position of the first item that is still there.
    pub fn first(&self) -> usize {
        self.first
    }

    /// How many items were ever added, dropped ones included.
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(CHUNK, |last| last.len());
        self.first + self.chunks.len() * CHUNK + last - CHUNK
    }

    /// Whether nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item of a position; `None` if it was dropped or is not there yet.
    pub fn get(&self, place: usize) -> Option<&T> {
        let place = place.checked_sub(self.first)?;
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }

    /// The position of the first item for which the condition is false.
    pub fn partition_point(&self, is_in_front: impl Fn(&T) -> bool) -> usize {
        let (mut from, mut to) = (self.first, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.get(middle).is_some_and(&is_in_front) { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// The item that was added last.
    pub fn last(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    /// The items that are still there, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (self.first..self.len()).filter_map(|place| self.get(place))
    }
}

/// Drops the first items of a list while they are old, and returns how many.
pub(super) fn forget<T>(list: &mut Vec<T>, is_old: &dyn Fn(&T) -> bool) -> usize {
    let old = list.iter().take_while(|item| is_old(item)).count();
    list.drain(..old);
    old
}

impl<T: Clone> FromIterator<T> for ChunkedLog<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut log = Self::default();
        for item in items {
            log.push(item);
        }
        log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(count: usize) -> ChunkedLog<usize> {
        (0..count).collect()
    }

    #[test]
    fn items_keep_their_positions_when_earlier_ones_are_forgotten() {
        let mut log = log(1_000);
        log.forget(|item| *item < 600);
        assert_eq!(log.first(), 0, "nothing has come since");
        log.drop_forgotten(usize::MAX);
        assert_eq!((log.first(), log.len()), (512, 1_000));
        assert_eq!((log.get(511), log.get(512), log.get(1_000)), (None, Some(&512), None));
        assert_eq!(log.iter().copied().collect::<Vec<_>>(), (512..1_000).collect::<Vec<_>>());
        assert_eq!((log.last(), ChunkedLog::<usize>::default().last()), (Some(&999), None));
    }

    #[test]
    fn forgotten_items_are_dropped_as_others_are_added() {
        let mut log = log(10 * CHUNK);
        log.forget(|item| *item < 5 * CHUNK);
        let mut firsts = Vec::new();
        for item in 0..3 * CHUNK {
            log.push(item);
            firsts.push(log.first());
        }
        firsts.dedup();
        assert_eq!((firsts, log.len()), (vec![DROPPED_PER_CHUNK, 5 * CHUNK], 13 * CHUNK));
    }

    #[test]
    fn a_copy_is_independent() {
        let one = log(300);
        let mut other = one.clone();
        other.push(7);
        assert_eq!((one.len(), other.len(), other.last()), (300, 301, Some(&7)));
        assert_eq!((ChunkedLog::<usize>::default().len(), log(256).len()), (0, 256));
    }
}
