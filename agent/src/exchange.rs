//! One request and its answer: hyper's types at the edge, the engine's values inside.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use lictor_core::http::{self, Agent, BadRequest, HttpRequest, HttpResponse};

use crate::body::{self, Unread};
use crate::clock::Pace;
use crate::control::Control;
use crate::cors::Cors;
use crate::leader::{Line, Stopped};

/// What each connection needs to answer requests.
pub(crate) struct Exchange {
    pub(crate) agent: Agent,
    pub(crate) line: Line,
    pub(crate) cors: Option<Cors>,
    pub(crate) patience: Duration,
    /// Only where time is a test's can a test move it.
    pub(crate) pace: Pace,
}

/// A body that is declared longer than this is not read before its request was found not to be too
/// large. No value and no transaction may be longer (KV-24, TXN-03).
const LARGE: u64 = 512 * 1024;

impl Exchange {
    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Stopped> {
        let (head, body) = request.into_parts();
        let answered = self.carry_out(&head, body).await?;
        let mut response = into_hyper(answered);
        if let Some(cors) = &self.cors {
            cors.allow(&head.headers, response.headers_mut());
        }
        Ok(response)
    }

    async fn carry_out(&self, head: &Parts, body: Incoming) -> Result<HttpResponse, Stopped> {
        let mut request = from_hyper(head);
        if let Some(refused) = self.too_large(head, &request) {
            if !head.headers.contains_key(EXPECT) {
                body::discard(body, self.patience);
            }
            return Ok(refused.response(&request.method));
        }
        request.body = match body::read(body, self.patience).await {
            Ok(bytes) => bytes,
            Err(unread) => return Ok(unread_response(&unread)),
        };
        if self.pace == Pace::Manual
            && let Some(asked) = Control::asked(&request)
        {
            return match asked {
                Ok(control) => Ok(self.line.control(control).await?.response()),
                Err(refused) => Ok(refused),
            };
        }
        let call = match http::decode(&self.agent, &request) {
            Ok(call) => call,
            Err(refused) => return Ok(refused.response(&request.method)),
        };
        // The leader's copy is the only one while the request waits.
        drop(request);
        let outcome = self.line.ask(call.request).await?;
        Ok(http::encode(&self.agent, &call.format, &outcome))
    }

    /// A refusal for size that the headers alone are enough for.
    fn too_large(&self, head: &Parts, request: &HttpRequest) -> Option<BadRequest> {
        let declared = head.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse::<u64>().ok()?;
        if declared <= LARGE {
            return None;
        }
        if let Err(refused @ BadRequest::TooLarge(_)) = http::decode(&self.agent, request) {
            return Some(refused);
        }
        let is_beyond_all = declared > body::BODY_MAX as u64;
        is_beyond_all.then(|| BadRequest::TooLarge(Unread::TooLarge.to_string()))
    }
}

fn from_hyper(head: &Parts) -> HttpRequest {
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().into(), text(value)));
    HttpRequest {
        method: head.method.as_str().into(),
        target: target.into(),
        headers: headers.collect(),
        body: Vec::new(),
    }
}

fn into_hyper(answered: HttpResponse) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(answered.body));
    *response.status_mut() =
        StatusCode::from_u16(answered.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answered.headers {
        // A header that cannot be sent is left out, as Go does.
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn unread_response(unread: &Unread) -> HttpResponse {
    let status = match unread {
        Unread::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Unread::TooSlow => StatusCode::REQUEST_TIMEOUT,
        Unread::Broken(_) => StatusCode::BAD_REQUEST,
    };
    HttpResponse {
        status: status.as_u16(),
        headers: vec![(CONTENT_TYPE.to_string(), "text/plain; charset=utf-8".into())],
        body: unread.to_string().into_bytes(),
    }
}
