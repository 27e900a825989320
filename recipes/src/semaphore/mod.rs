//! The Go client's semaphore with every quirk, and the one of the published guide (RCS-01 to
//! RCS-20): each contender has a key, and one document, updated by check-and-set, lists the
//! holders.
//!
//! The server does not know about semaphores. A holder whose session has ended stays in the
//! document until another contender takes its slot (RCS-09). `holders` reads and writes the
//! document; `lock` is the other recipe of the Go client.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::belief::Token;
use crate::holders::{COORDINATION, Document, DocumentError, Style, joined};
use crate::interface::{Due, Order, Phase};
use crate::parts::answers;
use crate::parts::attempts::Attempts;
use crate::parts::calls::CallSlot;
use crate::parts::handle::{HandlePhase, LockHandle, OrderEffect};
use crate::parts::monitor::RetriedFailures;
use crate::parts::session_renewer::{SessionOptions, SessionRenewer};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss, Report};
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Failure, Response, Wait};
use lictor_core::store::{Entry, KvVerb, Query, Write};
use lictor_core::time::Instant;

mod endurance;
mod options;

pub use self::options::SemaphoreOptions;

/// The Go client marks the keys of its semaphores with these Flags (RCS-01).
pub const SEMAPHORE_FLAG: u64 = 0xe0f6_9a2b_aa41_4de0;

/// A contender for a slot of a semaphore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Semaphore {
    prefix: Key,
    limit: i64,
    value: Arc<[u8]>,
    style: Style,
    handle: LockHandle,
    /// The ended holders that the pending claim removes.
    pruned: Vec<SessionRef>,
    state: SemaphoreState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SemaphoreState {
    Idle,
    CreatingSession,
    Enrolling,
    Surveying,
    Claiming,
    Holding,
    Lost,
    /// Reads the document before it removes itself from it.
    Reading,
    Dropping,
    /// Deletes its contender key.
    Leaving,
    /// Reads the document before it is deleted.
    Inspecting,
    Removing,
    /// Waits until its session is destroyed, with `OnFailure::Repeat`.
    Destroying,
}

impl Semaphore {
    /// Fails without a prefix, with a limit below 1, if the TTL is not a duration (RCS-05), and
    /// with `OnFailure::Repeat` without a TTL.
    pub fn new(options: SemaphoreOptions) -> Result<Self, ProgramError> {
        if options.prefix.is_empty() {
            return Err(ProgramError::MissingPrefix);
        }
        if options.limit <= 0 {
            return Err(ProgramError::LimitNotPositive);
        }
        // The end of the session deletes the contender key (RCS-07).
        let behavior = match options.style {
            Style::GoClient => "delete",
            Style::Guide => "release",
        };
        let session = SessionOptions { lock_delay: Duration::ZERO, ..options.session };
        let watched = Query::Tree(options.prefix.clone());
        let monitor = (options.monitor, watched, RetriedFailures::ServerErrors);
        let attempts = Attempts::new(options.tries, options.wait_time);
        Ok(Self {
            handle: LockHandle::new((&session, behavior), monitor, attempts, options.on_failure)?,
            prefix: options.prefix,
            limit: options.limit,
            value: options.value,
            style: options.style,
            pruned: Vec::new(),
            state: SemaphoreState::Idle,
        })
    }

    /// The options that it was created with.
    pub fn options(&self) -> SemaphoreOptions {
        SemaphoreOptions {
            prefix: self.prefix.clone(),
            limit: self.limit,
            value: self.value.clone(),
            session: self.handle.renewer.options(),
            monitor: self.handle.monitor.options(),
            wait_time: self.handle.attempts.wait_time(),
            tries: self.handle.attempts.tries(),
            style: self.style,
            on_failure: self.handle.on_failure(),
        }
    }

    /// The coordination key.
    pub fn key(&self) -> Key {
        joined(self.prefix.as_str(), COORDINATION).into()
    }

    /// What creates and renews its session.
    pub fn renewer(&self) -> &SessionRenewer {
        &self.handle.renewer
    }

    pub(super) fn repeats_failures(&self) -> bool {
        self.handle.on_failure() == OnFailure::Repeat
    }

