//! Parses the head of a request: method, target and headers. Faults are found in the order of Go's
//! `net/http`, because the first one decides the answer. Folded lines and lines without a CR are
//! accepted.

use lictor_core::http::HttpRequest;

use super::refused_head::RefusedHead;
use super::target;

/// A valid head.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestHead {
    /// The request, whose body is empty until it is read.
    pub(crate) request: HttpRequest,
    /// The host of the target, or else of the header. `None` for some requests of HTTP/1.0 and for
    /// CONNECT.
    pub(crate) host: Option<String>,
    pub(crate) body: BodyLength,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub(crate) expects_continue: bool,
    is_http_10: bool,
    /// Whether the connection ends after this request.
    pub(super) closes: bool,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyLength {
    Declared(u64),
    Chunked,
}

impl RequestHead {
    /// Parses a head with its empty line.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, RefusedHead> {
        let mut lines = lines(bytes);
        let line = RequestLine::parse(lines.next().unwrap_or_default())?;
        let headers = Headers::parse(lines)?;
        if headers.all("host").count() > 1 {
            return Err(RefusedHead::TwoHosts);
        }
        let body = headers.body_length(line.minor)?;
        if !line.is_supported() {
            return Err(RefusedHead::Version);
        }
        let host = headers.first("host");
        if host.is_none() && line.minor > 0 && line.method != "CONNECT" {
            return Err(RefusedHead::NoHost);
        }
        if host.is_some_and(|host| !host.bytes().all(is_in_host)) {
            return Err(RefusedHead::Host);
        }
        if headers.0.iter().any(|(name, _)| name.contains(' ')) {
            return Err(RefusedHead::HeaderName);
        }
        let expects_continue = headers.has_token("expect", "100-continue");
        if !expects_continue && headers.first("expect").is_some_and(|value| !value.is_empty()) {
            return Err(RefusedHead::Expectation);
        }
        if line.target.path == "*" && line.method != "OPTIONS" {
            return Err(RefusedHead::Asterisk);
        }
        let host = line.target.host.filter(|host| !host.is_empty());
        let host = host.or_else(|| headers.first("host").map(Into::into));
        let is_http_10 = line.minor == 0;
        let closes = headers.has_token("connection", "close")
            || is_http_10 && !headers.has_token("connection", "keep-alive");
        let (method, target, headers) = (line.method, line.target.path, headers.0);
        let request = HttpRequest { method, target, headers, body: Vec::new() };
        Ok(Self { request, host, body, expects_continue, is_http_10, closes })
    }

    /// A plain head for hyper, with all that it needs: the length of the body, whether the answer
    /// has a body, and whether the connection is kept.
    pub(super) fn for_hyper(&self) -> String {
        let method = if self.request.method == "HEAD" { "HEAD" } else { "GET" };
        let version = u8::from(!self.is_http_10);
        let connection = if self.closes { "close" } else { "keep-alive" };
        let expect = if self.expects_continue { "expect: 100-continue\r\n" } else { "" };
        let body = match self.body {
            BodyLength::Declared(0) => String::new(),
            BodyLength::Declared(length) => format!("content-length: {length}\r\n"),
            BodyLength::Chunked => "transfer-encoding: chunked\r\n".into(),
        };
        format!("{method} / HTTP/1.{version}\r\nconnection: {connection}\r\n{body}{expect}\r\n")
    }
}

/// Checks the first line of a head that is not complete yet. Fails if Go refuses it before it reads
/// on.
pub(super) fn admit_first_line(bytes: &[u8]) -> Result<(), RefusedHead> {
    RequestLine::parse(lines(bytes).next().unwrap_or_default()).map(drop)
}

struct RequestLine {
    method: String,
    target: target::Target,
    major: u8,
    minor: u8,
}

impl RequestLine {
    fn parse(line: &[u8]) -> Result<Self, RefusedHead> {
        let mut parts = line.splitn(3, |byte| *byte == b' ');
        let (Some(method), Some(target), Some(version)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err(RefusedHead::RequestLine);
        };
        if method.is_empty() || !method.iter().all(|byte| is_in_token(*byte)) {
            return Err(RefusedHead::Method);
        }
        let method = String::from_utf8_lossy(method).into_owned();
        let [b'H', b'T', b'T', b'P', b'/', major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9'] =
            version
        else {
            return Err(RefusedHead::RequestLine);
        };
        let (major, minor) = (major - b'0', minor - b'0');
        let target = target::parse(&method, target)?;
        Ok(Self { method, target, major, minor })
    }

    /// Whether the version is supported. Go accepts the preface of HTTP/2 here, and refuses its
    /// target later.
    fn is_supported(&self) -> bool {
        match self.major {
            1 => true,
            2 => self.minor == 0 && self.method == "PRI" && self.target.path == "*",
            _ => false,
        }
    }
}

/// Names as they were sent, with their values.
struct Headers(Vec<(String, String)>);

impl Headers {
    fn parse<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Result<Self, RefusedHead> {
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
            let line = trimmed(line);
            if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
                return Err(RefusedHead::HeaderLine);
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            if is_folded {
                let (_, value) = headers.last_mut().ok_or(RefusedHead::HeaderLine)?;
                value.push(' ');
                value.push_str(&text(line));
                continue;
            }
            let colon = line.iter().position(|byte| *byte == b':');
            let (name, value) = line.split_at(colon.ok_or(RefusedHead::HeaderLine)?);
            if name.is_empty() || !name.iter().all(|byte| is_in_token(*byte) || *byte == b' ') {
                return Err(RefusedHead::HeaderLine);
            }
            headers.push((text(name), text(trimmed(&value[1..]))));
        }
        // If a value begins on the line after its name, it has a space before it.
        for (_, value) in &mut headers {
            value.drain(..value.len() - value.trim_start_matches([' ', '\t']).len());
        }
        Ok(Self(headers))
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(it, _)| it.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    fn first(&self, name: &'static str) -> Option<&str> {
        self.all(name).next()
    }

