//! Indexes of reads never fall: the index of an answer is at least its floor, the highest index
//! that any client had received for the same read before the request was sent. The index of a list
//! may fall after tombstones are reaped (IDX-09), and after a recursive deletion leaves its only
//! tombstone above the list (IDX-10).

use alloc::collections::{BTreeMap, VecDeque};

use lictor_core::id::{Index, Key, RequestId};
use lictor_core::message::Operation;
use lictor_core::store::Query;
use serde::{Deserialize, Serialize};

use crate::call::{Call, Outcome, Verdict};

/// How many reads are remembered at most. Beyond that the oldest is dropped, and its check starts
/// again.
const READS_MAX: usize = 10_000;

/// The highest index that was returned for each read, and the floors of the calls under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Floors {
    highest: BTreeMap<Read, Index>,
    /// The reads in `highest`, oldest first.
    order: VecDeque<Read>,
    /// The pending calls, each with its read and the floor of its answer.
    asked: BTreeMap<RequestId, (Read, Index)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Read {
    Key(Key),
    /// A prefix. A separator hides keys, but the index is that of all of them (IDX-06).
    List(Key),
}

impl Read {
    fn of(call: &Call) -> Option<Self> {
        let Operation::Read { query, .. } = call.operation()? else { return None };
        match query {
            Query::Key(key) => Some(Self::Key(key.clone())),
            Query::Tree(prefix) | Query::Keys { prefix, .. } => Some(Self::List(prefix.clone())),
            _ => None,
        }
    }
}

impl Floors {
    /// The number of entries that are kept. A read that is remembered has two: one in `highest` and
    /// one in `order`.
    pub(super) fn rows(&self) -> usize {
        2 * self.highest.len() + self.asked.len()
    }

    /// Notes the floor for the answer to a call that was just sent.
    pub(super) fn asked(&mut self, call: &Call) {
        if let Some(read) = Read::of(call) {
            let floor = self.highest.get(&read).copied().unwrap_or_default();
            self.asked.insert(call.id, (read, floor));
        }
    }

    /// Whether the index of an answer is at least its floor.
    pub(super) fn answered(&mut self, id: RequestId, outcome: &Outcome) -> bool {
        let Some((read, floor)) = self.asked.remove(&id) else { return true };
        let (Verdict::Ok | Verdict::Missing, Some(index)) = (outcome.verdict(), outcome.index())
        else {
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

    /// Tombstones were reaped, so the indexes of all lists may fall.
    pub(super) fn reaped(&mut self) {
        self.forget(|_| true);
    }

    /// Drops the highest indexes of these lists, and the floors of their pending calls, which may
    /// be answered before or after the deletion.
    fn forget(&mut self, is_one: impl Fn(&str) -> bool) {
        let is_kept = |read: &Read| match read {
            Read::Key(_) => true,
            Read::List(prefix) => !is_one(prefix.as_str()),
        };
        self.highest.retain(|read, _| is_kept(read));
        self.order.retain(is_kept);
        self.asked.retain(|_, (read, _)| is_kept(read));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Caller, Effects};
    use alloc::vec::Vec;
    use lictor_core::engine::Config;
    use lictor_core::http::{self, Agent, HttpRequest, HttpResponse};
    use lictor_core::message::{Answer, Response};
    use lictor_core::store::Found;

    #[test]
    fn only_the_latest_reads_are_remembered() {
        let mut floors = Floors::default();
        for number in 0..2 * READS_MAX as u64 {
            let call = read(number);
            floors.asked(&call);
            assert!(floors.answered(call.id, &found(Index(number + 1))));
        }
        assert_eq!((floors.highest.len(), floors.order.len()), (READS_MAX, READS_MAX));
    }

    fn read(number: u64) -> Call {
        let request = HttpRequest::new("GET", &alloc::format!("/v1/kv/key-{number}"), b"");
        Call {
            id: RequestId(number),
            actor: "a".into(),
            caller: Caller::Person,
            decoded: http::decode(&Agent::of(&Config::default()), &request),
            request: request.into(),
        }
    }

    fn found(index: Index) -> Outcome {
        let answer = Answer::Found(Found::Entries(Vec::new()));
        Outcome {
            answer: Ok(Response { index, answer, reason: None }),
            response: HttpResponse { status: 200, headers: Vec::new(), body: Vec::new() },
            effects: Effects::default(),
            because: None,
            waited: None,
            wake: None,
        }
    }
}
