//! The keys of the page's rows that are out of date because the history changed. `row_updates`
//! collects them; the page's store takes them and makes only those rows again.

use std::collections::BTreeSet;

use lictor_core::id::{ActorName, Key, SessionId};

use super::check::CheckPath;

/// A row of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    Key(Key),
    Semaphore(Key),
    Session(SessionId),
    Actor(ActorName),
    Check(CheckPath),
}

/// The rows that changed since the page last took them.
pub type RowKeys = BTreeSet<RowKey>;
