//! Requests that never reach the engine, and Consul's answers to them: bad paths, redirects,
//! unknown endpoints, wrong methods, undecodable bodies, exceeded limits. They use no index.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::key_name::KeyFault;
use super::path::QueryError;
use super::types::{Agent, HttpResponse};
use crate::version::VersionRules;

/// Why a request was not decoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum BadRequest {
    /// The path has a malformed escape; Go refuses it before any endpoint (HTTP-08).
    UndecodablePath,
    /// The path has characters that cannot be printed (HTTP-16).
    UnprintablePath,
    /// The path is `/`; the answer is that the page is disabled, which is not an error.
    NoUi,
    /// The path is not clean (HTTP-17): the answer is a redirect.
    Moved {
        /// The clean path with the query of the request.
        location: String,
        /// Whether the body of the answer links to it.
        shows_link: bool,
    },
    /// No endpoint has this path (HTTP-09).
    UnknownPath {
        /// Whether the path begins with `/v1/`.
        is_api: bool,
    },
    /// The query string is not form-encoded (HTTP-08).
    UndecodableQuery(QueryError),
    /// The endpoint does not have this method; `allowed` lists its methods (HTTP-02, HTTP-03).
    MethodNotAllowed {
        /// The method of the request.
        method: String,
        /// The methods of the endpoint, separated by commas.
        allowed: String,
    },
    /// A request for the methods of an endpoint, which is not an error (HTTP-04).
    Options {
        /// The methods of the endpoint, separated by commas.
        allowed: String,
        /// The body: some endpoints of Consul send `{}`, others nothing.
        body: String,
    },
    /// Status 400 with this text (KV-20, KV-21, SES-03, SES-29, TXN-01).
    Invalid(String),
    /// Status 400 with this text, for a parameter that all reads have in common (BLK-02, HTTP-13).
    /// Unlike other refusals, Consul's log does not list it as an error.
    InvalidRead(String),
    /// Status 413 with this text (KV-24, TXN-02 to TXN-04).
    TooLarge(String),
    /// Status 500 with this text (KV-22, PQ-07).
    Failed(String),
    /// Status 500 with this text and the headers of a read (PQ-06).
    FailedRead(String),
    /// The request names another datacenter (HTTP-14). To most reads the answer has the headers of
    /// a read (HTTP-10).
    UnknownDatacenter {
        /// Whether the answer has the headers of a read.
        has_read_headers: bool,
    },
    /// A refusal of a request whose key has a name that would be refused, if names were checked
    /// (V22-03).
    OfFaultyKey {
        /// What is wrong with the name.
        fault: KeyFault,
        /// The refusal.
        refused: Box<Self>,
    },
}

impl BadRequest {
    /// Status 400 with this text.
    pub fn bad(text: &str) -> Self {
        Self::Invalid(text.into())
    }

