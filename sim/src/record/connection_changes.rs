//! Folds into the tracks of connections what happens to requests while the network of their client
//! is cut.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::ActorName;
use lictor_core::time::Instant;

use super::Record;
use super::connection::{ConnectionPath, ConnectionTrack, TracedRequest, path_of};
use super::row_keys::RowKey;
use crate::call::Call;
use crate::fault::Fault;

impl Record {
    /// The connections that a cut network has concerned, in the order of their paths.
    pub fn connections(&self) -> impl Iterator<Item = (&ConnectionPath, &ConnectionTrack)> {
        self.connections.iter().map(|(path, track)| (path, &**track))
    }

    /// The track of a connection; `None` if no cut network has concerned it.
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

    /// A request got an answer with this status; `None` if it failed or was given up.
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
