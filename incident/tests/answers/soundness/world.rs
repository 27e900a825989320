//! A cluster with its clients as a list of steps.

use lictor_core::Consul;

use crate::soundness::clock::Millis;

/// The keys for whose locks sessions contend.
pub(crate) const LOCKS: [&str; 3] = ["jobs/leader", "jobs/other", "svc/a/leader"];
/// Keys that nobody locks. Writing one uses an index, as each write does.
pub(crate) const PLAIN: [&str; 2] = ["config/a", "config/b"];
/// The document of a semaphore with one slot; contenders lock the keys next to it.
pub(crate) const SEMAPHORE: &str = "sem/.lock";
/// The keys about which answers are compared with the truth.
pub(crate) const KEYS: [&str; 4] = [LOCKS[0], LOCKS[1], LOCKS[2], SEMAPHORE];

/// A number of a session: the sessions are numbered in the order of their creation.
pub(crate) type Number = usize;

/// A cluster of nodes `n1`, `n2`, .., each with an agent that answers requests and has a log, and
/// all that happens to it.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) nodes: usize,
    /// The server when its nodes have joined. Its seed determines the ids of the sessions.
    pub(crate) beginning: Consul,
    /// In the order of time.
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) at: Millis,
    /// The place of the node whose agent gets the request.
    pub(crate) node: usize,
    pub(crate) act: Act,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Create(Draft),
    Renew(Number),
    Destroy(Number),
    Acquire(&'static str, Number),
    Release(&'static str, Number),
    Delete(&'static str),
    Write(&'static str),
    /// The session locks its contender key, and writes itself into the semaphore's document if the
    /// slot is open.
    Enter(Number),
    /// The session releases its contender key, and removes itself from the document.
    Leave(Number),
    /// The check becomes critical on the node.
    Fail(&'static str, usize),
    /// The node becomes the leader.
    Elect(usize),
    /// The request fails, as the agent reaches no leader.
    RenewInVain(Number),
    DestroyInVain(Number),
    /// The request is passed on to another datacenter, where the session is another one.
    Elsewhere(&'static str, Number),
    /// A line that says nothing about a lock.
    Chat,
    /// Somebody asks for a list, which is kept.
    Ask(Ask),
}

/// What a session is created with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) ttl: &'static str,
    pub(crate) delay: &'static str,
    pub(crate) behavior: &'static str,
    pub(crate) node: usize,
    /// Whether it rests on the check `web` of its node, too.
    pub(crate) rests_on_web: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub(crate) question: Question,
    /// The answer is this old (`?stale`), from a server that knows no leader.
    pub(crate) age: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    Sessions,
    SessionsOfNode(usize),
    Session(Number),
    /// All keys with a prefix, which may be empty.
    Keys(&'static str),
    Key(&'static str),
    Nodes,
    Checks,
}

impl Act {
    /// The session that it is about.
    pub(crate) fn session(&self) -> Option<Number> {
        match self {
            Self::Renew(number)
            | Self::Destroy(number)
            | Self::Acquire(_, number)
            | Self::Release(_, number)
            | Self::Enter(number)
            | Self::Leave(number)
            | Self::RenewInVain(number)
            | Self::DestroyInVain(number)
            | Self::Elsewhere(_, number) => Some(*number),
            _ => None,
        }
    }

    /// Whether it is about the life of sessions, not about who holds a key.
    pub(crate) fn is_of_sessions(&self) -> bool {
        matches!(
            self,
            Self::Create(_) | Self::Renew(_) | Self::Destroy(_) | Self::Fail(..) | Self::Elect(_)
        )
    }
}
