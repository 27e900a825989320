//! Requests under `/lictor/`, by which a test controls a server: it reads and advances the clock,
//! ends a session, changes the leader, and waits for blocking queries (docs/en/reference/agent.md).
//! Advancing the clock and changing the leader are refused if the clock follows real time.

use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Timer;
use lictor_core::error::Cause;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::SessionId;
use lictor_core::time::Instant;
use serde_json::json;

use crate::clock::ClockMode;
use crate::control_error::ControlError;

/// A request of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlRequest {
    Command(ControlCommand),
    /// Wait until this many blocking queries wait, but not longer than this in real time.
    AwaitQueries {
        count: usize,
        timeout: Duration,
    },
}

/// A command of a test, which is answered with a [`ClockReading`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlCommand {
    Read,
    Advance(Duration),
    /// Advances to the next deadline, if there is one.
    AdvanceToNext,
    /// Makes another server the leader (TTL-05, DLY-09).
    Failover,
    /// Ends the session as its TTL would.
    ExpireSession(SessionId),
}

/// The time of a server, its next deadline, and its blocking queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time since the server started.
    pub now: Instant,
    /// The next timer and its time; `None` if no timer runs.
    pub next: Option<(Instant, Timer)>,
    /// The number of blocking queries that wait.
    pub waiting: usize,
}

