//! Reads the bodies of requests into memory. A body that is too large or too slow is refused.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout_at};

/// The longest body that is read. Consul does not limit the body of a registration, and 1.13 not
/// even a value that is sent in chunks (KV-25); without a limit a client could use up the memory.
pub(crate) const BODY_MAX: usize = 32 * 1024 * 1024;

/// The time limits for sending a body.
#[derive(Clone, Copy)]
pub(crate) struct BodyTimeouts {
    /// From one part of the body to the next.
    pub(crate) part: Duration,
    /// For the whole body.
    pub(crate) total: Duration,
}

/// Why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("Request body too large, max size: {BODY_MAX} bytes.")]
    TooLarge,
    #[error("the body did not come in time")]
    TooSlow,
    #[error("{}", innermost(.0))]
    Broken(#[from] hyper::Error),
}

/// The error that hyper wraps: of the connection, or of the encoding.
fn innermost(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}

/// Reads a body to its end. The rest of one that is too large is read and dropped in the
/// background.
pub(crate) async fn read(body: Incoming, timeouts: BodyTimeouts) -> Result<Vec<u8>, BodyError> {
    let mut bytes = Vec::new();
    if body.is_end_stream() {
        return Ok(bytes);
    }
    let mut parts = BodyParts::new(body, timeouts);
    while let Some(part) = parts.next().await? {
        if bytes.len() + part.len() > BODY_MAX {
            tokio::spawn(parts.discard());
            return Err(BodyError::TooLarge);
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

/// Reads and drops a body that was refused by its headers, so that a client that is still sending
/// it can read the refusal. A body beyond the limit is left unread, which ends the connection.
pub(crate) fn discard(body: Incoming, timeouts: BodyTimeouts) {
    tokio::spawn(BodyParts::new(body, timeouts).discard());
}

/// The parts of a body as they arrive.
struct BodyParts {
    body: Incoming,
    timeout: Duration,
    deadline: Instant,
}

impl BodyParts {
    fn new(body: Incoming, timeouts: BodyTimeouts) -> Self {
        let deadline = Instant::now() + timeouts.total;
        Self { body, timeout: timeouts.part, deadline }
    }

    /// The next part; `None` at the end of the body.
    async fn next(&mut self) -> Result<Option<bytes::Bytes>, BodyError> {
        if self.body.is_end_stream() {
            return Ok(None);
        }
        let until = self.deadline.min(Instant::now() + self.timeout);
        match timeout_at(until, self.body.frame()).await {
            Err(_) => Err(BodyError::TooSlow),
            Ok(None) => Ok(None),
            // A frame without data contains trailers, which are ignored.
            Ok(Some(frame)) => Ok(Some(frame?.into_data().unwrap_or_default())),
        }
    }

    async fn discard(mut self) {
        let mut left = BODY_MAX;
        while let Ok(Some(part)) = self.next().await {
            let Some(rest) = left.checked_sub(part.len()) else { return };
            left = rest;
        }
    }
}
