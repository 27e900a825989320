//! Commands: everything that a log entry can contain, and what applying one returns. The engine
//! makes them; state.rs applies them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Deregistration, Registration};
use super::change::Change;
use super::kv::KvVerb;
use super::prepared_query::QueryDefinition;
use super::session::Session;
use super::txn::{TxnOp, TxnOutcome};
use crate::error::{Cause, Reason};
use crate::id::{Index, Key, QueryId, SessionId};

/// One entry of the log. Ids are minted and limits checked before it is made; time is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    CreateSession(Box<Session>),
    EndSession { id: SessionId, cause: Cause },
    Kv { key: Key, verb: KvVerb },
    Txn(Vec<TxnOp>),
    Register(Box<Registration>),
    Deregister(Deregistration),
    SetQuery { id: QueryId, definition: Box<QueryDefinition> },
    DeleteQuery(QueryId),
    ReapTombstones { up_to: Index },
}

/// The result of a command that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Applied {
    /// The write was applied.
    Done,
    /// The stored state does not allow the write: the answer is `false`.
    Refused(Reason),
    /// The outcome of a transaction; of a failed one also the changes that were undone.
    Txn { outcome: TxnOutcome, undone: Vec<Change> },
}
