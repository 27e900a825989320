//! The keys of the rows that are out of date because the record changed, so that only those are
//! made again.

use alloc::collections::BTreeSet;

use lictor_core::id::{ActorName, Key, RequestId, SessionId};

use super::check::CheckPath;
use super::connection::ConnectionPath;

/// A row of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    /// A key, and its lock.
    Key(Key),
    /// A semaphore, by its prefix.
    Semaphore(Key),
    /// A session.
    Session(SessionId),
    /// A client.
    Actor(ActorName),
    /// A health check.
    Check(CheckPath),
    /// The requests of one use while the network fails.
    Connection(ConnectionPath),
    /// A request of a person.
    Exchange(RequestId),
}

/// The rows that changed since the page last took them.
pub type RowKeys = BTreeSet<RowKey>;
