//! Manages the session of a recipe: creates it, renews it at half of its TTL, and destroys it in
//! the end (RCL-19). As in the Go client, whose goroutine for this ends with an error that nobody
//! reads, the end of the renewals does not end the hold: the recipe notices it by the watch of its
//! key.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::duration;
use lictor_core::engine::applied_lock_delay;
use lictor_core::id::SessionRef;
use lictor_core::message::{Failure, LOCK_DELAY_DEFAULT, Operation, Response, SessionDraft};
use lictor_core::time::{Instant, nanos};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::call_id::CallId;
use crate::interface::Due;
use crate::parts::answers;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::StepContext;
use crate::program_error::ProgramError;
use crate::report::Report;

/// The pause before a failed renewal is repeated (RCL-19).
const RETRY: Duration = Duration::from_secs(1);

/// Which session a recipe uses (RCL-03).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionOptions {
    /// The caller's own session; it is neither renewed nor destroyed.
    pub existing: Option<SessionRef>,
    /// The exact session to create, in place of one with `name`, `ttl` and `lock_delay`. The first
    /// renewal is still scheduled by `ttl` (RCL-20).
    pub draft: Option<Box<SessionDraft>>,
    /// The name of the session, which the server only stores.
    pub name: Arc<str>,
    /// A duration in Go's syntax, such as `15s`; empty for a session without TTL, which is not
    /// renewed.
    pub ttl: Arc<str>,
    /// The lock-delay; zero is not sent, so that the server's default of 15 s applies (RCL-21).
    pub lock_delay: Duration,
}

/// Creates the session of a program, renews it at half of its TTL, and destroys it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRenewer {
    existing: Option<SessionRef>,
    draft: Box<SessionDraft>,
    first_ttl: Option<Duration>,
    session: Option<SessionRef>,
    state: RenewerState,
    /// The sessions that were given up while a renewal was pending.
    former: Vec<FormerSession>,
}

/// A session that was given up while its renewal was pending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FormerSession {
    session: SessionRef,
    /// The renewal.
    call: CallId,
    lease: Lease,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum RenewerState {
    Idle,
    Creating,
    /// The session is not renewed here: it has no TTL, or `Upkeep` renews it.
    Waiting,
    /// Until the next renewal.
    Resting {
        until: Instant,
        lease: Lease,
    },
    Renewing(Lease),
    /// Until a failed renewal is repeated.
    Retrying {
        until: Instant,
        lease: Lease,
    },
    /// The session is not renewed any more.
    Stopped,
}

/// The TTL of the options or of the latest answer, and when the last create or renewal succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Lease {
    ttl: Duration,
    since: Instant,
}

impl SessionOptions {
    /// The Go client's defaults (RCL-02, RCS-04).
    pub fn named(name: &str) -> Self {
        Self {
            existing: None,
            draft: None,
            name: name.into(),
            ttl: "15s".into(),
            lock_delay: Duration::ZERO,
        }
    }

    /// Sets [`existing`](Self::existing).
    pub fn with_existing(self, existing: impl Into<SessionRef>) -> Self {
        Self { existing: Some(existing.into()), ..self }
    }

    /// Sets [`draft`](Self::draft).
    pub fn with_draft(self, draft: SessionDraft) -> Self {
        Self { draft: Some(Box::new(draft)), ..self }
    }
}

setters! {
    SessionOptions:
    with_name(name: &str),
    with_ttl(ttl: &str),
    with_lock_delay(lock_delay: Duration),
}