    fn has_token(&self, name: &'static str, token: &str) -> bool {
        let mut tokens = self.all(name).flat_map(|value| value.split(','));
        tokens.any(|it| it.trim().eq_ignore_ascii_case(token))
    }

    fn body_length(&self, minor: u8) -> Result<BodyLength, RefusedHead> {
        let mut encodings = self.all("transfer-encoding");
        let mut lengths = self.all("content-length").map(str::trim);
        let (length, is_chunked) = match encodings.next() {
            // HTTP/1.0 has no encodings.
            Some(encoding) if minor > 0 => {
                if !encoding.eq_ignore_ascii_case("chunked") || encodings.next().is_some() {
                    return Err(RefusedHead::Encoding);
                }
                (lengths.next(), true)
            }
            _ => (lengths.next(), false),
        };
        match length {
            Some(_) if is_chunked => Err(RefusedHead::TwoLengths),
            None if is_chunked => Ok(BodyLength::Chunked),
            None => Ok(BodyLength::Declared(0)),
            Some(length) => {
                let is_number = !length.is_empty() && length.bytes().all(|it| it.is_ascii_digit());
                let is_one = lengths.all(|other| other == length);
                let declared = length.parse::<i64>().ok().and_then(|it| u64::try_from(it).ok());
                let declared = declared.filter(|_| is_number && is_one);
                declared.map(BodyLength::Declared).ok_or(RefusedHead::Length)
            }
        }
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn trimmed(line: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let Some(start) = line.iter().position(is_text) else { return &[] };
    let end = line.iter().rposition(is_text).unwrap_or(start);
    &line[start..=end]
}

fn is_in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$%&'()*+,-.:;=[]_~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RequestHead, RefusedHead> {
        RequestHead::parse(text.as_bytes())
    }

    fn refused(text: &str) -> Option<RefusedHead> {
        parse(text).err()
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n";

    #[test]
    fn names_and_values_are_kept_and_folded_lines_are_joined() {
        let head = "PUT /v1/kv/a HTTP/1.1\nhost:a\nX-A: b\n \t c \nX-B:\n d\nX-C:\n\n";
        let head = parse(head).expect("a head");
        let headers = [("host", "a"), ("X-A", "b c"), ("X-B", "d"), ("X-C", "")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(head.request.headers, headers);
        assert_eq!((head.host.as_deref(), head.closes), (Some("a"), false));
        assert_eq!(head.for_hyper(), "GET / HTTP/1.1\r\nconnection: keep-alive\r\n\r\n");
    }

    #[test]
    fn the_first_fault_decides() {
        use RefusedHead::*;
        for (head, fault) in [
            ("\r\n\r\n", RequestLine),
            ("GET /\r\n\r\n", RequestLine),
            ("GET /a b HTTP/1.1\r\n\r\n", RequestLine),
            ("GET / HTTP/1.10\r\n\r\n", RequestLine),
            ("GET / HTTP/x.1\r\n\r\n", RequestLine),
            ("G@T / HTTP/1.1\r\n\r\n", Method),
            (" / HTTP/1.1\r\n\r\n", Method),
            ("GET a HTTP/1.1\r\n\r\n", Target),
            ("GET / HTTP/1.1\r\n folded: first\r\n\r\n", HeaderLine),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", HeaderLine),
            ("GET / HTTP/1.1\r\n: b\r\n\r\n", HeaderLine),
            ("GET / HTTP/1.1\r\nX[]: b\r\n\r\n", HeaderLine),
            ("GET / HTTP/1.1\r\nX: b\rc\r\n\r\n", HeaderLine),
            ("GET / HTTP/2.0\r\nHost: a\r\nHost: a\r\n\r\n", TwoHosts),
            ("GET / HTTP/2.0\r\n\r\n", Version),
            ("GET / HTTP/0.9\r\n\r\n", Version),
            ("GET / HTTP/1.1\r\n\r\n", NoHost),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", Host),
            ("GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", HeaderName),
            ("PRI * HTTP/2.0\r\n\r\n", Asterisk),
        ] {
            assert_eq!(refused(head), Some(fault), "{head:?}");
        }
        for (header, fault) in [
            ("Transfer-Encoding: gzip, chunked", Some(Encoding)),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", Some(Encoding)),
            ("Transfer-Encoding: chunked\r\nContent-Length: 2", Some(TwoLengths)),
            ("Content-Length: +2", Some(Length)),
            ("Content-Length:", Some(Length)),
            ("Content-Length: 9223372036854775808", Some(Length)),
            ("Content-Length: 2\r\nContent-Length: 3", Some(Length)),
            ("Content-Length: 2\r\nContent-Length: 2", None),
            ("Expect: something", Some(Expectation)),
            ("Expect: 100-Continue", None),
            ("Expect:", None),
        ] {
            assert_eq!(refused(&format!("{GET}{header}\r\n\r\n")), fault, "{header}");
        }
    }

    #[test]
    fn the_version_and_the_header_decide_whether_a_connection_is_kept() {
        for (head, closes) in [
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", true),
            ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", false),
        ] {
            assert_eq!(parse(head).map(|head| head.closes), Ok(closes), "{head}");
        }
    }
}
