//! A stream that lets through what Go's server takes in the first line of a request and the `http`
//! crate does not: bytes such as `<` or `"` that should have been escaped. They are escaped on the
//! way in, which means the same.
//!
//! To know where a first line begins, it follows each message to its end: by its Content-Length, or
//! chunk by chunk. Behind what it does not understand it leaves the connection's later requests as
//! they are.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(crate) struct Lenient<S> {
    stream: S,
    reader: Reader,
    /// What did not fit into the caller's buffer.
    left: Vec<u8>,
}

/// Follows the bytes of a connection.
#[derive(Default)]
struct Reader {
    place: Place,
    /// The current line of a head, as far as it matters.
    line: Vec<u8>,
    /// The length of the body that the current head announces.
    length: Length,
}

/// How long a body is.
#[derive(Clone, Copy)]
enum Length {
    Known(u64),
    InChunks,
}

impl Default for Length {
    fn default() -> Self {
        Self::Known(0)
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// In the first line, up to the end of the method.
    #[default]
    Method,
    Target,
    Headers,
    Body {
        left: u64,
    },
    /// In the line that says how long the next chunk is.
    ChunkSize,
    Chunk {
        left: u64,
    },
    /// In the lines behind the last chunk.
    Trailers,
    /// The connection cannot be followed any more.
    Lost,
}

/// No header that matters here is longer.
const LINE_MAX: usize = 64;

impl<S> Lenient<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, reader: Reader::default(), left: Vec::new() }
    }

    fn take_left(&mut self, buffer: &mut ReadBuf<'_>) {
        let fits = self.left.len().min(buffer.remaining());
        buffer.put_slice(&self.left[..fits]);
        self.left.drain(..fits);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lenient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left.is_empty() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            let Some(escaped) = self.reader.follow(&buffer.filled()[before..]) else {
                return Poll::Ready(Ok(()));
            };
            buffer.set_filled(before);
            self.left = escaped;
        }
        self.take_left(buffer);
        Poll::Ready(Ok(()))
    }
}

impl Reader {
    /// Follows what came next; gives it anew where something in it had to be escaped.
    fn follow(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut escaped: Option<Vec<u8>> = None;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let skipped = self.skip(&bytes[at..]);
            if skipped > 0 {
                if let Some(escaped) = &mut escaped {
                    escaped.extend_from_slice(&bytes[at..at + skipped]);
                }
                at += skipped;
                continue;
            }
            if self.place == Place::Target && is_refused(byte) {
                let escaped = escaped.get_or_insert_with(|| bytes[..at].to_vec());
                escaped.extend_from_slice(format!("%{byte:02X}").as_bytes());
            } else if let Some(escaped) = &mut escaped {
                escaped.push(byte);
            }
            self.step(byte);
            at += 1;
        }
        escaped
    }

    /// How many bytes belong to a body, or to what cannot be followed.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let (left, behind) = match &mut self.place {
            Place::Body { left } => (left, Place::Method),
            Place::Chunk { left } => (left, Place::ChunkSize),
            Place::Lost => return bytes.len(),
            _ => return 0,
        };
        let taken = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
        *left -= taken as u64;
        if *left == 0 {
            self.place = behind;
        }
        taken
    }

    fn step(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Method, b' ') => self.place = Place::Target,
            (Place::Target, b'\n') => {
                self.place = Place::Headers;
                self.line.clear();
                self.length = Length::default();
            }
            (Place::Headers | Place::ChunkSize | Place::Trailers, b'\n') => self.end_line(),
            (Place::Headers | Place::ChunkSize | Place::Trailers, byte)
                if self.line.len() < LINE_MAX =>
            {
                self.line.push(byte);
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line).to_ascii_lowercase();
        let line = line.trim_end();
        self.line.clear();
        match self.place {
            Place::ChunkSize => self.place = chunk(line),
            Place::Trailers if line.is_empty() => self.place = Place::Method,
            Place::Headers => self.end_header(line),
            _ => {}
        }
    }

    fn end_header(&mut self, line: &str) {
        if let Some(length) = line.strip_prefix("content-length:") {
            match length.trim().parse() {
                Ok(length) => self.length = Length::Known(length),
                Err(_) => self.place = Place::Lost,
            }
        } else if let Some(coding) = line.strip_prefix("transfer-encoding:") {
            match coding.trim() {
                "chunked" => self.length = Length::InChunks,
                _ => self.place = Place::Lost,
            }
        } else if line.is_empty() {
            self.place = match self.length {
                Length::Known(0) => Place::Method,
                Length::Known(left) => Place::Body { left },
                Length::InChunks => Place::ChunkSize,
            };
        }
    }
}

