//! How connections end: by errors, by clients that stop waiting, and by the beginnings and ends of
//! cuts.

use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::{ActorName, RequestId};
use lictor_core::time::Instant;

use super::{Connection, ConnectionState, DialStep, ServerEnd, TimerKind, Unacknowledged};
use crate::call::{Call, CallFailure};
use crate::event::{MessageLoss, Travel};
use crate::link::{Cut, CutMode, Leg};
use crate::tcp::{ConnectionId, LINUX_6, NetworkError};
use crate::world::World;
use crate::world::hosts::Condition;
use crate::world::queue::{InFlightRequest, QueuedEvent, ScheduledEvent};

impl World {
    /// A connection breaks for its client: its call fails with this error, or its HTTP client
    /// repeats a read on a new connection. A paused process gets the error when it continues.
    pub(in crate::world) fn fail_connection(&mut self, id: ConnectionId, error: NetworkError) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.all.get(&id) else { return };
        let (actor, cause) = (connection.actor.clone(), connection.cause);
        let (is_closed, has_failed) = match connection.state {
            ConnectionState::Closed(_) => (true, false),
            ConnectionState::Failed => (false, true),
            ConnectionState::Dialling { .. } | ConnectionState::Open => (false, false),
        };
        let Some(host) = self.actor_indexes.get(&actor).and_then(|it| self.actors.get_mut(*it))
        else {
            return;
        };
        if host.condition == Condition::Paused && !is_closed {
            if has_failed {
                return;
            }
            tcp.clear_timers(id);
            if let Some(connection) = tcp.get(id) {
                connection.state = ConnectionState::Failed;
            }
            let scheduled = ScheduledEvent::ConnectionFails { connection: id, error };
            host.inbox.push(QueuedEvent { cause, scheduled });
            return;
        }
        let Some((connection, Some(in_flight))) = tcp.forget(id) else { return };
        if is_closed {
            return;
        }
        if connection.repeats(&in_flight.call, error) {
            let call = in_flight.call.clone();
            let event = self.note_travel(cause, Travel::Repeated { call, error });
            let copy = InFlightRequest { id: self.mint_request(), ..in_flight };
            let Some(tcp) = &mut self.tcp else { return };
            let id = tcp.add(copy, now, Some(event));
            return self.set_dial_step(id, DialStep::Sends, now);
        }
        let failure = CallFailure { error, http: connection.http, connection: id };
        self.break_call(in_flight.call.id, Some(failure), cause);
    }

    /// A client stops waiting for a connection or an answer.
    pub(super) fn give_up(&mut self, id: ConnectionId) {
        let Some(connection) = self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id)) else { return };
        if let ConnectionState::Dialling { .. } = connection.state {
            return self.fail_connection(id, NetworkError::DialTimeout);
        }
        let Some(call) = connection.call() else { return };
        let (actor, call, cause) = (connection.actor.clone(), call.id, connection.cause);
        let timeout = connection
            .http
            .profile()
            .response_timeout
            .of(connection.call().and_then(Call::operation));
        let error = NetworkError::NoAnswer(timeout.unwrap_or_default());
        let failure = CallFailure { error, http: connection.http, connection: id };
        let Some(host) = self.host(&actor) else { return };
        if host.condition == Condition::Paused {
            let scheduled = ScheduledEvent::ConnectionFails { connection: id, error };
            host.inbox.push(QueuedEvent { cause, scheduled });
            return;
        }
        self.break_call(call, Some(failure), cause);
        self.close_connection(id, cause);
    }

    /// The connection on which a caller waits.
    pub(in crate::world) fn connection_of(&self, call: RequestId) -> Option<ConnectionId> {
        self.tcp.as_ref()?.by_call.get(&call).copied()
    }

    /// A process closes a connection. Its kernel sends what is left, and then the end.
    pub(in crate::world) fn close_connection(&mut self, id: ConnectionId, cause: Option<u64>) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        connection.cause = cause;
        let is_open = connection.state == ConnectionState::Open;
        if !is_open || connection.carried.is_none() {
            tcp.forget(id);
            return;
        }
        connection.state = ConnectionState::Closed(now);
        let is_sent = connection.request.is_none_or(|half| half.is_delivered);
        if is_sent {
            let half = Unacknowledged { is_delivered: true, ..Unacknowledged::now(now) };
            connection.request = Some(half);
        }
        tcp.set_timer(id, TimerKind::Patience, None);
        tcp.set_timer(id, TimerKind::KeepAlive, None);
        if let Some(call) = tcp.get(id).and_then(|connection| Some(connection.call()?.id))
            && tcp.by_call.get(&call) == Some(&id)
        {
            tcp.by_call.remove(&call);
        }
        if is_sent {
            self.transmit_request(id);
        }
    }

    /// The server learns that a client has closed a connection: what still waits on it is
    /// cancelled.
    pub(super) fn server_hears_close(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        let (cause, is_answered) = (connection.cause, connection.answer.is_some());
        let ConnectionState::Closed(closed) = connection.state else { return };
        let request = connection.carried.as_ref().map(|it| (it.id, it.call.clone()));
        if !is_answered {
            tcp.forget(id);
        }
        let Some((id, call)) = request.filter(|(id, _)| self.served.contains_key(id)) else {
            return;
        };
        let cause = if now > closed {
            Some(self.note_travel(cause, Travel::HungUp { id, call }))
        } else {
            cause
        };
        self.close(id, cause);
    }

    /// The close of the server reaches a client that waits for an answer.
    pub(super) fn close_reaches_client(&mut self, id: ConnectionId) {
        self.fail_connection(id, NetworkError::Closed);
    }

    /// The probes of an idle connection are answered by a reset, or not at all.
    pub(super) fn miss_probes(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id)) else { return };
        let probes = connection.http.profile().keep_alive;
        let dead = probes.map(|probes| connection.heard.plus(probes.dead_after()));
        let is_dead = dead.is_some_and(|dead| now >= dead);
        let error = if is_dead { NetworkError::TimedOut } else { NetworkError::Reset };
        self.fail_connection(id, error);
    }

    /// The answer to a call is lost with its connection (`Fault::LostAnswer`).
    pub(in crate::world) fn reset_with_answer(&mut self, id: ConnectionId) {
        self.drop_answer(id, MessageLoss::LostAnswer);
        let actor = self.tcp.as_ref().and_then(|tcp| Some(tcp.all.get(&id)?.actor.clone()));
        let cut = actor.and_then(|actor| self.cut_of(&actor));
        if !cut.is_some_and(|cut| cut.stops_packets(Leg::Answer)) {
            self.fail_connection(id, NetworkError::Reset);
        }
    }

    /// A client's link is cut. If the server refuses, all connections are reset; otherwise the
    /// keep-alive probes of those that wait for an answer find them dead. If this cut replaces
    /// another one, probes have been unanswered since that one.
    pub(in crate::world) fn cut_connections(
        &mut self,
        actor: &ActorName,
        (cut, replaced): (Cut, Option<Cut>),
        event: u64,
    ) {
        let now = self.now;
        let ids = self.tcp.as_ref().map(|tcp| tcp.of_actor(actor)).unwrap_or_default();
        for id in ids {
            match replaced {
                Some(replaced) => self.send_held(id, replaced.mode),
                None => {
                    if let Some(connection) = self.tcp.as_mut().and_then(|tcp| tcp.get(id)) {
                        connection.settle_heard(now);
                    }
                }
            }
            let Some(tcp) = &mut self.tcp else { return };
            let Some(connection) = tcp.get(id) else { continue };
            if cut.mode == CutMode::Reject {
                connection.cause = Some(event);
                let request = connection.carried.as_ref().map(|it| it.id);
                if let Some(request) = request {
                    self.close(request, Some(event));
                }
                self.fail_connection(id, NetworkError::Reset);
            } else {
                self.watch_silence(id);
            }
        }
    }

    /// The server's process is killed while a client's link is cut, so that the client does not
    /// learn it.
    pub(in crate::world) fn forget_at_server(&mut self, actor: &ActorName) {
        let ids = self.tcp.as_ref().map(|tcp| tcp.of_actor(actor)).unwrap_or_default();
        for id in ids {
            let Some(tcp) = &mut self.tcp else { return };
            let Some(connection) = tcp.all.get(&id) else { continue };
            if matches!(connection.state, ConnectionState::Dialling { .. }) {
                continue;
            }
            if let Some(carried) = &connection.carried {
                tcp.by_request.remove(&carried.id);
            }
            self.drop_answer(id, MessageLoss::Cut);
        }
    }

    /// The cut of a client's link has ended.
    pub(in crate::world) fn heal_connections(&mut self, actor: &ActorName, cut: Cut) {
        let now = self.now;
        let ids = self.tcp.as_ref().map(|tcp| tcp.of_actor(actor)).unwrap_or_default();
        for id in ids {
            let round_trip = self.round_trip(id);
            let Some(tcp) = &mut self.tcp else { return };
            let Some(connection) = tcp.get(id) else { continue };
            connection.set_first_probe(now);
            let closes = connection.close_after_cut(now, round_trip);
            tcp.set_timer(id, TimerKind::Close, closes);
            self.send_held(id, cut.mode);
            self.watch_silence(id);
        }
    }

    /// A cut of this mode has ended: what the kernel held back under it is sent soon.
    fn send_held(&mut self, id: ConnectionId, mode: CutMode) {
        let now = self.now;
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.get(id) else { return };
        if let (CutMode::NoNeighbour, Some(at)) = (mode, connection.finds_neighbour(now)) {
            return self.set_dial_step(id, DialStep::Sends, at);
        }
        let held: Vec<_> = match mode {
            CutMode::HostUnreachable => connection.held(now, LINUX_6.unreachable_interval),
            CutMode::NoNeighbour => {
                let legs = connection.halves();
                legs.map(|(leg, _)| (leg, now.plus(LINUX_6.no_neighbour_interval))).collect()
            }
            _ => Vec::new(),
        };
        for (leg, at) in held {
            tcp.set_timer(id, super::transfer::kind_of(leg), Some(at));
        }
    }

    /// Sets the time at which the probes of a connection end it. Probes run while nothing is
    /// unacknowledged; only those matter that are not answered, or are answered by a reset.
    pub(super) fn watch_silence(&mut self, id: ConnectionId) {
        let now = self.now;
        let connection = self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id));
        let cut = connection.and_then(|connection| self.cut_of(&connection.actor));
        let Some(tcp) = &mut self.tcp else { return };
        let Some(connection) = tcp.all.get(&id) else { return };
        let probes = connection.http.profile().keep_alive.filter(|_| {
            let is_open = connection.state == ConnectionState::Open;
            is_open && connection.carried.is_some() && connection.request.is_none()
        });
        let heard = connection.heard;
        let at = probes.and_then(|probes| match cut {
            Some(cut) if cut.stops_packets(Leg::Request) && cut.mode.resets() => {
                Some(heard.plus(probes.next_probe(now.since(heard))))
            }
            Some(_) => Some(heard.plus(probes.dead_after())),
            None if now.since(heard) > probes.last_probe() => Some(heard.plus(probes.dead_after())),
            None if connection.server == ServerEnd::Gone => {
                Some(heard.plus(probes.next_probe(now.since(heard))))
            }
            None => None,
        });
        tcp.set_timer(id, TimerKind::KeepAlive, at.map(|at| at.max(now)));
    }

    /// Forgets the connections that carry such calls, as if these were never sent.
    pub(in crate::world) fn forget_connections(&mut self, is_such: impl Fn(&Call) -> bool) {
        let Some(tcp) = &mut self.tcp else { return };
        let carries = |connection: &Connection| connection.call().is_some_and(&is_such);
        let found = tcp.all.iter().filter(|(_, connection)| carries(connection));
        for id in found.map(|(id, _)| *id).collect::<Vec<_>>() {
            tcp.forget(id);
        }
    }

    /// Closes all connections of a client whose processes have ended.
    pub(in crate::world) fn close_connections(&mut self, actor: &ActorName, cause: Option<u64>) {
        let ids = self.tcp.as_ref().map(|tcp| tcp.of_actor(actor)).unwrap_or_default();
        for id in ids {
            let connection = self.tcp.as_ref().and_then(|tcp| tcp.all.get(&id));
            if connection.is_some_and(|it| !matches!(it.state, ConnectionState::Closed(_))) {
                self.close_connection(id, cause);
            }
        }
    }
}

