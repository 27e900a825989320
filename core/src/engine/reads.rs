//! Reads: answered at once, or parked until what they watch changes or their time is over. Each is
//! answered exactly once, unless its caller cancels it.

use core::mem;

use super::event::{EngineStep, Event, Wake};
use super::parked::ParkedQuery;
use super::server::{ENTRIES_BEFORE_OWN_NODE, Engine};
use super::timers::Timer;
use super::wake_reason::why_woken;
use crate::error::{Error, Reason};
use crate::id::{Index, RequestId};
use crate::message::{Answer, Refusal, Response, Wait};
use crate::store::{Found, Query};

/// A blocking query waits up to this fraction of its waiting time longer (BLK-03).
const JITTER_DIVISOR: u32 = 16;

impl Engine {
    /// Answers a read at once, or parks it (BLK-04). A missing key has the index of its table, so a
    /// query with an older index is answered at once (BLK-10).
    pub(super) fn read(
        &mut self,
        step: &mut EngineStep,
        id: RequestId,
        query: Query,
        wait: Option<Wait>,
    ) {
        let waits = wait.filter(|wait| wait.min_index > Index::ZERO);
        let Some(wait) = waits else { return step.reply(id, self.read_now(&query)) };
        let mut parked = ParkedQuery::new(query, wait.min_index);
        if let Some(result) = self.run_again(&mut parked) {
            let why = why_woken(&self.store, &parked.query, wait.min_index);
            self.emit(step, Event::Passed { id, why: why.clone() });
            return step.reply_to_query(id, result, why);
        }
        if self.parked.len() >= self.config.parked_max {
            let error = Error::TooManyParked { limit: self.config.parked_max };
            return step.reply(id, Err(error.into()));
        }
        let jitter = self.rng.shorter_than(wait.timeout / JITTER_DIVISOR);
        let until = step.now.plus(wait.timeout).plus(jitter);
        self.timers.deadlines.set(Timer::Parked(id), until);
        self.parked.insert(id, parked);
        self.emit(step, Event::Parked { id, min_index: wait.min_index, until });
    }

    /// Answers a read from the present state, without waiting.
    pub fn read_now(&self, query: &Query) -> Result<Response, Refusal> {
        if let Query::Execute { query: text, .. } | Query::Explain(text) = query {
            self.store.queries().resolve(text)?;
        }
        let (index, found) = match query {
            Query::CaRoots if !self.config.has_connect() => {
                return Err(Error::ConnectDisabled.into());
            }
            Query::CaRoots => (ENTRIES_BEFORE_OWN_NODE, Found::CaRoots),
            Query::OwnService { node, id } => return Ok(self.own_service(node, id)),
            Query::UserEvents(name) => {
                let (index, events) = self.user_events.read(name.as_deref());
                (index, Found::UserEvents(events))
            }
            _ => self.store.read(query),
        };
        let is_prepared =
            matches!(query, Query::PreparedQuery(_) | Query::Execute { .. } | Query::Explain(_));
        if is_prepared && found.is_missing() {
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

    /// Runs a blocking query. Returns its answer, or `None` if it has to wait (again).
    fn run_again(&self, parked: &mut ParkedQuery) -> Option<Result<Response, Refusal>> {
        let result = self.read_now(&parked.query);
        let Ok(response) = &result else { return Some(result) };
        if let Answer::Found(Found::Entry(None) | Found::Session(None)) = response.answer {
            // From the second miss on, writes of other rows raise the threshold as well, so only
            // the creation of the row ends the wait.
            if parked.was_missing {
                parked.min_index = response.index;
            }
            parked.was_missing = true;
        }
        parked.seen = response.index;
        let is_new = if parked.query.is_of_agent() {
            response.index != parked.min_index
        } else {
            response.index > parked.min_index
        };
        if is_new {
            return Some(result);
        }
        parked.watch(&self.store);
        None
    }

    /// Answers a parked query whose time is over, with the index of its last run (BLK-05).
    pub(super) fn time_out(&mut self, step: &mut EngineStep, id: RequestId) {
        let Some(parked) = self.parked.remove(id) else { return };
        self.emit(step, Event::TimedOut { id });
        let result = self.read_now(&parked.query);
        let result = result.map(|response| Response { index: parked.seen, ..response });
        step.reply_to_query(id, result, Wake::TimeUp);
    }

    pub(super) fn cancel(&mut self, step: &mut EngineStep, id: RequestId) {
        if self.parked.remove(id).is_some() {
            self.timers.deadlines.clear(&Timer::Parked(id));
            self.emit(step, Event::Cancelled { id });
        }
    }

    /// Runs the queries again that watch what this step has changed, and answers those whose index
    /// has risen. A deletion answers them like any other change (BLK-08).
    pub(super) fn wake_watchers(&mut self, step: &mut EngineStep) {
        for id in mem::take(&mut step.watchers) {
            let Some(mut parked) = self.parked.remove(id) else { continue };
            let (known, was_there) = (parked.min_index, !parked.was_missing);
            let Some(result) = self.run_again(&mut parked) else {
                self.parked.insert(id, parked);
                self.emit(step, Event::StillParked { id });
                continue;
            };
            self.timers.deadlines.clear(&Timer::Parked(id));
            let why = match (&parked.query, why_woken(&self.store, &parked.query, known)) {
                (Query::Key(key), Wake::NoMatch) if was_there => Wake::Deleted { key: key.clone() },
                (_, why) => why,
            };
            self.emit(step, Event::Woken { id, why: why.clone() });
            step.reply_to_query(id, result, why);
        }
    }
}
