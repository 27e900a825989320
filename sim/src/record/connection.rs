//! What the requests of a client went through while its network was cut: when each was sent and
//! sent again, and how it ended. Requests that met no cut and were not sent again are not kept.

use alloc::vec::Vec;

use lictor_core::id::{ActorName, ProgramName, RequestId};
use lictor_core::message::Operation;
use lictor_core::time::Instant;

use super::tags::ActorTag;
use crate::call::{Call, Caller};

/// What the requests on a connection are for. A program renews its session and waits for a key at
/// the same time, so each has a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestUse {
    /// Renewals of a session.
    Renewals,
    /// Blocking queries.
    Watch,
    /// All others.
    Requests,
}

/// The client, the program (`None` for the client's user), and the use of a connection.
pub type ConnectionPath = (ActorName, Option<ProgramName>, RequestUse);

/// The requests of one use while the network failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionTrack {
    /// The client.
    pub owner: ActorTag,
    /// In the order in which they were first known.
    pub requests: Vec<TracedRequest>,
    /// The places of those that were not answered, which are few: kernels go on sending what was
    /// given up.
    pub(super) open: Vec<(RequestId, usize)>,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedRequest {
    /// When it was sent, or if that was earlier, when the network was cut or when it was first sent
    /// again.
    pub since: Instant,
    /// Whether it was sent then.
    pub is_sent: bool,
    /// When it, or the answer to it, was sent again.
    pub again: Vec<Instant>,
    /// When it ended for its caller, and the status of its answer; `None` if it failed or its
    /// caller gave it up.
    pub end: Option<(Instant, Option<u16>)>,
}

impl RequestUse {
    fn of(call: &Call) -> Self {
        match call.operation() {
            Some(Operation::RenewSession(_)) => Self::Renewals,
            Some(operation) if operation.blocking_wait().is_some() => Self::Watch,
            _ => Self::Requests,
        }
    }
}

impl ConnectionTrack {
    pub(super) fn items(&self) -> usize {
        self.requests.iter().map(|request| 1 + request.again.len()).sum()
    }

    /// Drops the requests that ended before a time.
    pub(super) fn forget(&mut self, begin: Instant) {
        let ended = |request: &TracedRequest| {
            let last = request.again.last().copied().unwrap_or(request.since);
            request.end.is_some_and(|(at, _)| at.max(last) < begin)
        };
        self.open.retain(|(_, place)| !ended(&self.requests[*place]));
        let dropped = |place: usize| self.requests[..place].iter().filter(|it| ended(it)).count();
        self.open.iter_mut().for_each(|(_, place)| *place -= dropped(*place));
        self.requests.retain(|request| !ended(request));
    }

    pub(super) fn place(&self, id: RequestId) -> Option<usize> {
        self.open.iter().find(|(open, _)| *open == id).map(|(_, place)| *place)
    }

    pub(super) fn open(
        &mut self,
        id: RequestId,
        since: Instant,
        is_sent: bool,
    ) -> &mut TracedRequest {
        let place = self.place(id).unwrap_or_else(|| {
            self.requests.push(TracedRequest { since, is_sent, again: Vec::new(), end: None });
            self.open.push((id, self.requests.len() - 1));
            self.requests.len() - 1
        });
        &mut self.requests[place]
    }
}

/// The connection that a call uses.
pub(super) fn path_of(call: &Call) -> ConnectionPath {
    let program = match &call.caller {
        Caller::Person => None,
        Caller::Program { program, .. } => Some(program.clone()),
    };
    (call.actor.clone(), program, RequestUse::of(call))
}
