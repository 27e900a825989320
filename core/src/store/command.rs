//! The closed alphabet of change: everything that can stand in the log.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Deregistration, Registration};
use super::kv::Write;
use super::prepared_query::QueryDefinition;
use super::session::Session;
use super::txn::TxnOp;
use crate::error::Cause;
use crate::id::{Index, Key, QueryId, SessionId, SessionRef};

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

/// What a write does to one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KvVerb {
    Set(Write),
    Cas { write: Write, expected: Index },
    Acquire { write: Write, session: SessionRef },
    Release { write: Write, session: SessionRef },
    Delete,
    DeleteCas { expected: Index },
    DeleteTree,
}
