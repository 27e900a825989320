//! What the requests of a client went through while its network was cut: when each was sent and
//! sent again, and how it ended. Requests that met no cut and were not sent again are not kept.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::call::{Call, Caller};
use crate::fault::Fault;
use lictor_core::id::{ActorName, ProgramName, RequestId};
use lictor_core::message::Operation;
use lictor_core::time::Instant;

use super::Record;
use super::row_keys::RowKey;
use super::tags::ActorTag;

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

/// The client, the program (none for the client's user), and the use of a connection.
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
    open: Vec<(RequestId, usize)>,
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
    /// When it ended for its caller, and the status of its answer; none if it failed or its caller
    /// gave it up.
    pub end: Option<(Instant, Option<u16>)>,
}

impl RequestUse {
    fn of(call: &Call) -> Self {
        match call.operation() {
            Some(Operation::RenewSession(_)) => Self::Renewals,
            Some(Operation::Read { wait: Some(_), .. }) => Self::Watch,
            _ => Self::Requests,
        }
    }
}

fn path_of(call: &Call) -> ConnectionPath {
    let program = match &call.caller {
        Caller::Person => None,
        Caller::Program { program, .. } => Some(program.clone()),
    };
    (call.actor.clone(), program, RequestUse::of(call))
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

    fn place(&self, id: RequestId) -> Option<usize> {
        self.open.iter().find(|(open, _)| *open == id).map(|(_, place)| *place)
    }

    fn open(&mut self, id: RequestId, since: Instant, is_sent: bool) -> &mut TracedRequest {
        let place = self.place(id).unwrap_or_else(|| {
            self.requests.push(TracedRequest { since, is_sent, again: Vec::new(), end: None });
            self.open.push((id, self.requests.len() - 1));
            self.requests.len() - 1
        });
        &mut self.requests[place]
    }
}

impl Record {
    /// The connections that a cut network has concerned, in order.
    pub fn connections(&self) -> impl Iterator<Item = (&ConnectionPath, &ConnectionTrack)> {
        self.connections.iter().map(|(path, track)| (path, &**track))
    }

    /// What the requests of one use went through.
    pub fn connection(&self, path: &ConnectionPath) -> Option<&ConnectionTrack> {
        self.connections.get(path).map(|track| &**track)
    }

    /// When the network of a client was cut: each beginning, and its end if it has ended.
    pub fn cuts(&self, actor: &ActorName) -> &[(Instant, Option<Instant>)] {
        self.cuts.get(actor).map_or(&[], Vec::as_slice)
    }

    /// The network of a client is cut, or cut in another way, or restored.
    pub(super) fn cut_changed(&mut self, at: Instant, fault: &Fault, is_cut: bool) {
        let Fault::Cut { actor, .. } = fault else { return };
        let cuts = self.cuts.entry(actor.clone()).or_default();
        match cuts.last_mut() {
            Some((_, end @ None)) if !is_cut => *end = Some(at),
            Some((_, None)) => {}
            _ if is_cut => {
                cuts.push((at, None));
                let waiting = self.parked.values().filter(|call| call.actor == *actor);
                for call in waiting.cloned().collect::<Vec<_>>() {
                    self.trace_request(&call, (at, false), |_| {});
                }
            }
            _ => {}
        }
        let paths = self.connections.keys().filter(|(owner, ..)| owner == actor);
        self.changed_rows.extend(paths.cloned().map(RowKey::Connection));
    }

    pub(super) fn request_sent(&mut self, at: Instant, call: &Call) {
        if self.cuts(&call.actor).last().is_some_and(|(_, end)| end.is_none()) {
            self.trace_request(call, (at, true), |_| {});
        }
    }

    pub(super) fn request_sent_again(&mut self, at: Instant, call: &Call) {
        self.trace_request(call, (at, false), |request| request.again.push(at));
    }

    /// A request got an answer with this status, or failed.
    pub(super) fn request_ended(&mut self, at: Instant, call: &Call, status: Option<u16>) {
        if self.connections.is_empty() {
            return;
        }
        let path = path_of(call);
        let Some(track) = self.connections.get_mut(&path) else { return };
        let Some(place) = track.place(call.id) else { return };
        let track = Arc::make_mut(track);
        track.requests[place].end = Some((at, status));
        if status.is_some() {
            track.open.retain(|(open, _)| *open != call.id);
        }
        self.changed_rows.insert(RowKey::Connection(path));
    }

    fn trace_request(
        &mut self,
        call: &Call,
        (since, is_sent): (Instant, bool),
        change: impl FnOnce(&mut TracedRequest),
    ) {
        let Some(owner) = self.actor_tag(&call.actor).cloned() else { return };
        let path = path_of(call);
        let new = || {
            let (requests, open) = (Vec::new(), Vec::new());
            Arc::new(ConnectionTrack { owner, requests, open })
        };
        let track = self.connections.entry(path.clone()).or_insert_with(new);
        change(Arc::make_mut(track).open(call.id, since, is_sent));
        self.changed_rows.insert(RowKey::Connection(path));
    }
}
