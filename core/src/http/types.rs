//! HTTP requests and responses as values, and what decoding makes of a request: the [`Call`] for
//! the engine with the format of its answer. `route` reads them, `render` writes them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::NodeName;
use crate::message::{Consistency, Request};

/// An HTTP request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// Case-sensitive: `get` is not GET (HTTP-01).
    pub method: String,
    /// Path and query, percent-encoded.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// An HTTP response as it is to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// What an agent knows of itself when it reads a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The node of the agent that got the request.
    pub node: NodeName,
    pub datacenter: String,
    /// How bodies are written when the request does not ask: indented in dev mode (HTTP-05).
    pub layout: Layout,
}

/// How a JSON body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    Compact,
    Indented,
}

/// A request that was understood: what is asked, and how the answer must look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub request: Request,
    pub shape: Shape,
}

/// How an answer must look: this depends on how it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub family: Family,
    pub view: View,
    pub layout: Layout,
}

/// The group of endpoints; it decides the prefix of state-machine errors (HTTP-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    Kv,
    Session,
    Txn,
    Catalog,
    Query,
    Agent,
    Status,
}

/// What of a read is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum View {
    Json,
    /// The bytes of a value (GET-04).
    Raw,
    /// A list of keys that is `[]` when empty, not 404 (GET-08).
    KeysOfAll,
    /// The result of executing a prepared query, which is out of scope: always without nodes. It
    /// says how it was asked for (HTTP-13).
    Execution(Consistency),
    Explanation(Consistency),
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

    pub fn header(&self, name: &str) -> Option<&str> {
        header_of(&self.headers, name)
    }

    /// Whether the body came without a length (SES-02, KV-25).
    pub(super) fn is_chunked(&self) -> bool {
        self.header("transfer-encoding")
            .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
    }
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        header_of(&self.headers, name)
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
