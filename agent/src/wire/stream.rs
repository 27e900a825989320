//! The stream between a socket and hyper. It parses each head itself and gives hyper a plain one.
//! Bodies are passed on as they arrive, with the sizes of chunks written anew, so hyper and this
//! stream cannot differ on where a request ends.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::chunks::{ChunkSizes, LINE_MAX, MalformedChunk};
use super::head::{BodyLength, RequestHead, admit_first_line};
use super::refused_head::RefusedHead;

/// The heads of the requests that hyper has read or will read, in their order on the connection.
#[derive(Clone, Default)]
pub(crate) struct Heads(Arc<Mutex<VecDeque<Result<RequestHead, RefusedHead>>>>);

impl Heads {
    /// The head of the request that hyper has read. Without one hyper has read a request that the
    /// client did not send, which is refused.
    pub(crate) fn next(&self) -> Result<RequestHead, RefusedHead> {
        self.lock().pop_front().unwrap_or(Err(RefusedHead::CutOff))
    }

    fn push(&self, head: Result<RequestHead, RefusedHead>) {
        self.lock().push_back(head);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Result<RequestHead, RefusedHead>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that hyper reads plain requests from and writes answers to.
pub(crate) struct RequestStream<S> {
    stream: S,
    heads: Heads,
    /// Received, and not parsed yet.
    input: BytesMut,
    /// Parsed, and not read by hyper yet.
    output: BytesMut,
    expected: Expected,
    /// What is expected after the body.
    after_body: Expected,
    has_refused: bool,
    /// The time limit while the last bytes of a client are read and dropped.
    lingering: Option<Pin<Box<Sleep>>>,
}

/// What the client sends next.
#[derive(Debug)]
enum Expected {
    Head,
    Body {
        left: u64,
    },
    ChunkSize(ChunkSizes),
    Chunk {
        left: u64,
        sizes: ChunkSizes,
    },
    ChunkEnd(ChunkSizes),
    Trailer {
        left: usize,
    },
    /// The connection will be closed.
    Nothing,
}

/// The longest head, as in Go.
const HEAD_MAX: usize = (1 << 20) + 4096;

/// What hyper reads in the place of a head that is refused.
const REFUSED: &[u8] = b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n";

/// What hyper reads in the place of a chunk that is malformed.
const MALFORMED: &[u8] = b"malformed\r\n";

/// How long a client may send after the last answer. A socket that is closed with unread bytes is
/// reset, and the client may lose the answer.
const LINGER: Duration = Duration::from_millis(500);

impl<S> RequestStream<S> {
    pub(crate) fn new(stream: S, heads: Heads) -> Self {
        let (expected, after_body) = (Expected::Head, Expected::Head);
        let (input, output) = (BytesMut::new(), BytesMut::new());
        let (has_refused, lingering) = (false, None);
        Self { stream, heads, input, output, expected, after_body, has_refused, lingering }
    }

    /// Moves all that is complete from the input to the output.
    fn advance_all(&mut self) {
        loop {
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => {
                    // hyper refuses it where it expects the size or the end of a chunk, and the
                    // service answers.
                    self.output.extend_from_slice(MALFORMED);
                    self.has_refused = true;
                }
            }
        }
    }

    /// Moves what is complete from the input to the output. Returns false if more bytes are needed.
    fn advance(&mut self) -> Result<bool, MalformedChunk> {
        match std::mem::replace(&mut self.expected, Expected::Nothing) {
            Expected::Head => Ok(self.head()),
            Expected::Body { left } => {
                let left = self.pass_on(left);
                let is_whole = left == 0;
                self.expected = if is_whole { self.next() } else { Expected::Body { left } };
                Ok(is_whole)
            }
            Expected::ChunkSize(mut sizes) => {
                let Some(line) = self.line(LINE_MAX)? else {
                    self.expected = Expected::ChunkSize(sizes);
                    return Ok(false);
                };
                let left = sizes.read(&line)?;
                self.expected = if left == 0 {
                    Expected::Trailer { left: LINE_MAX }
                } else {
                    self.output.extend_from_slice(format!("{left:x}\r\n").as_bytes());
                    Expected::Chunk { left, sizes }
                };
                Ok(true)
            }
            Expected::Chunk { left, sizes } => {
                let left = self.pass_on(left);
                let is_whole = left == 0;
                self.expected = if is_whole {
                    Expected::ChunkEnd(sizes)
                } else {
                    Expected::Chunk { left, sizes }
                };
                Ok(is_whole)
            }
            Expected::ChunkEnd(sizes) => {
                let Some(end) = self.line(2)? else {
                    self.expected = Expected::ChunkEnd(sizes);
                    return Ok(false);
                };
                if *end != *b"\r\n" {
                    return Err(MalformedChunk);
                }
                self.output.extend_from_slice(b"\r\n");
                self.expected = Expected::ChunkSize(sizes);
                Ok(true)
            }
            Expected::Trailer { left } => {
                let Some(line) = self.line(left)? else {
                    self.expected = Expected::Trailer { left };
                    return Ok(false);
                };
                self.expected = if matches!(&*line, b"\r\n" | b"\n") {
                    self.output.extend_from_slice(b"0\r\n\r\n");
                    self.next()
                } else {
                    Expected::Trailer { left: left.saturating_sub(line.len()) }
                };
                Ok(true)
            }
            Expected::Nothing => {
                self.input.clear();
                Ok(false)
            }
        }
    }

    /// Moves a complete head, or refuses it. Returns false if more bytes are needed.
    fn head(&mut self) -> bool {
        let Some(first) = self.input.iter().position(|byte| *byte == b'\n') else {
            return self.continue_head();
        };
        if let Err(refused) = admit_first_line(&self.input[..first]) {
            return self.refuse(refused);
        }
        let Some(length) = head_length(&self.input[first..]) else { return self.continue_head() };
        let bytes = self.input.split_to(first + length);
        let head = match RequestHead::parse(&bytes) {
            Ok(head) => head,
            Err(refused) => return self.refuse(refused),
        };
        self.output.extend_from_slice(head.for_hyper().as_bytes());
        self.after_body = if head.closes { Expected::Nothing } else { Expected::Head };
        self.expected = match head.body {
            BodyLength::Declared(0) => self.next(),
            BodyLength::Declared(left) => Expected::Body { left },
            BodyLength::Chunked => Expected::ChunkSize(ChunkSizes::default()),
        };
        self.heads.push(Ok(head));
        true
    }

    fn continue_head(&mut self) -> bool {
        if self.input.len() > HEAD_MAX {
            return self.refuse(RefusedHead::TooLarge);
        }
        self.expected = Expected::Head;
        false
    }

    fn refuse(&mut self, refused: RefusedHead) -> bool {
        self.heads.push(Err(refused));
        self.output.extend_from_slice(REFUSED);
        self.input.clear();
        self.expected = Expected::Nothing;
        self.has_refused = true;
        true
    }

    /// Whether the client may be sending what will not be read.
    fn has_unread(&self) -> bool {
        self.has_refused || !matches!(self.expected, Expected::Head | Expected::Nothing)
    }

    /// What is expected after a body has ended.
    fn next(&mut self) -> Expected {
        std::mem::replace(&mut self.after_body, Expected::Head)
    }

    /// Passes on up to `left` bytes of a body, and returns how many are left.
    fn pass_on(&mut self, left: u64) -> u64 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(self.input.len());
        self.output.extend_from_slice(&self.input[..length]);
        self.input.advance(length);
        left - length as u64
    }

