//! Sends a GET to a cluster and reads the answer, within limits of size and of time. Follows no
//! redirect. What it returns has no secret.

use std::io;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::{HeaderMap, Response, Uri, Version};
use ureq::typestate::WithoutBody;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, BodyReader, Error, RequestBuilder, Timeout};

use super::connection::Connection;
use super::texts::without_secret;

/// A longer list is not read.
const LENGTH_MAX: u64 = 10_000_000;
/// The headers that describe a list or the server that sent it. Others may contain secrets.
const HEADERS: [&str; 6] = ["date", "content-type", "location", "retry-after", "server", "via"];
/// What Consul's own headers begin with.
const CONSUL_HEADERS: &str = "x-consul-";

/// The HTTP client of one cluster.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    connection: Connection,
    /// The base of the address that is sent: that of the connection, but for the host, which is the
    /// name in the server's certificate.
    sent_base: String,
    timeout: Duration,
}

/// Resolves the host of the connection, whatever the host of a request is.
#[derive(Debug)]
struct HostOf(Uri);

impl Resolver for HostOf {
    fn resolve(
        &self,
        _: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        DefaultResolver::default().resolve(&self.0, config, timeout)
    }
}

/// An answer, whatever its status.
#[derive(Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    /// The line of the status and the headers, each with its end of line.
    pub(super) head: String,
    pub(super) body: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("{0} refuses connections: no agent listens there")]
    Refused(String),
    #[error("the host in {0} has no address: its name is not known here")]
    NoHost(String),
    #[error("no connection to {0} within {1} s")]
    NoConnection(String, u64),
    #[error("no whole answer of {0} within {1} s, after which nothing more was asked")]
    TooLate(String, u64),
    #[error("the list is longer than {} MB, and was not read", LENGTH_MAX / 1_000_000)]
    TooLong,
    #[error("no secure connection to {0}: {1}")]
    Tls(String, String),
    #[error("the connection to {0} failed: {1}")]
    Failed(String, String),
}

