//! How clients and sessions are named everywhere on the page: a client by its name and badge, a
//! session by a short label after its owner. The history gives the labels out; rows, lanes and
//! sentences show them.

use std::sync::Arc;

use lictor_core::id::ActorName;

use crate::badge::Badge;

/// An actor, as it is named beside what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorTag {
    pub name: ActorName,
    pub badge: Badge,
}

/// A session as it is named on the page: `A`, `A2` after its owner, or the start of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTag {
    pub label: Arc<str>,
    pub owner: Option<ActorTag>,
}
