//! The state: keys, sessions, catalog and prepared queries. Pure: it knows neither time nor chance
//! nor who waits for what. One [`Command`] of the log at a time changes it, and says what changed.

pub mod catalog;
pub mod change;
pub mod command;
mod graveyard;
pub mod kv;
pub mod prepared_query;
pub mod query;
pub mod session;
pub mod txn;

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use self::change::Change;
pub use self::command::{Command, KvVerb};
pub use self::kv::{Entry, Hold, Write};
pub use self::query::{Found, Query};
pub use self::session::{Behavior, Session};

use self::catalog::{Catalog, CatalogIndexes};
use self::kv::Kv;
use self::prepared_query::PreparedQueries;
use self::session::Sessions;
use self::txn::{KvOutcome, TxnOutcome};
use crate::error::{Error, Reason};
use crate::id::{Index, Key};

/// Everything that a server stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    kv: Kv,
    sessions: Sessions,
    catalog: Catalog,
    queries: PreparedQueries,
}

/// The result of a command that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Applied {
    /// The write is done; some have nothing more to say.
    Done,
    /// The write was refused by what is stored: the answer `false`.
    Refused(Reason),
    /// A transaction; of a failed one also what it had done before it was taken back.
    Txn { outcome: TxnOutcome, undone: Vec<Change> },
}

/// The table indexes, to go back to when a transaction fails.
#[derive(Clone, Copy)]
struct Mark {
    kv: (Index, Index),
    sessions: Index,
    catalog: CatalogIndexes,
    queries: Index,
}

impl Store {
    pub fn kv(&self) -> &Kv {
        &self.kv
    }

    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn queries(&self) -> &PreparedQueries {
        &self.queries
    }

    /// How many records all tables have.
    pub(crate) fn rows(&self) -> usize {
        self.kv.rows() + self.sessions.len() + self.catalog.rows() + self.queries.len()
    }

    /// Carries out one log entry. All that it changes gets its index.
    pub fn apply(
        &mut self,
        at: Index,
        command: &Command,
        changes: &mut Vec<Change>,
    ) -> Result<Applied, Error> {
        match command {
            Command::CreateSession(session) => {
                self.create_session(at, &Arc::new(Session::clone(session)), changes)?;
            }
            Command::EndSession { id, cause } => {
                self.end_session(at, *id, cause.clone(), changes);
            }
            Command::Kv { key, verb } => {
                if let Err(reason) = self.kv_verb(at, key, verb, changes)? {
                    return Ok(Applied::Refused(reason));
                }
            }
            Command::Txn(ops) => {
                let (outcome, undone) = self.txn(at, ops, changes);
                return Ok(Applied::Txn { outcome, undone });
            }
            Command::Register(registration) => {
                let register =
                    |store: &mut Self, changes: &mut _| store.register(at, registration, changes);
                self.all_or_nothing(changes, register).map_err(|(error, _)| error)?;
            }
            Command::Deregister(target) => self.deregister(at, target, changes),
            Command::SetQuery { id, definition } => {
                self.set_query(at, *id, definition, changes)?;
            }
            Command::DeleteQuery(id) => self.queries.delete(at, *id, changes),
            Command::ReapTombstones { up_to } => self.kv.reap(*up_to),
        }
        Ok(Applied::Done)
    }

    /// Panics if the state is at odds with itself. Called after every step of the tests.
    pub fn check_invariants(&self) {
        assert_eq!(self.invariant_violation(Index(u64::MAX)), None);
    }

    /// What is at odds with itself, if anything is; the log has come to an index.
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
            return Some("S1: a table is newer than the log");
        }
        if !holders_live() {
            return Some("S4: a key is held by a session that has ended");
        }
        if !self.sessions.iter().all(is_registered) {
            return Some("a session's node is not registered");
        }
        let invariant_violation =
            self.kv.invariant_violation().or_else(|| self.sessions.invariant_violation());
        invariant_violation
            .or_else(|| self.queries.invariant_violation())
            .or_else(|| self.catalog.invariant_violation())
    }

    /// One verb on one key, in a transaction or alone.
    fn kv_verb(
        &mut self,
        at: Index,
        key: &Key,
        verb: &KvVerb,
        changes: &mut Vec<Change>,
    ) -> KvOutcome {
        let kv = &mut self.kv;
        let outcome = match verb {
            KvVerb::Set(write) => {
                kv.set(at, key, write, changes);
                Ok(())
            }
            KvVerb::Cas { write, expected } => kv.cas(at, key, (write, *expected), changes),
            KvVerb::Acquire { write, session } => {
                if session.is_empty() {
                    return Err(Error::MissingSession);
                }
                if session.id().and_then(|id| self.sessions.get(id)).is_none() {
                    return Err(Error::InvalidSession(session.clone()));
                }
                kv.acquire(at, key, (write, session), changes)
            }
            KvVerb::Release { session, .. } if session.is_empty() => {
                return Err(Error::MissingSession);
            }
            KvVerb::Release { write, session } => kv.release(at, key, (write, session), changes),
            KvVerb::Delete => {
                kv.delete(at, key, changes);
                Ok(())
            }
            KvVerb::DeleteCas { expected } => kv.delete_cas(at, key, *expected, changes),
            KvVerb::DeleteTree => {
                kv.delete_tree(at, key, changes);
                Ok(())
            }
        };
        Ok(outcome)
    }

    /// Does something in many parts; if it fails, takes back what was done and says what that was
    /// (S9).
    fn all_or_nothing<T, E>(
        &mut self,
        changes: &mut Vec<Change>,
        run: impl FnOnce(&mut Self, &mut Vec<Change>) -> Result<T, E>,
    ) -> Result<T, (E, Vec<Change>)> {
        let mark = self.mark();
        let first = changes.len();
        run(self, changes).map_err(|error| {
            let undone = changes.split_off(first);
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
