//! The leader around the [`store`](crate::store): the only place where time meets state.
//!
//! [`Engine::step`] takes the time and one [`Input`] and returns every [`Effect`] that follows.
//! server.rs holds the engine and its log; requests.rs, reads.rs and agent_endpoints.rs answer
//! requests after the checks of admit.rs; timers.rs and parked.rs hold what waits for its time or
//! for a change; restart.rs saves and restores.

mod admit;
mod agent_checks;
mod agent_endpoints;
mod alias_checks;
mod event;
mod input;
mod own_node;
mod parked;
mod reads;
mod requests;
mod restart;
mod server;
mod snapshot;
mod timers;
mod user_events;
mod wake_reason;

pub use self::admit::TTL_MAX;
pub use self::event::{Effect, Event, Stamped, Wake};
pub use self::input::{Input, InputError};
pub use self::own_node::serf_health;
pub use self::parked::ParkedQuery;
pub use self::server::Engine;
pub use self::snapshot::{OutOfOrder, Snapshot, SnapshotRecord};
pub use self::timers::{
    LOCK_DELAY_MAX, LockDelay, SessionClock, TOMBSTONE_GRANULARITY, TOMBSTONE_TTL, TTL_GRACE, Timer,
};
pub use crate::config::Config;
pub use crate::ended_sessions::EndedSession;
