//! Runs a server from its start to its end: restores the state, accepts connections, and stops.
//! When it stops, requests that are under way have a second to be answered.
//!
//! [`Server`] runs on a thread of its own, [`Builder::serve`] in the runtime of its caller.

use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyper::header::InvalidHeaderValue;
use lictor_core::engine::{Config, Engine};
use lictor_core::http::Agent;
use lictor_core::id::{NodeName, QueryId, SessionId};
use lictor_core::message::LogLevel;
use lictor_core::rng::Rng;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

use crate::address::ListenAddress;
use crate::body::BodyTimeouts;
use crate::builder::Builder;
use crate::clock::{ClockMode, ServerClock};
use crate::clock_api::{ClockReading, ControlCommand};
use crate::connections::{ConnectionSlots, Connections};
use crate::control_error::{ControlError, Stopped};
use crate::cors::Cors;
use crate::engine_task::{EngineHandle, EngineTask};
use crate::host_check::HostCheck;
use crate::listener::Listener;
use crate::log::engine_lines::new_leader;
use crate::log::{AGENT, LICTOR, Log, LogLine};
use crate::service::HttpService;
use crate::snapshot_file::{Loaded, SnapshotError, SnapshotFile};
use crate::snapshot_writer::SnapshotWriter;

/// A running server. It stops when it is dropped.
///
/// Its methods block while the server computes the answer, usually for microseconds, so async code
/// may call them too. [`Server::stop`] and dropping it wait for requests that are under way, at
/// most a second.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    engine: EngineHandle,
    clock: ClockMode,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

/// Why a server cannot run, or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The system refuses the address: it is taken or not one of this machine, for example.
    #[error("cannot listen on {address}: {error}")]
    #[expect(missing_docs)]
    Listen { address: ListenAddress, error: io::Error },
    /// The allowed origin cannot be the value of a header.
    #[error("--allow-origin: {0}")]
    Origin(#[from] InvalidHeaderValue),
    /// The snapshot file cannot be used.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The engine has panicked.
    #[error("the engine has panicked: this is a bug")]
    Engine(#[from] JoinError),
    /// The thread of the server has panicked.
    #[error("the server has panicked: this is a bug")]
    Panicked,
    /// The system refused something else.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// How long requests that are under way may take when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

impl Server {
    /// The settings of a server on a free port of the loopback interface.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Host and port, such as `127.0.0.1:49152`; of several TCP addresses the first one.
    /// `0.0.0.0:0` if the server has none.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Advances the manual clock. Timers that become due fire, each at its own deadline, and the
    /// blocking queries that they wake are answered before this returns. Fails if the clock follows
    /// real time.
    pub fn advance(&self, span: Duration) -> Result<ClockReading, ControlError> {
        self.control(ControlCommand::Advance(span))
    }

    /// Advances the manual clock to the next deadline, if there is one. Fails if the clock follows
    /// real time.
    pub fn advance_to_next(&self) -> Result<ClockReading, ControlError> {
        self.control(ControlCommand::AdvanceToNext)
    }

    /// Makes another server the leader: the TTL of every session starts again. Fails if the clock
    /// follows real time.
    pub fn failover(&self) -> Result<ClockReading, ControlError> {
        self.control(ControlCommand::Failover)
    }

    /// The time of the server, its next deadline, and how many blocking queries wait.
    pub fn clock(&self) -> Result<ClockReading, Stopped> {
        self.engine.clock_blocking(ControlCommand::Read).map_err(|_| Stopped)
    }

    /// Ends a session as its TTL would, on any clock: its locks are released or deleted, their
    /// lock-delays begin, and the blocking queries that this wakes are answered. Fails if the
    /// session does not exist or has no TTL.
    pub fn expire(&self, session: SessionId) -> Result<ClockReading, ControlError> {
        self.engine.clock_blocking(ControlCommand::ExpireSession(session))
    }

    /// A copy of the server's whole state: store, sessions, lock-delays, blocking queries.
    ///
    /// ```
    /// let server = lictor_agent::Server::builder().start()?;
    /// assert!(server.state()?.store().kv().get("db/leader").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state(&self) -> Result<Engine, Stopped> {
        self.engine.state_blocking()
    }

    /// Stops the server, and returns the error that it had, if any. Dropping it stops it as well.
    pub fn stop(mut self) -> Result<(), ServerError> {
        self.join()
    }

    fn control(&self, command: ControlCommand) -> Result<ClockReading, ControlError> {
        match self.clock {
            ClockMode::Real => Err(ControlError::RealClock),
            ClockMode::Manual => self.engine.clock_blocking(command),
        }
    }

    fn join(&mut self) -> Result<(), ServerError> {
        // The server shuts down when the sender is gone.
        drop(self.stop.take());
        self.thread.take().map_or(Ok(()), ended)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Callers that need the error call `stop`.
        let _ = self.join();
    }
}

fn ended(thread: JoinHandle<Result<(), ServerError>>) -> Result<(), ServerError> {
    thread.join().unwrap_or(Err(ServerError::Panicked))
}

impl Builder {
    /// Starts a server on a thread of its own, and returns when it accepts connections.
    pub fn start(self) -> Result<Server, ServerError> {
        let clock = self.clock;
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, started) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("lictor-agent".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let ready = move |addresses: &[ListenAddress], engine| {
                let tcp = addresses.iter().find_map(|address| match address {
                    ListenAddress::Tcp(address) => Some(*address),
                    ListenAddress::Unix(_) => None,
                });
                let unknown = SocketAddr::from(([0, 0, 0, 0], 0));
                drop(ready.send((tcp.unwrap_or(unknown), engine)));
            };
            runtime.block_on(serve(self, ready, async { drop(stopped.await) }))
        })?;
        match started.recv() {
            Ok((addr, engine)) => {
                Ok(Server { addr, engine, clock, stop: Some(stop), thread: Some(thread) })
            }
            // The thread has ended before it was ready, which it does only with an error.
            Err(_) => Err(ended(thread).err().unwrap_or(ServerError::Panicked)),
        }
    }

    /// Runs a server on the current tokio runtime until `shutdown` completes or a client asks it to
    /// leave (`/v1/agent/leave`). `ready` gets its addresses when it accepts connections.
    pub async fn serve(
        self,
        ready: impl FnOnce(&[ListenAddress]),
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServerError> {
        serve(self, |addresses, _| ready(addresses), shutdown).await
    }
}