    pub(super) fn monitor_state(&self) -> &'static str {
        self.handle.monitor.state()
    }

    pub(super) fn state(&self) -> &'static str {
        match self.state {
            SemaphoreState::Idle => "Idle",
            SemaphoreState::CreatingSession => "CreatingSession",
            SemaphoreState::Enrolling => "Enrolling",
            SemaphoreState::Surveying => "Surveying",
            SemaphoreState::Claiming => "Claiming",
            SemaphoreState::Holding => "Holding",
            SemaphoreState::Lost => "Lost",
            SemaphoreState::Reading => "Reading",
            SemaphoreState::Dropping => "Dropping",
            SemaphoreState::Leaving => "Leaving",
            SemaphoreState::Inspecting => "Inspecting",
            SemaphoreState::Removing => "Removing",
            SemaphoreState::Destroying => "Destroying",
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.stage().phase()
    }

    fn stage(&self) -> HandlePhase {
        match self.state {
            SemaphoreState::Idle => HandlePhase::Idle,
            SemaphoreState::CreatingSession
            | SemaphoreState::Enrolling
            | SemaphoreState::Surveying
            | SemaphoreState::Claiming => HandlePhase::Trying,
            SemaphoreState::Holding => HandlePhase::Holding,
            SemaphoreState::Lost => HandlePhase::Lost,
            SemaphoreState::Reading
            | SemaphoreState::Dropping
            | SemaphoreState::Leaving
            | SemaphoreState::Inspecting
            | SemaphoreState::Removing
            | SemaphoreState::Destroying => HandlePhase::Ending,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        self.handle.next_deadline()
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        if let (StepInput::Reply { slot: CallSlot::Main, result: Ok(_) }, Some(upkeep)) =
            (&event, &mut self.handle.upkeep)
        {
            upkeep.recovered();
        }
        match (self.state, event) {
            (_, StepInput::Reply { slot: CallSlot::SessionDestroy, .. }) => {}
            (_, StepInput::Reply { slot: CallSlot::Renewer, result }) => {
                let news = self.handle.session_answered(context, result);
                self.on_session(context, news);
            }
            (state, StepInput::Due(Due::Renew)) => {
                let news = self.handle.renew(context, state == SemaphoreState::Holding);
                self.on_session(context, news);
            }
            (SemaphoreState::Holding, StepInput::Due(Due::LeaseEnds)) => {
                self.lose(context, LockLoss::LeaseEnded);
            }
            (SemaphoreState::Holding, StepInput::Reply { slot: CallSlot::Check, result }) => {
                if let Ok(Err(loss)) = self.judged(context, result) {
                    self.lose(context, loss);
                }
            }
            (_, StepInput::Reply { slot: CallSlot::Check, .. }) => {}
            (_, StepInput::Due(Due::TryAgain)) => self.try_again(context),
            (SemaphoreState::Enrolling, StepInput::Reply { result, .. }) => {
                self.enrolled(context, result);
            }
            (SemaphoreState::Surveying, StepInput::Reply { result, .. }) => {
                self.surveyed(context, result);
            }
            (SemaphoreState::Claiming, StepInput::Reply { result, .. }) => {
                self.claimed(context, result);
            }
            (SemaphoreState::Holding, StepInput::Reply { result, .. }) => {
                self.watched(context, result);
            }
            (SemaphoreState::Holding, StepInput::Due(Due::WatchAgain)) => {
                self.handle.monitor.poll(context);
            }
            (SemaphoreState::Reading, StepInput::Reply { result, .. }) => {
                self.read_back(context, result);
            }
            (SemaphoreState::Dropping, StepInput::Reply { result, .. }) => {
                self.dropped(context, result);
            }
            (SemaphoreState::Leaving, StepInput::Reply { result, .. }) => {
                self.left(context, result);
            }
            (SemaphoreState::Inspecting, StepInput::Reply { result, .. }) => {
                self.inspected(context, result);
            }
            (SemaphoreState::Removing, StepInput::Reply { result, .. }) => {
                self.removed(context, result);
            }
            (SemaphoreState::Destroying, StepInput::Reply { result, .. }) => {
                if self.handle.destroyed(context, result) {
                    self.state = SemaphoreState::Idle;
                }
            }
            (_, StepInput::Order(order)) => self.on_order(context, order),
            (_, StepInput::Reply { .. } | StepInput::Due(_)) => {}
        }
    }

    fn on_order(&mut self, context: &mut StepContext, order: Order) {
        match self.stage().task(order) {
            OrderEffect::Begin => self.begin(context),
            OrderEffect::StopTrying if self.repeats_failures() => self.stop_trying(context),
            OrderEffect::StopTrying => self.handle.is_stopping = true,
            OrderEffect::Release => self.release(context),
            OrderEffect::Inspect => {
                self.list(context, None);
                self.state = SemaphoreState::Inspecting;
            }
            OrderEffect::Held => context.fail(ProgramError::SemaphoreHeld),
            OrderEffect::NotHeld => context.fail(ProgramError::SemaphoreNotHeld),
            OrderEffect::Busy => context.fail(ProgramError::Busy),
        }
    }

    fn begin(&mut self, context: &mut StepContext) {
        match self.handle.begin(context) {
            Some(session) => self.enroll(context, session),
            None => self.state = SemaphoreState::CreatingSession,
        }
    }

    fn session_created(&mut self, context: &mut StepContext, created: Result<SessionRef, Failure>) {
        match created {
            Ok(session) => self.enroll(context, session),
            Err(failure) => self.fail(context, ProgramError::CreateSession(failure)),
        }
    }

    /// Acquires the contender key (RCS-08, step 3). Its name contains the session, so that no
    /// lock-delay of another session applies to it (RCS-13).
    fn enroll(&mut self, context: &mut StepContext, session: SessionRef) {
        let write = Write { value: self.value.clone(), flags: self.flag() };
        let verb = KvVerb::Acquire { write, session: session.clone() };
        context.write(self.contender(&session), verb);
        self.handle.session = Some(session);
        self.state = SemaphoreState::Enrolling;
    }

    fn enrolled(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => {
                self.handle.attempts.begin(context.now);
                self.survey(context);
            }
            Ok(false) => self.fail(context, ProgramError::Contend(None)),
            Err(failure) => self.trouble(context, ProgramError::Contend(Some(failure))),
        }
    }

    fn survey(&mut self, context: &mut StepContext) {
        let next = match self.handle.on_failure() {
            OnFailure::AsInGo => Attempts::next_shrinking,
            OnFailure::Repeat => Attempts::next,
        };
        match self.handle.next_wait(context.now, next) {
            Ok(wait) => {
                self.list(context, wait);
                self.state = SemaphoreState::Surveying;
            }
            Err(why) => self.give_up(context, why),
        }
    }

    fn list(&self, context: &mut StepContext, wait: Option<Wait>) {
        context.read(Query::Tree(self.prefix.clone()), wait);
    }

    /// Handles a list of the prefix: claims a slot by check-and-set, or waits if all slots are
    /// taken (RCS-08, steps d to j). All waiting contenders wake at once and race (RCS-14).
    fn surveyed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let read = answers::entries(result).map_err(ProgramError::ReadPrefix);
        let (index, at, mut document, pruned) = match read.and_then(|read| self.understand(read)) {
            Ok(Understood { index, at, document, pruned }) => (index, at, document, pruned),
            Err(error) => return self.trouble(context, error),
        };
        // A claim whose answer was lost has succeeded.
        if self.repeats_failures() && self.is_holder(&document) {
            return self.hold(context);
        }
        if document.limit != self.limit {
            let (lock, local) = (document.limit, self.limit);
            return self.fail(context, ProgramError::LimitConflict { lock, local });
        }
        if document.is_full() {
            let is_new = index > self.handle.seen;
            self.handle.seen = index;
            if self.handle.pause_without_news(context, is_new) {
                return;
            }
            return self.survey(context);
        }
        document.holders.extend(self.handle.session.clone());
        self.pruned = pruned;
        if let Some(upkeep) = &mut self.handle.upkeep {
            upkeep.has_tried = true;
        }
        self.write_document(context, &document, at);
        self.state = SemaphoreState::Claiming;
    }

    fn claimed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.hold(context),
            Ok(false) => self.survey(context),
            Err(failure) => self.trouble(context, ProgramError::UpdateLock(failure)),
        }
    }

    fn hold(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        if !self.pruned.is_empty() {
            context.report(Report::Pruned(core::mem::take(&mut self.pruned)));
        }
        context.mark_held(Token::new(self.key(), session));
        self.state = SemaphoreState::Holding;
        self.handle.held(context);
        if self.handle.is_stopping {
            return self.release(context);
        }
        self.handle.monitor.begin(context);
    }

    /// Handles an answer to the watch: the slot is lost if the document cannot be read or does not
    /// list the session (RCS-15, RCS-20).
    fn watched(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let Some(result) = self.handle.monitor.answered(context, result) else { return };
        match self.judged(context, result) {
            Ok(Ok(index)) => self.handle.monitor.wait_for_change(context, index),
            Ok(Err(loss)) => self.lose(context, loss),
            Err(failure) => self.lose(context, LockLoss::WatchFailed(failure)),
        }
    }

    /// What a list of the prefix shows while the slot is held: the index of the answer, or a loss.
    fn judged(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Result<Index, LockLoss>, Failure> {
        let (index, entries) = answers::entries(result)?;
        Ok(match self.document_in(&entries) {
            Err(error) => Err(LockLoss::Undecodable(error)),
            Ok(document) if self.is_holder(&document) => {
                self.handle.confirmed(context);
                Ok(index)
            }
            Ok(_) => Err(LockLoss::NotAHolder),
        })
    }

    fn lose(&mut self, context: &mut StepContext, loss: LockLoss) {
        context.mark_lost(loss);
        self.handle.lost(context);
        self.state = SemaphoreState::Lost;
    }

    /// Releases the slot. It counts as released at once, whatever the answers will be (RCS-16).
    fn release(&mut self, context: &mut StepContext) {
        self.handle.monitor.end(context);
        self.handle.begin_ending(context);
        context.mark_released();
        self.read(context);
    }

    fn read(&mut self, context: &mut StepContext) {
        context.read(Query::Key(self.key()), None);
        self.state = SemaphoreState::Reading;
    }

    /// Removes its own session from the document; other holders stay.
    fn read_back(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let entry = match answers::entry(result) {
            Ok((_, entry)) => entry,
            Err(failure) => return self.fail_to_release(context, ProgramError::Call(failure)),
        };
        let value = entry.as_ref().map_or(&[][..], |entry| &entry.value);
        let mut document = match Document::read(self.style, value, self.limit) {
            Ok(document) => document,
            Err(error) => return self.end(context, Err(ProgramError::Undecodable(error))),
        };
        let is_listed =
            self.handle.session.as_ref().is_some_and(|own| document.holders.remove(own));
        if !is_listed {
            return self.leave(context);
        }
        let at = entry.map_or(Index::ZERO, |entry| entry.modify_index);
        self.write_document(context, &document, at);
        self.state = SemaphoreState::Dropping;
    }

    fn dropped(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.leave(context),
            Ok(false) => self.read(context),
            Err(failure) => self.fail_to_release(context, ProgramError::UpdateLock(failure)),
        }
    }

    fn leave(&mut self, context: &mut StepContext) {
        if let Some(session) = &self.handle.session {
            context.write(self.contender(session), KvVerb::Delete);
            self.state = SemaphoreState::Leaving;
        }
    }

    fn left(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(_) => self.end(context, Ok(Report::Released)),
            Err(failure) => self.fail_to_release(context, ProgramError::Call(failure)),
        }
    }

    /// Deletes the document if it lists no holder whose session exists (RCS-17).
    fn inspected(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        self.state = SemaphoreState::Idle;
        let read = answers::entries(result).map_err(ProgramError::ReadPrefix);
        match read.and_then(|read| self.understand(read)) {
            Ok(Understood { at: Index::ZERO, .. }) => context.report(Report::Destroyed),
            Ok(it) if !it.document.holders.is_empty() => context.fail(ProgramError::SemaphoreInUse),
            Ok(Understood { at: expected, .. }) => {
                let verb = KvVerb::DeleteCas { expected };
                context.write(self.key(), verb);
                self.state = SemaphoreState::Removing;
            }
            Err(error) => context.fail(error),
        }
    }

    fn removed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => context.report(Report::Destroyed),
            Ok(false) => context.fail(ProgramError::SemaphoreInUse),
            Err(failure) => context.fail(ProgramError::RemoveSemaphore(failure)),
        }
        self.state = SemaphoreState::Idle;
    }

    /// Ends an attempt. The contender key stays until its session ends (RCS-10).
    fn give_up(&mut self, context: &mut StepContext, why: GaveUp) {
        self.end_attempt(context, Ok(Report::GaveUp(why)));
    }

    fn fail(&mut self, context: &mut StepContext, error: ProgramError) {
        self.end_attempt(context, Err(error));
    }

    /// With `OnFailure::Repeat` it gives back the slot that it may have taken.
    fn end_attempt(&mut self, context: &mut StepContext, outcome: Result<Report, ProgramError>) {
        context.clear_belief();
        if self.handle.begin_ending(context) {
            context.report(outcome.unwrap_or_else(Report::Failed));
            return self.read(context);
        }
        self.end(context, outcome);
    }

    fn end(&mut self, context: &mut StepContext, outcome: Result<Report, ProgramError>) {
        context.report(outcome.unwrap_or_else(Report::Failed));
        self.end_session(context);
    }

    fn end_session(&mut self, context: &mut StepContext) {
        self.state = SemaphoreState::Idle;
        if !self.repeats_failures() {
            self.handle.end(context);
        } else if self.handle.destroy(context) {
            self.state = SemaphoreState::Destroying;
        }
    }

    /// Reads the document out of a list of the prefix, without its ended holders (RCS-08, steps d
    /// to f and h).
    fn understand(
        &self,
        (index, listed): (Index, Vec<Arc<Entry>>),
    ) -> Result<Understood, ProgramError> {
        let key = self.key();
        let found = listed.iter().find(|entry| entry.key == key);
        let is_other = found.is_some_and(|entry| entry.flags != self.flag());
        if is_other && self.style == Style::GoClient {
            return Err(ProgramError::SemaphoreConflict);
        }
        let at = found.map_or(Index::ZERO, |entry| entry.modify_index);
        let value = found.map_or(&[][..], |entry| &entry.value);
        let read = Document::read(self.style, value, self.limit);
        let mut document = read.map_err(ProgramError::Undecodable)?;
        let pruned = document.prune(&listed);
        Ok(Understood { index, at, document, pruned })
    }

    /// The document in a list of the prefix, without the holders whose contender entry is gone.
    fn document_in(&self, listed: &[Arc<Entry>]) -> Result<Document, DocumentError> {
        let key = self.key();
        let found = listed.iter().find(|entry| entry.key == key);
        let value = found.map_or(&[][..], |entry| &entry.value);
        let mut document = Document::read(self.style, value, self.limit)?;
        document.prune(listed);
        Ok(document)
    }

    fn is_holder(&self, document: &Document) -> bool {
        self.handle.session.as_ref().is_some_and(|own| document.holders.contains(own))
    }

    fn write_document(&self, context: &mut StepContext, document: &Document, expected: Index) {
        let value = Arc::from(document.write(self.style));
        let verb = KvVerb::Cas { write: Write { value, flags: self.flag() }, expected };
        context.write(self.key(), verb);
    }

    fn contender(&self, session: &SessionRef) -> Key {
        joined(self.prefix.as_str(), session.as_str()).into()
    }

    fn flag(&self) -> u64 {
        match self.style {
            Style::GoClient => SEMAPHORE_FLAG,
            Style::Guide => 0,
        }
    }
}

/// The document in a list of the prefix.
struct Understood {
    index: Index,
    /// The ModifyIndex of the document; 0 if there is none.
    at: Index,
    document: Document,
    pruned: Vec<SessionRef>,
}