impl Connection {
    /// Whether its HTTP client repeats a call by itself.
    fn repeats(&self, call: &Call, error: NetworkError) -> bool {
        let is_read = matches!(call.request.method.as_str(), "GET" | "HEAD");
        let is_repeatable = is_read && call.request.body.is_empty() && !error.is_before_sending();
        self.http.profile().repeats_reads && self.is_reused && is_repeatable
    }

    /// Sets `heard` to the latest time before a cut at which a packet was received. Answers to
    /// probes count.
    fn settle_heard(&mut self, now: Instant) {
        if let Some(at) = self.will_hear.take().filter(|at| *at <= now) {
            self.heard = at;
        }
        let Some(probes) = self.http.profile().keep_alive else { return };
        let answered = now.since(self.heard).as_nanos() / probes.idle.as_nanos().max(1);
        let answered = u32::try_from(answered).unwrap_or(u32::MAX);
        self.heard = self.heard.plus(probes.idle.saturating_mul(answered));
    }

    /// Sets the time of the first probe after a cut, which is answered.
    fn set_first_probe(&mut self, now: Instant) {
        let Some(probes) = self.http.profile().keep_alive else { return };
        let since = now.since(self.heard);
        let is_probed = since <= probes.last_probe();
        self.will_hear = is_probed.then(|| self.heard.plus(probes.next_probe(since)));
    }

