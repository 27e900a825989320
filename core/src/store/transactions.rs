//! Running a transaction: all of its operations or none, under one index. Each operation calls the
//! same function as the single request; a failed transaction is undone from its own changes. The
//! checks before the log are in the engine (admit.rs).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, Node, Service};
use super::change::{Change, Changes};
use super::kv::{Entry, KvVerb};
use super::state::{KvError, Store};
use super::txn::{CatalogVerb, TxnError, TxnOp, TxnOutcome, TxnResult, TxnVerb};
use crate::id::{Folded, Index, Key, SessionRef, go_quoted};

impl Store {
    /// Runs a transaction; a failed one leaves no change behind (S9), and says what it took back.
    /// Each operation sees what those before it did, and all write under one index (TXN-11).
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
        collect(ops, |op, results| self.look(op, results))
    }

    fn run(
        &mut self,
        changes: &mut Changes,
        op: &TxnOp,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), String> {
        match op {
            TxnOp::Kv { key, verb: TxnVerb::Write(verb) } => {
                self.run_kv(changes, key, verb, results)
            }
            TxnOp::Node { node, verb } => self.run_node(changes, (node, verb), results),
            TxnOp::Service { service, verb } => self.run_service(changes, (service, verb), results),
            TxnOp::Check { check, verb } => self.run_check(changes, (check, verb), results),
            TxnOp::Kv { .. } => self.look(op, results),
        }
    }

    /// TXN-16 to TXN-19, TXN-25: the verbs that write are those of single calls.
    fn run_kv(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        verb: &KvVerb,
        results: &mut Vec<TxnResult>,
    ) -> Result<(), String> {
        match self.kv_verb(changes, key, verb) {
            Ok(()) => {}
            Err(KvError::Refused(_)) => return Err(refused(key, verb)),
            Err(KvError::Invalid(error)) => return Err(error.to_string()),
        }
        if !matches!(verb, KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree) {
            let entry = self.kv.get(key.as_str()).expect("the verb has just written the key");
            results.push(TxnResult::Written(entry.clone()));
        }
        Ok(())
    }

    /// TXN-20 to TXN-24: the verbs that only look.
    fn look(&self, op: &TxnOp, results: &mut Vec<TxnResult>) -> Result<(), String> {
        match op {
            TxnOp::Kv { key, verb } => self.look_at_key(key, verb, results),
            TxnOp::Node { node, .. } => {
                let found = self.catalog.node(&node.name.folded());
                let found = found.ok_or_else(|| absent(&node_named(node)))?;
                results.push(TxnResult::Node(found.clone()));
                Ok(())
            }
            TxnOp::Service { service, .. } => {
                let (of, id) = service.path();
                let found = self.catalog.service(&of, &id);
                let found = found.ok_or_else(|| absent(&service_named(service)))?;
                results.push(TxnResult::Service(found.clone()));
                Ok(())
            }
            TxnOp::Check { check, .. } => {
                let (of, id) = check.path();
                let found = self.catalog.check(&of, &id);
                let found = found.ok_or_else(|| absent(&check_named(check)))?;
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
    ) -> Result<(), String> {
        let name = go_quoted(key.as_str());
        let entry = self.kv.get(key.as_str());
        match verb {
            TxnVerb::Get => {
                let entry = entry.ok_or_else(|| format!("key {name} doesn't exist"))?;
                results.push(TxnResult::Read(entry.clone()));
            }
            TxnVerb::GetTree => {
                let under = self.kv.with_prefix(key.as_str());
                results.extend(under.cloned().map(TxnResult::Read));
            }
            TxnVerb::CheckIndex(expected) => {
                results.push(TxnResult::Written(at_index(&name, entry, *expected)?.clone()));
            }
            TxnVerb::CheckSession(session) => {
                results.push(TxnResult::Written(held_by(&name, entry, session)?.clone()));
            }
            TxnVerb::CheckNotExists if entry.is_some() => return Err(format!("key {name} exists")),
            TxnVerb::CheckNotExists => {}
            TxnVerb::Unknown(verb) => return Err(format!("unknown KV verb {}", go_quoted(verb))),
            TxnVerb::Write(_) => unreachable!("a write is not looked at"),
        }
        Ok(())
    }

    fn run_node(
        &mut self,
        changes: &mut Changes,
        (node, verb): (&Node, &CatalogVerb),
        results: &mut Vec<TxnResult>,
    ) -> Result<(), String> {
        let path = node.name.folded();
        let actual = self.catalog.node(&path).map(|node| node.modify_index);
        let named = || node_named(node);
        match intent(verb, actual, ("Node", &named))? {
            Intent::Look => {
                let op = TxnOp::Node { node: node.clone(), verb: verb.clone() };
                return self.look(&op, results);
            }
            Intent::Set => {
                self.set_node(changes, node).map_err(|error| error.to_string())?;
                results.extend(self.catalog.node(&path).cloned().map(TxnResult::Node));
            }
            Intent::Delete => self.remove_node(changes, &path),
        }
        Ok(())
    }

    fn run_service(
        &mut self,
        changes: &mut Changes,
        (service, verb): (&Service, &CatalogVerb),
        results: &mut Vec<TxnResult>,
    ) -> Result<(), String> {
        let path = service.path();
        let stored = |store: &Self| store.catalog.service(&path.0, &path.1).cloned();
        let actual = stored(self).map(|service| service.modify_index);
        let named = || service_named(service);
        match intent(verb, actual, ("Service", &named))? {
            Intent::Look => {
                let op = TxnOp::Service { service: service.clone(), verb: verb.clone() };
                return self.look(&op, results);
            }
            Intent::Set => {
                let set = self.catalog.set_service(changes, service);
                set.map_err(|error| error.to_string())?;
                results.extend(stored(self).map(TxnResult::Service));
            }
            Intent::Delete => self.remove_service(changes, &path),
        }
        Ok(())
    }

    fn run_check(
        &mut self,
        changes: &mut Changes,
        (check, verb): (&Check, &CatalogVerb),
        results: &mut Vec<TxnResult>,
    ) -> Result<(), String> {
        let path: (Folded, Folded) = check.path();
        let stored = |store: &Self| store.catalog.check(&path.0, &path.1).cloned();
        let actual = stored(self).map(|check| check.modify_index);
        let named = || check_named(check);
        match intent(verb, actual, ("Check", &named))? {
            Intent::Look => {
                let op = TxnOp::Check { check: check.clone(), verb: verb.clone() };
                return self.look(&op, results);
            }
            Intent::Set => {
                self.set_check(changes, check).map_err(|error| error.to_string())?;
                results.extend(stored(self).map(TxnResult::Check));
            }
            Intent::Delete => self.remove_check(changes, &path),
        }
        Ok(())
    }
}

/// What is left of a catalog verb once its index was compared.
enum Intent {
    Look,
    Set,
    Delete,
}

/// Compares the expected index of a verb with the actual one; 0 asks that the record does not
/// exist.
fn intent(
    verb: &CatalogVerb,
    actual: Option<Index>,
    (kind, named): (&str, &dyn Fn() -> String),
) -> Result<Intent, String> {
    let stale = |doing: &str| format!("failed to {doing} {}, index is stale", named());
    match verb {
        CatalogVerb::Get => Ok(Intent::Look),
        CatalogVerb::Set => Ok(Intent::Set),
        CatalogVerb::Delete => Ok(Intent::Delete),
        CatalogVerb::Cas(expected) if *expected == actual.unwrap_or_default() => Ok(Intent::Set),
        CatalogVerb::Cas(_) => Err(stale("set")),
        CatalogVerb::DeleteCas(expected) if actual == Some(*expected) => Ok(Intent::Delete),
        CatalogVerb::DeleteCas(_) => Err(stale("delete")),
        CatalogVerb::Unknown(verb) => Err(format!("unknown {kind} verb {}", go_quoted(verb))),
    }
}

/// TXN-12: every operation is tried, so that all errors are reported.
fn collect(
    ops: &[TxnOp],
    mut run: impl FnMut(&TxnOp, &mut Vec<TxnResult>) -> Result<(), String>,
) -> TxnOutcome {
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for (position, op) in ops.iter().enumerate() {
        if let Err(what) = run(op, &mut results) {
            errors.push(TxnError { position, what });
        }
    }
    if errors.is_empty() { Ok(results) } else { Err(errors) }
}

/// TXN-17 to TXN-19, TXN-25: the answer `false` of a single call, in the words of a transaction.
fn refused(key: &Key, verb: &KvVerb) -> String {
    let name = go_quoted(key.as_str());
    match verb {
        KvVerb::Acquire { .. } => format!("failed to lock key {name}, lock is already held"),
        KvVerb::Release { .. } => {
            format!("failed to unlock key {name}, lock isn't held, or is held by another session")
        }
        KvVerb::DeleteCas { .. } => format!("failed to delete key {name}, index is stale"),
        KvVerb::Cas { .. } | KvVerb::Set(_) | KvVerb::Delete | KvVerb::DeleteTree => {
            format!("failed to set key {name}, index is stale")
        }
    }
}

/// TXN-22: not a check-and-set: index 0 never matches an existing key.
fn at_index<'a>(
    name: &str,
    entry: Option<&'a Arc<Entry>>,
    expected: Index,
) -> Result<&'a Arc<Entry>, String> {
    let entry = entry.ok_or_else(|| format!("failed to check index, key {name} doesn't exist"))?;
    let actual = entry.modify_index;
    if actual != expected {
        return Err(format!(
            "failed index check for key {name}, current modify index {actual} != {expected}"
        ));
    }
    Ok(entry)
}

