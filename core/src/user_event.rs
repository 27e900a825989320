//! Events of `consul event`: what a client fires, and the list of the last ones that an agent
//! keeps. Their indexes have no order, as Consul derives them from random ids.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::{Index, QueryId};

/// An event that a client fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEvent {
    /// Its id.
    pub id: QueryId,
    /// What was fired.
    pub fired: FiredEvent,
    /// Its number among the events of the agent.
    pub time: u64,
}

/// What a client fires: a name, a payload, and which agents it is for. A filter is a regular
/// expression that matches a part of a name, an id or a tag; empty, it admits all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiredEvent {
    /// Its name.
    pub name: String,
    /// Any bytes.
    pub payload: Vec<u8>,
    /// The filter of nodes.
    pub node: String,
    /// The filter of the ids of services.
    pub service: String,
    /// The filter of tags, beside one of services.
    pub tag: String,
}

/// Why an event cannot be fired: it is longer than what gossip carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventTooLarge {
    /// Its own encoding is too long.
    #[error("user event exceeds configured limit of {SIZE_MAX} bytes before encoding")]
    BeforeEncoding,
    /// Its message is too long.
    #[error("encoded user event exceeds configured limit of {SIZE_MAX} bytes after encoding")]
    AfterEncoding,
}

/// The most bytes of an event in gossip.
const SIZE_MAX: usize = 512;

/// The last events, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UserEvents {
    recent: Vec<Arc<UserEvent>>,
    fired: u64,
}

impl FiredEvent {
    /// Checks the size of the event in the encoding (MessagePack) in which Consul gossips it.
    pub fn check_size(&self) -> Result<(), EventTooLarge> {
        const PREFIX: usize = "consul:event:".len();
        // The event's id, version, and the names of its members.
        const MEMBERS: usize = 52;
        const MESSAGE: usize = 29;
        let text = |text: &str| text.len() + if text.len() > 31 { 2 } else { 1 };
        let filters = [&self.node, &self.service, &self.tag];
        let filters = filters.into_iter().filter(|filter| !filter.is_empty());
        let filters: usize = filters.map(|filter| 3 + text(filter)).sum();
        let name = PREFIX + self.name.len();
        let event = name + MEMBERS + text(&self.name) + self.payload.len() + filters;
        let message = event + MESSAGE + if name > 31 { 3 } else { 1 };
        if event > SIZE_MAX {
            return Err(EventTooLarge::BeforeEncoding);
        }
        if message > SIZE_MAX { Err(EventTooLarge::AfterEncoding) } else { Ok(()) }
    }
}

/// How many events an agent remembers.
const KEPT: usize = 256;

impl UserEvents {
    /// The next event of the agent.
    pub(crate) fn number(&mut self, id: QueryId, fired: FiredEvent) -> UserEvent {
        self.fired += 1;
        // Number 1 is the event with which a server announces that it leads.
        UserEvent { id, fired, time: self.fired + 1 }
    }

    /// Adds an event to the list, and drops the oldest one if the list is full.
    pub(crate) fn keep(&mut self, event: Arc<UserEvent>) {
        let surplus = (self.recent.len() + 1).saturating_sub(KEPT);
        self.recent.drain(..surplus);
        self.recent.push(event);
    }

    /// The events of a name, or all, with the index of the last one.
    pub(crate) fn read(&self, name: Option<&str>) -> (Index, Vec<Arc<UserEvent>>) {
        let is_named = |event: &&Arc<UserEvent>| name.is_none_or(|name| event.fired.name == name);
        let events: Vec<_> = self.recent.iter().filter(is_named).cloned().collect();
        (events.last().map_or(Index(1), |event| event.index()), events)
    }
}

impl UserEvent {
    /// The index of a list that ends in this event: the two halves of its id, combined.
    fn index(&self) -> Index {
        let id = u128::from_be_bytes(self.id.to_bytes());
        Index((id >> 64) as u64 ^ id as u64)
    }
}
