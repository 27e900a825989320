//! Firing user events, as `consul event` does. They are kept in the memory of the agent, not in the
//! log; crate::user_event has the list. reads.rs answers reads of it, which block like others.

use alloc::sync::Arc;

use super::event::EngineStep;
use super::parked::WatchedRows;
use super::server::Engine;
use crate::id::{Index, NodeName, QueryId};
use crate::message::{Answer, Response};
use crate::user_event::FiredEvent;

impl Engine {
    pub(super) fn fire_event(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        fired: FiredEvent,
    ) -> Response {
        let id = QueryId::from_bytes(self.rng.bytes16());
        let is_for_agent = self.is_for(agent, &fired);
        let event = Arc::new(self.user_events.number(id, fired));
        if is_for_agent {
            self.user_events.keep(event.clone());
            step.watchers.extend(self.parked.watching(&WatchedRows::UserEvents));
        }
        Response::write(Index::ZERO, Answer::EventFired(event))
    }

    fn is_for(&self, agent: &NodeName, fired: &FiredEvent) -> bool {
        let node = agent.folded();
        let mut services = self.store.catalog().services_of(&node);
        agent.as_str().contains(&fired.node)
            && (fired.service.is_empty()
                || services.any(|service| {
                    let mut tags = service.tags.iter().flatten();
                    let has_tag = fired.tag.is_empty() || tags.any(|tag| tag.contains(&fired.tag));
                    service.name.contains(&fired.service) && has_tag
                }))
    }
}
