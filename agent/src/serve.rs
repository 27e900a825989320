//! The server around the exchanges: a socket, connections that cannot hurt each other, and an
//! orderly end.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::InvalidHeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lictor_core::engine::Engine;
use lictor_core::http::Agent;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until, timeout};

use crate::clock::Clock;
use crate::cors::Cors;
use crate::disk::{Disk, DiskError, Loaded};
use crate::exchange::Exchange;
use crate::leader::Leader;
use crate::lenient::Lenient;
use crate::patient::Patient;
use crate::settings::Settings;

/// Why an agent could not run, or had to end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("cannot listen on {address}: {error}")]
    Listen { address: SocketAddr, error: io::Error },
    #[error("--allow-origin: {0}")]
    Origin(#[from] InvalidHeaderValue),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("the engine stopped by itself: this is a bug")]
    Engine(#[from] JoinError),
    #[error(transparent)]
    System(#[from] io::Error),
}

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 4096;

/// How long the answers under way may take when the agent ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A pause after a connection could not be accepted, mostly for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// Runs an agent until a signal ends it.
pub(crate) fn run(settings: Settings) -> Result<(), Failure> {
    // Each connection takes a descriptor, and thousands may wait. Where the limit cannot be raised,
    // the agent serves as many as it may.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    // One thread: the engine is one, and handing each request to another would cost more than
    // reading it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(settings))
}

async fn serve(settings: Settings) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = listen(settings.listen)?;
    let (engine, disk) = engine(&settings)?;
    let (leader, line) = Leader::new(engine, disk, Clock::new(settings.pace));
    let mut leader = tokio::spawn(leader.run());
    let cors = settings.allow_origin.as_deref().map(Cors::new).transpose()?;
    announce(&listener, &settings)?;
    let exchange = Arc::new(Exchange {
        agent: Agent {
            node: settings.engine.node,
            datacenter: settings.engine.datacenter,
            pretty: settings.pretty,
        },
        line: line.clone(),
        cors,
        patience: settings.patience,
        pace: settings.pace,
    });
    let (stop, stopping) = watch::channel(());
    tokio::select! {
        () = accept(&listener, &exchange, &stopping) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        ended = &mut leader => return Ok(ended??),
    }
    drop((listener, stopping));
    line.stop();
    stop.send_replace(());
    // Each connection holds a receiver until it has ended.
    let _ = timeout(FAREWELL, stop.closed()).await;
    Ok(leader.await??)
}

/// A new server, or one that goes on from what is on disk.
fn engine(settings: &Settings) -> Result<(Engine, Option<Disk>), Failure> {
    let (config, seed) = (settings.engine.clone(), settings.seed.unwrap_or_else(any_seed));
    let Some(path) = &settings.snapshot else { return Ok((Engine::new(config, seed), None)) };
    let (lock, loaded) = Disk::open(path)?;
    let Some(Loaded { kept, size, cut_off }) = loaded else {
        let engine = Engine::new(config, seed);
        let disk = Disk::create(path, lock, &engine.kept())?;
        return Ok((engine, Some(disk)));
    };
    let index = kept.index();
    // What is given now must differ from what the same seed gave before.
    let seed = seed.wrapping_add(index.0);
    let engine = Engine::restart(config, seed, kept);
    if cut_off == 0 && engine.index() == index {
        return Ok((engine, Some(Disk::resume(path, lock, size)?)));
    }
    if cut_off > 0 {
        let path = path.display();
        eprintln!("lictor-agent: the last {cut_off} bytes of {path} are no whole record: left out");
    }
    let disk = Disk::create(path, lock, &engine.kept())?;
    Ok((engine, Some(disk)))
}

fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let bound = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().map_err(|error| Failure::Listen { address, error })
}

/// The one line that says that the agent is ready, and where.
fn announce(listener: &TcpListener, settings: &Settings) -> io::Result<()> {
    let (node, datacenter) = (&settings.engine.node, &settings.engine.datacenter);
    let address = listener.local_addr()?;
    let line = format!("lictor-agent: node {node} in {datacenter} serves http://{address}\n");
    // Whoever closed the output does not want to know.
    let _ = io::stdout().write_all(line.as_bytes()).and_then(|()| io::stdout().flush());
    Ok(())
}

/// Ids must differ from those of an earlier run, as clients may remember them.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

async fn accept(listener: &TcpListener, exchange: &Arc<Exchange>, stopping: &watch::Receiver<()>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, exchange.clone(), stopping.clone()));
            }
            Err(_) => sleep_until(Instant::now() + ACCEPT_PAUSE).await,
        }
    }
}

/// Serves one client. Whatever goes wrong here ends this connection and nothing else.
async fn connection(stream: TcpStream, exchange: Arc<Exchange>, mut stopping: watch::Receiver<()>) {
    // Without it small answers may wait for the acknowledgement of earlier ones.
    let _ = stream.set_nodelay(true);
    let patience = exchange.patience;
    let stream = Lenient::new(Patient::new(stream, patience));
    let service = service_fn(move |request| exchange.clone().answer(request));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    tokio::select! {
        _ = served.as_mut() => {}
        _ = stopping.changed() => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
}
