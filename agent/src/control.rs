//! What a test asks of an agent whose time stands still, beside Consul's API: what time it is, to
//! let time pass, and another leader. docs/agent.md tells of it.

use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Timer;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Look,
    /// Time passes.
    Advance(Duration),
    /// Time passes until something happens by itself.
    ToNext,
    /// Another server becomes leader (TTL-05, DLY-09).
    Failover,
}

/// What time it is, and what will happen next if nobody calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) now: Instant,
    pub(crate) next: Option<(Instant, Timer)>,
    /// How many blocking queries wait.
    pub(crate) waiting: usize,
}

const CLOCK: &str = "/lictor/clock";
const FAILOVER: &str = "/lictor/failover";

impl Control {
    /// What a request asks for; none if it is one for Consul.
    pub(crate) fn asked(request: &HttpRequest) -> Option<Result<Self, HttpResponse>> {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        match (path, request.method.as_str()) {
            (CLOCK, "GET") => Some(Ok(Self::Look)),
            (CLOCK, "PUT") => Some(Self::passing(query).map_err(|why| refused(400, why))),
            (FAILOVER, "PUT") => Some(Ok(Self::Failover)),
            (CLOCK, method) => Some(Err(not_allowed(method, "GET, PUT"))),
            (FAILOVER, method) => Some(Err(not_allowed(method, "PUT"))),
            _ => None,
        }
    }

    fn passing(query: &str) -> Result<Self, String> {
        let value = query.split('&').find_map(|member| member.strip_prefix("advance="));
        match value {
            None => Err("advance=SPAN is missing, such as advance=10s or advance=next".into()),
            Some("next") => Ok(Self::ToNext),
            Some(span) => {
                let nanos = duration::parse(span).map_err(|error| error.to_string())?;
                let nanos = u64::try_from(nanos).map_err(|_| "time never goes back".to_owned())?;
                Ok(Self::Advance(Duration::from_nanos(nanos)))
            }
        }
    }
}

impl Reading {
    /// Moments are nanoseconds since the agent began, as Consul writes spans.
    pub(crate) fn response(&self) -> HttpResponse {
        let next = self.next.as_ref().map(|(at, timer)| {
            let at = at.as_nanos();
            json!({ "At": at, "Why": why(timer) })
        });
        let body = json!({ "Now": self.now.as_nanos(), "Next": next, "Waiting": self.waiting });
        answer(200, "application/json", body.to_string())
    }
}

/// What happens when a timer fires, in a sentence.
fn why(timer: &Timer) -> String {
    match timer {
        Timer::SessionTtl(id) => format!("session {id} ends: not renewed for twice its TTL"),
        Timer::LockDelay(key) => format!("the lock-delay of {key} is over"),
        Timer::Parked(_) => "a blocking query has waited long enough".into(),
        Timer::CheckTtl(node, check) => {
            format!("check {} of node {} lapses", check.as_str(), node.as_str())
        }
        Timer::Reap => "old tombstones are forgotten".into(),
    }
}

fn refused(status: u16, why: String) -> HttpResponse {
    answer(status, "text/plain; charset=utf-8", why)
}

fn not_allowed(method: &str, allowed: &str) -> HttpResponse {
    let mut response = refused(405, format!("method {method} not allowed"));
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

    fn asked(method: &str, target: &str) -> Option<Result<Control, u16>> {
        let (method, target) = (method.into(), target.into());
        let request = HttpRequest { method, target, headers: Vec::new(), body: Vec::new() };
        Control::asked(&request).map(|asked| asked.map_err(|refused| refused.status))
    }

    #[test]
    fn a_test_asks_for_time_and_everything_else_is_for_consul() {
        let ten = Control::Advance(Duration::from_secs(10));
        for (method, target, control) in [
            ("GET", "/lictor/clock", Some(Ok(Control::Look))),
            ("PUT", "/lictor/clock?advance=10s", Some(Ok(ten))),
            ("PUT", "/lictor/clock?pretty&advance=next", Some(Ok(Control::ToNext))),
            ("PUT", "/lictor/failover", Some(Ok(Control::Failover))),
            ("PUT", "/lictor/clock", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=10", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=-1s", Some(Err(400))),
            ("PUT", "/lictor/clock?advance=<b>", Some(Err(400))),
            ("DELETE", "/lictor/clock", Some(Err(405))),
            ("GET", "/lictor/failover", Some(Err(405))),
            ("GET", "/lictor/clocks", None),
            ("GET", "/v1/kv/lictor/clock", None),
        ] {
            assert_eq!(asked(method, target), control, "{method} {target}");
        }
    }

    #[test]
    fn a_reading_says_what_comes_next() {
        let key = "db/leader".into();
        let next = Some((Instant::from_millis(1_500), Timer::LockDelay(key)));
        let reading = Reading { now: Instant::from_millis(1), next, waiting: 2 }.response();
        let why = "the lock-delay of db/leader is over";
        let next = json!({ "At": 1_500_000_000, "Why": why });
        let says = json!({ "Now": 1_000_000, "Next": next, "Waiting": 2 });
        assert_eq!(String::from_utf8_lossy(&reading.body), says.to_string());
    }
}