/// TXN-23: an empty session passes on an unlocked key. Before a write it makes the write depend on
/// the lock (TXN-29).
fn held_by<'a>(
    name: &str,
    entry: Option<&'a Arc<Entry>>,
    session: &SessionRef,
) -> Result<&'a Arc<Entry>, String> {
    let entry =
        entry.ok_or_else(|| format!("failed to check session, key {name} doesn't exist"))?;
    let actual = entry.holder().map_or("", SessionRef::as_str);
    if actual != session.as_str() {
        let (actual, asked) = (go_quoted(actual), go_quoted(session.as_str()));
        return Err(format!(
            "failed session check for key {name}, current session {actual} != {asked}"
        ));
    }
    Ok(entry)
}

fn node_named(node: &Node) -> String {
    format!("node {}", go_quoted(node.name.as_str()))
}

fn service_named(service: &Service) -> String {
    let (id, node) = (service.id.as_str(), service.node.as_str());
    format!("service {} on node {}", go_quoted(id), go_quoted(node))
}

fn check_named(check: &Check) -> String {
    let (id, node) = (check.id.as_str(), check.node.as_str());
    format!("check {} on node {}", go_quoted(id), go_quoted(node))
}

fn absent(named: &str) -> String {
    format!("{named} doesn't exist")
}
