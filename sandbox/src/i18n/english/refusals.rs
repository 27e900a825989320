//! What errors of Consul mean, in English, where their own text needs that. The table in `mod`
//! refers to `meaning`.

use core::time::Duration;

use lictor_core::duration;
use lictor_core::engine::TTL_MAX;
use lictor_core::error::Error;
use lictor_core::http::BadRequest;
use lictor_sim::Problem;

/// What an error means; none if Consul's text is plain enough.
pub(super) fn meaning(problem: &Problem) -> Option<String> {
    match problem {
        Problem::BadRequest(refused) => of_bad_request(refused),
        Problem::Refused(refusal) => of_error(&refusal.error),
    }
}

fn of_bad_request(refused: &BadRequest) -> Option<String> {
    let text = match refused {
        BadRequest::UnprintablePath => {
            "the path has a character that cannot be printed; nothing was done".into()
        }
        BadRequest::UndecodableQuery(_) => {
            "the query string cannot be decoded; nothing was done".into()
        }
        BadRequest::UnknownPath { is_api: true } => "no endpoint of Consul has this path".into(),
        BadRequest::MethodNotAllowed { allowed, .. } => format!("this path allows {allowed}"),
        _ => return None,
    };
    Some(text)
}

fn of_error(error: &Error) -> Option<String> {
    let text = match error {
        Error::InvalidBehavior(_) => "Behavior is \"release\" or \"delete\"".into(),
        Error::InvalidTtl { .. } => "a TTL is a number with a unit, such as \"15s\"".into(),
        Error::TtlOutOfBounds { nanos, min } => ttl_out_of_bounds(*nanos, min),
        Error::MissingNode => "the catalog has no node of this name".into(),
        Error::MissingCheck(check) => format!("the node of the session has no check {check}"),
        Error::CriticalCheck(check) => {
            format!("a session can depend on check {check} only while it is not critical")
        }
        Error::EmptyCheckId => "an id in the list of checks is empty".into(),
        Error::MissingSession => "the request names no session".into(),
        Error::InvalidSession(_) => "no session has this id".into(),
        Error::CheckWithoutTtl(check) => {
            format!("clients report the status of checks with a TTL only, and {check} has none")
        }
        Error::UnboundQuery => "a query needs a name, a template or a session".into(),
        _ => return None,
    };
    Some(text)
}

fn ttl_out_of_bounds(nanos: i64, min: &str) -> String {
    match u64::try_from(nanos).map(Duration::from_nanos) {
        Err(_) => format!("a TTL cannot be negative; the minimum is {min}"),
        Ok(ttl) if ttl > TTL_MAX => {
            format!("{} is above the maximum of 24h", duration::print_exact(ttl))
        }
        Ok(ttl) => format!("{} is below the minimum of {min}", duration::print_exact(ttl)),
    }
}