    /// The next line with its line feed; `None` if it has not arrived. Fails if it is longer than
    /// `max` bytes.
    fn line(&mut self, max: usize) -> Result<Option<BytesMut>, MalformedChunk> {
        let end = self.input.iter().take(max).position(|byte| *byte == b'\n');
        if end.is_none() && self.input.len() >= max {
            return Err(MalformedChunk);
        }
        Ok(end.map(|end| self.input.split_to(end + 1)))
    }
}

/// The length in bytes of the rest of a head, which begins with the line feed of its first line;
/// `None` if the head is incomplete.
fn head_length(bytes: &[u8]) -> Option<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).find_map(|start| {
        let rest = &bytes[start..];
        let end = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        matches!(rest, [b'\n', ..] | [b'\r', b'\n', ..]).then_some(start + end)
    })
}

impl<S: AsyncRead + Unpin> RequestStream<S> {
    /// Reads from the socket; at its end the result is false.
    fn poll_input(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut bytes = [0; 8192];
        let mut buffer = ReadBuf::new(&mut bytes);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
        self.input.extend_from_slice(buffer.filled());
        Poll::Ready(Ok(!buffer.filled().is_empty()))
    }

    /// Reads a part of a body from the socket, without a copy; false if none is expected.
    fn poll_body(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<bool>> {
        let (Expected::Body { left } | Expected::Chunk { left, .. }) = &mut self.expected else {
            return Poll::Ready(Ok(false));
        };
        let length = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.remaining());
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(length));
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut part))?;
        let length = part.filled().len();
        buffer.advance(length);
        *left -= length as u64;
        Poll::Ready(Ok(true))
    }

    /// Drops what the client still sends, up to its end or a limit of time.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let until = Instant::now() + LINGER;
        let lingering = self.lingering.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if lingering.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        while let Ok(true) = ready!(self.poll_input(context)) {
            self.input.clear();
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for RequestStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            self.advance_all();
            if !self.output.is_empty() {
                let length = self.output.len().min(buffer.remaining());
                buffer.put_slice(&self.output.split_to(length));
                return Poll::Ready(Ok(()));
            }
            if self.has_refused {
                // The answer ends the connection, and the end of the input must not come before.
                return Poll::Pending;
            }
            if ready!(self.poll_body(context, buffer))? {
                return Poll::Ready(Ok(()));
            }
            if !ready!(self.poll_input(context))? {
                let is_cut_off = matches!(self.expected, Expected::Head) && !self.input.is_empty();
                if !is_cut_off {
                    return Poll::Ready(Ok(()));
                }
                self.refuse(RefusedHead::CutOff);
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for RequestStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
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

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        if self.has_unread() { self.poll_linger(context).map(Ok) } else { Poll::Ready(Ok(())) }
    }
}
