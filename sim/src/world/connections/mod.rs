//! The TCP connections between clients and the server. Each process has its own, and a request
//! uses an idle one or dials. Bytes that are not acknowledged are sent again on the kernel's
//! schedule, so a cut or a lossy link delays a message until the kernel gives up.
//!
//! An idle connection needs no timer for its end: whether it is still open is decided when it is
//! used. Keep-alive probes that are answered are not simulated.

mod dial;
mod failure;
mod transfer;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::deadlines::Deadlines;
use lictor_core::id::{ActorName, ProgramName, RequestId};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::World;
use super::queue::{InFlightRequest, Reply};
use crate::call::{Call, Caller};
use crate::event::Segment;
use crate::link::{Cut, Leg};
use crate::tcp::{ConnectionId, HttpClient, LINUX_6};

/// For how long Consul keeps an idle connection (`http_config.idle_timeout`).
const SERVER_IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// The process of a connection: a program of a client, or `None` for the client's user.
type Process = (ActorName, Option<ProgramName>);

/// All connections of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Connections {
    all: BTreeMap<ConnectionId, Connection>,
    next: u64,
    /// The idle connections of each process; the one that was used last is the last.
    idle: BTreeMap<Process, Vec<ConnectionId>>,
    /// The connection on which a caller waits for the answer to a call.
    by_call: BTreeMap<RequestId, ConnectionId>,
    /// The connection to which the server writes the answer to a request.
    by_request: BTreeMap<RequestId, ConnectionId>,
    timers: Deadlines<ConnectionTimer>,
    /// The HTTP clients of programs that do not use the default one.
    clients: BTreeMap<ProgramName, HttpClient>,
}

/// A TCP connection of a client to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// The client.
    pub actor: ActorName,
    /// The program that uses it; `None` for the client's user.
    pub program: Option<ProgramName>,
    /// The HTTP client that keeps it.
    pub http: HttpClient,
    /// Its state at the client.
    pub state: ConnectionState,
    /// Whether a request was answered on it before.
    pub is_reused: bool,
    /// What its client has sent and the server's kernel has not acknowledged.
    request: Option<Unacknowledged>,
    /// An answer of the server that has not reached the client's kernel.
    answer: Option<(Unacknowledged, Reply)>,
    /// The request that it carries, until its answer has arrived.
    carried: Option<InFlightRequest>,
    /// The event that the next events of this connection follow from.
    cause: Option<u64>,
    /// When the client's kernel last received a packet.
    heard: Instant,
    /// When the client's kernel receives the next packet, after a cut has ended.
    will_hear: Option<Instant>,
    /// Since when it is idle for the client.
    idle_since: Instant,
    /// Since when it is idle for the server.
    answered: Instant,
    server: ServerEnd,
}

/// The state of a connection at the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConnectionState {
    /// It waits for the server's answer to its first segment.
    Dialling {
        /// When the first segment was sent.
        since: Instant,
        /// How many segments were sent.
        sent: u32,
        /// What happens next.
        next: DialStep,
    },
    /// It is open.
    Open,
    /// Its program has closed it at this time, and the kernel sends the rest.
    Closed(Instant),
    /// It has failed while its program is paused, which learns that later.
    Failed,
}

/// What happens next while a connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DialStep {
    /// The first segment is sent, or sent again.
    Sends,
    /// The server's answer arrives.
    Completes,
    /// The kernel has found no neighbour.
    FindsNobody,
    /// The kernel gives up.
    GivesUp,
}

/// The state of a connection at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ServerEnd {
    Open,
    /// The server has no such connection any more; the client may not have noticed.
    Gone,
    /// The server closed it while the link was cut; the client learns that at this time, if ever.
    Closed {
        heard: Option<Instant>,
    },
}

/// Bytes that were sent and not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Unacknowledged {
    /// When they were first sent.
    since: Instant,
    /// The number of the latest retransmission.
    number: u32,
    /// Whether they have arrived. The acknowledgement has not.
    is_delivered: bool,
}

/// Something that a kernel sends again unless it is acknowledged before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition<'a> {
    /// When it is sent again.
    pub at: Instant,
    /// The call that it belongs to.
    pub call: &'a Arc<Call>,
    /// What is sent.
    pub segment: Segment,
    /// When it was first sent.
    pub since: Instant,
    /// How often it was sent again so far.
    pub number: u32,
}

/// A timer of a connection. It has at most one of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConnectionTimer {
    /// The connection.
    pub connection: ConnectionId,
    /// What is due.
    pub kind: TimerKind,
}

/// What a timer of a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TimerKind {
    /// The next step of making the connection.
    Dial,
    /// The request is sent again.
    Request,
    /// The answer is sent again.
    Answer,
    /// The client hears that the server has closed the connection.
    Close,
    /// The last keep-alive probe stays unanswered, or a probe is answered by a reset.
    KeepAlive,
    /// The client stops waiting.
    Patience,
}

