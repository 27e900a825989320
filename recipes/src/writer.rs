//! A program that holds a lock and writes while it believes that it holds the lock, which may be
//! longer than it does. It writes to the guarded resource, which accepts or rejects each write by
//! its fencing token if it has one; or, with [`FenceKind::CheckSession`], to a key of Consul in a
//! transaction that checks the lock.

use alloc::format;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::Key;
use lictor_core::message::{Answer, Failure, Operation, Response};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{KvVerb, Write};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::belief::{Belief, Fence, FenceKind, Token, Use};
use crate::interface::{Action, Due, Phase, first_due};
use crate::lock::{Lock, LockOptions};
use crate::parts::calls::CallSlot;
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::work::Work;
use crate::program_error::ProgramError;
use crate::report::Report;

/// Takes a lock, and writes to the resource that it guards at intervals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    lock: Lock,
    fence: FenceKind,
    /// The key that is written in transactions, for [`FenceKind::CheckSession`].
    resource: Key,
    work: Work,
    /// The number of the write in the latest transaction.
    latest: u64,
}

impl Writer {
    /// A writer that has not started, with the interval between its writes. Fails if the options of
    /// its lock are wrong.
    pub fn new(
        options: LockOptions,
        fence: FenceKind,
        every: Duration,
    ) -> Result<Self, ProgramError> {
        let resource = Key::from(format!("{}-data", options.key));
        let (lock, work) = (Lock::new(options)?, Work::new(Some(every)));
        Ok(Self { lock, fence, resource, work, latest: 0 })
    }

    /// Its lock.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// How its writes are fenced.
    pub fn fence(&self) -> FenceKind {
        self.fence
    }

    /// The interval between its writes.
    pub fn every(&self) -> Duration {
        self.work.every().unwrap_or_default()
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        first_due(&[self.lock.next_deadline(), self.work.next_deadline()])
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match event {
            StepInput::Due(Due::Write) => self.write(context),
            StepInput::Reply { slot: CallSlot::Work, result } => self.written(context, result),
            other => self.lock.on(context, other),
        }
        match (self.lock.phase(), &*context.belief) {
            (Phase::Holding, Belief::Believes { token, .. }) if is_complete(token, self.fence) => {
                self.work.begin(context.now);
            }
            _ => self.work.end(),
        }
    }

    fn write(&mut self, context: &mut StepContext) {
        let Belief::Believes { token, .. } = &*context.belief else { return };
        let token = token.clone();
        let number = self.work.write(context.now);
        match fence(&token, self.fence) {
            Some(fence) => {
                context.out.push(Action::Use(Use { number, fence, token: Some(token) }));
            }
            None => self.write_checked(context, &token, number),
        }
    }

    /// Sends a transaction that is applied only while the session holds the key (TXN-29).
    fn write_checked(&mut self, context: &mut StepContext, token: &Token, number: u64) {
        let value = format!("{number}").into_bytes().into();
        let check = TxnVerb::CheckSession(token.session.clone());
        let set = TxnVerb::Write(KvVerb::Set(Write { value, flags: 0 }));
        let ops = Vec::from([
            TxnOp::Kv { key: token.key.clone(), verb: check },
            TxnOp::Kv { key: self.resource.clone(), verb: set },
        ]);
        context.send(CallSlot::Work, Operation::Txn(ops));
        self.latest = number;
    }

    fn written(&self, context: &mut StepContext, result: Result<Response, Failure>) {
        let number = self.latest;
        match result.map(|response| response.answer) {
            Ok(Answer::Txn { outcome, .. }) => {
                context.report(Report::Written { number, is_accepted: outcome.is_ok() });
            }
            Ok(_) => {}
            Err(failure) => context.fail(ProgramError::Call(failure)),
        }
    }
}

/// Whether the token has the indexes that this kind of fencing token needs.
fn is_complete(token: &Token, kind: FenceKind) -> bool {
    match kind {
        FenceKind::None | FenceKind::Session | FenceKind::CheckSession => true,
        FenceKind::LockIndex | FenceKind::Triple => token.lock_index.is_some(),
        FenceKind::ModifyIndex => token.modify_index.is_some(),
    }
}

/// The fencing token to send. `None` if Consul checks the lock itself.
fn fence(token: &Token, kind: FenceKind) -> Option<Fence> {
    let lock_index = token.lock_index.unwrap_or_default();
    let session = || token.session.clone();
    match kind {
        FenceKind::None => Some(Fence::None),
        FenceKind::Session => Some(Fence::Session(session())),
        FenceKind::LockIndex => Some(Fence::LockIndex(lock_index)),
        FenceKind::ModifyIndex => Some(Fence::ModifyIndex(token.modify_index.unwrap_or_default())),
        FenceKind::Triple => {
            Some(Fence::Triple { key: token.key.clone(), lock_index, session: session() })
        }
        FenceKind::CheckSession => None,
    }
}