    /// When the next question for the server's address is answered; `None` if the client's kernel
    /// does not ask for it.
    fn finds_neighbour(&self, now: Instant) -> Option<Instant> {
        let ConnectionState::Dialling { since, next: DialStep::FindsNobody, .. } = self.state
        else {
            return None;
        };
        let interval = LINUX_6.neighbour_interval;
        let questions = now.since(since).as_nanos().div_ceil(interval.as_nanos().max(1));
        Some(since.plus(interval.saturating_mul(u32::try_from(questions).unwrap_or(u32::MAX))))
    }

    /// The server has closed it during a cut if it was idle for too long, and sends that again as
    /// long as its kernel keeps the rest of a connection. Returns when a client that waits for an
    /// answer receives it.
    fn close_after_cut(&mut self, now: Instant, round_trip: Duration) -> Option<Instant> {
        let is_idle = self.carried.is_none() || self.is_closed_at_server(now);
        let closed = self.server_closes();
        if !is_idle || self.server != ServerEnd::Open || now < closed {
            return None;
        }
        let (_, after) = LINUX_6.next_after(now.since(closed), round_trip);
        let heard = (after <= LINUX_6.orphan_life).then(|| closed.plus(after));
        self.server = ServerEnd::Closed { heard };
        heard.filter(|_| self.carried.is_some())
    }

    fn halves(&self) -> impl Iterator<Item = (Leg, Instant)> {
        let half = |leg| Some((leg, self.unacknowledged(leg)?.0));
        [half(Leg::Request), half(Leg::Answer)].into_iter().flatten()
    }

    /// When what it has not sent with success is sent again, if that happens at regular intervals.
    fn held(&self, now: Instant, interval: Duration) -> Vec<(Leg, Instant)> {
        let next = |since: Instant| {
            let intervals = now.since(since).as_nanos().div_ceil(interval.as_nanos().max(1));
            since.plus(interval.saturating_mul(u32::try_from(intervals).unwrap_or(u32::MAX)))
        };
        self.halves().map(|(leg, since)| (leg, next(since).max(now))).collect()
    }
}
