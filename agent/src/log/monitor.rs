//! The stream of `GET /v1/agent/monitor`: the body of an answer that grows by a chunk for each line
//! of the log, until its client disconnects or the server stops.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use lictor_core::message::LogLevel;

use super::request_lines::LoggedRequest;
use super::{AGENT, Log, LogLine, LogReader};

/// The body of the answer.
pub(crate) struct MonitorBody {
    log: Arc<Log>,
    reader: LogReader,
    is_json: bool,
    request: LoggedRequest,
}

impl MonitorBody {
    /// A stream of the lines that are written from now on, at this level or a more severe one.
    pub(crate) fn new(
        log: Arc<Log>,
        level: LogLevel,
        is_json: bool,
        request: LoggedRequest,
    ) -> Self {
        let reader = log.read(level);
        Self { log, reader, is_json, request }
    }
}

impl Body for MonitorBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(line) = ready!(self.reader.lines.poll_recv(context)) else {
            return Poll::Ready(None);
        };
        let text = if self.is_json { line.to_json() } else { line.to_string() };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(text + "\n")))))
    }
}

/// As in Consul, the number of lines that a slow client has missed is logged when its request ends;
/// the client is not informed.
impl Drop for MonitorBody {
    fn drop(&mut self) {
        self.reader.lines.close();
        self.log.prune();
        let dropped = self.reader.dropped.load(Ordering::Acquire);
        if dropped > 0 {
            let message = "Dropped logs during monitor request";
            let with_count = |line: LogLine| line.with("dropped_count", dropped);
            self.log.write(LogLevel::Warn, AGENT, message, with_count);
        }
        self.request.finished(&self.log);
    }
}
