//! Running a transaction: all of its operations or none, under one index. Each operation calls the
//! same function as the single request; a failed transaction is undone from its own changes.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, Node, Service};
use super::change::{Change, Changes};
use super::kv::{Entry, Hold, KvVerb};
use super::op_error::{OpError, OpTarget};
use super::state::{KvError, Store};
use super::txn::{CatalogVerb, TxnError, TxnOp, TxnOutcome, TxnResult, TxnVerb};
use crate::error::Error as EngineError;
use crate::id::{Folded, Index, Key, SessionRef, check_uuid_prefix};

impl Store {
    /// Runs a transaction. A failed one leaves no change; the changes that were undone are
    /// returned. Each operation sees the effects of those before it, and all writes get one index
    /// (TXN-11).
    pub(super) fn txn(
        &mut self,
        changes: &mut Changes,
        ops: &[TxnOp],
    ) -> (TxnOutcome, Vec<Change>) {
        let outcome = self.all_or_nothing(changes, |store, changes| {
            collect(ops, |op, results| store.run(changes, op, results))
        });
        match outcome {
            Ok(results) => (Ok(results), Vec::new()),
            Err((errors, undone)) => (Err(errors), undone),
        }
    }

    /// Runs a transaction without writes (TXN-07).
    pub fn txn_read(&self, ops: &[TxnOp]) -> TxnOutcome {
        collect(ops, |op, results| self.read_op(op, results))
    }

    fn run(
        &mut self,
        changes: &mut Changes,
        op: &TxnOp,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        match op {
            TxnOp::Kv { key, verb: TxnVerb::Write(verb) } => {
                self.run_kv(changes, key, verb, results)
            }
            TxnOp::Node { node, verb } => self.run_node(changes, node, verb, results),
            TxnOp::Service { service, verb } => self.run_service(changes, service, verb, results),
            TxnOp::Check { check, verb } => self.run_check(changes, check, verb, results),
            TxnOp::Kv { .. } => self.read_op(op, results),
        }
    }

    /// Writes with a verb of single requests (TXN-16 to TXN-19, TXN-25).
    fn run_kv(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        verb: &KvVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        match self.kv_verb(changes, key, verb) {
            Ok(()) => {}
            Err(KvError::Refused(_)) => return Err(refused(key, verb)),
            Err(KvError::Invalid(error)) => return Err(error.into()),
        }
        if !matches!(verb, KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree) {
            let entry = self.kv.get(key.as_str()).expect("the verb has just written the key");
            results.push(TxnResult::Written(entry.clone()));
        }
        Ok(())
    }

    /// Runs an operation that only reads (TXN-20 to TXN-24).
    fn read_op(&self, op: &TxnOp, results: &mut Vec<TxnResult>) -> Result<(), OpError> {
        match op {
            TxnOp::Kv { key, verb } => self.look_at_key(key, verb, results),
            TxnOp::Node { node, .. } => {
                let found = if node.id.is_empty() {
                    self.catalog.node(&node.name.folded())
                } else {
                    check_uuid_prefix(&node.id)?;
                    self.catalog.node_of_id(&node.id)
                };
                let found = found.ok_or_else(|| OpError::Missing(node_target(node)))?;
                results.push(TxnResult::Node(found.clone()));
                Ok(())
            }
            TxnOp::Service { service, .. } => {
                let (node, id) = service.path();
                let found = self.catalog.service(&node, &id);
                let found = found.ok_or_else(|| OpError::Missing(service_target(service)))?;
                results.push(TxnResult::Service(found.clone()));
                Ok(())
            }
            TxnOp::Check { check, verb } => {
                admit_check_path(check, verb)?;
                let (node, id) = check.path();
                let found = self.catalog.check(&node, &id);
                let found = found.ok_or_else(|| OpError::Missing(check_target(check)))?;
                results.push(TxnResult::Check(found.clone()));
                Ok(())
            }
        }
    }

