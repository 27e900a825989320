//! Requests under `/lictor/`, which a server with a manual clock accepts in addition to Consul's
//! API: reading and advancing the clock, and changing the leader. docs/en/reference/agent.md
//! describes them.
//!
//! service.rs decodes a request with it; engine_task.rs carries the command out.

use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Timer;
use lictor_core::error::Cause;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;
use serde_json::json;

/// A command to the clock of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockCommand {
    Read,
    Advance(Duration),
    /// Advances to the next deadline, if there is one.
    AdvanceToNext,
    /// Another server becomes leader (TTL-05, DLY-09).
    Failover,
}

/// The time of a server, and its next deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time since the server started.
    pub now: Instant,
    /// The next timer and its time.
    pub next: Option<(Instant, Timer)>,
    /// The number of blocking queries that wait.
    pub waiting: usize,
}

/// Why a request to advance the clock is refused.
#[derive(Debug, thiserror::Error)]
enum AdvanceError {
    #[error("advance=SPAN is missing, such as advance=10s or advance=next")]
    Missing,
    #[error(transparent)]
    Span(#[from] duration::DurationError),
    #[error("time never goes back")]
    Negative,
}

const CLOCK: &str = "/lictor/clock";
const FAILOVER: &str = "/lictor/failover";

impl ClockCommand {
    /// Decodes a request to the clock; none if it is one for Consul.
    pub(crate) fn decode(request: &HttpRequest) -> Option<Result<Self, HttpResponse>> {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        match (path, request.method.as_str()) {
            (CLOCK, "GET") => Some(Ok(Self::Read)),
            (CLOCK, "PUT") => {
                Some(Self::advance(query).map_err(|error| refusal(400, error.to_string())))
            }
            (FAILOVER, "PUT") => Some(Ok(Self::Failover)),
            (CLOCK, method) => Some(Err(not_allowed(method, "GET, PUT"))),
            (FAILOVER, method) => Some(Err(not_allowed(method, "PUT"))),
            _ => None,
        }
    }

    fn advance(query: &str) -> Result<Self, AdvanceError> {
        let value = query.split('&').find_map(|parameter| parameter.strip_prefix("advance="));
        match value.ok_or(AdvanceError::Missing)? {
            "next" => Ok(Self::AdvanceToNext),
            span => {
                let nanos = duration::parse(span)?;
                let nanos = u64::try_from(nanos).map_err(|_| AdvanceError::Negative)?;
                Ok(Self::Advance(Duration::from_nanos(nanos)))
            }
        }
    }
}

impl ClockReading {
    /// Times are nanoseconds since the server started, as Consul writes spans.
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

    fn decoded(method: &str, target: &str) -> Option<Result<ClockCommand, u16>> {
        let (method, target) = (method.into(), target.into());
        let request = HttpRequest { method, target, headers: Vec::new(), body: Vec::new() };
        ClockCommand::decode(&request).map(|decoded| decoded.map_err(|refused| refused.status))
    }

    #[test]
    fn paths_of_the_clock_are_decoded_and_all_others_are_left_to_consul() {
        let ten = ClockCommand::Advance(Duration::from_secs(10));
        for (method, target, control) in [
            ("GET", "/lictor/clock", Some(Ok(ClockCommand::Read))),
            ("PUT", "/lictor/clock?advance=10s", Some(Ok(ten))),
            ("PUT", "/lictor/clock?pretty&advance=next", Some(Ok(ClockCommand::AdvanceToNext))),
            ("PUT", "/lictor/failover", Some(Ok(ClockCommand::Failover))),
            ("PUT", "/lictor/clock", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=10", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=-1s", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=<b>", Some(Err(400))),
            ("DELETE", "/lictor/clock", Some(Err(405))),
            ("GET", "/lictor/failover", Some(Err(405))),
            ("GET", "/lictor/clocks", None),
            ("GET", "/v1/kv/lictor/clock", None),
        ] {
            assert_eq!(decoded(method, target), control, "{method} {target}");
        }
    }

    #[test]
    fn a_reading_names_the_next_deadline() {
        let key = "db/leader".into();
        let next = Some((Instant::from_millis(1_500), Timer::LockDelay(key)));
        let reading = ClockReading { now: Instant::from_millis(1), next, waiting: 2 }.response();
        let why = "the lock-delay of db/leader is over";
        let next = json!({ "At": 1_500_000_000, "Why": why });
        let says = json!({ "Now": 1_000_000, "Next": next, "Waiting": 2 });
        assert_eq!(String::from_utf8_lossy(&reading.body), says.to_string());
    }
}
