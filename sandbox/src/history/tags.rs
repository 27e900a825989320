//! The names of clients and sessions on the page: a client has its name and badge, a session a
//! short label after its owner. The history assigns the labels; rows, lanes and sentences show
//! them.

use std::sync::Arc;

use lictor_core::id::ActorName;

use crate::badge::Badge;

/// The name and badge of an actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActorTag {
    pub name: ActorName,
    pub badge: Badge,
}

/// A session as it is named on the page: `A`, `A2` after its owner, or the start of its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionTag {
    pub label: Arc<str>,
    pub owner: Option<ActorTag>,
}
