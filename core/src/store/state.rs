//! The [`Store`]: all tables, and how a command changes them. A command that fails leaves no change
//! behind.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog_table::{Catalog, CatalogIndexes};
use super::change::{Change, Changes};
use super::command::{Applied, Command};
use super::kv::KvVerb;
use super::kv_table::Kv;
use super::query_table::PreparedQueries;
use super::session::Session;
use super::session_table::Sessions;
use crate::error::{Error, Reason};
use crate::id::{Index, Key};
use crate::version::ConsulVersion;

/// Everything that a server stores. Only [`Store::apply`] changes the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// The version of Consul whose state machine this is.
    pub(super) version: ConsulVersion,
    pub(super) kv: Kv,
    pub(super) sessions: Sessions,
    pub(super) catalog: Catalog,
    pub(super) queries: PreparedQueries,
}

/// Why a write to a key did not happen.
#[derive(Debug)]
pub(super) enum KvError {
    /// The stored entry does not allow it: the answer is `false`.
    Refused(Reason),
    /// The request is an error in itself.
    Invalid(Error),
}

impl From<Reason> for KvError {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}

impl From<Error> for KvError {
    fn from(error: Error) -> Self {
        Self::Invalid(error)
    }
}

/// The table indexes before a transaction or a registration, restored if it fails.
struct Mark {
    kv: (Index, Index),
    sessions: Index,
    catalog: CatalogIndexes,
    queries: Index,
}

impl Store {
    /// An empty store that applies log entries as this version of Consul does.
    pub fn new(version: ConsulVersion) -> Self {
        Self { version, ..Self::default() }
    }

    /// Applies later log entries as another version does.
    pub(crate) fn set_version(&mut self, version: ConsulVersion) {
        self.version = version;
    }

    /// The keys with their entries.
    pub fn kv(&self) -> &Kv {
        &self.kv
    }

    /// The sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Nodes, services and checks.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The prepared queries.
    pub fn queries(&self) -> &PreparedQueries {
        &self.queries
    }

    /// The number of records in all tables.
    pub(crate) fn rows(&self) -> usize {
        self.kv.rows() + self.sessions.len() + self.catalog.rows() + self.queries.len()
    }

    /// Applies one log entry. Every record that it changes gets this index.
    pub fn apply(
        &mut self,
        index: Index,
        command: &Command,
    ) -> (Result<Applied, Error>, Vec<Change>) {
        let mut changes = Changes::new(index);
        let applied = self.carry_out(&mut changes, command);
        (applied, changes.list)
    }

    fn carry_out(&mut self, changes: &mut Changes, command: &Command) -> Result<Applied, Error> {
        match command {
            Command::CreateSession(session) => self.create_session(changes, session)?,
            Command::EndSession { id, cause } => self.end_session(changes, *id, cause.clone()),
            Command::Kv { key, verb } => match self.kv_verb(changes, key, verb) {
                Ok(()) => {}
                Err(KvError::Refused(reason)) => return Ok(Applied::Refused(reason)),
                Err(KvError::Invalid(error)) => return Err(error),
            },
            Command::Txn(ops) => {
                let (outcome, undone) = self.txn(changes, ops);
                return Ok(Applied::Txn { outcome, undone });
            }
            Command::Register(registration) => {
                let registered = self.all_or_nothing(changes, |store, changes| {
                    store.register(changes, registration)
                });
                registered.map_err(|(error, _)| error)?;
            }
            Command::Deregister(target) => self.deregister(changes, target),
            Command::SetQuery { id, definition } => self.set_query(changes, *id, definition)?,
            Command::DeleteQuery(id) => self.queries.delete(changes, *id),
            Command::ReapTombstones { up_to } => self.kv.reap(*up_to),
        }
        Ok(Applied::Done)
    }

    /// Panics if the state violates an invariant, which would be a mistake in the store.
    pub fn check_invariants(&self) {
        assert_eq!(self.invariant_violation(Index(u64::MAX)), None);
    }

    /// The first invariant that the state violates, if any. `log` is the index of the last entry.
    pub(crate) fn invariant_violation(&self, log: Index) -> Option<&'static str> {
        let holders_live = || self.kv.holders().all(|id| self.sessions.get(id).is_some());
        let is_registered =
            |session: &Arc<Session>| self.catalog.node(&session.node.folded()).is_some();
        let catalog = self.catalog.indexes();
        let tables = [
            self.kv.table_index(),
            self.sessions.table_index(),
            self.queries.table_index(),
            catalog.nodes.max(catalog.services).max(catalog.checks),
        ];
        if tables.iter().any(|table| *table > log) {
            return Some("a table is newer than the log");
        }
        if !holders_live() {
            return Some("a key is held by a session that has ended");
        }
        if !self.sessions.iter().all(is_registered) {
            return Some("a session's node is not registered");
        }
        let in_tables = self.kv.invariant_violation();
        in_tables
            .or_else(|| self.sessions.invariant_violation())
            .or_else(|| self.queries.invariant_violation())
            .or_else(|| self.catalog.invariant_violation())
    }

    /// Carries out one verb on one key, alone or in a transaction.
    pub(super) fn kv_verb(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        verb: &KvVerb,
    ) -> Result<(), KvError> {
        let kv = &mut self.kv;
        match verb {
            KvVerb::Set(write) => kv.set(changes, key, write),
            KvVerb::Cas { write, expected } => kv.cas(changes, key, write, *expected)?,
            KvVerb::Acquire { write, session } => {
                if session.is_empty() {
                    return Err(Error::MissingSession.into());
                }
                if session.id().and_then(|id| self.sessions.get(id)).is_none() {
                    return Err(Error::InvalidSession(session.clone()).into());
                }
                kv.acquire(changes, key, write, session)?;
            }
            KvVerb::Release { session, .. } if session.is_empty() => {
                return Err(Error::MissingSession.into());
            }
            KvVerb::Release { write, session } => kv.release(changes, key, write, session)?,
            KvVerb::Delete => kv.delete(changes, key),
            KvVerb::DeleteCas { expected } => kv.delete_cas(changes, key, *expected)?,
            KvVerb::DeleteTree => kv.delete_tree(changes, key),
        }
        Ok(())
    }

    /// Runs several writes. If one fails, undoes all of them and returns the changes that were
    /// undone.
    pub(super) fn all_or_nothing<T, E>(
        &mut self,
        changes: &mut Changes,
        run: impl FnOnce(&mut Self, &mut Changes) -> Result<T, E>,
    ) -> Result<T, (E, Vec<Change>)> {
        let mark = self.mark();
        let first = changes.list.len();
        run(self, changes).map_err(|error| {
            let undone = changes.list.split_off(first);
            for change in undone.iter().rev() {
                self.undo(change);
            }
            self.rewind(mark);
            (error, undone)
        })
    }

    fn mark(&self) -> Mark {
        Mark {
            kv: self.kv.mark(),
            sessions: self.sessions.table_index(),
            catalog: self.catalog.indexes(),
            queries: self.queries.table_index(),
        }
    }

    fn rewind(&mut self, mark: Mark) {
        self.kv.rewind(mark.kv);
        self.sessions.rewind(mark.sessions);
        self.catalog.rewind(mark.catalog);
        self.queries.rewind(mark.queries);
    }

    fn undo(&mut self, change: &Change) {
        self.kv.undo(change);
        self.sessions.undo(change);
        self.catalog.undo(change);
        self.queries.undo(change);
    }
}
