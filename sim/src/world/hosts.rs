//! Hosts of clients. Each has its own Consul node, link, clock and random numbers, so that it can
//! fail alone and does not depend on what other hosts do.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::engine::serf_health;
use lictor_core::id::{ActorName, NodeName};
use lictor_core::rng::Rng;
use lictor_core::store::catalog::{Node, NodeUpdate, Registration};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::queue::QueuedEvent;
use crate::clock::Clock;
use crate::link::{Cut, Leg, Link, Overtaking, RequestFate};

/// A client of the server: a host on which a person and programs send requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Its name, which no other client of the world has.
    pub name: ActorName,
    /// The node whose agent it calls.
    pub node: NodeName,
    /// The link to the server.
    pub link: Link,
    /// How the link is cut, if it is.
    pub cut: Option<Cut>,
    /// The clock that its programs read.
    pub clock: Clock,
    /// Whether it runs.
    pub condition: Condition,
    /// Its number in the order of joining, from 1.
    number: u32,
    /// The random numbers of its link, which do not depend on other hosts.
    rng: Box<Rng>,
    /// The latest arrival of a request and of an answer. Later messages do not arrive before it,
    /// unless [`Overtaking`] allows that.
    latest: [Instant; 2],
    /// Messages that arrived while it was paused.
    pub(super) inbox: Vec<QueuedEvent>,
}

/// Whether a client runs, is paused or is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// It runs.
    Up,
    /// Its programs do not run, and messages to it wait.
    Paused,
    /// It has crashed: its programs have ended, and messages to it are lost.
    Down,
}

impl Actor {
    pub(super) fn new(name: ActorName, number: u32, seed: u64) -> Self {
        // Spreads the seeds of hosts, so that no two hosts have the same random numbers.
        let seed = seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            node: own_node(&name),
            name,
            link: Link::default(),
            cut: None,
            clock: Clock::default(),
            condition: Condition::Up,
            number,
            rng: Box::new(Rng::new(seed)),
            latest: [Instant::EPOCH; 2],
            inbox: Vec::new(),
        }
    }

    /// When and how often a request that leaves now arrives.
    pub(super) fn request_fate(&mut self, now: Instant) -> RequestFate {
        match self.link.request_fate(now, &mut self.rng) {
            RequestFate::Lost => RequestFate::Lost,
            RequestFate::Once(at) => RequestFate::Once(self.in_order(Leg::Request, at)),
            RequestFate::Twice(one, other) => {
                let one = self.in_order(Leg::Request, one);
                RequestFate::Twice(one, self.in_order(Leg::Request, other))
            }
        }
    }

    /// When an answer that leaves now arrives; `None` if it is lost.
    pub(super) fn answer_arrival(&mut self, now: Instant) -> Option<Instant> {
        let at = self.link.arrival(now, &mut self.rng)?;
        Some(self.in_order(Leg::Answer, at))
    }

    /// When a connection that is made now is open; `None` if a segment of it is lost.
    pub(super) fn handshake(&mut self, now: Instant) -> Option<Instant> {
        self.link.handshake(now, &mut self.rng)
    }

    /// The time of an arrival, or of the latest one before it in the same direction if that is
    /// later and messages keep their order.
    fn in_order(&mut self, leg: Leg, at: Instant) -> Instant {
        let latest = match leg {
            Leg::Request => &mut self.latest[0],
            Leg::Answer => &mut self.latest[1],
        };
        let at = if self.link.overtaking == Overtaking::Never { at.max(*latest) } else { at };
        *latest = at.max(*latest);
        at
    }

    /// The catalog entry of its node: alive and reachable.
    pub(super) fn registration(&self) -> Registration {
        Registration {
            node: Node {
                name: self.node.clone(),
                address: Arc::from(address(self.number)),
                ..Node::default()
            },
            node_update: NodeUpdate::Write,
            service: None,
            checks: Vec::from([serf_health(&self.node)]),
        }
    }
}

/// The node of a client, which has the client's name.
pub(crate) fn own_node(actor: &ActorName) -> NodeName {
    NodeName::from(actor.as_str())
}

/// A private address by the order of joining.
fn address(number: u32) -> String {
    format!("10.0.{}.{}", number / 250, number % 250 + 1)
}