async fn serve(
    mut builder: Builder,
    ready: impl FnOnce(&[ListenAddress], EngineHandle),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    complete(&mut builder.engine);
    let listeners = listen(&builder.listen)?;
    let addresses = listeners.iter().map(Listener::address).collect::<Result<Vec<_>, _>>()?;
    let cors = builder.allow_origin.as_deref().map(Cors::new).transpose()?;
    let log = Arc::new(Log::new(ServerClock::new(builder.clock), builder.log.clone()));
    let (engine, file) = restore(&builder, &log)?;
    let writer = file.map(SnapshotWriter::start);
    let (task, engine) = EngineTask::new(engine, writer, log.clone());
    let mut task = tokio::spawn(task.run());
    started(&log, &builder.engine.node, &addresses);
    ready(&addresses, engine.clone());
    let (stop, stopping) = watch::channel(());
    let left = Arc::new(Notify::new());
    let service = HttpService {
        agent: Agent { pretty: builder.pretty, ..Agent::of(&builder.engine) },
        engine: engine.clone(),
        cors,
        timeouts: BodyTimeouts { part: builder.client_timeout, total: builder.body_timeout },
        clock: builder.clock,
        left: left.clone(),
        log: log.clone(),
    };
    let (service, slots) = (Arc::new(service), ConnectionSlots::new(builder.connections_max));
    let mut accepting = JoinSet::new();
    for (listener, address) in listeners.into_iter().zip(&addresses) {
        let hosts = Arc::new(HostCheck::new(address, &builder.allowed_hosts));
        let (service, slots, client_timeout) =
            (service.clone(), slots.clone(), builder.client_timeout);
        let connections = Connections { listener, hosts, service, client_timeout, slots };
        accepting.spawn(connections.accept(stopping.clone()));
    }
    drop((service, stopping));
    tokio::select! {
        () = shutdown => {}
        () = left.notified() => {}
        ended = &mut task => return Ok(ended??),
    }
    accepting.shutdown().await;
    log.write(LogLevel::Info, AGENT, "Requesting shutdown", |line| line);
    engine.stop();
    for address in &addresses {
        log.write(LogLevel::Info, AGENT, "Stopping server", |line| with_address(address, line));
    }
    log.close();
    stop.send_replace(());
    // Each connection holds a receiver until it has ended.
    let _ = timeout(STOP_TIMEOUT, stop.closed()).await;
    Ok(task.await??)
}

/// Listens on all addresses. One with port 0 takes the port of the first TCP address; if that has
/// port 0, it gets a free one.
fn listen(addresses: &[ListenAddress]) -> Result<Vec<Listener>, ServerError> {
    let (mut listeners, mut first_port) = (Vec::new(), None);
    for address in addresses {
        let mut address = address.clone();
        if let ListenAddress::Tcp(address) = &mut address
            && address.port() == 0
        {
            address.set_port(first_port.unwrap_or(0));
        }
        let listener = Listener::bind(&address);
        let listener = listener.map_err(|error| ServerError::Listen { address, error })?;
        if let ListenAddress::Tcp(address) = listener.address()? {
            first_port.get_or_insert(address.port());
        }
        listeners.push(listener);
    }
    Ok(listeners)
}

