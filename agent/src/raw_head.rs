//! The bytes of a request's head as received. hyper removes a `Content-Length` beside a
//! `Transfer-Encoding`, so only these bytes show that a request declared its length twice.
//!
//! stall_timeout.rs fills it; service.rs checks it for chunked requests and refuses those with a
//! length, because they can smuggle another request past a proxy.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The head of the current request of a connection.
#[derive(Clone)]
pub(crate) struct RawHead(Arc<Mutex<HeadBytes>>);

struct HeadBytes {
    bytes: Vec<u8>,
    /// Whether the bytes that come next belong to a head.
    is_open: bool,
}

/// Bytes beyond it are dropped; a chunked request whose head is longer is refused.
const LENGTH_MAX: usize = 64 * 1024;

impl RawHead {
    /// A head for a new connection.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(HeadBytes { bytes: Vec::new(), is_open: true })))
    }

    /// Appends bytes that were read.
    pub(crate) fn fill(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if state.is_open && state.bytes.len() < LENGTH_MAX {
            state.bytes.extend_from_slice(bytes);
        }
    }

    /// The head is complete; what follows is its body.
    pub(crate) fn close(&self) {
        self.lock().is_open = false;
    }

    /// The request is answered; what follows is the next head.
    pub(crate) fn reopen(&self) {
        let mut state = self.lock();
        state.bytes.clear();
        state.is_open = true;
    }

    /// Whether the head has no `Content-Length`. A head that was sent before the answer to the
    /// request before it is not here, and counts as one that may have it.
    pub(crate) fn is_without_length(&self) -> bool {
        let state = self.lock();
        let lines = state.bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.skip_while(|line| line.is_empty());
        let is_length = |line: &[u8]| {
            let name = line.split(|byte| *byte == b':').next().unwrap_or(line);
            name.eq_ignore_ascii_case(b"content-length")
        };
        // Up to the empty line that ends the head.
        lines.find(|line| line.is_empty() || is_length(line)).is_some_and(<[u8]>::is_empty)
    }

    fn lock(&self) -> MutexGuard<'_, HeadBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_without_length(parts: &[&str]) -> bool {
        let head = RawHead::new();
        parts.iter().for_each(|part| head.fill(part.as_bytes()));
        head.close();
        head.is_without_length()
    }

    #[test]
    fn a_length_is_found_in_the_head_and_not_in_the_body() {
        let chunked = "\r\nPUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n";
        assert!(is_without_length(&[chunked, "\r\ncontent-length: 3\r\n"]));
        assert!(!is_without_length(&[chunked, "conTENT-len", "gth:3\r\n\r\n"]));
        assert!(!is_without_length(&["PUT / HTTP/1.1\nContent-Length: 3\n\n"]));
    }

    #[test]
    fn a_head_that_is_not_known_may_have_a_length() {
        assert!(!is_without_length(&[]));
        assert!(!is_without_length(&["PUT / HTTP/1.1\r\n"]));
    }

    #[test]
    fn bytes_of_a_body_are_not_part_of_the_next_head() {
        let head = RawHead::new();
        head.fill(b"PUT / HTTP/1.1\r\n\r\n");
        head.close();
        head.fill(b"Content-Length: 3\r\n");
        head.reopen();
        head.fill(b"GET / HTTP/1.1\r\n\r\n");
        assert!(head.is_without_length());
    }
}
