//! Reads: answered at once, or parked until what they watch has changed or their time is up. Each
//! is answered exactly once (E3).

use alloc::vec::Vec;

use super::wake_reason::wake;
use super::{Effect, Engine, Event, ParkedQuery, Timer, Wake};
use crate::error::{Error, Reason};
use crate::id::{Index, RequestId};
use crate::message::{Answer, Refusal, Response, Wait};
use crate::store::{Found, Query};
use crate::time::Instant;

/// A read that waits gets up to this part of its waiting time on top (BLK-03).
const JITTER_PART: u32 = 16;

impl Engine {
    /// BLK-04: answers at once, or parks. A missing key has the table's index, so a poll with an
    /// older one returns at once (BLK-10).
    pub(super) fn read(
        &mut self,
        now: Instant,
        id: RequestId,
        (query, wait): (Query, Option<Wait>),
        effects: &mut Vec<Effect>,
    ) {
        let waits = wait.filter(|wait| wait.min_index > Index::ZERO);
        let Some(wait) = waits else {
            let result = self.look(&query);
            return effects.push(Effect::Reply { id, result });
        };
        let mut parked = ParkedQuery::new(query, wait.min_index);
        if let Some(result) = self.look_again(&mut parked) {
            let why = wake(&self.store, &parked.query, wait.min_index);
            self.emit(now, Event::Passed { id, why }, effects);
            return effects.push(Effect::Reply { id, result });
        }
        if self.parked.len() >= self.config.parked_max {
            let error = Error::TooManyParked { limit: self.config.parked_max };
            return effects.push(Effect::Reply { id, result: Err(error.into()) });
        }
        let jitter = self.rng.shorter_than(wait.timeout / JITTER_PART);
        let until = now.after(wait.timeout).after(jitter);
        self.timers.deadlines.set(Timer::Parked(id), until);
        self.parked.insert(id, parked);
        self.emit(now, Event::Parked { id, min_index: wait.min_index, until }, effects);
    }

    /// What a read finds at this moment, without waiting.
    pub fn look(&self, query: &Query) -> Result<Response, Refusal> {
        let (index, found) = self.store.read(query);
        if let (Query::PreparedQuery(_), true) = (query, found.is_missing()) {
            return Err(Error::QueryNotFound.into());
        }
        let reason = self.why_missing(query, &found);
        Ok(Response { index: index.at_least_one(), answer: Answer::Found(found), reason })
    }

    fn why_missing(&self, query: &Query, found: &Found) -> Option<Reason> {
        match query {
            Query::Session(session) if found.is_missing() => Some(self.ended.reason(session)),
            Query::Key(_) if found.is_missing() => Some(Reason::KeyMissing),
            _ => None,
        }
    }

    /// Looks on behalf of a waiting query; an answer means that it need not wait any longer.
    fn look_again(&self, parked: &mut ParkedQuery) -> Option<Result<Response, Refusal>> {
        let result = self.look(&parked.query);
        let Ok(response) = &result else { return Some(result) };
        if let Answer::Found(Found::Entry(None) | Found::Session(None)) = response.answer {
            if parked.missed {
                parked.min_index = response.index;
            }
            parked.missed = true;
        }
        parked.seen = response.index;
        if response.index > parked.min_index {
            return Some(result);
        }
        parked.watch(&self.store);
        None
    }

    /// BLK-05: the time is up; the answer is that of the last look.
    pub(super) fn time_out(&mut self, now: Instant, id: RequestId, effects: &mut Vec<Effect>) {
        let Some(parked) = self.parked.remove(id) else { return };
        self.emit(now, Event::TimedOut { id }, effects);
        let result = self.look(&parked.query);
        let result = result.map(|response| Response { index: parked.seen, ..response });
        effects.push(Effect::Reply { id, result });
    }

    pub(super) fn cancel(&mut self, now: Instant, id: RequestId, effects: &mut Vec<Effect>) {
        if self.parked.remove(id).is_some() {
            self.timers.deadlines.clear(&Timer::Parked(id));
            self.emit(now, Event::Cancelled { id }, effects);
        }
    }

    /// Looks again on behalf of those who watch what was changed. A deletion answers them like any
    /// other change (BLK-08).
    pub(super) fn wake(
        &mut self,
        now: Instant,
        watchers: Vec<RequestId>,
        effects: &mut Vec<Effect>,
    ) {
        for id in watchers {
            let Some(mut parked) = self.parked.remove(id) else { continue };
            let (known, was_there) = (parked.min_index, !parked.missed);
            match self.look_again(&mut parked) {
                Some(result) => {
                    self.timers.deadlines.clear(&Timer::Parked(id));
                    let why = match (&parked.query, wake(&self.store, &parked.query, known)) {
                        (Query::Key(key), Wake::NothingThere) if was_there => {
                            Wake::Deleted { key: key.clone() }
                        }
                        (_, why) => why,
                    };
                    self.emit(now, Event::Woken { id, why }, effects);
                    effects.push(Effect::Reply { id, result });
                }
                None => {
                    self.parked.insert(id, parked);
                    self.emit(now, Event::WokenInVain { id }, effects);
                }
            }
        }
    }
}