    /// The body of the answer; empty where Consul sends none.
    pub fn text(&self) -> String {
        match self {
            Self::UndecodablePath => "400 Bad Request".into(),
            Self::UnprintablePath | Self::UndecodableQuery(_) => String::new(),
            Self::Options { body, .. } => body.clone(),
            Self::Moved { location, shows_link: true } => {
                let link = html_escaped(location);
                format!("<a href=\"{link}\">Moved Permanently</a>.\n\n")
            }
            Self::Moved { .. } => String::new(),
            Self::NoUi => {
                "Consul Agent: UI disabled. To enable, set ui_config.enabled=true in the \
                           agent configuration and restart."
                    .into()
            }
            Self::UnknownPath { is_api: true } => {
                "Invalid URL path: not a recognized HTTP API endpoint\n".into()
            }
            Self::UnknownPath { is_api: false } => {
                "Invalid URL path: if attempting to use the HTTP API, \
                 ensure the path starts with '/v1/'\n"
                    .into()
            }
            Self::MethodNotAllowed { method, .. } => format!("method {method} not allowed"),
            Self::Invalid(text)
            | Self::InvalidRead(text)
            | Self::TooLarge(text)
            | Self::Failed(text)
            | Self::FailedRead(text) => text.clone(),
            Self::UnknownDatacenter { .. } => "No path to datacenter".into(),
            Self::OfFaultyKey { refused, .. } => refused.text(),
        }
    }

    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            Self::Options { .. } | Self::NoUi => 200,
            Self::Moved { .. } => 301,
            Self::UndecodablePath | Self::UnprintablePath => 400,
            Self::Invalid(_) | Self::InvalidRead(_) => 400,
            Self::UnknownPath { .. } => 404,
            Self::MethodNotAllowed { .. } => 405,
            Self::TooLarge(_) => 413,
            Self::UndecodableQuery(_) | Self::UnknownDatacenter { .. } => 500,
            Self::Failed(_) | Self::FailedRead(_) => 500,
            Self::OfFaultyKey { refused, .. } => refused.status(),
        }
    }

    /// The refusal with the warning about the name of its key, if there is one.
    pub(super) fn with_warning(self, fault: Option<KeyFault>) -> Self {
        match fault {
            Some(fault) => Self::OfFaultyKey { fault, refused: Box::new(self) },
            None => self,
        }
    }

    /// The response of an agent to a request with this method. To HEAD the body is left out but its
    /// length is declared (HTTP-03), except for a redirect.
    pub fn response(&self, agent: &Agent, method: &str) -> HttpResponse {
        if let Self::OfFaultyKey { fault, refused } = self {
            let mut response = refused.response(agent, method);
            response.push(KEY_WARNING, &fault.warning());
            return response;
        }
        let mut response = self.with_body(agent.rules());
        if method == "HEAD" {
            if !matches!(self, Self::Moved { .. }) {
                let length = response.body.len().to_string();
                response.headers.push(("Content-Length".into(), length));
            }
            response.body.clear();
        }
        response
    }

    /// Whether an endpoint refuses the request, and not the routing before it (HTTP-10).
    pub fn is_of_endpoint(&self) -> bool {
        !matches!(
            self,
            Self::UndecodablePath
                | Self::UnprintablePath
                | Self::NoUi
                | Self::Moved { .. }
                | Self::UnknownPath { .. }
        )
    }

    fn with_body(&self, rules: &VersionRules) -> HttpResponse {
        let text = self.text();
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: &str| headers.push((name.into(), value.into()));
        match self {
            Self::Moved { location, shows_link } => {
                add("Location", location);
                if *shows_link {
                    add("Content-Type", "text/html; charset=utf-8");
                }
            }
            Self::MethodNotAllowed { allowed, .. } => {
                add("Allow", allowed);
                add("Content-Type", TEXT);
            }
            Self::Options { allowed, body } => {
                add("Allow", allowed);
                if !body.is_empty() {
                    add("Content-Type", "application/json");
                } else if let Some(content_type) = rules.empty_type {
                    add("Content-Type", content_type);
                }
            }
            Self::UndecodableQuery(_) => {
                if let Some(content_type) = rules.undecodable_query_type {
                    add("Content-Type", content_type);
                }
            }
            Self::UnknownDatacenter { has_read_headers: true } | Self::FailedRead(_) => {
                add("X-Consul-Index", "1");
                add("X-Consul-KnownLeader", "false");
                add("X-Consul-LastContact", "0");
                add("X-Consul-Query-Backend", "blocking-query");
                add("Content-Type", TEXT);
            }
            _ if text.is_empty() => {}
            _ => add("Content-Type", TEXT),
        }
        if self.is_of_endpoint() {
            add("X-Consul-Default-ACL-Policy", "allow");
        }
        HttpResponse { status: self.status(), headers, body: text.into_bytes() }
    }
}

/// The header of a warning about the name of a key (V22-03).
pub(super) const KEY_WARNING: &str = "X-Consul-KV-Warning";

/// The content type of an error text (HTTP-06).
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

fn html_escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
