//! HTTP requests and responses as values, and what decoding makes of a request: the [`Call`] for
//! the engine with the format of its answer.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::key_name::KeyFault;
use crate::config::Config;
use crate::filter::Filter;
use crate::id::NodeName;
use crate::json;
use crate::message::{Consistency, Request};
use crate::version::{ConsulVersion, VersionRules};

/// An HTTP request as an agent receives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// Case-sensitive: `get` is not GET (HTTP-01).
    pub method: String,
    /// Path and query, percent-encoded.
    pub target: String,
    /// Names and values in the order in which they were sent; names match in any case.
    pub headers: Vec<(String, String)>,
    /// The body, without the coding of its transfer.
    pub body: Vec<u8>,
}

/// An HTTP response as an agent sends it. A server adds what belongs to the connection, such as
/// `Date`, and `Content-Length` if the response has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names and values, in the order in which they are sent.
    pub headers: Vec<(String, String)>,
    /// The body, without the coding of its transfer.
    pub body: Vec<u8>,
}

/// The agent that receives a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The agent's own node; sessions and checks without a node belong to it.
    pub node: NodeName,
    /// The only datacenter that can be reached (HTTP-14).
    pub datacenter: String,
    /// Whether JSON bodies are indented even without `?pretty`, as in Consul's dev mode (HTTP-05).
    pub pretty: bool,
    /// The version of Consul whose answers the agent gives.
    pub version: ConsulVersion,
    /// Whether keys with any name are served, with a warning (V22-03).
    pub disable_kv_key_validation: bool,
}

/// A decoded request: what the engine is to do, and how its answer is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What the engine is to do.
    pub request: Request,
    /// For [`encode`](super::encode).
    pub format: AnswerFormat,
}

/// How an answer is written, which depends on the endpoint and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFormat {
    /// The group of the endpoint.
    pub group: EndpointGroup,
    /// What the body contains.
    pub kind: AnswerKind,
    /// The consistency that the request asked for, which some answers repeat (HTTP-10).
    pub consistency: Consistency,
    /// How JSON bodies are indented (HTTP-05).
    pub indent: Indent,
    /// Why the name of the key would be refused, if names were checked (V22-03).
    pub key_fault: Option<KeyFault>,
    /// Which rows of a list are wanted.
    pub rows: WantedRows,
}

/// Which rows of a list a request selects (FLT-01).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WantedRows {
    /// All of them.
    All,
    /// Those that a filter admits.
    Filtered(Filter),
    /// The filter is refused with this text, but only if there is a row (FLT-08).
    Refused(String),
}

/// Whether and how JSON bodies are indented (HTTP-05, V22-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Indent {
    /// All in one line, without a line feed at its end.
    None,
    /// Indented, without a line feed at the end.
    Lines,
    /// Indented, with a line feed at the end.
    LinesAndEnd,
}

/// The group of an endpoint, which decides the prefix of state-machine errors (HTTP-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EndpointGroup {
    /// `/v1/kv/`.
    Kv,
    /// `/v1/session/`.
    Session,
    /// `/v1/txn`.
    Txn,
    /// `/v1/catalog/` except its datacenters, and `/v1/health/`.
    Catalog,
    /// `/v1/query`.
    Query,
    /// `/v1/agent/`.
    Agent,
    /// `/v1/event/`.
    Event,
    /// `/v1/connect/`.
    Connect,
    /// `/v1/status/`, `/v1/operator/` and `/v1/catalog/datacenters`.
    Status,
}

/// What the body of an answer contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AnswerKind {
    /// The answer as JSON.
    Json,
    /// The root certificates themselves, without the headers of a read.
    Certificates,
    /// The bytes of a value (GET-04).
    RawValue,
    /// All keys of the store: `[]` when there are none, not 404 (GET-08).
    AllKeys,
    /// A node with its services as a list, not by id.
    ServiceList,
    /// A service of the agent, alone.
    OneService,
    /// The health of services of the agent, which is also the status of the answer; as a word or in
    /// JSON.
    Health {
        /// Whether the body is one word, not JSON.
        is_text: bool,
    },
    /// The members of the cluster, in the agent's datacenter or in all.
    Members {
        /// Whether the members of all datacenters are listed.
        is_wan: bool,
    },
    /// The result of executing a prepared query. It repeats the consistency of the request
    /// (HTTP-13).
    QueryExecution(Consistency),
    /// The explanation of a prepared query, with the consistency of the request.
    QueryExplanation(Consistency),
    /// A refusal of the parameter `passing`, with the headers of the read.
    InvalidPassing,
}

impl Indent {
    /// A value in JSON.
    pub(super) fn written(self, value: &impl Serialize) -> Vec<u8> {
        let mut body = match self {
            Self::None => json::to_go_bytes(value),
            Self::Lines | Self::LinesAndEnd => json::to_go_bytes_pretty(value),
        };
        if self == Self::Lines {
            body.pop();
        }
        body
    }
}

impl Agent {
    /// The agent of a server with this configuration.
    pub fn of(config: &Config) -> Self {
        Self {
            node: config.node.clone(),
            datacenter: config.datacenter.clone(),
            pretty: false,
            version: config.version,
            disable_kv_key_validation: config.disable_kv_key_validation,
        }
    }

    pub(super) fn rules(&self) -> &'static VersionRules {
        self.version.rules()
    }
}

impl HttpRequest {
    /// A request without headers.
    pub fn new(method: &str, target: &str, body: &[u8]) -> Self {
        Self {
            method: method.into(),
            target: target.into(),
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// The first header of a name, which matches in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header_of(&self.headers, name)
    }

    /// Whether the body was sent without a length (SES-02, KV-25).
    pub(super) fn is_chunked(&self) -> bool {
        self.header("transfer-encoding")
            .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
    }
}

impl HttpResponse {
    /// The first header of a name, which matches in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header_of(&self.headers, name)
    }

    /// Adds a header after those that are there.
    pub(super) fn push(&mut self, name: &str, value: &str) {
        self.headers.push((name.into(), value.into()));
    }

    /// The body as text; bytes that are not UTF-8 read as U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn header_of<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}