impl Unacknowledged {
    fn now(since: Instant) -> Self {
        Self { since, number: 0, is_delivered: false }
    }
}

impl Connection {
    /// The call of the request that it carries.
    pub fn call(&self) -> Option<&Call> {
        self.carried.as_ref().map(|in_flight| &*in_flight.call)
    }

    /// What a timer of this kind sends again; `None` if it gives up, or sends something for the
    /// first time. A request whose answer is sent again has arrived.
    fn repetition(&self, at: Instant, kind: TimerKind) -> Option<Repetition<'_>> {
        let call = &self.carried.as_ref()?.call;
        let (segment, since, number) = match (self.state, kind) {
            (ConnectionState::Dialling { since, sent, next: DialStep::Sends }, TimerKind::Dial) => {
                (Segment::Dial, since, sent.checked_sub(1)?)
            }
            (ConnectionState::Open, TimerKind::Request) if self.answer.is_none() => {
                let (since, number) = self.unacknowledged(Leg::Request)?;
                (Segment::Request, since, number)
            }
            (ConnectionState::Open, TimerKind::Answer) => {
                let (since, number) = self.unacknowledged(Leg::Answer)?;
                let is_orphan = at >= self.server_closes();
                if is_orphan && at.since(since) > LINUX_6.orphan_life {
                    return None;
                }
                (Segment::Answer, since, number)
            }
            _ => return None,
        };
        let is_sent = segment == Segment::Dial || number < LINUX_6.retransmissions;
        is_sent.then_some(Repetition { at, call, segment, since, number })
    }

    /// Since when the direction has sent something that is not acknowledged, and how often it was
    /// sent again.
    pub fn unacknowledged(&self, leg: Leg) -> Option<(Instant, u32)> {
        let half = match leg {
            Leg::Request => self.request.as_ref(),
            Leg::Answer => self.answer.as_ref().map(|(half, _)| half),
        };
        half.map(|half| (half.since, half.number))
    }

    /// Whether the server has no such connection any more, or has closed it as idle before the
    /// present request has arrived.
    fn is_closed_at_server(&self, now: Instant) -> bool {
        let is_new = self.request.is_some_and(|half| !half.is_delivered);
        self.server == ServerEnd::Gone || self.is_reused && is_new && now >= self.server_closes()
    }

    /// When the server closes it if it stays idle.
    fn server_closes(&self) -> Instant {
        self.answered.plus(SERVER_IDLE_TIMEOUT)
    }

    fn process(&self) -> Process {
        (self.actor.clone(), self.program.clone())
    }
}

impl Connections {
    /// The timer that is due next.
    pub(super) fn next_timer(&self) -> Option<(Instant, ConnectionTimer)> {
        self.timers.next().map(|(at, timer)| (at, *timer))
    }

    pub(super) fn pop_timer(&mut self, now: Instant) -> Option<ConnectionTimer> {
        self.timers.pop_due(now).map(|(_, timer)| timer)
    }

    pub(super) fn rows(&self) -> usize {
        self.all.len()
    }

    /// Which HTTP client a program uses.
    pub(super) fn set_client(&mut self, program: ProgramName, client: HttpClient) {
        self.clients.insert(program, client);
    }

    /// Whether a connection waits for the server's answer to a request.
    pub(super) fn is_awaited(&self, request: RequestId) -> bool {
        self.by_request.contains_key(&request)
    }

    fn get(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.all.get_mut(&id)
    }

    fn set_timer(&mut self, connection: ConnectionId, kind: TimerKind, at: Option<Instant>) {
        let timer = ConnectionTimer { connection, kind };
        match at {
            Some(at) => self.timers.set(timer, at),
            None => self.timers.clear(&timer),
        }
    }

    fn clear_timers(&mut self, id: ConnectionId) {
        for kind in [
            TimerKind::Dial,
            TimerKind::Request,
            TimerKind::Answer,
            TimerKind::Close,
            TimerKind::KeepAlive,
            TimerKind::Patience,
        ] {
            self.set_timer(id, kind, None);
        }
    }

    /// A new connection for a request.
    fn add(
        &mut self,
        in_flight: InFlightRequest,
        now: Instant,
        cause: Option<u64>,
    ) -> ConnectionId {
        let call = in_flight.call.clone();
        let (program, http) = match &call.caller {
            Caller::Person => (None, HttpClient::Curl),
            Caller::Program { program, .. } => {
                let http = self.clients.get(program).copied().unwrap_or_default();
                (Some(program.clone()), http)
            }
        };
        self.next += 1;
        let id = ConnectionId(self.next);
        let state = ConnectionState::Dialling { since: now, sent: 0, next: DialStep::Sends };
        let connection = Connection {
            actor: call.actor.clone(),
            program,
            http,
            state,
            is_reused: false,
            request: None,
            answer: None,
            carried: None,
            cause,
            heard: now,
            will_hear: None,
            idle_since: now,
            answered: now,
            server: ServerEnd::Open,
        };
        self.all.insert(id, connection);
        self.load(id, in_flight, cause);
        id
    }

