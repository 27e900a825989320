//! A plain connection: sends any bytes, and reads answers as they arrive.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::answer::WireAnswer;

/// Longer than anything here should take, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) struct Raw(BufReader<TcpStream>);

impl Raw {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(LONG)).expect("a timeout");
        // A test may hold thousands.
        Self(BufReader::with_capacity(1024, stream))
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).expect("the agent takes it");
    }

    /// Sends to an agent that may have closed the connection.
    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.0.get_mut().write_all(bytes.as_ref())
    }

    /// Sends a request without a body.
    pub(crate) fn ask(&mut self, method: &str, path: &str) {
        self.send(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }

    pub(crate) fn answer(&mut self) -> WireAnswer {
        self.try_answer().expect("an answer in time")
    }

    /// An answer of an agent that may end before it answers.
    pub(crate) fn try_answer(&mut self) -> io::Result<WireAnswer> {
        self.read_answer(AnswerBody::Follows)
    }

    /// An answer to HEAD, which declares the length of a body and has none.
    pub(crate) fn answer_without_body(&mut self) -> WireAnswer {
        self.read_answer(AnswerBody::IsLeftOut).expect("an answer in time")
    }

    /// The next line of an answer of which each chunk is one line; `None` at its end.
    pub(crate) fn streamed_line(&mut self) -> Option<String> {
        let length = self.line().expect("a chunk in time");
        let length = usize::from_str_radix(&length, 16).expect("the length of a chunk");
        let mut chunk = vec![0; length + 2];
        self.0.read_exact(&mut chunk).expect("the chunk");
        let line = String::from_utf8(chunk).expect("text");
        Some(line.strip_suffix("\n\r\n")?.into())
    }

    /// All bytes up to the end of the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).expect("the agent closes the connection");
        String::from_utf8(bytes).expect("text")
    }

    /// Shuts down the sending side of the connection.
    pub(crate) fn end(&mut self) {
        self.0.get_ref().shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// Whether bytes have arrived, or the agent has closed the connection.
    pub(crate) fn has_answer(&mut self) -> bool {
        let stream = self.0.get_ref();
        stream.set_nonblocking(true).expect("a mode");
        let has_answer = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).expect("a mode");
        has_answer
    }

    /// Whether the agent has closed the connection without sending more.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.0.fill_buf(), Ok([]))
    }

    fn read_answer(&mut self, body: AnswerBody) -> io::Result<WireAnswer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("a status line, not {first:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut answer = WireAnswer { status, headers, body: String::new() };
        if let (AnswerBody::Follows, Some(length)) = (body, answer.header("Content-Length")) {
            let mut bytes = vec![0; length.parse().expect("a length")];
            self.0.read_exact(&mut bytes)?;
            answer.body = String::from_utf8(bytes).expect("a body of text");
        }
        Ok(answer)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().into())
    }
}

enum AnswerBody {
    Follows,
    IsLeftOut,
}