impl SessionRenewer {
    /// Manages a session with these options. `behavior` is that of the session to create, unless
    /// the options contain a draft. Fails if the TTL is no Go duration.
    pub(crate) fn new(options: &SessionOptions, behavior: &str) -> Result<Self, ProgramError> {
        let ttl = Some(&options.ttl).filter(|ttl| !ttl.is_empty());
        let ttl =
            ttl.map(|ttl| duration::parse(ttl)).transpose().map_err(ProgramError::InvalidTtl)?;
        let mut draft =
            SessionDraft { ttl: options.ttl.clone(), ..SessionDraft::named(&options.name) };
        draft.behavior = behavior.into();
        if !options.lock_delay.is_zero() {
            draft.lock_delay = i64::try_from(nanos(options.lock_delay)).unwrap_or(i64::MAX);
        }
        Ok(Self {
            existing: options.existing.clone(),
            draft: options.draft.clone().unwrap_or_else(|| Box::new(draft)),
            first_ttl: ttl.map(|ttl| Duration::from_nanos(u64::try_from(ttl).unwrap_or(0))),
            session: None,
            state: RenewerState::Idle,
            former: Vec::new(),
        })
    }

    /// The options of this renewer, with a draft reduced to its name, TTL and lock-delay.
    pub(crate) fn options(&self) -> SessionOptions {
        let lock_delay = u64::try_from(self.draft.lock_delay).unwrap_or_default();
        let is_default = self.draft.lock_delay == LOCK_DELAY_DEFAULT;
        SessionOptions {
            existing: self.existing.clone(),
            draft: None,
            name: self.draft.name.clone(),
            ttl: self.draft.ttl.clone(),
            lock_delay: Duration::from_nanos(if is_default { 0 } else { lock_delay }),
        }
    }

    /// Never renews, because `Upkeep` does.
    pub(crate) fn without_renewals(self) -> Self {
        Self { first_ttl: None, ..self }
    }

    pub(crate) fn is_creating(&self) -> bool {
        self.state == RenewerState::Creating
    }

    /// Whether the recipe creates the session, and so renews and destroys it.
    pub(crate) fn is_own(&self) -> bool {
        self.existing.is_none()
    }

    /// The TTL of the options, by which the first renewal is scheduled; `None` without a TTL.
    pub(crate) fn ttl(&self) -> Option<Duration> {
        self.first_ttl.filter(|ttl| !ttl.is_zero())
    }

    /// The TTL and the lock-delay of the session that is created, zero where the draft has none.
    /// `None` if the session is the caller's.
    pub(crate) fn terms(&self) -> Option<(Duration, Duration)> {
        let ttl = u64::try_from(duration::parse(&self.draft.ttl).unwrap_or_default());
        let ttl = Duration::from_nanos(ttl.unwrap_or_default());
        self.is_own().then(|| (ttl, applied_lock_delay(self.draft.lock_delay)))
    }

    /// Returns the created session and forgets it; the caller of this function destroys it.
    pub(crate) fn take_session(&mut self) -> Option<SessionRef> {
        self.state = RenewerState::Idle;
        self.session.take()
    }

    /// The session that the recipe works with: the caller's, or the created one if it exists.
    pub fn session(&self) -> Option<&SessionRef> {
        self.existing.as_ref().or(self.session.as_ref())
    }

