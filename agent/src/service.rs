//! Answers one HTTP request.
//!
//! Requests with a foreign host name, and bodies that are too large or too slow, are refused before
//! they reach the engine. A request for the log is answered with a stream that ends with its
//! connection or the server.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::ext::ReasonPhrase;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use lictor_core::http::{self, Agent, AnswerKind, BadRequest, Call, HttpRequest, HttpResponse};
use lictor_core::id::Index;
use lictor_core::message::{self, AgentCall, Answer, CheckRun, LogLevel, Operation};
use lictor_core::store::catalog::Check;
use tokio::sync::Notify;

use crate::address::Peer;
use crate::body::{self, BodyError, BodyTimeouts};
use crate::clock::ClockMode;
use crate::clock_api::{self, ControlRequest};
use crate::control_error::{ControlError, Stopped};
use crate::cors::Cors;
use crate::engine_task::EngineHandle;
use crate::host_check::HostCheck;
use crate::log::monitor::MonitorBody;
use crate::log::request_lines::{LoggedRequest, Outcome};
use crate::log::{LICTOR, Log};
use crate::reason;
use crate::wire::head::{BodyLength, RequestHead};
use crate::wire::refused_head::RefusedHead;

/// The state that all connections share to answer requests.
pub(crate) struct HttpService {
    pub(crate) agent: Agent,
    pub(crate) engine: EngineHandle,
    pub(crate) cors: Option<Cors>,
    pub(crate) timeouts: BodyTimeouts,
    /// Only a manual clock can be advanced.
    pub(crate) clock: ClockMode,
    /// Notified after the answer to `/v1/agent/leave`, which stops the server.
    pub(crate) left: Arc<Notify>,
    pub(crate) log: Arc<Log>,
}

/// A response, and what is logged about it.
struct LoggedResponse {
    response: HttpResponse,
    outcome: Outcome,
    /// Why the engine gave this answer.
    reason: Option<String>,
    /// The stream that is the body, in place of the response's.
    stream: Option<MonitorStream>,
}

/// The options of a request for a stream of the log.
struct MonitorStream {
    level: LogLevel,
    is_json: bool,
}

/// The body of an answer: whole, or a stream of the log.
type AnswerBody = Either<Full<Bytes>, MonitorBody>;

/// A request whose body is declared longer than this is first checked for its size by its headers.
/// No value and no transaction may be longer (KV-24, TXN-03).
const LARGE: u64 = 512 * 1024;

impl HttpService {
    /// Answers a request. `from` is the address of its client. Fails if the engine's task has
    /// ended.
    pub(crate) async fn answer(
        self: Arc<Self>,
        hosts: Arc<HostCheck>,
        head: Result<RequestHead, RefusedHead>,
        body: Incoming,
        from: Peer,
    ) -> Result<Response<AnswerBody>, Stopped> {
        let head = match head {
            Ok(head) => head,
            Err(refused) => {
                self.log.write(LogLevel::Debug, LICTOR, "refused a request", |line| {
                    line.with("from", from.to_string()).with("reason", refused.to_string())
                });
                return Ok(refused.response().map(Either::Left));
            }
        };
        if head.request.target == "*" {
            body::discard(body, self.timeouts);
            return Ok(Response::new(Either::Left(Full::default())));
        }
        let logged = LoggedRequest::new(&head.request, from);
        let cors = self.cors.as_ref().map(|cors| cors.headers(&head.request));
        let answer = match hosts.admit(&head) {
            Ok(()) => self.carry_out(head, body, &logged).await?,
            Err(error) => {
                body::discard(body, self.timeouts);
                plain(StatusCode::FORBIDDEN, error.to_string()).into()
            }
        };
        let LoggedResponse { response, outcome, reason, stream } = answer;
        if let Some(reason) = reason {
            logged.explained(&self.log, response.status, &reason);
        }
        let mut response = into_hyper(response);
        if let Some(MonitorStream { level, is_json }) = stream {
            let body = MonitorBody::new(self.log.clone(), level, is_json, logged);
            response = response.map(|_| Either::Right(body));
            // Consul gives a type to a whole body only, even an empty one.
            response.headers_mut().remove(CONTENT_TYPE);
        } else {
            logged.answered(&self.log, &outcome);
        }
        response.headers_mut().extend(cors.unwrap_or_default());
        Ok(response)
    }

    async fn carry_out(
        &self,
        head: RequestHead,
        body: Incoming,
        logged: &LoggedRequest,
    ) -> Result<LoggedResponse, Stopped> {
        if let Some(refused) = self.too_large(&head) {
            if !head.expects_continue {
                body::discard(body, self.timeouts);
            }
            let mut answer = self.refused(&refused, &head.request);
            closes(&mut answer.response);
            return Ok(answer);
        }
        let mut request = head.request;
        request.body = match body::read(body, self.timeouts).await {
            Ok(bytes) => bytes,
            Err(error) => return Ok(body_error(&error).into()),
        };
        if let Some(control) = ControlRequest::decode(self.clock, &request) {
            return self.control(control).await;
        }
        let decoded = http::decode(&self.agent, &request);
        if self.agent.version.deprecates_token_parameter()
            && decoded.as_ref().err().is_none_or(BadRequest::is_of_endpoint)
        {
            logged.token_in_url(&self.log);
        }
        let call = match decoded {
            Ok(call) => call,
            Err(refused) => return Ok(self.refused(&refused, &request)),
        };
        // The engine's copy is the only one while the request waits.
        drop(request);
        self.call(call).await
    }

