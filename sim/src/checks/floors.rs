//! Indexes of reads never fall: the index of an answer is at least the highest one that any
//! client had received for the same read before it was sent, until tombstones are reaped (IDX-09)
//! or a recursive deletion leaves its only tombstone above a list (IDX-10). `Checks` calls this.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::event::{Outcome, Verdict};
use crate::request_form::key_in;
use alloc::collections::{BTreeMap, VecDeque};
use lictor_core::http::HttpRequest;
use lictor_core::id::{Index, Key, RequestId};

/// How many reads are remembered. Beyond that the oldest is dropped, and its check starts again.
const READS_MAX: usize = 10_000;

/// The highest index that was returned for each read, and the floors of the calls under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Floors {
    highest: BTreeMap<Read, Index>,
    /// The reads in `highest`, oldest first.
    order: VecDeque<Read>,
    asked: BTreeMap<RequestId, (Read, Index)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Read {
    Key(String),
    /// A prefix. A separator hides keys, but the index is that of all of them (IDX-06).
    List(String),
}

impl Read {
    fn of(request: &HttpRequest) -> Option<Self> {
        if request.method != "GET" {
            return None;
        }
        let key = key_in(request)?.into_owned();
        let query = request.target.split_once('?').map_or("", |(_, query)| query);
        let names = query.split('&').map(|it| it.split('=').next().unwrap_or_default());
        let is_list = names.into_iter().any(|name| name == "recurse" || name == "keys");
        Some(if is_list { Self::List(key) } else { Self::Key(key) })
    }
}

impl Floors {
    pub(super) fn asked(&mut self, id: RequestId, request: &HttpRequest) {
        if let Some(read) = Read::of(request) {
            let floor = self.highest.get(&read).copied().unwrap_or_default();
            self.asked.insert(id, (read, floor));
        }
    }

    /// Whether the index of an answer is at least its floor.
    pub(super) fn answered(&mut self, id: RequestId, outcome: &Outcome) -> bool {
        let Some((read, floor)) = self.asked.remove(&id) else { return true };
        let (Verdict::Ok | Verdict::Missing, Some(index)) = (outcome.verdict, outcome.index) else {
            return true;
        };
        if !self.highest.contains_key(&read) {
            self.order.push_back(read.clone());
        }
        let highest = self.highest.entry(read).or_default();
        *highest = index.max(*highest);
        if self.order.len() > READS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.highest.remove(&oldest);
        }
        index >= floor
    }

    pub(super) fn forget_call(&mut self, id: RequestId) {
        self.asked.remove(&id);
    }

    /// A recursive deletion above these lists leaves one tombstone, so their indexes may fall.
    pub(super) fn buried(&mut self, key: &Key) {
        self.forget(|prefix| prefix.starts_with(key.as_str()) && *prefix != *key.as_str());
    }

    pub(super) fn reaped(&mut self) {
        self.forget(|_| true);
    }

    /// Pending calls are not checked either, as they may be answered before or after the deletion.
    fn forget(&mut self, is_one: impl Fn(&str) -> bool) {
        let is_kept = |read: &Read| match read {
            Read::Key(_) => true,
            Read::List(prefix) => !is_one(prefix),
        };
        self.highest.retain(|read, _| is_kept(read));
        self.order.retain(is_kept);
        self.asked.retain(|_, (read, _)| is_kept(read));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_reads_are_remembered() {
        let mut floors = Floors::default();
        for number in 0..2 * READS_MAX as u64 {
            let target = alloc::format!("/v1/kv/key-{number}");
            floors.asked(RequestId(number), &HttpRequest::new("GET", &target, b""));
            assert!(floors.answered(RequestId(number), &found(Index(number + 1))));
        }
        assert_eq!((floors.highest.len(), floors.order.len()), (READS_MAX, READS_MAX));
    }

    fn found(index: Index) -> Outcome {
        Outcome {
            verdict: Verdict::Ok,
            index: Some(index),
            reason: None,
            because: None,
            problem: None,
            waited: None,
            wake: None,
        }
    }
}
