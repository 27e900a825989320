//! Requests that are refused before they reach the server: what is wrong with them, in Consul's
//! words.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::types::HttpResponse;

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BadRequest {
    /// HTTP-16: the path holds characters that cannot be printed.
    UnprintablePath,
    /// HTTP-17: the path is not clean; this is the clean one, with the query.
    Moved { location: String, shows_link: bool },
    /// HTTP-09.
    UnknownPath { is_api: bool },
    /// HTTP-08.
    UndecodableQuery,
    /// HTTP-02, HTTP-03.
    MethodNotAllowed { method: String, allowed: String },
    /// HTTP-04: not an error, but answered here all the same.
    Options { allowed: String, has_body: bool },
    /// HTTP-13, BLK-02, KV-20, KV-21, SES-03, SES-29, TXN-01: status 400 with this text.
    Invalid(String),
    /// KV-24, TXN-02 to TXN-04: status 413 with this text.
    TooLarge(String),
    /// KV-22, PQ-07: status 500 with this text.
    Failed(String),
    /// The same on a read, whose answer still has headers (PQ-06).
    FailedRead(String),
    /// HTTP-14: no such datacenter; `on_read` of a session, whose answer still has headers
    /// (HTTP-10).
    UnknownDatacenter { on_session_read: bool },
    /// An endpoint that exists in Consul and is out of scope here.
    OutOfScope(String),
}

impl BadRequest {
    pub fn bad(text: &str) -> Self {
        Self::Invalid(text.into())
    }

    /// The text that says what is wrong; empty where Consul says nothing.
    pub fn text(&self) -> String {
        match self {
            Self::UnprintablePath | Self::UndecodableQuery => String::new(),
            Self::Options { has_body, .. } => if *has_body { "{}" } else { "" }.into(),
            Self::Moved { location, shows_link: true } => {
                let link = html_escaped(location);
                format!("<a href=\"{link}\">Moved Permanently</a>.\n\n")
            }
            Self::Moved { .. } => String::new(),
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
            | Self::TooLarge(text)
            | Self::Failed(text)
            | Self::FailedRead(text)
            | Self::OutOfScope(text) => text.clone(),
            Self::UnknownDatacenter { .. } => "No path to datacenter".into(),
        }
    }

    pub fn status(&self) -> u16 {
        match self {
            Self::Options { .. } => 200,
            Self::Moved { .. } => 301,
            Self::UnprintablePath | Self::Invalid(_) => 400,
            Self::UnknownPath { .. } => 404,
            Self::MethodNotAllowed { .. } => 405,
            Self::TooLarge(_) => 413,
            Self::UndecodableQuery | Self::UnknownDatacenter { .. } => 500,
            Self::Failed(_) | Self::FailedRead(_) => 500,
            Self::OutOfScope(_) => 501,
        }
    }

    /// The answer to the refused request. One to HEAD has no body, but counts it (HTTP-03); a link
    /// is not even counted.
    pub fn response(&self, method: &str) -> HttpResponse {
        let mut response = self.with_body();
        if method == "HEAD" {
            if !matches!(self, Self::Moved { .. }) {
                let length = response.body.len().to_string();
                response.headers.push(("Content-Length".into(), length));
            }
            response.body.clear();
        }
        response
    }

    fn with_body(&self) -> HttpResponse {
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
            Self::Options { allowed, has_body } => {
                add("Allow", allowed);
                if *has_body {
                    add("Content-Type", "application/json");
                }
            }
            Self::UnknownDatacenter { on_session_read: true } | Self::FailedRead(_) => {
                add("X-Consul-Index", "1");
                add("X-Consul-KnownLeader", "false");
                add("X-Consul-LastContact", "0");
                add("Content-Type", TEXT);
            }
            _ if text.is_empty() => {}
            _ => add("Content-Type", TEXT),
        }
        HttpResponse { status: self.status(), headers, body: text.into_bytes() }
    }
}

/// HTTP-06: the type of an error body, as Go's sniffing finds it.
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
