//! The Go client's semaphore with every quirk, and the one of the published guide (RCS-01 to
//! RCS-20): each contender has a key, and one document, updated by check-and-set, lists the
//! holders.
//!
//! To the server, a semaphore is a set of ordinary keys. A holder whose session has ended stays in
//! the document until another contender takes a slot (RCS-09).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Failure, Response, Wait};
use lictor_core::store::{Entry, KvVerb, Query, Write};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::belief::Token;
use crate::holders::{COORDINATION, Document, DocumentError, Style, joined};
use crate::interface::{Due, Phase};
use crate::parts::answers;
use crate::parts::attempts::Attempts;
use crate::parts::contending::{CommonState, Contending, Judgement};
use crate::parts::handle::{HandlePhase, LockHandle};
use crate::parts::monitor::RetriedFailures;
use crate::parts::session_renewer::{SessionOptions, SessionRenewer};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{LockLoss, Report};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum SemaphoreState {
    Idle,
    CreatingSession,
    /// Acquires its contender key.
    Enrolling,
    /// Lists the prefix, or waits until it changes.
    Surveying,
    /// Adds itself to the document.
    Claiming,
    Holding,
    Lost,
    /// Reads the document before it removes itself from it.
    Reading,
    /// Removes itself from the document.
    Dropping,
    /// Deletes its contender key.
    Leaving,
    /// Reads the document before it is deleted.
    Inspecting,
    /// Deletes the document.
    Removing,
    /// Waits until its session is destroyed, with `OnFailure::Repeat`.
    Destroying,
}

