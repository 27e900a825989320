//! Answers one HTTP request: converts hyper's types to the values of `lictor_core::http` and back.
//!
//! It refuses foreign hosts and bodies that are too large or too slow before the engine sees them,
//! and logs each request at the level `debug`. connections.rs calls it; engine_task.rs carries out
//! what it decodes.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use lictor_core::http::{self, Agent, BadRequest, HttpRequest, HttpResponse};
use lictor_core::message::{AgentCall, CheckRun, Operation};
use lictor_core::store::catalog::Check;
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::Level;

use crate::body::{self, BodyError, BodyTimeouts};
use crate::clock::ClockMode;
use crate::clock_api::ClockCommand;
use crate::cors::Cors;
use crate::engine_task::{EngineHandle, Stopped};
use crate::host_check::HostCheck;
use crate::raw_head::RawHead;
use crate::reason;

/// The state that all connections share to answer requests.
pub(crate) struct HttpService {
    pub(crate) agent: Agent,
    pub(crate) engine: EngineHandle,
    pub(crate) cors: Option<Cors>,
    pub(crate) hosts: HostCheck,
    pub(crate) timeouts: BodyTimeouts,
    /// Only a manual clock can be moved by requests.
    pub(crate) clock: ClockMode,
    /// Notified after the answer to `/v1/agent/leave`, which stops the server.
    pub(crate) left: Arc<Notify>,
}

/// A response, and the reason for the log.
struct LoggedResponse {
    response: HttpResponse,
    reason: Option<String>,
}

/// A request whose body is declared longer than this is first checked for its size by its headers.
/// No value and no transaction may be longer (KV-24, TXN-03).
const LARGE: u64 = 512 * 1024;

impl HttpService {
    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        raw_head: RawHead,
    ) -> Result<Response<Full<Bytes>>, Stopped> {
        let started = is_logged().then(Instant::now);
        let (head, body) = request.into_parts();
        raw_head.close();
        let answer = match has_two_lengths(&head, &raw_head) {
            true => two_lengths().into(),
            false => self.carry_out(&head, body).await?,
        };
        raw_head.reopen();
        if let Some(started) = started {
            log(&head, &answer, started);
        }
        let mut response = into_hyper(answer.response);
        if let Some(cors) = &self.cors {
            cors.allow(&head.headers, response.headers_mut());
        }
        Ok(response)
    }

    async fn carry_out(&self, head: &Parts, body: Incoming) -> Result<LoggedResponse, Stopped> {
        if let Err(error) = self.hosts.admit(head) {
            body::discard(body, self.timeouts);
            return Ok(plain(StatusCode::FORBIDDEN, error.to_string()).into());
        }
        let mut request = from_hyper(head);
        if let Some(refused) = self.too_large(head, &request) {
            if !head.headers.contains_key(EXPECT) {
                body::discard(body, self.timeouts);
            }
            return Ok(refused.response(&self.agent, &request.method).into());
        }
        request.body = match body::read(body, self.timeouts).await {
            Ok(bytes) => bytes,
            Err(error) => return Ok(body_error(&error).into()),
        };
        if self.clock == ClockMode::Manual
            && let Some(command) = ClockCommand::decode(&request)
        {
            return match command {
                Ok(command) => Ok(self.engine.clock(command).await?.response().into()),
                Err(refused) => Ok(refused.into()),
            };
        }
        let call = match http::decode(&self.agent, &request) {
            Ok(call) => call,
            Err(refused) => return Ok(refused.response(&self.agent, &request.method).into()),
        };
        // The engine's copy is the only one while the request waits.
        drop(request);
        let is_leaving = note_agent_call(&call.request.operation);
        let answered = self.engine.request(call.request).await?;
        if is_leaving {
            self.left.notify_one();
        }
        let reason = is_logged().then(|| reason::of_answer(&answered)).flatten();
        Ok(LoggedResponse {
            response: http::encode(&self.agent, &call.format, &answered.result),
            reason,
        })
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
        let is_over_limit = declared > body::BODY_MAX as u64;
        is_over_limit.then(|| BadRequest::TooLarge(BodyError::TooLarge.to_string()))
    }
}

/// Warns of a check that is registered and will not be run. Returns whether the agent is to leave.
fn note_agent_call(operation: &Operation) -> bool {
    let Operation::Agent(call) = operation else { return false };
    let note = |check: &Check, run: &CheckRun| {
        if *run == CheckRun::Never {
            let (id, kind) = (&check.id, &check.kind);
            tracing::warn!("check {id} is kept as registered: checks of type {kind} are not run");
        }
    };
    match &**call {
        AgentCall::RegisterCheck { check, run } => note(check, run),
        AgentCall::RegisterService { checks, .. } => {
            checks.iter().for_each(|(check, run)| note(check, run));
        }
        _ => {}
    }
    matches!(**call, AgentCall::Leave)
}

impl From<HttpResponse> for LoggedResponse {
    fn from(response: HttpResponse) -> Self {
        let reason = is_logged().then(|| reason::of_response(&response)).flatten();
        Self { response, reason }
    }
}

/// Whether requests are logged; if not, nothing is computed for the log.
fn is_logged() -> bool {
    tracing::enabled!(Level::DEBUG)
}

fn log(head: &Parts, answer: &LoggedResponse, started: Instant) {
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let reason = answer.reason.as_deref().unwrap_or("");
    let took = started.elapsed();
    tracing::debug!(method = %head.method, target, status = answer.response.status, ?took, reason);
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

fn into_hyper(answer: HttpResponse) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(answer.body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answer.headers {
        // A header that cannot be sent is left out, as Go does.
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn body_error(error: &BodyError) -> HttpResponse {
    let status = match error {
        BodyError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
        BodyError::Broken(_) => StatusCode::BAD_REQUEST,
    };
    plain(status, error.to_string())
}

/// Whether a request may declare its length as well as come in chunks.
fn has_two_lengths(head: &Parts, raw_head: &RawHead) -> bool {
    head.headers.contains_key(TRANSFER_ENCODING) && !raw_head.is_without_length()
}

fn two_lengths() -> HttpResponse {
    let text = "a request in chunks must not have a Content-Length, nor be sent before the answer \
                to the request before it";
    let mut response = plain(StatusCode::BAD_REQUEST, text.into());
    response.headers.push((CONNECTION.to_string(), "close".into()));
    response
}

fn plain(status: StatusCode, text: String) -> HttpResponse {
    let headers = vec![(CONTENT_TYPE.to_string(), "text/plain; charset=utf-8".into())];
    HttpResponse { status: status.as_u16(), headers, body: text.into_bytes() }
}
