//! The settings of a server before it starts. Every setting has a default that suits a test: a free
//! port of the loopback interface, no file, real time.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lictor_core::ConsulVersion;
use lictor_core::engine::Config;
use lictor_core::message::LogLevel;

use crate::address::ListenAddress;
use crate::clock::ClockMode;
use crate::log::{LogLine, LogSink};

/// The settings of a [`Server`](crate::Server) that has not started.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) listen: Vec<ListenAddress>,
    pub(crate) engine: Config,
    pub(crate) pretty: bool,
    pub(crate) allow_origin: Option<String>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) snapshot: Option<PathBuf>,
    pub(crate) client_timeout: Duration,
    pub(crate) body_timeout: Duration,
    pub(crate) connections_max: usize,
    pub(crate) clock: ClockMode,
    pub(crate) seed: Option<u64>,
    pub(crate) log: LogSink,
}

/// The longest timeout: a longer one would be as good as none, and adding it to a time could
/// overflow.
const TIMEOUT_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

impl Default for Builder {
    fn default() -> Self {
        Self {
            listen: vec![ListenAddress::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))],
            engine: Config::default(),
            pretty: false,
            allow_origin: None,
            allowed_hosts: Vec::new(),
            snapshot: None,
            client_timeout: Duration::from_secs(120),
            body_timeout: Duration::from_secs(300),
            // The number of blocking queries that may wait, and some for other requests.
            connections_max: 65_536 + 1_024,
            clock: ClockMode::Real,
            seed: None,
            log: LogSink::default(),
        }
    }
}

impl Builder {
    /// The address on which HTTP is served; with port 0 the system chooses a free one.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = vec![ListenAddress::Tcp(address)];
        self
    }

    /// The addresses on which HTTP is served. Those with port 0 get the port of the first TCP
    /// address; if that has port 0, too, the system chooses a free one. Without an address no
    /// client can reach the server.
    pub fn listen_on(mut self, addresses: Vec<ListenAddress>) -> Self {
        self.listen = addresses;
        self
    }

    /// Replaces the whole configuration of the engine: the version, the server's own node, its
    /// datacenter, the shortest TTL of a session, how many blocking queries may wait, and more.
    pub fn config(mut self, config: Config) -> Self {
        self.engine = config;
        self
    }

    /// The version of Consul to answer as; the newest by default.
    pub fn consul_version(mut self, version: ConsulVersion) -> Self {
        self.engine.version = version;
        self
    }

    /// The shortest TTL that a session may have; 10 s by default, as in Consul.
    pub fn session_ttl_min(mut self, span: Duration) -> Self {
        self.engine.session_ttl_min = span;
        self
    }

    /// Indents JSON even if a request has no `pretty` parameter, as `consul agent -dev` does.
    pub fn pretty_json(mut self) -> Self {
        self.pretty = true;
        self
    }

    /// Lets web pages of this origin call the server (CORS).
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.allow_origin = Some(origin.into());
        self
    }

    /// Accepts requests with this host name, too, if the server listens on a loopback address.
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// Keeps the state in a file. If the file exists, the server continues from it.
    pub fn snapshot(mut self, file: impl Into<PathBuf>) -> Self {
        self.snapshot = Some(file.into());
        self
    }

    /// How long a client may take to send the head of a request or the next part of its body, and
    /// to take a part of an answer.
    pub fn client_timeout(mut self, span: Duration) -> Self {
        self.client_timeout = span.min(TIMEOUT_MAX);
        self
    }

    /// How long the body of a request may take in total.
    pub fn body_timeout(mut self, span: Duration) -> Self {
        self.body_timeout = span.min(TIMEOUT_MAX);
        self
    }

    /// How many connections are served at the same time; one more is answered with 429 and closed.
    pub fn connections_max(mut self, number: usize) -> Self {
        self.connections_max = number;
        self
    }

    /// Time only advances by [`Server::advance`](crate::Server::advance) or by a request to
    /// `/lictor/clock`.
    pub fn manual_clock(mut self) -> Self {
        self.clock = ClockMode::Manual;
        self
    }

    /// Seeds the ids that the server creates: the same requests in the same order get the same ids.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Calls a function for each line of the server's log up to a level. Without it, the lines go
    /// to the subscriber of `tracing`, if the process has one.
    ///
    /// The lines about a request are written before its answer is sent:
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use std::time::Duration;
    /// use lictor_agent::{LogLevel, Server};
    ///
    /// let (lines, log) = channel();
    /// let sink = move |line: &_| drop(lines.send(Clone::clone(line)));
    /// let server = Server::builder().manual_clock().log(LogLevel::Debug, sink).start()?;
    /// ureq::put(format!("http://{}/v1/session/create", server.addr())).send(r#"{"TTL": "10s"}"#)?;
    /// server.advance(Duration::from_secs(20))?;
    /// assert!(log.try_iter().any(|line| line.message() == "Session TTL expired"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn log(mut self, level: LogLevel, sink: impl Fn(&LogLine) + Send + Sync + 'static) -> Self {
        self.log = LogSink::Function(level, Arc::new(sink));
        self
    }
}
