//! The state of a server: keys, sessions, catalog and prepared queries. It has neither time nor
//! randomness: one [`Command`] of the log at a time changes it and returns its [`Change`]s.
//!
//! The public modules hold plain types, which private tables store. Only [`Store::apply`] changes a
//! table, and a command that fails changes nothing.

pub mod catalog;
mod catalog_table;
pub mod change;
pub mod command;
mod content_hash;
mod discovery;
pub mod kv;
mod kv_table;
pub mod mesh;
mod op_error;
pub mod prepared_query;
pub mod query;
mod query_table;
mod reads;
mod restore;
pub mod session;
mod session_table;
mod state;
mod template;
mod tombstones;
mod transactions;
pub mod txn;
mod writes;

pub use self::catalog_table::{Catalog, CatalogIndexes};
pub use self::change::Change;
pub use self::command::{Applied, Command};
pub use self::kv::{Entry, Hold, KvVerb, Write};
pub use self::kv_table::Kv;
pub use self::op_error::OpError;
pub use self::query::{Filter, Found, Instance, Query};
pub use self::query_table::PreparedQueries;
pub(crate) use self::restore::Records;
pub use self::restore::{CheckState, Contradiction, EntryState, NodeState, SessionState};
pub use self::session::{Behavior, Session, SessionTtl};
pub use self::session_table::Sessions;
pub use self::state::Store;
