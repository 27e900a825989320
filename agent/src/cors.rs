//! Permission for web pages of one origin to call the server (CORS). Without it, browsers keep
//! pages of other origins from reading answers and from sending writes. service.rs adds it to each
//! answer.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderValue, InvalidHeaderValue, ORIGIN, VARY,
};

/// The origin that is permitted; `*` for all.
pub(crate) struct Cors(HeaderValue);

const METHODS: HeaderValue = HeaderValue::from_static("GET, PUT, POST, DELETE");

/// The headers of Consul's answers that clients read.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("X-Consul-Index, X-Consul-KnownLeader, X-Consul-LastContact");

impl Cors {
    pub(crate) fn new(origin: &str) -> Result<Self, InvalidHeaderValue> {
        HeaderValue::from_str(origin).map(Self)
    }

    /// Adds the permission to an answer. A preflight request is answered like any OPTIONS
    /// (HTTP-04), and its missing headers are added here.
    pub(crate) fn allow(&self, asked: &HeaderMap, answer: &mut HeaderMap) {
        answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        answer.insert(VARY, ORIGIN.into());
        if !asked.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
            answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            return;
        }
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        if let Some(headers) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, headers.clone());
        }
    }
}