    /// The name of its state, as docs/en/reference/recipes.md lists them.
    pub fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self.state {
            RenewerState::Resting { until, .. } | RenewerState::Retrying { until, .. } => {
                Some((until, Due::Renew))
            }
            RenewerState::Idle
            | RenewerState::Creating
            | RenewerState::Waiting
            | RenewerState::Renewing(_)
            | RenewerState::Stopped => None,
        }
    }

    /// Returns the caller's own session, or starts to create one and returns `None`.
    pub(crate) fn begin(&mut self, context: &mut StepContext) -> Option<SessionRef> {
        if self.existing.is_none() {
            context.send(CallSlot::Renewer, Operation::CreateSession(self.draft.clone()));
            self.state = RenewerState::Creating;
        }
        self.existing.clone()
    }

    /// Handles the answer to the create or the renewal. Returns the result of a create; `None` for
    /// a renewal.
    pub(crate) fn answered(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Option<Result<SessionRef, Failure>> {
        match self.state {
            RenewerState::Creating => Some(self.created(context, result)),
            RenewerState::Renewing(lease) => {
                self.renewed(context, lease, result);
                None
            }
            RenewerState::Idle
            | RenewerState::Waiting
            | RenewerState::Resting { .. }
            | RenewerState::Retrying { .. }
            | RenewerState::Stopped => None,
        }
    }

    /// Sends the renewal that is due; does nothing if none is.
    pub(crate) fn renew(&mut self, context: &mut StepContext) {
        let (RenewerState::Resting { lease, .. } | RenewerState::Retrying { lease, .. }) =
            self.state
        else {
            return;
        };
        let Some(session) = self.session.clone() else { return };
        context.send(CallSlot::Renewer, Operation::RenewSession(session));
        self.state = RenewerState::Renewing(lease);
    }

    /// Destroys a session of its own (RCL-14), unless renewals have stopped before: then the
    /// session is left to its TTL, if it has one (RCL-20). The goroutine of the Go client waits
    /// inside a renewal that is pending, so the session is destroyed only after its answer, if at
    /// all (RCL-19).
    pub(crate) fn end(&mut self, context: &mut StepContext) {
        let session = self.session.take();
        let state = core::mem::replace(&mut self.state, RenewerState::Idle);
        let Some(session) = session else { return context.abandon(CallSlot::Renewer) };
        match state {
            RenewerState::Renewing(lease) => {
                let call = context.change_slot(CallSlot::Renewer, CallSlot::FormerRenewal);
                self.former.extend(call.map(|call| FormerSession { session, call, lease }));
            }
            RenewerState::Stopped => {}
            RenewerState::Idle
            | RenewerState::Creating
            | RenewerState::Waiting
            | RenewerState::Resting { .. }
            | RenewerState::Retrying { .. } => {
                context.send(CallSlot::SessionDestroy, Operation::DestroySession(session));
            }
        }
    }

    /// Handles the answer to a renewal of a session that was given up: destroys the session where
    /// the goroutine of the Go client goes on and sees that it should stop. After a 404, after an
    /// answer without a TTL, and after a failure later than a TTL it has ended instead.
    pub(crate) fn former_answered(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) {
        let is_answered = |former: &FormerSession| Some(former.call) == context.from;
        let Some(index) = self.former.iter().position(is_answered) else { return };
        let FormerSession { session, lease, .. } = self.former.remove(index);
        let goes_on = match answers::renewed(result) {
            Ok(renewed) => renewed.ttl.duration().is_some(),
            Err(failure) => !failure.is_not_found() && context.now.since(lease.since) <= lease.ttl,
        };
        if goes_on {
            context.send(CallSlot::SessionDestroy, Operation::DestroySession(session));
        }
    }

    fn created(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<SessionRef, Failure> {
        self.state = RenewerState::Idle;
        let id = answers::created(result)?;
        context.report(Report::SessionCreated(id));
        self.session = Some(id.into());
        match self.first_ttl {
            Some(ttl) => self.rest(Lease { ttl, since: context.now }),
            None => self.state = RenewerState::Waiting,
        }
        Ok(id.into())
    }

    /// Handles the answer to a renewal. A session without TTL stops the renewals (RCL-19, RCL-20);
    /// so does a failure once a TTL has passed since the last success.
    fn renewed(
        &mut self,
        context: &mut StepContext,
        lease: Lease,
        result: Result<Response, Failure>,
    ) {
        match answers::renewed(result) {
            Ok(session) => match session.ttl.duration() {
                Some(ttl) => self.rest(Lease { ttl, since: context.now }),
                None => self.stop(context, ProgramError::NoTtl),
            },
            Err(failure) if failure.is_not_found() => {
                self.stop(context, ProgramError::SessionExpired);
            }
            Err(failure) if context.now.since(lease.since) > lease.ttl => {
                self.stop(context, ProgramError::Call(failure));
            }
            Err(_) => self.state = RenewerState::Retrying { until: context.now.plus(RETRY), lease },
        }
    }

    fn rest(&mut self, lease: Lease) {
        self.state = RenewerState::Resting { until: lease.since.plus(lease.ttl / 2), lease };
    }

    fn stop(&mut self, context: &mut StepContext, error: ProgramError) {
        context.report(Report::RenewerStopped(error));
        self.state = RenewerState::Stopped;
    }
}
