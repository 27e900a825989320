//! Requests and answers on an open connection: each is sent until it is acknowledged, and carried
//! out or delivered once.

use core::time::Duration;

use lictor_core::id::{ActorName, RequestId};
use lictor_core::time::Instant;

use super::{Connection, ConnectionState, ServerEnd, TimerKind, Unacknowledged};
use crate::event::{EventKind, MessageLoss, Segment, Travel};
use crate::link::{CutMode, Leg, RequestFate};
use crate::tcp::{ConnectionId, LINUX_6, NetworkError};
use crate::world::World;
use crate::world::queue::{InFlightRequest, Reply, ScheduledEvent};

/// What a cut does to a segment that is sent now.
enum Obstacle {
    /// The segment is lost, and sent again on the kernel's schedule.
    Lost,
    /// The segment is lost, and the kernel does not back off: it is sent again as soon as the cut
    /// ends.
    Held,
    /// The segment is answered with a reset.
    Reset,
}

impl World {
    /// Sends the request that a connection carries.
    pub(super) fn write_request(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        connection.request = Some(Unacknowledged::now(now));
        let operation = connection.call().and_then(|call| call.operation());
        let timeout = connection.http.profile().response_timeout.of(operation);
        if let Some(timeout) = timeout {
            tcp.set_timer(id, TimerKind::Patience, Some(now.plus(timeout)));
        }
        self.transmit_request(id);
    }

