//! How a connection is made: its first segment is sent again until the server answers, the
//! connection is refused on the way, or the client gives up.

use lictor_core::time::Instant;

use super::{ConnectionState, Connections, DialStep, TimerKind};
use crate::event::{Segment, Travel};
use crate::link::{CutMode, Leg};
use crate::tcp::{ConnectionId, LINUX_6, NetworkError};
use crate::world::World;
use crate::world::queue::InFlightRequest;

impl World {
    /// Sends a request on an idle connection of its process, or on a new one.
    pub(in crate::world) fn carry(&mut self, in_flight: InFlightRequest, cause: Option<u64>) {
        let now = self.now;
        let cut = self.cut_of(&in_flight.call.actor);
        let Some(tcp) = &mut self.tcp else { return };
        match tcp.take_idle(&in_flight.call, (now, cut)) {
            Some(id) => {
                tcp.load(id, in_flight, cause);
                self.write_request(id);
            }
            None => {
                let id = tcp.add(in_flight, now, cause);
                self.dial(id);
            }
        }
    }

    pub(super) fn dial(&mut self, id: ConnectionId) {
        self.send_first_segment(id);
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        let is_dialling = matches!(connection.state, ConnectionState::Dialling { .. });
        let timeout = connection.http.profile().dial_timeout;
        if let Some(timeout) = timeout.filter(|_| is_dialling) {
            tcp.set_timer(id, TimerKind::Patience, Some(now.plus(timeout)));
        }
    }

    /// The next step of making a connection.
    pub(super) fn dial_step(&mut self, id: ConnectionId) {
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let ConnectionState::Dialling { sent, next, .. } = connection.state else { return };
        let (actor, cause) = (connection.actor.clone(), connection.cause);
        match next {
            DialStep::Sends if sent == 0 => self.dial(id),
            DialStep::Sends => {
                let Some(call) = connection.carried.as_ref().map(|it| it.call.clone()) else {
                    return;
                };
                let travel = Travel::SentAgain { call, segment: Segment::Dial, number: sent };
                let event = self.note_travel(cause, travel);
                self.follow_from(id, event);
                self.send_first_segment(id);
            }
            DialStep::Completes => match self.cut_of(&actor) {
                Some(_) => self.send_first_segment_later(id),
                None => self.connected(id),
            },
            DialStep::FindsNobody => self.fail_connection(id, NetworkError::NoRoute),
            DialStep::GivesUp => self.fail_connection(id, NetworkError::DialTimeout),
        }
    }

    fn send_first_segment(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        if let ConnectionState::Dialling { sent, .. } = &mut connection.state {
            *sent += 1;
        }
        let actor = connection.actor.clone();
        let cut = self.cut_of(&actor);
        let Some(host) = self.host(&actor) else { return };
        if let Some(cut) = cut.filter(|cut| cut.stops_packets(Leg::Request)) {
            if cut.mode == CutMode::NoNeighbour {
                let at = now.plus(LINUX_6.neighbour_timeout);
                return self.set_dial_step(id, DialStep::FindsNobody, at);
            }
            if let Some(error) = cut.mode.dial_error() {
                return self.fail_connection(id, error);
            }
        }
        let arrives = host.handshake(now);
        match arrives.filter(|_| cut.is_none()) {
            None => self.send_first_segment_later(id),
            Some(at) if at == now => self.connected(id),
            Some(at) => self.set_dial_step(id, DialStep::Completes, at),
        }
    }

    /// The first segment, or the answer to it, has not arrived.
    fn send_first_segment_later(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let ConnectionState::Dialling { since, sent, .. } = &mut connection.state else { return };
        // When a lost answer is noticed, the times of later segments may have passed.
        while LINUX_6.dials.get(*sent as usize - 1).is_some_and(|it| since.plus(*it) < now) {
            *sent += 1;
        }
        let since = *since;
        match LINUX_6.dials.get(*sent as usize - 1) {
            Some(after) => self.set_dial_step(id, DialStep::Sends, since.plus(*after)),
            None => {
                let at = since.plus(LINUX_6.dial_gives_up);
                self.set_dial_step(id, DialStep::GivesUp, at);
            }
        }
    }

    pub(super) fn set_dial_step(&mut self, id: ConnectionId, step: DialStep, at: Instant) {
        let Some(tcp) = &mut self.tcp else { return };
        if let Some(connection) = tcp.get(id)
            && let ConnectionState::Dialling { next, .. } = &mut connection.state
        {
            *next = step;
        }
        tcp.set_timer(id, TimerKind::Dial, Some(at));
    }

    /// The connection is open: its request is sent.
    fn connected(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        tcp.open(id, now);
        self.write_request(id);
    }
}

impl Connections {
    fn open(&mut self, id: ConnectionId, now: Instant) {
        self.set_timer(id, TimerKind::Dial, None);
        self.set_timer(id, TimerKind::Patience, None);
        if let Some(connection) = self.get(id) {
            connection.state = ConnectionState::Open;
            (connection.heard, connection.answered) = (now, now);
        }
    }
}
