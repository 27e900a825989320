//! The options of a semaphore, with the defaults of the Go client and of the published guide.

use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::Key;
use serde::{Deserialize, Serialize};

use crate::holders::Style;
use crate::parts::attempts::Tries;
use crate::parts::monitor::MonitorOptions;
use crate::parts::session_renewer::SessionOptions;
use crate::parts::upkeep::OnFailure;

/// The options of a semaphore (RCS-04).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SemaphoreOptions {
    /// The prefix of its keys.
    pub prefix: Key,
    /// How many sessions may hold a slot at once.
    pub limit: i64,
    /// The value of the contender key.
    pub value: Arc<[u8]>,
    /// The session of the contender.
    pub session: SessionOptions,
    /// How the slot is watched while it is held.
    pub monitor: MonitorOptions,
    /// How long one read waits for a slot, and how long a single try lasts.
    pub wait_time: Duration,
    /// Whether it waits for its turn.
    pub tries: Tries,
    /// The format of its document.
    pub style: Style,
    /// What it does if a request fails.
    pub on_failure: OnFailure,
}

impl SemaphoreOptions {
    /// The Go client's defaults for a prefix and a limit (RCS-04).
    pub fn new(prefix: &str, limit: i64) -> Self {
        Self {
            prefix: prefix.into(),
            limit,
            value: Arc::default(),
            session: SessionOptions::named("Consul API Semaphore"),
            monitor: MonitorOptions::default(),
            wait_time: Duration::from_secs(15),
            tries: Tries::Forever,
            style: Style::GoClient,
            on_failure: OnFailure::AsInGo,
        }
    }

    /// The semaphore of the published guide: the document lists its holders in an array, keys have
    /// no Flags, and the session has no TTL.
    pub fn of_the_guide(prefix: &str, limit: i64) -> Self {
        let session = SessionOptions { ttl: Arc::default(), ..SessionOptions::named("semaphore") };
        Self { session, style: Style::Guide, ..Self::new(prefix, limit) }
    }
}

setters! {
    SemaphoreOptions:
    with_value(value: impl Into<Arc<[u8]>>),
    with_session(session: SessionOptions),
    with_monitor(monitor: MonitorOptions),
    with_wait_time(wait_time: Duration),
    with_tries(tries: Tries),
    with_style(style: Style),
    with_on_failure(on_failure: OnFailure),
}