/// What follows a line with the length of a chunk. The end of a chunk's own line counts to it.
fn chunk(line: &str) -> Place {
    let size = line.split(';').next().unwrap_or_default().trim();
    match u64::from_str_radix(size, 16) {
        // The line's end behind a chunk.
        _ if line.is_empty() => Place::ChunkSize,
        Ok(0) => Place::Trailers,
        Ok(left) => Place::Chunk { left },
        Err(_) => Place::Lost,
    }
}

/// What Go takes as it is, and the `http` crate does not, or takes for the end of the path.
fn is_refused(byte: u8) -> bool {
    !byte.is_ascii() || b"\"#<>\\^`{|}".contains(&byte)
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lenient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out when the bytes come in parts of this length.
    fn in_parts(bytes: &[u8], length: usize) -> Vec<u8> {
        let mut reader = Reader::default();
        let parts = bytes.chunks(length);
        parts.flat_map(|part| reader.follow(part).unwrap_or_else(|| part.into())).collect()
    }

    #[test]
    fn only_targets_are_escaped() {
        let put = b"PUT /a<b>?x=\"|# HTTP/1.1\r\nX: <y>\r\ncontent-LENGTH:  3\r\n\r\n<a>";
        let get = b"\r\nGET /\xff{} HTTP/1.1\n\n";
        let sent = [&put[..], get, put, get].concat();
        let put = b"PUT /a%3Cb%3E?x=%22%7C%23 HTTP/1.1\r\nX: <y>\r\ncontent-LENGTH:  3\r\n\r\n<a>";
        let get = b"\r\nGET /%FF%7B%7D HTTP/1.1\n\n";
        let received = [&put[..], get, put, get].concat();
        for length in [1, 2, 3, 7, 50, 1000] {
            assert_eq!(in_parts(&sent, length), received, "in parts of {length}");
        }
    }

    #[test]
    fn chunks_are_followed_to_their_end() {
        let put = "PUT /a HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n\
                   3;x=y\r\n<a>\r\n0A\r\nGET /<b> H\r\n0\r\nTrailer: <t>\r\n\r\n";
        let sent = [put, "GET /<c> HTTP/1.1\r\n\r\n"].concat();
        let received = [put, "GET /%3Cc%3E HTTP/1.1\r\n\r\n"].concat();
        for length in [1, 2, 5, 1000] {
            assert_eq!(in_parts(sent.as_bytes(), length), received.as_bytes(), "{length}");
        }
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        for head in ["Transfer-Encoding: gzip", "Content-Length: many"] {
            let sent =
                format!("PUT /a HTTP/1.1\r\n{head}\r\n\r\n0\r\n\r\nGET /<b> HTTP/1.1\r\n\r\n");
            assert_eq!(in_parts(sent.as_bytes(), 9), sent.as_bytes(), "{head}");
        }
    }

    #[test]
    fn plain_requests_are_not_copied() {
        let mut reader = Reader::default();
        assert_eq!(reader.follow(b"GET /v1/kv/a%20b?x=y HTTP/1.1\r\n\r\n"), None);
    }
}
