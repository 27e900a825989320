//! What the leader checks before anything is logged: the bounds of a new session, the pre-checks of
//! a transaction. A refusal here spends no index.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::Engine;
use crate::duration;
use crate::error::{Error, Reason};
use crate::gather::Gather as _;
use crate::id::{Index, Key, NodeName, SessionId, go_quoted};
use crate::message::{Request, SessionDraft};
use crate::store::txn::{TxnError, TxnOp, TxnVerb};
use crate::store::{Behavior, KvVerb, Session};

/// The longest TTL that a session may have (SES-15).
const TTL_MAX: Duration = Duration::from_secs(24 * 60 * 60);

impl Engine {
    /// SES-06: node, behavior and TTL, in this order; then the id is minted (SES-05).
    pub(super) fn admit_session(
        &mut self,
        agent: &NodeName,
        draft: SessionDraft,
    ) -> Result<Session, Error> {
        let node = draft.node.unwrap_or_else(|| agent.clone());
        if node.is_empty() {
            return Err(Error::SessionWithoutNode);
        }
        let behavior = match &*draft.behavior {
            "" | "release" => Behavior::Release,
            "delete" => Behavior::Delete,
            other => return Err(Error::InvalidBehavior(other.into())),
        };
        self.admit_ttl(&draft.ttl)?;
        Ok(Session {
            id: self.mint_session_id(),
            name: draft.name,
            node,
            lock_delay: draft.lock_delay,
            behavior,
            ttl: draft.ttl,
            node_checks: draft.node_checks,
            service_checks: draft.service_checks,
            checks: draft.checks,
            create_index: Index::ZERO,
        })
    }

    /// SES-13 to SES-15: empty and zero mean none; anything else lies within bounds.
    fn admit_ttl(&self, text: &str) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let nanos = duration::parse(text)
            .map_err(|error| Error::InvalidTtl { text: text.into(), error: Box::new(error) })?;
        let ttl = u64::try_from(nanos).map(Duration::from_nanos).ok();
        let min = self.config.session_ttl_min;
        if nanos == 0 || ttl.is_some_and(|ttl| (min..=TTL_MAX).contains(&ttl)) {
            return Ok(());
        }
        Err(Error::TtlOutOfBounds { nanos, min: duration::print(min) })
    }

    fn mint_session_id(&mut self) -> SessionId {
        loop {
            let id = SessionId::from_bytes(self.rng.bytes16());
            if self.store.sessions().get(id).is_none() {
                return id;
            }
        }
    }

    /// DLY-04, LCK-05: why the key cannot be acquired at the moment, if it cannot: by any session
    /// (DLY-05), and only by this very key (DLY-12).
    pub(super) fn delayed(&self, key: &Key) -> Option<Reason> {
        self.timers.delays.get(key).map(|delay| Reason::LockDelay {
            until: delay.until,
            armed: delay.index,
            session: delay.session,
            cause: delay.cause.clone(),
        })
    }

    /// TXN-13: the errors of all operations that may not be tried at all.
    pub(super) fn admit_txn(&self, ops: &[TxnOp]) -> Vec<TxnError> {
        let refused = |(position, op)| Some(TxnError { position, what: self.admit_op(op)? });
        ops.iter().enumerate().filter_map(refused).gather()
    }

    fn admit_op(&self, op: &TxnOp) -> Option<String> {
        match op {
            TxnOp::Kv { key, verb } => self.admit_kv(key, verb),
            TxnOp::Node { node, .. } if node.name.is_empty() => {
                Some(format!("{}", Error::CatalogWithoutNode))
            }
            TxnOp::Service { service, .. } if service.node.is_empty() => {
                Some(format!("{}", Error::CatalogWithoutNode))
            }
            TxnOp::Check { check, .. } if check.node.is_empty() => {
                Some(format!("{}", Error::CatalogWithoutNode))
            }
            TxnOp::Node { .. } | TxnOp::Service { .. } | TxnOp::Check { .. } => None,
        }
    }

    /// TXN-14: only `delete-tree` may mean the whole store. TXN-18: a lock waits for its delay.
    fn admit_kv(&self, key: &Key, verb: &TxnVerb) -> Option<String> {
        if key.is_empty() && !matches!(verb, TxnVerb::Write(KvVerb::DeleteTree)) {
            return Some(format!("{}", Error::MissingKey));
        }
        let locks = matches!(verb, TxnVerb::Write(KvVerb::Acquire { .. }));
        if locks && self.timers.delays.contains_key(key) {
            let name = go_quoted(key.as_str());
            return Some(format!("failed to lock key {name} due to lock delay"));
        }
        None
    }
}

impl Request {
    /// Whether the request is an acquire, and of which key.
    pub(super) fn acquires(&self) -> Option<&Key> {
        match &self.operation {
            crate::message::Operation::Kv { key, verb: KvVerb::Acquire { .. } } => Some(key),
            _ => None,
        }
    }
}
