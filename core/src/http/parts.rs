//! A request after its path and query were parsed, and the parsers that all endpoints share: reads
//! with their consistency and wait, unsigned numbers, names in paths.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::time::Duration;

use super::bad_request::BadRequest;
use super::limits::{self, WAIT_DEFAULT};
use super::path::Params;
use super::schema::{self, DecodeError, GoType};
use super::types::{Agent, AnswerKind, HttpRequest, Indent};
use crate::duration;
use crate::id::{Index, go_quoted};
use crate::json::{self, Json};
use crate::message::{Consistency, Operation, ServerFact, Wait};
use crate::store::Query;
use crate::strconv::{self, Base};

/// What an endpoint makes of a request: the operation for the engine, and how its answer looks.
pub(super) type Decoded = Result<(Operation, AnswerKind), BadRequest>;

/// A request whose path and query were parsed.
pub(super) struct RequestParts<'a> {
    pub(super) agent: &'a Agent,
    pub(super) request: &'a HttpRequest,
    pub(super) params: Params,
    /// The path after the endpoint's pattern, percent-decoded.
    pub(super) rest: String,
}

impl RequestParts<'_> {
    /// How the JSON of the answer is indented (HTTP-05, V22-16).
    pub(super) fn indent(&self) -> Indent {
        let agent = self.agent;
        if self.params.has("pretty") || (agent.pretty && agent.rules().default_pretty_ends_line) {
            Indent::LinesAndEnd
        } else if agent.pretty {
            Indent::Lines
        } else {
            Indent::None
        }
    }

    /// A read of the store, which may wait (HTTP-13, BLK-01).
    pub(super) fn read(&self, query: Query) -> Decoded {
        let wait = self.admit_read()?;
        Ok((self.read_operation(query, wait), AnswerKind::Json))
    }

    /// A read of a fact about the server. Its parameters are checked like those of others.
    pub(super) fn read_fact(&self, wanted: ServerFact) -> Decoded {
        self.admit_read()?;
        fact(wanted)
    }

    /// A read of what the path names; its parameters are checked before the name.
    pub(super) fn read_named(&self, missing: &str, query: impl Fn(&str) -> Query) -> Decoded {
        let wait = self.admit_read()?;
        let query = query(self.name(missing)?);
        Ok((self.read_operation(query, wait), AnswerKind::Json))
    }

    /// A read with the consistency that the parameters ask for; [`Self::admit_read`] has checked
    /// them before.
    pub(super) fn read_operation(&self, query: Query, wait: Option<Wait>) -> Operation {
        Operation::Read { query, wait, consistency: self.consistency() }
    }

    /// The consistency that the parameters ask for; `consistent` wins over `stale`. A positive
    /// `max_stale` implies `stale`.
    pub(super) fn consistency(&self) -> Consistency {
        let has_bound = self.params.filled("max_stale").map(duration::parse);
        let is_stale = self.params.has("stale") || matches!(has_bound, Some(Ok(1..)));
        match (self.params.has("consistent"), is_stale) {
            (true, _) => Consistency::Consistent,
            (false, true) => Consistency::Stale,
            (false, false) => Consistency::Default,
        }
    }

    /// The name that ends the path; without one the request fails with the given text.
    pub(super) fn name(&self, missing: &str) -> Result<&str, BadRequest> {
        if self.rest.is_empty() { Err(BadRequest::bad(missing)) } else { Ok(&self.rest) }
    }

    /// Whether the parameters name a datacenter that is not the agent's (HTTP-14).
    pub(super) fn is_for_another_datacenter(&self) -> bool {
        let names = self.agent.rules().datacenter_parameters;
        let asked = names.iter().find_map(|name| self.params.filled(name));
        asked.is_some_and(|asked| asked != self.agent.datacenter)
    }

    /// The body, which must decode as the given type; text after its first value is ignored.
    pub(super) fn body(&self, go_type: &GoType) -> Result<Json, DecodeError> {
        let value = json::first_value(&self.request.body)?;
        schema::check(&value, go_type, self.agent.version)?;
        Ok(value)
    }

    /// Checks the parameters of a read in Consul's order: consistency, the header `Cache-Control`,
    /// `wait`, `index` (HTTP-13, BLK-02, BLK-03). Returns how long to wait, if it has an index.
    pub(super) fn admit_read(&self) -> Result<Option<Wait>, BadRequest> {
        self.admit_consistency()?;
        self.admit_cache_control()?;
        self.admit_wait()
    }

    /// Checks `wait` and `index` only, as reads do that have no consistency.
    pub(super) fn admit_wait(&self) -> Result<Option<Wait>, BadRequest> {
        let timeout = self.wait_time()?;
        let Some(index) = self.params.filled("index") else { return Ok(None) };
        let min_index =
            parse_uint(index).map_err(|_| BadRequest::InvalidRead("Invalid index".into()))?;
        Ok(Some(Wait { min_index: Index(min_index), timeout }))
    }

    /// How long the read may wait (BLK-03).
    pub(super) fn wait_time(&self) -> Result<Duration, BadRequest> {
        let Some(text) = self.params.filled("wait") else { return Ok(WAIT_DEFAULT) };
        let nanos = duration::parse(text)
            .map_err(|_| BadRequest::InvalidRead("Invalid wait time".into()))?;
        let wait = u64::try_from(nanos).map_or(Duration::ZERO, Duration::from_nanos);
        Ok(limits::bounded_wait(wait))
    }

    /// Checks the ages in `Cache-Control`, although there is no cache.
    fn admit_cache_control(&self) -> Result<(), BadRequest> {
        let header = self.request.header("Cache-Control").unwrap_or_default().to_lowercase();
        let age = |directive: &str| {
            let directive = directive.trim();
            let prefixes = ["max-age=", "stale-if-error="];
            prefixes.iter().find_map(|prefix| directive.strip_prefix(prefix)).map(String::from)
        };
        match header.split(',').filter_map(age).find(|age| age.parse::<i64>().is_err()) {
            Some(_) => Err(BadRequest::InvalidRead("Invalid Cache-Control header.".into())),
            None => Ok(()),
        }
    }

    pub(super) fn admit_consistency(&self) -> Result<(), BadRequest> {
        let allows_stale = match self.params.filled("max_stale") {
            None => false,
            Some(text) => {
                let quoted = go_quoted(text);
                let invalid =
                    |_| BadRequest::InvalidRead(format!("Invalid max_stale value {quoted}"));
                duration::parse(text).map_err(invalid)? > 0
            }
        };
        let stale = self.params.has("stale") || allows_stale;
        let conflict = match (self.params.has("consistent"), stale, self.params.has("cached")) {
            (true, true, _) => "stale",
            (true, false, true) => "cached",
            _ => return Ok(()),
        };
        Err(BadRequest::InvalidRead(format!(
            "Cannot specify ?{conflict} with ?consistent, conflicting semantics."
        )))
    }
}

/// A fact about the server, which is not in its store.
pub(super) fn fact(fact: ServerFact) -> Decoded {
    Ok((Operation::Server(fact), AnswerKind::Json))
}

/// Reads an unsigned decimal number, or fails with Go's text (KV-22).
pub(super) fn parse_uint(text: &str) -> Result<u64, BadRequest> {
    let read = strconv::parse_uint(text, Base::Ten, 64);
    read.map_err(|error| BadRequest::Failed(error.to_string()))
}