/// Why the parameters of a request are refused.
#[derive(Debug, thiserror::Error)]
enum ParameterError {
    #[error("advance=SPAN is missing, such as advance=10s or advance=next")]
    NoSpan,
    #[error(transparent)]
    Span(#[from] duration::DurationError),
    #[error("time never goes back")]
    Negative,
    #[error("session=ID is missing")]
    NoSession,
    #[error("session={0} is not the id of a session")]
    Session(String),
    #[error("waiting={0} is not a number of blocking queries")]
    Waiting(String),
}

const CLOCK: &str = "/lictor/clock";
const FAILOVER: &str = "/lictor/failover";
const EXPIRE: &str = "/lictor/expire";

/// How long a request waits for blocking queries if it has no `timeout`.
const AWAIT_TIMEOUT: Duration = Duration::from_secs(10);

impl ControlRequest {
    /// Decodes a request of a test. `None` for any other path; an error is the answer to a request
    /// that is refused.
    pub(crate) fn decode(
        mode: ClockMode,
        request: &HttpRequest,
    ) -> Option<Result<Self, HttpResponse>> {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let command = |command| Ok(Self::Command(command));
        let decoded = match (path, request.method.as_str()) {
            (CLOCK, "GET") => read(query),
            (CLOCK, "PUT") => advance(query).and_then(command),
            (FAILOVER, "PUT") => command(ControlCommand::Failover),
            (EXPIRE, "PUT") => session(query).map(ControlCommand::ExpireSession).and_then(command),
            (CLOCK, method) => return Some(Err(not_allowed(method, "GET, PUT"))),
            (FAILOVER | EXPIRE, method) => return Some(Err(not_allowed(method, "PUT"))),
            _ => return None,
        };
        Some(match decoded {
            Ok(Self::Command(command))
                if mode == ClockMode::Real && command.needs_manual_clock() =>
            {
                Err(refused(&ControlError::RealClock))
            }
            decoded => decoded.map_err(|error| refusal(400, error.to_string())),
        })
    }
}

impl ControlCommand {
    fn needs_manual_clock(self) -> bool {
        matches!(self, Self::Advance(_) | Self::AdvanceToNext | Self::Failover)
    }
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    parameters.find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn span(text: &str) -> Result<Duration, ParameterError> {
    let nanos = u64::try_from(duration::parse(text)?).map_err(|_| ParameterError::Negative)?;
    Ok(Duration::from_nanos(nanos))
}

fn read(query: &str) -> Result<ControlRequest, ParameterError> {
    let Some(waiting) = parameter(query, "waiting") else {
        return Ok(ControlRequest::Command(ControlCommand::Read));
    };
    let count = waiting.parse().map_err(|_| ParameterError::Waiting(waiting.into()))?;
    let timeout = parameter(query, "timeout").map_or(Ok(AWAIT_TIMEOUT), span)?;
    Ok(ControlRequest::AwaitQueries { count, timeout })
}

fn advance(query: &str) -> Result<ControlCommand, ParameterError> {
    match parameter(query, "advance").ok_or(ParameterError::NoSpan)? {
        "next" => Ok(ControlCommand::AdvanceToNext),
        text => span(text).map(ControlCommand::Advance),
    }
}

fn session(query: &str) -> Result<SessionId, ParameterError> {
    let id = parameter(query, "session").ok_or(ParameterError::NoSession)?;
    SessionId::parse(id).ok_or_else(|| ParameterError::Session(id.into()))
}

/// The answer to a command that was not carried out.
pub(crate) fn refused(error: &ControlError) -> HttpResponse {
    let status = match error {
        ControlError::NoSession(_) => 404,
        ControlError::Waiting { .. } => 408,
        _ => 409,
    };
    refusal(status, error.to_string())
}

impl ClockReading {
    /// The answer in JSON. Times are nanoseconds since the server started, as Consul writes
    /// durations.
    pub(crate) fn response(&self) -> HttpResponse {
        let next = self.next.as_ref().map(|(at, timer)| {
            let at = at.as_nanos();
            json!({ "At": at, "Why": describe(timer) })
        });
        let body = json!({ "Now": self.now.as_nanos(), "Next": next, "Waiting": self.waiting });
        answer(200, "application/json", body.to_string())
    }
}

/// What happens when a timer fires, in a sentence.
fn describe(timer: &Timer) -> String {
    match timer {
        Timer::SessionTtl(id) => format!("session {id} ends: {}", Cause::TtlExpired),
        Timer::LockDelay(key) => format!("the lock-delay of {key} is over"),
        Timer::Parked(_) => "a blocking query has waited long enough".into(),
        Timer::CheckTtl(node, check) => {
            format!("check {} of node {} lapses", check.as_str(), node.as_str())
        }
        Timer::Reap => "old tombstones are forgotten".into(),
    }
}

fn refusal(status: u16, why: String) -> HttpResponse {
    answer(status, "text/plain; charset=utf-8", why)
}

fn not_allowed(method: &str, allowed: &str) -> HttpResponse {
    let mut response = refusal(405, format!("method {method} not allowed"));
    response.headers.push(("Allow".into(), allowed.into()));
    response
}

fn answer(status: u16, kind: &str, body: String) -> HttpResponse {
    let headers = vec![("Content-Type".into(), kind.into())];
    HttpResponse { status, headers, body: body.into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(mode: ClockMode, method: &str, target: &str) -> Option<Result<ControlRequest, u16>> {
        let decoded = ControlRequest::decode(mode, &HttpRequest::new(method, target, b""));
        decoded.map(|decoded| decoded.map_err(|refused| refused.status))
    }

    #[test]
    fn paths_of_the_clock_are_decoded_and_all_others_are_left_to_consul() {
        use ControlCommand::*;
        let command = |command| Some(Ok(ControlRequest::Command(command)));
        let awaits = |count, seconds| {
            let timeout = Duration::from_secs(seconds);
            Some(Ok(ControlRequest::AwaitQueries { count, timeout }))
        };
        let id = "6fb2c0d5-41f4-4e8c-9b3c-5d1b6a1c2e3f";
        let expire = format!("/lictor/expire?session={id}");
        for (method, target, control) in [
            ("GET", "/lictor/clock", command(Read)),
            ("PUT", "/lictor/clock?advance=10s", command(Advance(Duration::from_secs(10)))),
            ("PUT", "/lictor/clock?pretty&advance=next", command(AdvanceToNext)),
            ("PUT", "/lictor/failover", command(Failover)),
            ("PUT", &expire, command(ExpireSession(SessionId::parse(id).expect("an id")))),
            ("GET", "/lictor/clock?waiting=2", awaits(2, 10)),
            ("GET", "/lictor/clock?waiting=0&timeout=3s", awaits(0, 3)),
            ("GET", "/lictor/clock?waiting=two", Some(Err(400))),
            ("GET", "/lictor/clock?waiting=2&timeout=3", Some(Err(400))),
            ("PUT", "/lictor/expire", Some(Err(400))),
            ("PUT", "/lictor/expire?session=web", Some(Err(400))),
            ("GET", &expire, Some(Err(405))),
            ("PUT", "/lictor/clock", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=10", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=-1s", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=<b>", Some(Err(400))),
            ("DELETE", "/lictor/clock", Some(Err(405))),
            ("GET", "/lictor/failover", Some(Err(405))),
            ("GET", "/lictor/clocks", None),
            ("GET", "/v1/kv/lictor/clock", None),
        ] {
            assert_eq!(decoded(ClockMode::Manual, method, target), control, "{method} {target}");
        }
        for (method, target, refused) in [
            ("GET", "/lictor/clock", false),
            ("GET", "/lictor/clock?waiting=2", false),
            ("PUT", &expire, false),
            ("PUT", "/lictor/clock?advance=10s", true),
            ("PUT", "/lictor/failover", true),
        ] {
            let decoded = decoded(ClockMode::Real, method, target);
            assert_eq!(decoded == Some(Err(409)), refused, "{method} {target}");
        }
    }

    #[test]
    fn a_reading_names_the_next_deadline() {
        let key = "db/leader".into();
        let next = Some((Instant::from_millis(1_500), Timer::LockDelay(key)));
        let reading = ClockReading { now: Instant::from_millis(1), next, waiting: 2 }.response();
        let why = "the lock-delay of db/leader is over";
        let next = json!({ "At": 1_500_000_000, "Why": why });
        let expected = json!({ "Now": 1_000_000, "Next": next, "Waiting": 2 });
        assert_eq!(String::from_utf8_lossy(&reading.body), expected.to_string());
    }
}