    /// The server answers a request: the answer is sent over its connection. A copy of a request
    /// has none, and the answer to it goes nowhere.
    pub(in crate::world) fn write_answer(
        &mut self,
        (request, reply): (RequestId, Reply),
        is_lost: bool,
        cause: Option<u64>,
    ) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(id) = tcp.by_request.remove(&request) else { return };
        let Some(connection) = tcp.get(id) else { return };
        connection.answer = Some((Unacknowledged::now(now), reply));
        (connection.answered, connection.cause) = (now, cause);
        if is_lost { self.reset_with_answer(id) } else { self.transmit_answer(id) }
    }

    pub(super) fn transmit_request(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let (actor, is_first) =
            (connection.actor.clone(), connection.request.is_some_and(|half| half.number == 0));
        let carried = connection.carried.clone();
        match self.obstacle(&actor, Leg::Request) {
            Some(Obstacle::Lost) => return self.send_later(id, Leg::Request),
            Some(Obstacle::Held) => return,
            Some(Obstacle::Reset) => return self.fail_connection(id, NetworkError::Reset),
            None => {}
        }
        let Some(host) = self.host(&actor) else { return };
        match host.request_fate(now) {
            RequestFate::Lost => self.send_later(id, Leg::Request),
            RequestFate::Once(at) if at == now => self.receive_request(id),
            RequestFate::Once(at) => self.plan_segment(id, Leg::Request, at),
            // The copy is made by a proxy.
            RequestFate::Twice(at, copy) => {
                if let Some(in_flight) = carried.filter(|_| is_first) {
                    let cause = self.cause_of(id);
                    let repeated = InFlightRequest { id: self.mint_request(), ..in_flight };
                    self.plan(copy, cause, ScheduledEvent::Request(repeated));
                }
                self.plan_segment(id, Leg::Request, at);
            }
        }
    }

    fn transmit_answer(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let actor = connection.actor.clone();
        match self.obstacle(&actor, Leg::Answer) {
            Some(Obstacle::Lost) => return self.send_later(id, Leg::Answer),
            Some(Obstacle::Held) => return,
            Some(Obstacle::Reset) => return self.drop_answer(id, MessageLoss::Cut),
            None => {}
        }
        let Some(host) = self.host(&actor) else { return };
        match host.answer_arrival(now) {
            None => self.send_later(id, Leg::Answer),
            Some(at) if at == now => self.receive_answer(id),
            Some(at) => self.plan_segment(id, Leg::Answer, at),
        }
    }

    /// What the cut of a client's network does to a segment; `None` if the segment passes.
    fn obstacle(&self, actor: &ActorName, leg: Leg) -> Option<Obstacle> {
        let cut = self.cut_of(actor).filter(|cut| cut.stops_packets(leg))?;
        Some(match cut.mode {
            CutMode::Reject | CutMode::Reset => Obstacle::Reset,
            CutMode::HostUnreachable | CutMode::NoNeighbour => Obstacle::Held,
            CutMode::Drop | CutMode::Prohibited | CutMode::InterfaceDown => Obstacle::Lost,
        })
    }

    fn plan_segment(&mut self, id: ConnectionId, leg: Leg, at: Instant) {
        let cause = self.cause_of(id);
        self.plan(at, cause, ScheduledEvent::Segment { connection: id, leg });
    }

    /// A segment that was under way arrives, unless the link was cut meanwhile.
    pub(in crate::world) fn segment_arrives(&mut self, id: ConnectionId, leg: Leg) {
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let has_failed = connection.state == ConnectionState::Failed;
        if has_failed || connection.unacknowledged(leg).is_none() {
            return;
        }
        let actor = connection.actor.clone();
        let cut = self.cut_of(&actor);
        match leg {
            _ if cut.is_some_and(|cut| cut.stops_packets(leg)) => self.send_later(id, leg),
            Leg::Request => self.receive_request(id),
            Leg::Answer => self.receive_answer(id),
        }
    }

    /// Sets the time at which something is sent again.
    pub(super) fn send_later(&mut self, id: ConnectionId, leg: Leg) {
        let (now, round_trip) = (self.now, self.round_trip(id));
        let Some(tcp) = &mut self.tcp else { return };
        let Some(half) = tcp.get(id).and_then(|connection| connection.half(leg)) else { return };
        let (next, at) = LINUX_6.next_after(now.since(half.since), round_trip);
        let next = next.max(half.number + 1);
        let at = at.max(LINUX_6.retransmission(next, round_trip));
        half.number = next - 1;
        let at = half.since.plus(at);
        tcp.set_timer(id, kind_of(leg), Some(at));
    }

    /// Sends again what was not acknowledged, or gives the connection up.
    pub(super) fn send_again(&mut self, id: ConnectionId, leg: Leg) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let cause = connection.cause;
        let is_closed = match leg {
            Leg::Request => matches!(connection.state, ConnectionState::Closed(_)),
            Leg::Answer => now >= connection.server_closes(),
        };
        let Some(half) = connection.half(leg) else { return };
        half.number += 1;
        let number = half.number;
        let is_given_up = is_closed && now.since(half.since) > LINUX_6.orphan_life;
        if is_given_up || number > LINUX_6.retransmissions {
            return match leg {
                Leg::Request => self.fail_connection(id, NetworkError::TimedOut),
                Leg::Answer => self.drop_answer(id, MessageLoss::Cut),
            };
        }
        let call = match leg {
            Leg::Request => connection.carried.as_ref().map(|it| it.call.clone()),
            Leg::Answer => connection.answer.as_ref().map(|(_, reply)| reply.call.clone()),
        };
        if let Some(call) = call {
            let segment = Segment::of(leg);
            let event = self.note_travel(cause, Travel::SentAgain { call, segment, number });
            self.follow_from(id, event);
        }
        match leg {
            Leg::Request => self.transmit_request(id),
            Leg::Answer => self.transmit_answer(id),
        }
    }

    /// A request, or the end of a closed connection, reaches the server's kernel.
    fn receive_request(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) else { return };
        let is_closed = connection.is_closed_at_server(now);
        let (actor, cause) = (connection.actor.clone(), connection.cause);
        let is_open = matches!(connection.state, ConnectionState::Open);
        let Some(half) = connection.request.as_mut() else { return };
        let (is_new, sent) = (!half.is_delivered, half.since);
        let cut = self.cut_of(&actor);
        let is_acknowledged = !cut.is_some_and(|cut| cut.stops_packets(Leg::Answer));
        if is_closed {
            return if is_acknowledged {
                self.fail_connection(id, NetworkError::Reset);
            } else {
                self.send_later(id, Leg::Request);
            };
        }
        self.acknowledge(id, is_acknowledged);
        let carried = self.tcp.as_mut().and_then(|tcp| tcp.get(id)?.carried.clone());
        if let Some(in_flight) = carried.filter(|_| is_new) {
            let cause = if now > sent {
                let call = in_flight.call.clone();
                let travel = Travel::Arrived { id: in_flight.id, call };
                let arrived = self.note_travel(cause, travel);
                self.follow_from(id, arrived);
                Some(arrived)
            } else {
                cause
            };
            self.serve(in_flight, cause);
        }
        if !is_open {
            self.server_hears_close(id);
        }
    }

    fn acknowledge(&mut self, id: ConnectionId, is_acknowledged: bool) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        if is_acknowledged {
            (connection.request, connection.heard) = (None, now);
            tcp.set_timer(id, TimerKind::Request, None);
        } else {
            if let Some(half) = &mut connection.request {
                half.is_delivered = true;
            }
            self.send_later(id, Leg::Request);
        }
    }

    /// An answer reaches the client's kernel. A paused process reads it later.
    fn receive_answer(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        tcp.clear_timers(id);
        let Some(connection) = tcp.get(id) else { return };
        let cause = connection.cause;
        let Some((_, reply)) = connection.answer.take() else { return };
        match connection.state {
            ConnectionState::Dialling { .. } | ConnectionState::Open => {}
            ConnectionState::Closed(_) => {
                tcp.forget(id);
                self.note(cause, EventKind::Travel(Travel::Late { call: reply.call }));
                return;
            }
            ConnectionState::Failed => {
                self.note(cause, EventKind::Travel(Travel::Late { call: reply.call }));
                return;
            }
        }
        connection.request = None;
        (connection.heard, connection.idle_since) = (now, now);
        connection.is_reused = true;
        tcp.unload(id);
        tcp.pool(id);
        self.deliver(reply, cause);
    }

    /// The answer never arrives, and the server's kernel forgets the connection, which the client
    /// does not know.
    pub(super) fn drop_answer(&mut self, id: ConnectionId, loss: MessageLoss) {
        let Some(tcp) = &mut self.tcp else { return };
        tcp.set_timer(id, TimerKind::Answer, None);
        let Some(connection) = tcp.get(id) else { return };
        let cause = connection.cause;
        connection.server = ServerEnd::Gone;
        let is_closed = matches!(connection.state, ConnectionState::Closed(_));
        let answer = connection.answer.take();
        if is_closed {
            tcp.forget(id);
        }
        if let Some((_, reply)) = answer {
            self.lose_answer(reply, loss, cause);
        }
        self.watch_silence(id);
    }

    /// The round trip of a connection's link.
    pub(super) fn round_trip(&self, id: ConnectionId) -> Duration {
        let connection = self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id));
        let host = connection.and_then(|connection| self.actor(connection.actor.as_str()));
        host.map_or(Duration::ZERO, |host| host.link.round_trip())
    }

    fn cause_of(&self, id: ConnectionId) -> Option<u64> {
        self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id)).and_then(|connection| connection.cause)
    }

    /// The next events of a connection follow from this one.
    pub(super) fn follow_from(&mut self, id: ConnectionId, event: u64) {
        if let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) {
            connection.cause = Some(event);
        }
    }

    pub(super) fn note_travel(&mut self, cause: Option<u64>, travel: Travel) -> u64 {
        self.note(cause, EventKind::Travel(travel))
    }
}

impl Connection {
    pub(super) fn half(&mut self, leg: Leg) -> Option<&mut Unacknowledged> {
        match leg {
            Leg::Request => self.request.as_mut(),
            Leg::Answer => self.answer.as_mut().map(|(half, _)| half),
        }
    }
}

pub(super) fn kind_of(leg: Leg) -> TimerKind {
    match leg {
        Leg::Request => TimerKind::Request,
        Leg::Answer => TimerKind::Answer,
    }
}