impl Semaphore {
    /// A semaphore that has not started. Fails without a prefix, with a limit below 1, if the TTL
    /// is not a duration (RCS-05), and with `OnFailure::Repeat` without a TTL.
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
        let attempts = Attempts::new(options.tries, options.wait_time);
        let handle = LockHandle::new(
            &session,
            behavior,
            options.monitor,
            watched,
            RetriedFailures::ServerErrorsAndNetwork,
            attempts,
            options.on_failure,
        )?;
        Ok(Self {
            handle,
            prefix: options.prefix,
            limit: options.limit,
            value: options.value,
            style: options.style,
            pruned: Vec::new(),
            state: SemaphoreState::Idle,
        })
    }

    /// The options of this semaphore, with a session draft reduced to its name, TTL and lock-delay.
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

    /// The state machine that creates and renews its session.
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
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        self.stage().phase()
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        self.handle.next_deadline()
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        let Some(result) = self.on_common(context, event) else { return };
        match self.state {
            SemaphoreState::Enrolling => self.enrolled(context, result),
            SemaphoreState::Surveying => self.surveyed(context, result),
            SemaphoreState::Claiming => self.claimed(context, result),
            SemaphoreState::Reading => self.read_back(context, result),
            SemaphoreState::Dropping => self.dropped(context, result),
            SemaphoreState::Leaving => self.left(context, result),
            SemaphoreState::Inspecting => self.inspected(context, result),
            SemaphoreState::Removing => self.removed(context, result),
            SemaphoreState::Idle
            | SemaphoreState::CreatingSession
            | SemaphoreState::Holding
            | SemaphoreState::Lost
            | SemaphoreState::Destroying => {}
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
                self.handle.begin_attempts(context.now);
                self.survey(context);
            }
            Ok(false) => self.fail(context, ProgramError::Contend(None)),
            Err(failure) => self.trouble(context, ProgramError::Contend(Some(failure))),
        }
    }

    fn survey(&mut self, context: &mut StepContext) {
        match self.handle.next_wait(context.now) {
            Ok(wait) => {
                self.list(context, Some(wait));
                self.state = SemaphoreState::Surveying;
            }
            Err(reason) => self.give_up(context, reason),
        }
    }

    fn list(&self, context: &mut StepContext, wait: Option<Wait>) {
        context.read(Query::Tree(self.prefix.clone()), wait);
    }

    /// Handles a list of the prefix: claims a slot by check-and-set, or waits if all slots are
    /// taken (RCS-08, steps d to j). All waiting contenders wake at once and race (RCS-14).
    fn surveyed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let read = answers::entries(result).map_err(ProgramError::ReadPrefix);
        let Survey { index, modify_index, mut document, pruned } =
            match read.and_then(|(index, listed)| self.survey_of(index, &listed)) {
                Ok(survey) => survey,
                Err(error) => return self.trouble(context, error),
            };
        // An earlier claim has succeeded, and its answer was lost.
        if self.repeats() && self.is_holder(&document) {
            return self.held(context);
        }
        if document.limit != self.limit {
            let (lock, local) = (document.limit, self.limit);
            return self.fail(context, ProgramError::LimitConflict { lock, local });
        }
        if document.is_full() {
            let is_new = index > self.handle.seen;
            self.handle.seen = index;
            if !self.handle.pause_without_news(context, is_new) {
                self.survey(context);
            }
            return;
        }
        document.holders.extend(self.handle.session.clone());
        self.pruned = pruned;
        if let Some(upkeep) = &mut self.handle.upkeep {
            upkeep.has_tried = true;
        }
        self.write_document(context, &document, modify_index);
        self.state = SemaphoreState::Claiming;
    }

    fn claimed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.held(context),
            Ok(false) => self.survey(context),
            Err(failure) => self.trouble(context, ProgramError::UpdateLock(failure)),
        }
    }

    fn held(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        if !self.pruned.is_empty() {
            context.report(Report::Pruned(core::mem::take(&mut self.pruned)));
        }
        self.hold(context, Token::new(self.key(), session));
    }

    fn read(&mut self, context: &mut StepContext) {
        context.read(Query::Key(self.key()), None);
        self.state = SemaphoreState::Reading;
    }

    /// Removes its own session from the document; other holders stay.
    fn read_back(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let entry = match answers::entry(result) {
            Ok((_, entry)) => entry,
            Err(failure) => return self.release_failed(context, ProgramError::Call(failure)),
        };
        let value = entry.as_ref().map_or(&[][..], |entry| &entry.value);
        let mut document = match Document::read(self.style, value, self.limit) {
            Ok(document) => document,
            Err(error) => return self.release_failed(context, ProgramError::Undecodable(error)),
        };
        let is_listed =
            self.handle.session.as_ref().is_some_and(|own| document.holders.remove(own));
        if !is_listed {
            return self.leave(context);
        }
        let modify_index = entry.map_or(Index::ZERO, |entry| entry.modify_index);
        self.write_document(context, &document, modify_index);
        self.state = SemaphoreState::Dropping;
    }

    fn dropped(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.leave(context),
            Ok(false) => self.read(context),
            Err(failure) => self.release_failed(context, ProgramError::UpdateLock(failure)),
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
            Ok(_) => {
                context.report(Report::Released);
                self.end_session(context);
            }
            Err(failure) => self.release_failed(context, ProgramError::Call(failure)),
        }
    }

    /// Deletes the document if it lists no holder whose session exists (RCS-17).
    fn inspected(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        self.state = SemaphoreState::Idle;
        let read = answers::entries(result).map_err(ProgramError::ReadPrefix);
        match read.and_then(|(index, listed)| self.survey_of(index, &listed)) {
            Ok(survey) if survey.modify_index == Index::ZERO => context.report(Report::Destroyed),
            Ok(survey) if !survey.document.holders.is_empty() => {
                context.fail(ProgramError::SemaphoreInUse);
            }
            Ok(survey) => {
                let verb = KvVerb::DeleteCas { expected: survey.modify_index };
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

    /// Reads the document out of a list of the prefix, without its ended holders (RCS-08, steps d
    /// to f and h).
    fn survey_of(&self, index: Index, listed: &[Arc<Entry>]) -> Result<Survey, ProgramError> {
        let key = self.key();
        let found = listed.iter().find(|entry| entry.key == key);
        let is_other = found.is_some_and(|entry| entry.flags != self.flag());
        if is_other && self.style == Style::GoClient {
            return Err(ProgramError::SemaphoreConflict);
        }
        let modify_index = found.map_or(Index::ZERO, |entry| entry.modify_index);
        let value = found.map_or(&[][..], |entry| &entry.value);
        let read = Document::read(self.style, value, self.limit);
        let mut document = read.map_err(ProgramError::Undecodable)?;
        let pruned = document.prune(listed);
        Ok(Survey { index, modify_index, document, pruned })
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

impl Contending for Semaphore {
    const HOLDS_SLOT: bool = true;

    fn handle(&mut self) -> &mut LockHandle {
        &mut self.handle
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

    fn is_in(&self, state: CommonState) -> bool {
        self.state == state.into()
    }

    fn enter(&mut self, state: CommonState) {
        self.state = state.into();
    }

    fn contend(&mut self, context: &mut StepContext, session: SessionRef) {
        self.enroll(context, session);
    }

    fn contend_again(&mut self, context: &mut StepContext) {
        if self.state == SemaphoreState::Surveying {
            return self.survey(context);
        }
        if let Some(session) = self.handle.session.clone() {
            self.enroll(context, session);
        }
    }

    /// The handle keeps the pause. If a claim had no answer, the next list shows whether it has
    /// succeeded.
    fn rest(&mut self, _: &StepContext) {
        if self.state == SemaphoreState::Claiming {
            self.state = SemaphoreState::Surveying;
        }
    }

    fn is_resting(&self) -> bool {
        false
    }

    fn may_take(&self) -> bool {
        self.state == SemaphoreState::Claiming
    }

    /// The slot is lost if the document cannot be read or does not list the session (RCS-15,
    /// RCS-20).
    fn judge(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Judgement, Failure> {
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

    fn give_back(&mut self, context: &mut StepContext) {
        self.read(context);
    }

    fn inspect(&mut self, context: &mut StepContext) {
        self.list(context, None);
        self.state = SemaphoreState::Inspecting;
    }

    fn order_errors(&self) -> [ProgramError; 2] {
        [ProgramError::SemaphoreHeld, ProgramError::SemaphoreNotHeld]
    }
}

impl From<CommonState> for SemaphoreState {
    fn from(state: CommonState) -> Self {
        match state {
            CommonState::Idle => Self::Idle,
            CommonState::CreatingSession => Self::CreatingSession,
            CommonState::Holding => Self::Holding,
            CommonState::Lost => Self::Lost,
            CommonState::Destroying => Self::Destroying,
        }
    }
}

/// What a list of the prefix shows.
struct Survey {
    /// The index of the answer.
    index: Index,
    /// The ModifyIndex of the document; 0 if there is none.
    modify_index: Index,
    /// The document without its ended holders; without holders if there is none.
    document: Document,
    /// The ended holders that were removed from it.
    pruned: Vec<SessionRef>,
}
