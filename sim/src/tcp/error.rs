//! Why a call fails without an answer, and the words of each HTTP client for it.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::client::HttpClient;

/// Why a call fails without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkError {
    /// No connection was made in time.
    DialTimeout,
    /// Nobody listens at the server's port, or something on the way says so.
    Refused,
    /// There is no way to the server's host.
    NoRoute,
    /// The client's own network interface is down.
    NetworkUnreachable,
    /// The other side does not know the connection.
    Reset,
    /// The server closed the connection in place of an answer.
    Closed,
    /// The kernel gave up: nothing was acknowledged for too long.
    TimedOut,
    /// The client gave up waiting for the answer after this time.
    NoAnswer(Duration),
}

/// The two ends of a connection and the request, for the texts of errors.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// The name of the client's host.
    pub host: &'a str,
    /// The port of the client.
    pub port: u64,
    /// The path and the query of the request.
    pub target: &'a str,
}

/// The name and the port of the server in the texts of errors.
const SERVER: &str = "consul";
const PORT: u16 = 8500;

impl NetworkError {
    /// Whether the request was never sent, so that it had no effect.
    pub fn is_before_sending(self) -> bool {
        match self {
            Self::DialTimeout | Self::Refused | Self::NoRoute | Self::NetworkUnreachable => true,
            Self::Reset | Self::Closed | Self::TimedOut | Self::NoAnswer(_) => false,
        }
    }

    /// The text that a caller sees.
    pub fn text(self, client: HttpClient, ends: &Ends<'_>) -> String {
        match client {
            HttpClient::Go => self.go(ends),
            HttpClient::Node => format!("TypeError: fetch failed; cause {}", self.node()),
            HttpClient::Requests | HttpClient::PyConsul => self.python(client, ends),
            HttpClient::Curl => format!("curl: {}", self.curl()),
        }
    }

    fn go(self, ends: &Ends<'_>) -> String {
        let dial = |why: &str| format!("dial tcp {SERVER}:{PORT}: {why}");
        let read = |why: &str| {
            format!("read tcp {}:{}->{SERVER}:{PORT}: read: {why}", ends.host, ends.port)
        };
        match self {
            Self::DialTimeout => dial("i/o timeout"),
            Self::Refused => dial("connect: connection refused"),
            Self::NoRoute => dial("connect: no route to host"),
            Self::NetworkUnreachable => dial("connect: network is unreachable"),
            Self::Reset => read("connection reset by peer"),
            Self::TimedOut => read("connection timed out"),
            Self::Closed => "EOF".into(),
            Self::NoAnswer(_) => "context deadline exceeded".into(),
        }
    }

    fn node(self) -> String {
        let dial = |code: &str| {
            format!("Error: connect {code} {SERVER}:{PORT} code={code} syscall=connect")
        };
        let read = |code: &str| format!("Error: read {code} code={code} syscall=read");
        match self {
            Self::DialTimeout => format!(
                "ConnectTimeoutError: Connect Timeout Error (attempted address: {SERVER}:{PORT}, \
                 timeout: 10000ms) code=UND_ERR_CONNECT_TIMEOUT"
            ),
            Self::Refused => dial("ECONNREFUSED"),
            Self::NoRoute => dial("EHOSTUNREACH"),
            Self::NetworkUnreachable => dial("ENETUNREACH"),
            Self::Reset => read("ECONNRESET"),
            Self::TimedOut => read("ETIMEDOUT"),
            Self::Closed => "SocketError: other side closed code=UND_ERR_SOCKET".into(),
            Self::NoAnswer(_) => {
                "HeadersTimeoutError: Headers Timeout Error code=UND_ERR_HEADERS_TIMEOUT".into()
            }
        }
    }

    fn python(self, client: HttpClient, ends: &Ends<'_>) -> String {
        let aborted = |why: &str| {
            format!("requests.exceptions.ConnectionError: ('Connection aborted.', {why})")
        };
        let pool = format!("HTTPConnectionPool(host='{SERVER}', port={PORT})");
        let retries = format!("{pool}: Max retries exceeded with url: {}", ends.target);
        let connection = format!("HTTPConnection(host='{SERVER}', port={PORT})");
        let failed = |why: &str| {
            format!(
                "requests.exceptions.ConnectionError: {retries} (Caused by NewConnectionError(\
                 \"{connection}: Failed to establish a new connection: {why}\"))"
            )
        };
        match self {
            Self::DialTimeout => {
                let timeout = client.profile().dial_timeout;
                let timeout = timeout.map_or_else(|| "None".into(), seconds);
                format!(
                    "requests.exceptions.ConnectTimeout: {retries} (Caused by \
                     ConnectTimeoutError(<{connection}>, 'Connection to {SERVER} timed out. \
                     (connect timeout={timeout})'))"
                )
            }
            Self::Refused => failed("[Errno 111] Connection refused"),
            Self::NoRoute => failed("[Errno 113] No route to host"),
            Self::NetworkUnreachable => failed("[Errno 101] Network is unreachable"),
            Self::Reset => aborted("ConnectionResetError(104, 'Connection reset by peer')"),
            Self::TimedOut => aborted("TimeoutError(110, 'Connection timed out')"),
            Self::Closed => {
                aborted("RemoteDisconnected('Remote end closed connection without response')")
            }
            Self::NoAnswer(timeout) => format!(
                "requests.exceptions.ReadTimeout: {pool}: Read timed out. (read timeout={})",
                seconds(timeout)
            ),
        }
    }

    fn curl(self) -> String {
        let failed = |why: &str| format!("(7) Failed to connect to {SERVER} port {PORT}: {why}");
        match self {
            Self::DialTimeout => {
                format!("(28) Failed to connect to {SERVER} port {PORT}: Connection timed out")
            }
            Self::Refused => failed("Connection refused"),
            Self::NoRoute => failed("No route to host"),
            Self::NetworkUnreachable => failed("Network is unreachable"),
            Self::Reset => "(56) Recv failure: Connection reset by peer".into(),
            Self::TimedOut => "(56) Recv failure: Connection timed out".into(),
            Self::Closed => "(52) Empty reply from server".into(),
            Self::NoAnswer(_) => "(28) Operation timed out".into(),
        }
    }
}

/// Seconds as Python prints them: `30`, `348.75`.
fn seconds(span: Duration) -> String {
    let millis = span.as_millis();
    match millis % 1_000 {
        0 => format!("{}", millis / 1_000),
        rest => {
            format!("{}", format_args!("{}.{rest:03}", millis / 1_000)).trim_end_matches('0').into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_words() {
        let ends = Ends { host: "web-1", port: 40_001, target: "/v1/kv/a" };
        let text = |error: NetworkError, client| error.text(client, &ends);
        assert_eq!(
            text(NetworkError::Reset, HttpClient::Go),
            "read tcp web-1:40001->consul:8500: read: connection reset by peer"
        );
        assert_eq!(
            text(NetworkError::TimedOut, HttpClient::Node),
            "TypeError: fetch failed; cause Error: read ETIMEDOUT code=ETIMEDOUT syscall=read"
        );
        assert_eq!(
            text(NetworkError::NoAnswer(Duration::from_millis(348_750)), HttpClient::PyConsul),
            "requests.exceptions.ReadTimeout: HTTPConnectionPool(host='consul', port=8500): Read \
             timed out. (read timeout=348.75)"
        );
    }
}
