//! The checks that the leader makes before it logs a command: sessions, registrations and the
//! operations of a transaction. A refusal here uses no index. Checks that depend on the order of
//! the log are the store's.

use alloc::boxed::Box;
use alloc::string::ToString as _;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use super::server::Engine;
use crate::duration;
use crate::error::{Error, Reason};
use crate::id::{Index, Key, NodeName, SessionId, check_uuid};
use crate::message::SessionDraft;
use crate::store::catalog::{NodeUpdate, Registration, Service};
use crate::store::txn::{CatalogVerb, TxnError, TxnOp, TxnVerb};
use crate::store::{Behavior, KvVerb, OpError, Session, SessionTtl};

/// The longest TTL that a session may have (SES-15).
pub const TTL_MAX: Duration = Duration::from_secs(24 * 60 * 60);

impl Engine {
    /// Checks node, behavior and TTL, in this order (SES-06), then mints the id (SES-05).
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
        let ttl = self.admit_ttl(&draft.ttl)?;
        Ok(Session {
            id: self.mint_session_id(),
            name: draft.name,
            node,
            lock_delay: draft.lock_delay,
            behavior,
            ttl,
            node_checks: draft.node_checks,
            service_checks: draft.service_checks,
            checks: draft.checks,
            create_index: Index::ZERO,
        })
    }

    /// A TTL is empty or zero, for none, or within bounds (SES-13 to SES-15).
    fn admit_ttl(&self, text: &Arc<str>) -> Result<SessionTtl, Error> {
        let ttl = SessionTtl::parse(text.clone()).map_err(|error| Error::InvalidTtl {
            text: (&**text).into(),
            error: Box::new(error),
        })?;
        let (nanos, min) = (ttl.nanos(), self.config.session_ttl_min);
        let is_within = ttl.duration().is_some_and(|ttl| (min..=TTL_MAX).contains(&ttl));
        if nanos == 0 || is_within {
            return Ok(ttl);
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

    /// Why the key cannot be acquired now, if it is under lock-delay (DLY-04, LCK-05). The delay
    /// applies to every session (DLY-05), and to this key only (DLY-12).
    pub(super) fn lock_delay_of(&self, key: &Key) -> Option<Reason> {
        self.timers.delays.get(key).map(|delay| Reason::LockDelay {
            until: delay.until,
            armed: delay.index,
            session: delay.session,
            cause: delay.cause.clone(),
        })
    }

    /// The errors of all operations that must not reach the log (TXN-13).
    pub(super) fn admit_txn(&self, ops: &[TxnOp]) -> Vec<TxnError> {
        let refused = |(position, op)| {
            let error = self.admit_op(op).err()?;
            let reason = match &error {
                OpError::LockDelay(key) => self.lock_delay_of(key),
                _ => None,
            };
            Some(TxnError { position, what: error.to_string(), reason })
        };
        ops.iter().enumerate().filter_map(refused).collect()
    }

    fn admit_op(&self, op: &TxnOp) -> Result<(), OpError> {
        if self.config.version.rules().admits_only_known_verbs {
            admit_verb(op)?;
        }
        match op {
            TxnOp::Kv { key, verb } => self.admit_kv(key, verb)?,
            // The leader checks neither a `get` of the catalog nor the node of a service, and of a
            // check nothing but its verb (TXN-27).
            TxnOp::Node { verb: CatalogVerb::Get, .. } => {}
            TxnOp::Service { verb: CatalogVerb::Get, .. } | TxnOp::Check { .. } => {}
            TxnOp::Node { node, .. } => admit_node(&node.name, &node.id)?,
            TxnOp::Service { service, .. } => self.admit_service(service)?,
        }
        Ok(())
    }

    /// Refuses incomplete and contradictory registrations (CAT-06).
    pub(super) fn admit_registration(&self, registration: &Registration) -> Result<(), Error> {
        let node = &registration.node;
        admit_node(&node.name, &node.id)?;
        if node.address.is_empty() && registration.node_update == NodeUpdate::Write {
            return Err(Error::CatalogWithoutAddress);
        }
        let service = registration.service.as_ref();
        service.map_or(Ok(()), |service| self.admit_service(service))?;
        for check in &registration.checks {
            if check.node.folded() != node.name.folded() {
                let (check, check_node) = (check.id.clone(), check.node.clone());
                return Err(Error::CheckOfOtherNode { check, check_node, node: node.name.clone() });
            }
            let Some(id) = &check.service else { continue };
            // Unlike in the catalog, the case of the id matters here.
            let known = self.store.catalog().service(&check.node.folded(), &id.folded());
            if known.is_none_or(|known| known.id != *id)
                && service.is_none_or(|service| service.id != *id)
            {
                let (service, check) = (id.clone(), check.id.clone());
                return Err(Error::UnknownServiceOfCheck { service, check });
            }
        }
        Ok(())
    }

    fn admit_service(&self, service: &Service) -> Result<(), Error> {
        if let Some(fault) = service.fault() {
            return Err(Error::InvalidService(fault));
        }
        let needs_name = self.config.version.rules().needs_service_names;
        match (service.name.is_empty(), service.id.is_empty()) {
            (true, false) => Err(Error::ServiceIdWithoutName),
            (true, true) if needs_name => Err(Error::ServiceWithoutName),
            _ if service.is_anywhere() => Err(Error::InvalidServiceAddress),
            _ => Ok(()),
        }
    }

    /// Only `delete-tree` accepts the empty key (TXN-14). A `lock` under lock-delay fails (TXN-18).
    fn admit_kv(&self, key: &Key, verb: &TxnVerb) -> Result<(), OpError> {
        if key.is_empty() && !matches!(verb, TxnVerb::Write(KvVerb::DeleteTree)) {
            return Err(Error::MissingKey.into());
        }
        let locks = matches!(verb, TxnVerb::Write(KvVerb::Acquire { .. }));
        if locks && self.timers.delays.contains_key(key) {
            return Err(OpError::LockDelay(key.clone()));
        }
        Ok(())
    }
}

/// Refuses a verb that does not exist (V22-07). The key of an operation is checked before its verb.
fn admit_verb(op: &TxnOp) -> Result<(), OpError> {
    let (kind, verb) = match op {
        TxnOp::Kv { key, verb: TxnVerb::Unknown(verb) } if !key.is_empty() => ("KV", verb),
        TxnOp::Node { verb: CatalogVerb::Unknown(verb), .. } => ("node", verb),
        TxnOp::Service { verb: CatalogVerb::Unknown(verb), .. } => ("service", verb),
        TxnOp::Check { verb: CatalogVerb::Unknown(verb), .. } => ("check", verb),
        _ => return Ok(()),
    };
    Err(OpError::UnknownOperation { kind, verb: verb.clone() })
}

fn admit_node(name: &NodeName, id: &str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::CatalogWithoutNode);
    }
    if id.is_empty() {
        Ok(())
    } else {
        check_uuid(id).map_err(|error| Error::BadNodeId(error.to_string()))
    }
}
