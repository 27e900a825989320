//! The rows of the page that have to be read again because something in the history changed.
//! `row_updates` collects them; the page's store takes them and updates only those rows.

use std::collections::BTreeSet;

use lictor_core::id::{ActorName, Key, SessionId};

/// A row of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    Key(Key),
    Semaphore(Key),
    Session(SessionId),
    Actor(ActorName),
}

/// The rows that changed since the page last took them.
pub type RowKeys = BTreeSet<RowKey>;
