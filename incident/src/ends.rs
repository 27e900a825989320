//! When a session ends by its TTL if nobody renews it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;

use crate::answer::{Bounds, Reason};
use crate::facts::{Incident, Observation, TakenBy};
use crate::lists::Session;
use crate::log::{LogEvent, Request};
use crate::time::{before, clock, seconds};

/// When a session ends by its TTL, and why.
pub(crate) struct End {
    pub(crate) bounds: Bounds,
    /// What set its timer for the last time, and when.
    pub(crate) reset: String,
    pub(crate) reasons: Vec<Reason>,
}

/// The source of the time at which the lists were taken.
pub(crate) fn taken(incident: &Incident) -> Option<Reason> {
    let time = clock(incident.taken);
    let (text, line) = match &incident.when {
        TakenBy::Caller => (format!("the lists were taken at {time}"), None),
        TakenBy::Request(line) => (format!("the lists were taken at {time}"), Some(line)),
        TakenBy::Header => (format!("the Date header says {time}, to the second"), None),
        TakenBy::EndOfLog => {
            (format!("the log ends at {time}; nothing else says when the lists were taken"), None)
        }
    };
    Some(Reason::new(text, line))
}

impl Incident {
    /// When a session of the list ends by its TTL if nobody renews it: 2 x TTL after its timer was
    /// last set, by its creation, a renewal or an election.
    pub(crate) fn end_by_ttl(&self, session: &Session, ttl: Duration) -> End {
        let id = &session.id;
        let twice = ttl.saturating_mul(2);
        let is_renewal =
            |line: &&Observation| matches!(line.event, LogEvent::Request(Request::Renew(_)));
        let renewed = self.lines_of_session(id).rfind(is_renewal);
        let elected = self.last_election();
        let created = if renewed.is_none() { self.created(id) } else { None };
        let name = self.name_of(id);
        // It was alive when the lists were taken.
        let alive = before(self.taken, twice);
        let known = [renewed, elected, created.and_then(|created| created.earliest)];
        let last_known = known.into_iter().flatten().max_by_key(|line| line.time);
        let client = self.client_renewal(id);
        let earliest = last_known.map_or(alive, |line| line.time.max(alive));
        let by_server = earliest;
        let earliest = client.as_ref().map_or(earliest, |client| earliest.max(client.after.time));
        let possible = [renewed, elected, created.map(|created| created.latest)];
        let last_possible = possible.into_iter().flatten().max_by_key(|line| line.time);
        let latest = match self.coverage {
            None => self.now,
            Some(coverage) => last_possible.map_or(coverage.from, |line| line.time),
        };
        let latest = client.as_ref().map_or(latest, |client| latest.max(client.until.time));
        let bounds = Bounds { earliest, latest: latest.max(earliest) };
        let is = |line: Option<&Observation>, time: Timestamp| {
            line.is_some_and(|line| line.time == time)
        };
        let what = if is(renewed, bounds.latest) {
            "last renewed"
        } else if is(elected, bounds.latest) {
            "its timer set anew by the election"
        } else if created.is_some() {
            "created"
        } else {
            "created or renewed"
        };
        let mut reasons = Vec::new();
        let line = if bounds.earliest == bounds.latest { last_known } else { last_possible };
        let text = format!("{name}: {what} {}", bounds.text());
        reasons.push(Reason::new(text, line.or(last_known).map(|line| &line.line)));
        // The client's line is a reason only if it makes the end later.
        let client = client.filter(|_| by_server < bounds.earliest);
        let is_of_client = client.is_some();
        reasons.extend(client.map(|client| client.reason(&name)));
        match self.coverage {
            None if is_of_client => reasons.push(Reason::new(
                "the log of a client does not show each renewal that the server answered: a later \
                 one may be missing"
                    .into(),
                None,
            )),
            None if renewed.is_some() => reasons.push(Reason::new(
                "the logs do not have the requests of all agents: a later renewal may be missing"
                    .into(),
                None,
            )),
            None => reasons.push(Reason::new(
                format!(
                    "no log says when {name} was renewed: between now and 2 x TTL ({}) ago",
                    seconds(twice)
                ),
                None,
            )),
            Some(_) => {}
        }
        let bounds_of_end = bounds.after(twice).not_before(self.taken);
        End { bounds: bounds_of_end, reset: format!("{what} {}", bounds.text()), reasons }
    }
}