    fn look_at_key(
        &self,
        key: &Key,
        verb: &TxnVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        let entry = self.kv.get(key.as_str());
        match verb {
            TxnVerb::Get => {
                let missing = || OpError::Missing(OpTarget::Key(key.clone()));
                let entry = entry.ok_or_else(missing)?;
                results.push(TxnResult::Read(entry.clone()));
            }
            TxnVerb::GetOrEmpty { flags, session, index } => {
                let empty = || Arc::new(empty_entry(key, *flags, session, *index));
                results.push(TxnResult::Read(entry.cloned().unwrap_or_else(empty)));
            }
            TxnVerb::GetTree => {
                let under = self.kv.with_prefix(key.as_str());
                results.extend(under.cloned().map(TxnResult::Read));
            }
            TxnVerb::CheckIndex(expected) => {
                results.push(TxnResult::Written(at_index(key, entry, *expected)?.clone()));
            }
            TxnVerb::CheckSession(session) => {
                results.push(TxnResult::Written(held_by(key, entry, session)?.clone()));
            }
            TxnVerb::CheckNotExists if entry.is_some() => {
                return Err(OpError::KeyExists(key.clone()));
            }
            TxnVerb::CheckNotExists => {}
            TxnVerb::Unknown(verb) => {
                return Err(OpError::UnknownVerb { kind: "KV", verb: verb.clone() });
            }
            TxnVerb::Write(_) => unreachable!("a write is not looked at"),
        }
        Ok(())
    }

    fn run_node(
        &mut self,
        changes: &mut Changes,
        node: &Node,
        verb: &CatalogVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        let path = node.name.folded();
        let actual = self.catalog.node(&path).map(|node| node.modify_index);
        let target = || node_target(node);
        match intent(verb, actual, "Node", target)? {
            Intent::Look => {
                let op = TxnOp::Node { node: node.clone(), verb: verb.clone() };
                return self.read_op(&op, results);
            }
            Intent::Set => {
                self.set_node(changes, node)?;
                results.extend(self.catalog.node(&path).cloned().map(TxnResult::Node));
            }
            Intent::Delete => self.remove_node(changes, &path),
        }
        Ok(())
    }

    fn run_service(
        &mut self,
        changes: &mut Changes,
        service: &Service,
        verb: &CatalogVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        let path = service.path();
        let stored = |store: &Self| store.catalog.service(&path.0, &path.1).cloned();
        let actual = stored(self).map(|service| service.modify_index);
        let target = || service_target(service);
        match intent(verb, actual, "Service", target)? {
            Intent::Look => {
                let op = TxnOp::Service { service: service.clone(), verb: verb.clone() };
                return self.read_op(&op, results);
            }
            Intent::Set => {
                self.catalog.set_service(changes, service)?;
                results.extend(stored(self).map(TxnResult::Service));
            }
            Intent::Delete => self.remove_service(changes, &path),
        }
        Ok(())
    }

    fn run_check(
        &mut self,
        changes: &mut Changes,
        check: &Check,
        verb: &CatalogVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), OpError> {
        admit_check_path(check, verb)?;
        let path: (Folded, Folded) = check.path();
        let stored = |store: &Self| store.catalog.check(&path.0, &path.1).cloned();
        let actual = stored(self).map(|check| check.modify_index);
        let target = || check_target(check);
        match intent(verb, actual, "Check", target)? {
            Intent::Look => {
                let op = TxnOp::Check { check: check.clone(), verb: verb.clone() };
                return self.read_op(&op, results);
            }
            Intent::Set => {
                self.set_check(changes, check)?;
                results.extend(stored(self).map(TxnResult::Check));
            }
            Intent::Delete => self.remove_check(changes, &path),
        }
        Ok(())
    }
}

/// What a catalog verb does once its index was compared.
enum Intent {
    Look,
    Set,
    Delete,
}

/// Compares the expected index of a verb with the actual one. To `cas`, 0 means that the record
/// must not exist.
fn intent(
    verb: &CatalogVerb,
    actual: Option<Index>,
    kind: &'static str,
    target: impl Fn() -> OpTarget,
) -> Result<Intent, OpError> {
    match verb {
        CatalogVerb::Get => Ok(Intent::Look),
        CatalogVerb::Set => Ok(Intent::Set),
        CatalogVerb::Delete => Ok(Intent::Delete),
        CatalogVerb::Cas(expected) if *expected == actual.unwrap_or_default() => Ok(Intent::Set),
        CatalogVerb::Cas(_) => Err(OpError::StaleSet(target())),
        CatalogVerb::DeleteCas(expected) if actual == Some(*expected) => Ok(Intent::Delete),
        CatalogVerb::DeleteCas(_) => Err(OpError::StaleDelete(target())),
        CatalogVerb::Unknown(verb) => Err(OpError::UnknownVerb { kind, verb: verb.clone() }),
    }
}

