//! The lines of the log about HTTP requests: at `debug` each request that an endpoint has answered,
//! and the reasons of answers; at `error` the refusals that Consul calls errors, and query strings
//! that cannot be decoded; and at `warn` a token in the URL. Values of `token` parameters are
//! replaced before anything is written.

use lictor_core::duration;
use lictor_core::http::{BadRequest, HttpRequest, QueryError};
use lictor_core::message::LogLevel;
use percent_encoding::percent_decode_str;
use tokio::time::Instant;

use super::{LICTOR, Log, LogLine};
use crate::address::Peer;

/// Consul's module for HTTP.
const HTTP: &str = "agent.http";

/// The parts of a request that the log names.
pub(crate) struct LoggedRequest {
    method: String,
    /// Its target, without tokens.
    url: String,
    has_token: bool,
    from: Peer,
    started: Instant,
}

/// How a request ended.
pub(crate) enum Outcome {
    /// An endpoint answered it, with this error if Consul logs the refusal as one.
    Answered { error: Option<String> },
    /// Its query string was not decoded. Only this error is logged, as in Consul.
    Undecodable(QueryError),
    /// It did not reach an endpoint; Consul does not log it.
    NoEndpoint,
}

impl LoggedRequest {
    /// A request that begins now; its latency is measured from now on.
    pub(crate) fn new(request: &HttpRequest, from: Peer) -> Self {
        let (method, url) = (request.method.clone(), without_tokens(&request.target));
        let has_token = url != request.target;
        Self { method, url, has_token, from, started: Instant::now() }
    }

    /// Warns of a token in the URL, where logs and proxies show it.
    pub(crate) fn token_in_url(&self, log: &Log) {
        if self.has_token {
            let message = "This request used the token query parameter which is deprecated and \
                           will be removed in a future Consul version";
            log.write(LogLevel::Warn, HTTP, message, |line| line.with("logUrl", &*self.url));
        }
    }

    /// Writes the lines of an answer.
    pub(crate) fn answered(&self, log: &Log, outcome: &Outcome) {
        match outcome {
            Outcome::Answered { error } => {
                if let Some(error) = error {
                    log.write(LogLevel::Error, HTTP, "Request error", |line| {
                        self.named(line).with("error", &**error)
                    });
                }
                self.finished(log);
            }
            Outcome::Undecodable(error) => {
                log.write(LogLevel::Error, HTTP, "Failed to decode query", |line| {
                    line.with("from", self.from.to_string()).with("error", error.to_string())
                });
            }
            Outcome::NoEndpoint => {}
        }
    }

    /// Writes why the engine gave an answer, which Consul does not log.
    pub(crate) fn explained(&self, log: &Log, status: u16, reason: &str) {
        log.write(LogLevel::Debug, LICTOR, "Reason of the answer", |line| {
            let line = line.with("method", &*self.method).with("url", &*self.url);
            line.with("status", u64::from(status)).with("reason", reason)
        });
    }

    /// Writes that the request has its whole answer.
    pub(crate) fn finished(&self, log: &Log) {
        log.write(LogLevel::Debug, HTTP, "Request finished", |line| {
            let latency = duration::print_exact(self.started.elapsed());
            self.named(line).with("latency", latency)
        });
    }

    fn named(&self, line: LogLine) -> LogLine {
        let line = line.with("method", &*self.method).with("url", &*self.url);
        line.with("from", self.from.to_string())
    }
}

impl From<&BadRequest> for Outcome {
    fn from(refused: &BadRequest) -> Self {
        match refused {
            BadRequest::UndecodableQuery(error) => Self::Undecodable(error.clone()),
            BadRequest::OfFaultyKey { refused, .. } => Self::from(&**refused),
            refused if !refused.is_of_endpoint() => Self::NoEndpoint,
            BadRequest::Options { .. } | BadRequest::InvalidRead(_) => {
                Self::Answered { error: None }
            }
            refused => Self::Answered { error: Some(refused.text()) },
        }
    }
}

const HIDDEN: &str = "<hidden>";

/// A target with the values of its `token` parameters replaced, however their names are encoded.
fn without_tokens(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else { return target.into() };
    let is_token = |name: &str| percent_decode_str(name).eq(*b"token");
    let hidden = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if is_token(name) => format!("{name}={HIDDEN}"),
        None if is_token(parameter) => format!("{parameter}{HIDDEN}"),
        _ => parameter.into(),
    };
    format!("{path}?{}", query.split('&').map(hidden).collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hidden_and_all_else_stays() {
        for (target, shown) in [
            ("/v1/kv/token", "/v1/kv/token"),
            ("/v1/kv/a?", "/v1/kv/a?"),
            ("/v1/kv/a?token=abc", "/v1/kv/a?token=<hidden>"),
            ("/v1/kv/a?token=a&raw&token=", "/v1/kv/a?token=<hidden>&raw&token=<hidden>"),
            ("/v1/kv/a?x=1&token=a%20b", "/v1/kv/a?x=1&token=<hidden>"),
            ("/v1/kv/a?token", "/v1/kv/a?token<hidden>"),
            ("/v1/kv/a?tokens=1", "/v1/kv/a?tokens=1"),
            ("/v1/kv/a?%74oken=abc", "/v1/kv/a?%74oken=<hidden>"),
        ] {
            assert_eq!(without_tokens(target), shown);
        }
    }
}
