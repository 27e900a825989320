//! The listening socket and its connections. An error on a connection ends only that connection; a
//! connection over the limit is answered with 429 and closed.
//!
//! server.rs starts it; service.rs answers the requests.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lictor_core::message::LogLevel;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::log::LICTOR;
use crate::service::HttpService;
use crate::stall_timeout::StallTimeout;
use crate::wire::stream::{Heads, RequestStream};

/// Accepts connections and serves them.
pub(crate) struct Connections {
    pub(crate) listener: TcpListener,
    pub(crate) service: Arc<HttpService>,
    pub(crate) client_timeout: Duration,
    pub(crate) max: usize,
}

/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// The pause after a failed accept, mostly for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// The number of connections over the limit that are answered at the same time; others are closed
/// without an answer.
const REFUSALS_MAX: usize = 64;

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\n\
    Content-Type: text/plain; charset=utf-8\r\nContent-Length: 48\r\nConnection: close\r\n\r\n\
    the server has as many connections as it accepts";

/// Binds a socket and listens on it.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows the option would let another process take the port as well.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Connections {
    /// Serves until its future is dropped; connections end when the sender of `stopping` sends.
    pub(crate) async fn accept(self, stopping: watch::Receiver<()>) {
        let slots = Arc::new(Semaphore::new(self.max.min(Semaphore::MAX_PERMITS)));
        let refusals = Arc::new(Semaphore::new(REFUSALS_MAX));
        loop {
            let Ok((stream, peer)) = self.listener.accept().await else {
                sleep(ACCEPT_PAUSE).await;
                continue;
            };
            if let Ok(slot) = slots.clone().try_acquire_owned() {
                let service = self.service.clone();
                let (timeout, stopping) = (self.client_timeout, stopping.clone());
                tokio::spawn(serve((stream, peer), slot, service, timeout, stopping));
            } else {
                let says = "refused a connection over the limit";
                self.service.log.write(LogLevel::Debug, LICTOR, says, |line| {
                    line.with("from", peer.to_string()).with("max", self.max as u64)
                });
                if let Ok(slot) = refusals.clone().try_acquire_owned() {
                    tokio::spawn(refuse(stream, slot));
                }
            }
        }
    }
}

async fn serve(
    (stream, peer): (TcpStream, SocketAddr),
    _slot: OwnedSemaphorePermit,
    service: Arc<HttpService>,
    client_timeout: Duration,
    mut stopping: watch::Receiver<()>,
) {
    // Without it small answers may wait for the acknowledgement of earlier ones.
    let _ = stream.set_nodelay(true);
    let heads = Heads::default();
    let stream = RequestStream::new(StallTimeout::new(stream, client_timeout), heads.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        service.clone().answer(heads.next(), request.into_body(), peer)
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

/// Refuses a connection. Its request is read for a short time first, because closing a connection
/// with unread bytes resets it, and the answer would be lost.
async fn refuse(mut stream: TcpStream, _slot: OwnedSemaphorePermit) {
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