impl Client {
    /// A client that waits for each answer for this time.
    pub(crate) fn new(connection: Connection, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(connect_limit(timeout)))
            .timeout_global(Some(timeout))
            .user_agent(concat!("lictor-agent/", env!("CARGO_PKG_VERSION")))
            .tls_config(connection.tls.clone());
        // As in Go, a proxy of the environment is not for this machine.
        let config = if is_local(&connection) { config.proxy(None) } else { config };
        let (agent, sent_base) = agent(config.build(), &connection);
        Self { agent, connection, sent_base, timeout }
    }

    /// How long an answer may take.
    pub(super) const fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) const fn has_datacenter(&self) -> bool {
        self.connection.has_datacenter
    }

    /// Whether any server may answer.
    pub(super) const fn is_stale(&self) -> bool {
        self.connection.is_stale
    }

    /// The address of the cluster, as a person writes it.
    pub(super) fn place(&self) -> String {
        match &self.connection.socket {
            Some(socket) => format!("unix://{}", socket.display()),
            None => self.connection.base.clone(),
        }
    }

    /// The address of a path with a parameter and those of each request.
    pub(super) fn url(&self, path: &str, parameter: Option<&str>) -> String {
        let mut url = format!("{}{path}", self.connection.base);
        let parameters = self.connection.parameters.iter().map(String::as_str);
        for parameter in parameter.into_iter().chain(parameters) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(parameter);
        }
        url
    }

    /// The command that sends the request, without its token.
    pub(super) fn command(&self, url: &str) -> String {
        match &self.connection.socket {
            Some(socket) => format!("$ curl -si --unix-socket {} '{url}'\n", socket.display()),
            None => format!("$ curl -si '{url}'\n"),
        }
    }

    pub(super) fn get(&self, url: &str) -> Result<HttpAnswer, NoAnswer> {
        self.get_within(url, self.timeout)
    }

    /// The answer, which may take this time.
    pub(super) fn get_within(&self, url: &str, limit: Duration) -> Result<HttpAnswer, NoAnswer> {
        let request = self.request(url).config().timeout_global(Some(limit)).build();
        let answer = request.call().map_err(|error| self.no_answer(error, limit))?;
        self.whole(answer, limit)
    }

    /// The body of an answer that has no end, or the answer if it is another one. Fails if there is
    /// nothing to read for `silence`.
    pub(super) fn stream(
        &self,
        url: &str,
        silence: Duration,
    ) -> Result<Result<BodyReader<'static>, HttpAnswer>, NoAnswer> {
        let config = self.request(url).config().timeout_global(None);
        let config = config.timeout_recv_response(Some(self.timeout));
        let request = config.timeout_per_read(Some(silence)).build();
        let answer = request.call().map_err(|error| self.no_answer(error, self.timeout))?;
        if answer.status().is_success() {
            return Ok(Ok(answer.into_body().into_reader()));
        }
        self.whole(answer, self.timeout).map(Err)
    }

    fn request(&self, url: &str) -> RequestBuilder<WithoutBody> {
        let request = self.agent.get(url.replacen(&self.connection.base, &self.sent_base, 1));
        let headers = self.connection.headers.iter();
        headers.fold(request, |request, (name, value)| request.header(*name, value.clone()))
    }

    fn whole(&self, mut answer: Response<Body>, limit: Duration) -> Result<HttpAnswer, NoAnswer> {
        let body = answer.body_mut().with_config().limit(LENGTH_MAX).read_to_vec();
        let body = body.map_err(|error| self.no_answer(error, limit))?;
        let status = answer.status();
        let version = if answer.version() == Version::HTTP_10 { "1.0" } else { "1.1" };
        let reason = status.canonical_reason().unwrap_or_default();
        let mut head = format!("HTTP/{version} {} {reason}\n", status.as_u16());
        head += &headers(answer.headers());
        if !status.is_success() {
            head += &format!("Content-Length: {}\n", body.len());
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        let [head, body] = [head, body].map(|text| self.without_secrets(&text));
        Ok(HttpAnswer { status: status.as_u16(), head, body })
    }

    pub(super) fn without_secrets(&self, text: &str) -> String {
        let secrets = self.connection.secrets.iter();
        secrets.fold(text.to_owned(), |text, secret| without_secret(&text, secret.as_str()))
    }

    fn no_answer(&self, error: Error, limit: Duration) -> NoAnswer {
        let place = self.place();
        match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                NoAnswer::NoConnection(place, connect_limit(self.timeout).as_secs())
            }
            Error::Timeout(_) => NoAnswer::TooLate(place, limit.as_secs()),
            Error::HostNotFound => NoAnswer::NoHost(place),
            Error::BodyExceedsLimit(_) => NoAnswer::TooLong,
            Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                NoAnswer::Refused(place)
            }
            // An error of TLS while data is exchanged, such as a client without a certificate.
            Error::Io(error) if place.starts_with("https") => {
                NoAnswer::Tls(place, self.without_secrets(&error.to_string()))
            }
            #[cfg(not(windows))]
            Error::Rustls(error) => NoAnswer::Tls(place, error.to_string()),
            Error::Tls(error) => NoAnswer::Tls(place, error.into()),
            error => NoAnswer::Failed(place, self.without_secrets(&error.to_string())),
        }
    }
}

impl NoAnswer {
    /// Whether another request can have an answer all the same.
    pub(super) const fn is_of_this_list(&self) -> bool {
        matches!(self, Self::TooLong)
    }
}

fn headers(headers: &HeaderMap) -> String {
    let kept = headers.iter().filter(|(name, _)| {
        HEADERS.contains(&name.as_str()) || name.as_str().starts_with(CONSUL_HEADERS)
    });
    let line = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
        let text = String::from_utf8_lossy(value.as_bytes());
        // The query of a redirect can have what the request had.
        let text =
            if name == "location" { text.split('?').next().unwrap_or_default() } else { &text };
        format!("{name}: {text}\n")
    };
    kept.map(line).collect()
}

/// How long a connection may take, with its certificates, of the time for an answer.
fn connect_limit(timeout: Duration) -> Duration {
    timeout / 2
}

fn is_local(connection: &Connection) -> bool {
    let url: Option<Uri> = connection.base.parse().ok();
    let host = url.as_ref().and_then(Uri::host).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The library's client, and the base of the address that it sends.
fn agent(config: Config, connection: &Connection) -> (Agent, String) {
    let base = connection.base.clone();
    #[cfg(unix)]
    if let Some(socket) = &connection.socket {
        let connector = super::unix_socket::SocketConnector(socket.clone());
        return (Agent::with_parts(config, connector, DefaultResolver::default()), base);
    }
    let named = connection.server_name.as_ref().filter(|_| base.starts_with("https://"));
    let url: Option<Uri> = base.parse().ok();
    if let (Some(name), Some(url)) = (named, url)
        && let Some(host) = url.host()
    {
        let sent = base.replacen(host, name, 1);
        return (Agent::with_parts(config, DefaultConnector::default(), HostOf(url)), sent);
    }
    (Agent::new_with_config(config), base)
}
