//! A stream that knows how long to wait. It gives up on a client who does not read what it has
//! asked for, so that answers nobody takes do not pile up. And of a client who has nothing more to
//! send it says so a little later: hyper takes this for the end of the client, whose answer may be
//! under way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Runs while the client takes nothing.
    stuck: Option<Pin<Box<Sleep>>>,
    /// Runs from the end of what the client sends.
    ended: Option<Pin<Box<Sleep>>>,
}

/// Any request but a blocking one is answered within it.
const GRACE: Duration = Duration::from_millis(200);

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, stuck: None, ended: None }
    }

    /// The result of a write, unless nothing could be written for too long.
    fn timed(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if result.is_ready() {
            self.stuck = None;
            return result;
        }
        let until = Instant::now() + self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep_until(until)));
        stuck.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ended.is_none() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            if buffer.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
        let until = Instant::now() + GRACE;
        let ended = self.ended.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ended.as_mut().poll(context).map(Ok)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.timed(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
