//! The answers to requests that Go's `net/http` refuses before a handler gets them, with its status
//! lines and bodies. The connection of such a request is closed. One reason, two lengths of a body,
//! is not Go's.

use bytes::Bytes;
use http_body_util::Full;
use hyper::ext::ReasonPhrase;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

/// The reason why the head of a request is refused. Its text is for the log: the answer contains
/// less, as Go's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefusedHead {
    #[error("the head ends before its empty line")]
    CutOff,
    #[error("the head is longer than 1 MiB")]
    TooLarge,
    #[error("the first line is not METHOD TARGET HTTP/1.1")]
    RequestLine,
    #[error("the method is not a token")]
    Method,
    #[error("the target is not a URL: an escape or a character is malformed, or it has no slash")]
    Target,
    #[error("a line of the head is not NAME: VALUE")]
    HeaderLine,
    #[error("there is more than one Host header")]
    TwoHosts,
    #[error("Content-Length is not a number, or there are two that differ")]
    Length,
    #[error("a request in chunks must not have a Content-Length")]
    TwoLengths,
    #[error("Transfer-Encoding is not chunked")]
    Encoding,
    #[error("the version of HTTP is not 1.0 or 1.1")]
    Version,
    #[error("there is no Host header")]
    NoHost,
    #[error("the Host header has a character that no host has")]
    Host,
    #[error("the name of a header has a space")]
    HeaderName,
    #[error("Expect is not 100-continue")]
    Expectation,
    #[error("only OPTIONS has the target *")]
    Asterisk,
}

impl RefusedHead {
    fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Encoding => StatusCode::NOT_IMPLEMENTED,
            Self::Version => StatusCode::HTTP_VERSION_NOT_SUPPORTED,
            Self::Expectation => StatusCode::EXPECTATION_FAILED,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// The text that Go adds to the status line and to the body; `None` for most reasons.
    fn detail(self) -> Option<&'static str> {
        match self {
            Self::Version => Some("unsupported protocol version"),
            Self::NoHost => Some("missing required Host header"),
            Self::Host => Some("malformed Host header"),
            Self::HeaderName => Some("invalid header name"),
            _ => None,
        }
    }

    /// The answer to the request, with which the connection closes.
    pub(crate) fn response(self) -> Response<Full<Bytes>> {
        let status = self.status();
        let mut line = status.canonical_reason().unwrap_or_default().to_owned();
        if let Some(detail) = self.detail() {
            line = line + ": " + detail;
        }
        let body = match self {
            Self::Expectation | Self::Asterisk => String::new(),
            Self::Encoding => "Unsupported transfer encoding".into(),
            // Go reads such a request, so it has no text for it.
            Self::TwoLengths => format!("{} {line}: {self}", status.as_u16()),
            _ => format!("{} {line}", status.as_u16()),
        };
        let has_type = !body.is_empty();
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = status;
        if self.detail().is_some()
            && let Ok(reason) = ReasonPhrase::try_from(line.into_bytes())
        {
            response.extensions_mut().insert(reason);
        }
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        if has_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        }
        response
    }
}
