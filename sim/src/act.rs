//! What a user does to a world: acts, the entries of a journal, and why a world refuses an act.

use alloc::sync::Arc;

use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};
use lictor_core::time::Instant;
use lictor_recipes::{FenceKind, Order, Program};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fault::{Fault, Plan};
use crate::link::Link;
use crate::tcp::HttpClient;

/// An act: everything that a user can do to a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Adds a client on a healthy node of its own.
    Join {
        /// The name of the client and of its node.
        actor: ActorName,
    },
    /// A client sends a request to the agent of its node.
    Request {
        /// The client.
        actor: ActorName,
        /// The request as the agent receives it.
        request: HttpRequest,
    },
    /// A client stops waiting for an answer.
    Cancel {
        /// The number of the call, as in `EventKind::Sent`.
        id: RequestId,
    },
    /// Another server becomes leader.
    Failover,
    /// Waits until this time.
    Advance {
        /// The time; an earlier one than now changes nothing.
        to: Instant,
    },
    /// Replaces the link of a client.
    Link {
        /// The client.
        actor: ActorName,
        /// The properties of the link from now on.
        link: Link,
    },
    /// Begins a fault, now or later.
    Inject {
        /// What fails.
        fault: Fault,
        /// When it begins, how long it lasts, and how often it returns.
        plan: Plan,
    },
    /// Ends a fault of this kind and place.
    Repair {
        /// The fault; its details need not be those of the active one (`Fault::is_like`).
        fault: Fault,
    },
    /// Ends all faults, also planned ones, and makes all links perfect.
    Heal,
    /// Adds a program to a client, with the resource that it writes to while it believes that it
    /// holds its lock. The program waits for an order to start.
    Spawn {
        /// The client on which it runs.
        actor: ActorName,
        /// Its name, which no other program of the world has.
        program: ProgramName,
        /// The program before its first step.
        initial: Arc<Program>,
        /// The guarded resource that it writes to; `None` for a program that writes nothing.
        resource: Option<ResourceName>,
        /// The HTTP client with which it calls the server.
        http: HttpClient,
    },
    /// Gives an order to a program.
    Order {
        /// The program.
        program: ProgramName,
        /// What it is to do.
        order: Order,
    },
    /// Adds a guarded resource that checks this kind of token.
    Guard {
        /// The name of the resource.
        resource: ResourceName,
        /// The kind of fencing token that each write must show.
        asks: FenceKind,
    },
}

/// An act with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The time of the world at which it was performed.
    pub at: Instant,
    /// What was done.
    pub act: Act,
}

/// The largest number of acts in the journal of a world. When it is full, only time can pass; a
/// longer world continues from a dump.
pub const JOURNAL_MAX: usize = 100_000;

/// Why a world refuses an act. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActError {
    /// A client, program or resource without a name.
    #[error("a name is needed")]
    NoName,
    /// Another client has this name.
    #[error("there is already a client called {0}")]
    NameTaken(ActorName),
    /// No client has this name.
    #[error("there is no client called {0}")]
    UnknownActor(ActorName),
    /// The client is paused, so it can do nothing.
    #[error("{0} is paused")]
    Paused(ActorName),
    /// The client has crashed, so it can do nothing.
    #[error("{0} is down")]
    Down(ActorName),
    /// The server's process is killed, so nothing else happens to it.
    #[error("the server is down")]
    ServerDown,
    /// The call was answered or cancelled, or never sent.
    #[error("call {0} does not wait for an answer")]
    UnknownCall(RequestId),
    /// Another program has this name.
    #[error("there is already a program called {0}")]
    ProgramTaken(ProgramName),
    /// No program has this name.
    #[error("there is no program called {0}")]
    UnknownProgram(ProgramName),
    /// Another resource has this name.
    #[error("there is already a resource called {0}")]
    ResourceTaken(ResourceName),
    /// No resource has this name.
    #[error("there is no resource called {0}")]
    UnknownResource(ResourceName),
    /// No fault of this kind is active at this place.
    #[error("there is no such fault")]
    NothingWrong,
    /// The journal of the world is full: the last of [`JOURNAL_MAX`] entries is kept for a wait.
    #[error("the journal is full: it holds {JOURNAL_MAX} acts")]
    JournalFull,
}
