//! Accepts the connections of a listening socket. An error on a connection ends only that
//! connection. One over the limit is answered with 429 and closed; beyond 64 of these at a time, it
//! is closed without an answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lictor_core::message::LogLevel;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::address::Peer;
use crate::host_check::HostCheck;
use crate::listener::{Accepted, Listener};
use crate::log::LICTOR;
use crate::service::HttpService;
use crate::stall_timeout::StallTimeout;
use crate::wire::stream::{Heads, RequestStream};

/// Accepts the connections of one socket and serves them.
pub(crate) struct Connections {
    pub(crate) listener: Listener,
    pub(crate) hosts: Arc<HostCheck>,
    pub(crate) service: Arc<HttpService>,
    pub(crate) client_timeout: Duration,
    pub(crate) slots: ConnectionSlots,
}

/// The limits of connections, which all sockets share: those that are served, and those that are
/// over the limit and get an answer that says so.
#[derive(Clone)]
pub(crate) struct ConnectionSlots {
    served: Arc<Semaphore>,
    refused: Arc<Semaphore>,
    max: usize,
}

impl ConnectionSlots {
    pub(crate) fn new(max: usize) -> Self {
        let served = Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)));
        Self { served, refused: Arc::new(Semaphore::new(REFUSALS_MAX)), max }
    }
}

/// The pause after a failed accept. Most fail for lack of file descriptors, and would fail again at
/// once.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// The number of connections over the limit that are answered at the same time; others are closed
/// without an answer.
const REFUSALS_MAX: usize = 64;

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\n\
    Content-Type: text/plain; charset=utf-8\r\nContent-Length: 48\r\nConnection: close\r\n\r\n\
    the server has as many connections as it accepts";

impl Connections {
    /// Serves until its future is dropped. A connection ends after its present request when the
    /// sender of `stopping` sends.
    pub(crate) async fn accept(self, stopping: watch::Receiver<()>) {
        loop {
            match self.listener.accept().await {
                Ok(Accepted::Tcp(stream, peer)) => self.serve_or_refuse(stream, peer, &stopping),
                #[cfg(unix)]
                Ok(Accepted::Unix(stream, peer)) => self.serve_or_refuse(stream, peer, &stopping),
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn serve_or_refuse<S>(&self, stream: S, peer: Peer, stopping: &watch::Receiver<()>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        if let Ok(slot) = self.slots.served.clone().try_acquire_owned() {
            let client = Client { stream, peer, hosts: self.hosts.clone() };
            let (service, stopping) = (self.service.clone(), stopping.clone());
            tokio::spawn(serve(client, slot, service, self.client_timeout, stopping));
            return;
        }
        let message = "refused a connection over the limit";
        self.service.log.write(LogLevel::Debug, LICTOR, message, |line| {
            line.with("from", peer.to_string()).with("max", self.slots.max as u64)
        });
        if let Ok(slot) = self.slots.refused.clone().try_acquire_owned() {
            tokio::spawn(refuse(stream, slot));
        }
    }
}

/// A connection, the address of its client, and the host names that its socket accepts.
struct Client<S> {
    stream: S,
    peer: Peer,
    hosts: Arc<HostCheck>,
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    Client { stream, peer, hosts }: Client<S>,
    _slot: OwnedSemaphorePermit,
    service: Arc<HttpService>,
    client_timeout: Duration,
    mut stopping: watch::Receiver<()>,
) {
    let heads = Heads::default();
    let stream = RequestStream::new(StallTimeout::new(stream, client_timeout), heads.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let (service, hosts) = (service.clone(), hosts.clone());
        service.answer(hosts, heads.next(), request.into_body(), peer)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        // From the end of one request to the end of the next one's head.
        .header_read_timeout(client_timeout)
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

/// Answers a connection over the limit with 429. What the client sends is then read for a second at
/// most, because closing a connection with unread bytes resets it, and the answer would be lost.
async fn refuse<S>(mut stream: S, _slot: OwnedSemaphorePermit)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let refused = async {
        stream.write_all(TOO_MANY.as_bytes()).await?;
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // A client that has disconnected needs no answer.
    let _ = timeout(Duration::from_secs(1), refused).await;
}
