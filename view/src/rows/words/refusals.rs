//! Explanations of Consul's errors, for those whose own text is not plain enough: a table with a
//! field for each, in one language.

use core::time::Duration;

use lictor_core::duration;
use lictor_core::engine::TTL_MAX;
use lictor_core::error::Error;
use lictor_core::http::BadRequest;
use lictor_core::id::CheckId;
use lictor_sim::Problem;

type Text = &'static str;
type OfCheck = fn(&CheckId) -> String;

/// The explanations in one language.
pub struct RefusalWords {
    pub unprintable_path: Text,
    pub undecodable_query: Text,
    pub unknown_path: Text,
    /// The methods that a path allows.
    pub methods: fn(&str) -> String,
    /// With the path to which a request is redirected.
    pub moved: fn(&str) -> String,
    pub behavior: Text,
    pub ttl: Text,
    /// With the minimum.
    pub ttl_negative: fn(&str) -> String,
    /// With the TTL.
    pub ttl_too_long: fn(&str) -> String,
    /// With the TTL and the minimum.
    pub ttl_too_short: fn(&str, &str) -> String,
    pub missing_node: Text,
    pub missing_check: OfCheck,
    pub critical_check: OfCheck,
    pub empty_check: Text,
    pub missing_session: Text,
    pub unknown_session: Text,
    pub check_without_ttl: OfCheck,
    pub unbound_query: Text,
}

impl RefusalWords {
    /// The meaning of an error and Consul's own text, without the one that is missing.
    pub fn explained(&self, problem: &Problem) -> String {
        let texts = [self.meaning(problem), Some(problem.text()).filter(|text| !text.is_empty())];
        texts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// The meaning of an error. `None` if Consul's text is plain enough.
    pub fn meaning(&self, problem: &Problem) -> Option<String> {
        match problem {
            Problem::BadRequest(refused) => self.of_bad_request(refused),
            Problem::Refused(refusal) => self.of_error(&refusal.error),
        }
    }

    fn of_bad_request(&self, refused: &BadRequest) -> Option<String> {
        let text = match refused {
            BadRequest::UnprintablePath => self.unprintable_path.into(),
            BadRequest::UndecodableQuery(_) => self.undecodable_query.into(),
            BadRequest::UnknownPath { is_api: true } => self.unknown_path.into(),
            BadRequest::MethodNotAllowed { allowed, .. } => (self.methods)(allowed),
            BadRequest::Moved { location, .. } => (self.moved)(location),
            _ => return None,
        };
        Some(text)
    }

    fn of_error(&self, error: &Error) -> Option<String> {
        let text = match error {
            Error::InvalidBehavior(_) => self.behavior.into(),
            Error::InvalidTtl { .. } => self.ttl.into(),
            Error::TtlOutOfBounds { nanos, min } => self.ttl_out_of_bounds(*nanos, min),
            Error::MissingNode => self.missing_node.into(),
            Error::MissingCheck(check) => (self.missing_check)(check),
            Error::CriticalCheck(check) => (self.critical_check)(check),
            Error::EmptyCheckId => self.empty_check.into(),
            Error::MissingSession => self.missing_session.into(),
            Error::InvalidSession(_) => self.unknown_session.into(),
            Error::CheckWithoutTtl(check) => (self.check_without_ttl)(check),
            Error::UnboundQuery => self.unbound_query.into(),
            _ => return None,
        };
        Some(text)
    }

    fn ttl_out_of_bounds(&self, nanos: i64, min: &str) -> String {
        let Ok(ttl) = u64::try_from(nanos).map(Duration::from_nanos) else {
            return (self.ttl_negative)(min);
        };
        let text = duration::print_exact(ttl);
        if ttl > TTL_MAX { (self.ttl_too_long)(&text) } else { (self.ttl_too_short)(&text, min) }
    }
}