/// Writes the lines that Consul writes when a server has started.
fn started(log: &Log, node: &NodeName, addresses: &[ListenAddress]) {
    for address in addresses {
        log.write(LogLevel::Info, AGENT, "Starting server", |line| with_address(address, line));
    }
    log.write(LogLevel::Info, AGENT, "Consul agent running!", |line| line);
    new_leader(log, node);
    log.write(LogLevel::Info, AGENT, "Synced node info", |line| line);
    for address in addresses {
        // There are no passwords and no access rules, so every client can change everything.
        if let ListenAddress::Tcp(address) = address
            && !address.ip().is_loopback()
        {
            let message = "everyone who can reach this address can read and change everything";
            log.write(LogLevel::Warn, LICTOR, message, |line| {
                line.with("address", address.to_string())
            });
        }
    }
    if addresses.is_empty() {
        let message = "no client can reach this server: its HTTP is disabled";
        log.write(LogLevel::Warn, LICTOR, message, |line| line);
    }
}

/// Adds the address of a listener to a line, in Consul's fields.
fn with_address(address: &ListenAddress, line: LogLine) -> LogLine {
    let (address, network) = match address {
        ListenAddress::Tcp(address) => (address.to_string(), "tcp"),
        ListenAddress::Unix(path) => (path.display().to_string(), "unix"),
    };
    line.with("address", address).with("network", network).with("protocol", "http")
}

/// Adds what the node of every real server has: an id, which is computed from its name so that it
/// is the same after a restart, and metadata with its network segment and version.
fn complete(config: &mut Config) {
    if config.node_id.is_empty() {
        let seed = crc32fast::hash(config.node.as_str().as_bytes());
        config.node_id = QueryId::from_bytes(Rng::new(seed.into()).bytes16()).to_string();
    }
    let meta = config.node_meta.get_or_insert_default();
    meta.entry("consul-network-segment".into()).or_default();
    if let Some(release) = config.version.release_in_node_meta() {
        meta.entry("consul-version".into()).or_insert_with(|| release.into());
    }
}

/// A new engine, or one in the state of the snapshot file. Fails if the file cannot be used.
fn restore(builder: &Builder, log: &Log) -> Result<(Engine, Option<SnapshotFile>), ServerError> {
    let (config, seed) = (builder.engine.clone(), builder.seed.unwrap_or_else(random_seed));
    let Some(path) = &builder.snapshot else { return Ok((Engine::new(config, seed), None)) };
    let (lock, loaded) = SnapshotFile::open(path)?;
    let Some(Loaded { snapshot, size, cut_off }) = loaded else {
        let engine = Engine::new(config, seed);
        let file = SnapshotFile::create(path, lock, &engine.snapshot())?;
        return Ok((engine, Some(file)));
    };
    let index = snapshot.index();
    // Ids created from now on must differ from those that the same seed gave before.
    let seed = seed.wrapping_add(index.0);
    let engine = Engine::restart(config, seed, snapshot);
    if cut_off == 0 && engine.index() == index {
        return Ok((engine, Some(SnapshotFile::resume(path, lock, size)?)));
    }
    if cut_off > 0 {
        let message = "left out the end of the snapshot file, which is not a whole record";
        log.write(LogLevel::Warn, LICTOR, message, |line| {
            line.with("file", path.display().to_string()).with("bytes", cut_off as u64)
        });
    }
    let file = SnapshotFile::create(path, lock, &engine.snapshot())?;
    Ok((engine, Some(file)))
}

/// A seed that differs from run to run: clients may still have ids of an earlier run.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other systems have only one loopback address in IPv4.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn addresses_with_port_0_have_the_port_of_the_first_tcp_address() {
        let free = std::net::TcpListener::bind("127.0.0.2:0").and_then(|it| it.local_addr());
        let other = free.expect("a free port").port();
        let wanted = [([127, 0, 0, 1], 0), ([127, 0, 0, 2], other), ([127, 0, 0, 3], 0)];
        let wanted = wanted.map(|address| ListenAddress::Tcp(SocketAddr::from(address)));
        let listeners = listen(&wanted).expect("they are free");
        let ports: Vec<_> = listeners
            .iter()
            .map(|listener| match listener.address() {
                Ok(ListenAddress::Tcp(address)) => address.port(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(ports[1], other);
        assert_eq!(ports[2], ports[0]);
    }
}
