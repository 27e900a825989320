//! Firing user events, as `consul event` does. They are kept in the memory of the agent, not in the
//! log.

use alloc::sync::Arc;

use super::event::EngineStep;
use super::parked::WatchedRows;
use super::server::Engine;
use crate::id::{Index, NodeName, QueryId};
use crate::message::{AgentService, Answer, Response};
use crate::regexp::{Regexp, RegexpError};
use crate::store::catalog::Service;
use crate::user_event::FiredEvent;

/// The event with which `consul exec` orders agents to run a command. They ignore it by default,
/// and keep it in no case.
const REMOTE_EXEC: &str = "_rexec";

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

    /// Whether the agent keeps an event: its filters admit it, and it is no order to the agent.
    fn is_for(&self, agent: &NodeName, fired: &FiredEvent) -> bool {
        fired.name != REMOTE_EXEC && self.is_admitted(agent, fired).unwrap_or(false)
    }

    fn is_admitted(&self, agent: &NodeName, fired: &FiredEvent) -> Result<bool, RegexpError> {
        let node = Regexp::new(&fired.node)?;
        let (service, tag) = (Regexp::new(&fired.service)?, Regexp::new(&fired.tag)?);
        let has_tag = |service: &Service| {
            let mut tags = service.tags.iter().flatten();
            fired.tag.is_empty() || tags.any(|it| tag.is_match(it))
        };
        let is_meant =
            |own: &AgentService| service.is_match(own.service.id.as_str()) && has_tag(&own.service);
        let is_for_services =
            || fired.service.is_empty() || self.services_of_agent(agent).iter().any(is_meant);
        Ok(node.is_match(agent.as_str()) && is_for_services())
    }
}