    /// Carries out a request of a test.
    async fn control(
        &self,
        request: Result<ControlRequest, HttpResponse>,
    ) -> Result<LoggedResponse, Stopped> {
        let answered = match request {
            Ok(ControlRequest::Command(command)) => self.engine.clock(command).await,
            Ok(ControlRequest::AwaitQueries { count, timeout }) => {
                self.engine.await_queries(count, timeout).await
            }
            Err(refused) => return Ok(refused.into()),
        };
        match answered {
            Ok(reading) => Ok(reading.response().into()),
            Err(ControlError::Stopped(stopped)) => Err(stopped),
            Err(error) => Ok(clock_api::refused(&error).into()),
        }
    }

    /// Sends a call to the engine; one for the log is answered here, because the engine has no log.
    async fn call(&self, call: Call) -> Result<LoggedResponse, Stopped> {
        let Call { request, format } = call;
        let mut is_leaving = false;
        if let Operation::Agent(call) = &request.operation {
            if let AgentCall::Monitor { level, is_json } = **call {
                let done = message::Response::write(Index::ZERO, Answer::Done);
                let response = http::encode(&self.agent, &format, &Ok(done));
                let stream = Some(MonitorStream { level, is_json });
                return Ok(LoggedResponse { stream, ..response.into() });
            }
            self.warn_of_checks(call);
            is_leaving = matches!(**call, AgentCall::Leave);
        }
        let answered = self.engine.request(request).await?;
        if is_leaving {
            self.left.notify_one();
        }
        let response = http::encode(&self.agent, &format, &answered.result);
        let is_error = match format.kind {
            // Read, and then refused by the encoder.
            AnswerKind::InvalidPassing => true,
            AnswerKind::OneService if response.status == 404 => true,
            _ => answered.result.is_err(),
        };
        let outcome = Outcome::Answered { error: is_error.then(|| response.text()) };
        let is_explained = self.log.is_on(LogLevel::Debug);
        let reason = if is_explained { reason::of_answer(&answered) } else { None };
        Ok(LoggedResponse { response, outcome, reason, stream: None })
    }

    /// Warns of checks that are registered and will not be run.
    fn warn_of_checks(&self, call: &AgentCall) {
        let warn = |check: &Check, run: &CheckRun| {
            if matches!(run, CheckRun::Never | CheckRun::Script) {
                let message = "check is kept as registered: checks of its type are not run";
                self.log.write(LogLevel::Warn, LICTOR, message, |line| {
                    line.with("check", check.id.as_str()).with("type", &*check.kind)
                });
            }
        };
        match call {
            AgentCall::RegisterCheck { check, run } => warn(check, run),
            AgentCall::RegisterService { checks, .. } => {
                checks.iter().for_each(|(check, run)| warn(check, run));
            }
            _ => {}
        }
    }

    fn refused(&self, refused: &BadRequest, request: &HttpRequest) -> LoggedResponse {
        let outcome = Outcome::from(refused);
        let response = refused.response(&self.agent, &request.method);
        LoggedResponse { outcome, ..response.into() }
    }

    /// The refusal of a body whose declared length alone is too large; `None` for any other
    /// request.
    fn too_large(&self, head: &RequestHead) -> Option<BadRequest> {
        let BodyLength::Declared(declared) = head.body else { return None };
        if declared <= LARGE {
            return None;
        }
        if let Err(refused @ BadRequest::TooLarge(_)) = http::decode(&self.agent, &head.request) {
            return Some(refused);
        }
        let is_over_limit = declared > body::BODY_MAX as u64;
        is_over_limit.then(|| BadRequest::TooLarge(BodyError::TooLarge.to_string()))
    }
}

impl From<HttpResponse> for LoggedResponse {
    fn from(response: HttpResponse) -> Self {
        let error = (response.status >= 400).then(|| response.text());
        Self { response, outcome: Outcome::Answered { error }, reason: None, stream: None }
    }
}

fn into_hyper(answer: HttpResponse) -> Response<AnswerBody> {
    let mut response = Response::new(Either::Left(Full::from(answer.body)));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
        // The reason phrase of Go, which differs from hyper's.
        let reason = ReasonPhrase::from_static(b"Request Entity Too Large");
        response.extensions_mut().insert(reason);
    }
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
    let mut response = plain(status, error.to_string());
    closes(&mut response);
    response
}

/// Makes this answer the last of its connection, because the body is not read to its end.
fn closes(response: &mut HttpResponse) {
    response.headers.push((CONNECTION.to_string(), "close".into()));
}

fn plain(status: StatusCode, text: String) -> HttpResponse {
    let headers = vec![(CONTENT_TYPE.to_string(), "text/plain; charset=utf-8".into())];
    HttpResponse { status: status.as_u16(), headers, body: text.into_bytes() }
}