    /// Puts a request on a connection.
    fn load(&mut self, id: ConnectionId, in_flight: InFlightRequest, cause: Option<u64>) {
        self.by_call.insert(in_flight.call.id, id);
        self.by_request.insert(in_flight.id, id);
        if let Some(connection) = self.all.get_mut(&id) {
            (connection.carried, connection.cause) = (Some(in_flight), cause);
        }
    }

    /// Takes the request off a connection.
    fn unload(&mut self, id: ConnectionId) -> Option<InFlightRequest> {
        let in_flight = self.all.get_mut(&id)?.carried.take()?;
        self.by_request.remove(&in_flight.id);
        if self.by_call.get(&in_flight.call.id) == Some(&id) {
            self.by_call.remove(&in_flight.call.id);
        }
        Some(in_flight)
    }

    /// Forgets a connection, and returns it with the request that it carried.
    fn forget(&mut self, id: ConnectionId) -> Option<(Connection, Option<InFlightRequest>)> {
        self.clear_timers(id);
        let in_flight = self.unload(id);
        Some((self.all.remove(&id)?, in_flight))
    }

    /// The connections of a client.
    fn of_actor(&self, actor: &ActorName) -> Vec<ConnectionId> {
        let own = self.all.iter().filter(|(_, connection)| connection.actor == *actor);
        own.map(|(id, _)| *id).collect()
    }

    /// Keeps an idle connection for the next request of its process.
    fn pool(&mut self, id: ConnectionId) {
        let Some(connection) = self.all.get(&id) else { return };
        if connection.http.profile().idle_timeout == Some(Duration::ZERO) {
            self.forget(id);
            return;
        }
        self.idle.entry(connection.process()).or_default().push(id);
    }

    /// Takes the idle connection that the process of a call used last. Connections that its client
    /// would not use again are forgotten. `None` for a person: each of their requests dials.
    fn take_idle(
        &mut self,
        call: &Call,
        (now, cut): (Instant, Option<Cut>),
    ) -> Option<ConnectionId> {
        let program = match &call.caller {
            Caller::Person => return None,
            Caller::Program { program, .. } => Some(program.clone()),
        };
        let pool = self.idle.get_mut(&(call.actor.clone(), program))?;
        while let Some(id) = pool.pop() {
            let connection = self.all.get(&id);
            if connection.is_some_and(|connection| connection.is_usable(now, cut)) {
                return Some(id);
            }
            self.all.remove(&id);
        }
        None
    }
}

impl Connection {
    /// Whether it is open for its client, which has neither closed it nor noticed that the server
    /// has.
    fn is_usable(&self, now: Instant, cut: Option<Cut>) -> bool {
        let idle = self.http.profile().idle_timeout;
        let is_kept = idle.is_none_or(|idle| now.since(self.idle_since) < idle);
        let is_heard = match self.server {
            ServerEnd::Closed { heard } => heard.is_some_and(|at| now >= at),
            ServerEnd::Gone => false,
            ServerEnd::Open => {
                now >= self.server_closes()
                    && !cut.is_some_and(|cut| cut.stops_packets(Leg::Answer))
            }
        };
        is_kept && !is_heard
    }
}

impl World {
    /// The connections of all clients, oldest first; none in a world without them.
    pub fn connections(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.tcp.iter().flat_map(|tcp| tcp.all.iter()).map(|(id, connection)| (*id, connection))
    }

    /// The timers of connections, earliest first.
    pub fn connection_timers(&self) -> impl Iterator<Item = (Instant, ConnectionTimer)> {
        self.tcp.iter().flat_map(|tcp| tcp.timers.iter()).map(|(at, timer)| (at, *timer))
    }

    /// What kernels send again on connections that are open or being made, earliest first, if the
    /// client still waits then.
    pub fn repetitions(&self) -> impl Iterator<Item = Repetition<'_>> {
        let is_awaited = |tcp: &Connections, at, timer: &ConnectionTimer| {
            let patience =
                ConnectionTimer { connection: timer.connection, kind: TimerKind::Patience };
            tcp.timers.get(&patience).is_none_or(|end| end > at)
        };
        self.tcp.iter().flat_map(move |tcp| {
            let timers = tcp.timers.iter().filter(move |(at, timer)| is_awaited(tcp, *at, timer));
            timers.filter_map(|(at, timer)| {
                tcp.all.get(&timer.connection)?.repetition(at, timer.kind)
            })
        })
    }

    /// Runs a timer of a connection that is due.
    pub(super) fn run_connection_timer(&mut self, timer: ConnectionTimer) {
        let id = timer.connection;
        match timer.kind {
            TimerKind::Dial => self.dial_step(id),
            TimerKind::Request => self.send_again(id, Leg::Request),
            TimerKind::Answer => self.send_again(id, Leg::Answer),
            TimerKind::Close => self.close_reaches_client(id),
            TimerKind::KeepAlive => self.miss_probes(id),
            TimerKind::Patience => self.give_up(id),
        }
    }
}
