//! A running cluster, read for an incident: only with GET, and never the whole store unasked. What
//! was read becomes texts, as `curl -i` prints them, for the reader of incidents.

mod changes;
mod client;
mod connection;
mod feeds;
mod follow;
mod page;
mod page_files;
mod passes;
mod published;
mod save;
mod texts;
mod too_many;
#[cfg(unix)]
mod unix_socket;

pub(crate) use self::client::Client;
pub(crate) use self::connection::{ConnectionError, ConnectionFlags};
pub(crate) use self::follow::follow;
pub(crate) use self::page::{Page, PageError};
pub(crate) use self::passes::{Wanted, ask};
pub(crate) use self::save::save;
