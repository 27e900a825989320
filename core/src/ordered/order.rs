//! An order of numbered things, in sorted chunks: to find is two binary searches, and a change
//! moves the numbers of one chunk. It does not know the things: whoever asks compares them. So this
//! is compiled once for all maps.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// A chunk of so many numbers is split before it takes one more.
const MOST: usize = 64;

/// Which chunk, and where in it. The end is the place after the last chunk.
pub(super) type Place = (usize, usize);

/// How the thing of a number compares with what is looked for.
pub(super) type Compare<'a> = &'a mut dyn FnMut(usize) -> Ordering;

/// No chunk is empty.
#[derive(Clone, Default)]
pub(super) struct Order {
    chunks: Vec<Vec<u32>>,
    /// Numbers below the highest one that stand nowhere.
    free: Vec<u32>,
    len: usize,
}

/// Numbers in order, from both ends.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    chunks: &'a [Vec<u32>],
    front: Place,
    back: Place,
}

impl Order {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn end(&self) -> Place {
        (self.chunks.len(), 0)
    }

    /// The first place where `compare` is not less, and whether it is equal there. What is equal
    /// counts as `equal`, so that a place before or after all equals can be found.
    pub(super) fn find(&self, equal: Ordering, compare: Compare<'_>) -> Result<Place, Place> {
        let mut compare = |number: &u32| compare(*number as usize).then(equal);
        let at = self.chunks.partition_point(|chunk| compare(&chunk[0]).is_le()).saturating_sub(1);
        let Some(chunk) = self.chunks.get(at) else { return Err((0, 0)) };
        match chunk.binary_search_by(compare) {
            Ok(place) => Ok((at, place)),
            Err(place) => Err((at, place)),
        }
    }

    pub(super) fn number(&self, (at, place): Place) -> usize {
        self.chunks[at][place] as usize
    }

    /// Gives a number to something new, where [`Order::find`] says that it belongs.
    pub(super) fn put(&mut self, (mut at, mut place): Place) -> usize {
        let number = self.free.pop().unwrap_or(self.len as u32);
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
        self.chunks[at].insert(place, number);
        number as usize
    }

    /// Takes a number out; it will be given again.
    pub(super) fn take(&mut self, (at, place): Place) -> usize {
        let number = self.chunks[at].remove(place);
        if self.chunks[at].is_empty() {
            self.chunks.remove(at);
        }
        self.free.push(number);
        self.len -= 1;
        number as usize
    }

    pub(super) fn retain(&mut self, is_kept: &mut dyn FnMut(usize) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain(|number| {
                let is_kept = is_kept(*number as usize);
                if !is_kept {
                    self.free.push(*number);
                    self.len -= 1;
                }
                is_kept
            });
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
    }

    pub(super) fn walk(&self, front: Place, back: Place) -> Walk<'_> {
        Walk { chunks: &self.chunks, front: self.settled(front), back: self.settled(back) }
    }

    /// The end of a chunk is the start of the next one.
    fn settled(&self, place: Place) -> Place {
        settled(&self.chunks, place)
    }
}

fn settled(chunks: &[Vec<u32>], (at, place): Place) -> Place {
    match chunks.get(at) {
        Some(chunk) if chunk.len() == place => (at + 1, 0),
        _ => (at, place),
    }
}

impl Iterator for Walk<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.front >= self.back {
            return None;
        }
        let (at, place) = self.front;
        self.front = settled(self.chunks, (at, place + 1));
        Some(self.chunks[at][place] as usize)
    }
}

impl DoubleEndedIterator for Walk<'_> {
    fn next_back(&mut self) -> Option<usize> {
        if self.front >= self.back {
            return None;
        }
        self.back = match self.back {
            (at, 0) => (at - 1, self.chunks[at - 1].len() - 1),
            (at, place) => (at, place - 1),
        };
        Some(self.chunks[self.back.0][self.back.1] as usize)
    }
}