/// Refuses a check without a node or an id, by which it could be found. `set` refuses it later.
fn admit_check_path(check: &Check, verb: &CatalogVerb) -> Result<(), OpError> {
    if !check.node.is_empty() && !check.id.is_empty() {
        return Ok(());
    }
    match verb {
        CatalogVerb::Get | CatalogVerb::Cas(_) => Err(EngineError::EmptyCheckId.into()),
        CatalogVerb::Delete => Err(OpError::NamelessCheckToDelete),
        CatalogVerb::DeleteCas(_) => Err(OpError::NamelessCheckToDeleteCas),
        CatalogVerb::Set | CatalogVerb::Unknown(_) => Ok(()),
    }
}

/// Runs every operation, also after one has failed, so that all errors are reported (TXN-12).
fn collect(
    ops: &[TxnOp],
    mut run: impl FnMut(&TxnOp, &mut Vec<TxnResult>) -> Result<(), OpError>,
) -> TxnOutcome {
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for (position, op) in ops.iter().enumerate() {
        if let Err(error) = run(op, &mut results) {
            errors.push(TxnError { position, what: error.to_string(), reason: None });
        }
    }
    if errors.is_empty() { Ok(results) } else { Err(errors) }
}

/// The error of a write to which a single request would be answered `false` (TXN-17 to TXN-19,
/// TXN-25).
fn refused(key: &Key, verb: &KvVerb) -> OpError {
    let key = key.clone();
    match verb {
        KvVerb::Acquire { .. } => OpError::LockHeld(key),
        KvVerb::Release { .. } => OpError::LockNotHeld(key),
        KvVerb::DeleteCas { .. } => OpError::StaleDelete(OpTarget::Key(key)),
        KvVerb::Cas { .. } | KvVerb::Set(_) | KvVerb::Delete | KvVerb::DeleteTree => {
            OpError::StaleSet(OpTarget::Key(key))
        }
    }
}

/// What `get-or-empty` returns for a key without an entry: the values of the operation (V22-05).
fn empty_entry(key: &Key, flags: u64, session: &SessionRef, index: Index) -> Entry {
    let hold = Hold { session: session.clone(), since: Index::ZERO };
    Entry {
        key: key.clone(),
        value: Arc::default(),
        flags,
        lock_index: 0,
        hold: if session.is_empty() { None } else { Some(hold) },
        create_index: Index::ZERO,
        modify_index: index,
    }
}

/// Requires a key to be at an index. Unlike check-and-set, index 0 never matches an existing key
/// (TXN-22).
fn at_index<'a>(
    key: &Key,
    entry: Option<&'a Arc<Entry>>,
    expected: Index,
) -> Result<&'a Arc<Entry>, OpError> {
    let entry = entry.ok_or_else(|| OpError::NoKeyToCheckIndex(key.clone()))?;
    let actual = entry.modify_index;
    if actual != expected {
        return Err(OpError::OtherIndex { key: key.clone(), actual, expected });
    }
    Ok(entry)
}

/// Requires a key to be locked by a session; the empty session matches an unlocked key (TXN-23). In
/// front of a write, it makes the write depend on the lock (TXN-29).
fn held_by<'a>(
    key: &Key,
    entry: Option<&'a Arc<Entry>>,
    session: &SessionRef,
) -> Result<&'a Arc<Entry>, OpError> {
    let entry = entry.ok_or_else(|| OpError::NoKeyToCheckSession(key.clone()))?;
    let actual = entry.holder().map_or("", SessionRef::as_str);
    if actual != session.as_str() {
        let (actual, expected) = (actual.into(), session.clone());
        return Err(OpError::OtherSession { key: key.clone(), actual, expected });
    }
    Ok(entry)
}

fn node_target(node: &Node) -> OpTarget {
    OpTarget::Node(node.name.clone())
}

fn service_target(service: &Service) -> OpTarget {
    OpTarget::Service(service.node.clone(), service.id.clone())
}

fn check_target(check: &Check) -> OpTarget {
    OpTarget::Check(check.node.clone(), check.id.clone())
}
