//! The headers that permit web pages of one origin, or of all origins, to call the server (CORS).
//! Without them, browsers keep pages of other origins from reading answers and from sending PUT or
//! DELETE.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderValue, InvalidHeaderValue, ORIGIN, VARY,
};
use lictor_core::http::HttpRequest;

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

    /// The headers that permit a request, to be added to its answer. A preflight request is
    /// answered like any OPTIONS (HTTP-04).
    pub(crate) fn headers(&self, request: &HttpRequest) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        headers.insert(VARY, ORIGIN.into());
        if request.header(ACCESS_CONTROL_REQUEST_METHOD.as_str()).is_none() {
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            return headers;
        }
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        let requested = request.header(ACCESS_CONTROL_REQUEST_HEADERS.as_str());
        if let Some(Ok(names)) = requested.map(HeaderValue::from_str) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names);
        }
        headers
    }
}
