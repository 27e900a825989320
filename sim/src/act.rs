//! What a user does to a world: acts, the entries of a journal, and why a world refuses an act.
//!
//! `World::perform` carries acts out, timelines and journals keep them, and `trace` writes them in
//! the line language.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fault::{Fault, Plan};
use crate::link::Link;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};
use lictor_core::time::Instant;
use lictor_recipes::{FenceKind, Order, Program};

/// An act: everything that a user can do to a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Adds a client on a healthy node of its own.
    Join { actor: ActorName },
    /// A client sends a request to the agent of its node.
    Request { actor: ActorName, request: HttpRequest },
    /// A client stops waiting for an answer.
    Cancel { id: RequestId },
    /// Another server becomes leader.
    Failover,
    /// Waits until this time.
    Advance { to: Instant },
    /// Replaces the link of a client.
    Link { actor: ActorName, link: Link },
    /// Begins a fault, now or later.
    Inject { fault: Fault, plan: Plan },
    /// Ends a fault of this kind and place.
    Repair { fault: Fault },
    /// Ends all faults, also planned ones, and makes all links perfect.
    Heal,
    /// Adds a program to a client, with the resource that it writes to while it believes that it
    /// holds its lock.
    Spawn {
        actor: ActorName,
        program: ProgramName,
        of: Arc<Program>,
        resource: Option<ResourceName>,
    },
    /// Gives an order to a program.
    Order { program: ProgramName, order: Order },
    /// Adds a guarded resource that checks this kind of token.
    Guard { resource: ResourceName, asks: FenceKind },
}

/// An act with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub at: Instant,
    pub act: Act,
}

/// The largest number of acts in the journal of a world. When it is full, only time can pass; a
/// longer world continues from a dump.
pub const JOURNAL_MAX: usize = 100_000;

/// Why an act would change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActError {
    #[error("a name is needed")]
    NoName,
    #[error("there is already a client called {0}")]
    NameTaken(ActorName),
    #[error("there is no client called {0}")]
    UnknownActor(ActorName),
    #[error("{0} is paused")]
    Paused(ActorName),
    #[error("{0} is down")]
    Down(ActorName),
    #[error("call {0} does not wait for an answer")]
    UnknownCall(RequestId),
    #[error("there is already a program called {0}")]
    ProgramTaken(ProgramName),
    #[error("there is no program called {0}")]
    UnknownProgram(ProgramName),
    #[error("there is already a resource called {0}")]
    ResourceTaken(ResourceName),
    #[error("there is no resource called {0}")]
    UnknownResource(ResourceName),
    #[error("there is no such fault")]
    NothingWrong,
    #[error("the journal is full: it holds {JOURNAL_MAX} acts")]
    JournalFull,
}
