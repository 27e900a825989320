//! When a session ended, and when one that lives ends by its TTL if nobody renews it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;
use lictor_core::engine::TTL_GRACE;

use crate::answer::{Bounds, Reason};
use crate::incident::{Incident, Observation};
use crate::listing::{Listing, Scope};
use crate::lists::Session;
use crate::log::{LogEvent, Request};
use crate::merge::is_before;
use crate::time::{before, seconds};

/// When a session ends by its TTL, and why.
pub(crate) struct End {
    pub(crate) bounds: Bounds,
    /// What set its timer for the last time, and when.
    pub(crate) reset: String,
    pub(crate) reasons: Vec<Reason>,
}

/// The end of a session, as a log or two lists show it.
#[derive(Clone, Debug)]
pub(crate) struct Ended<'a> {
    pub(crate) session: &'a str,
    pub(crate) bounds: Bounds,
    pub(crate) line: Option<&'a Observation>,
    /// The list that does not have the session any more, if no line shows the end.
    without: Option<&'a Listing>,
}

impl Ended<'_> {
    /// How it is known, in a sentence about a moment.
    pub(crate) fn text(&self, incident: &Incident, as_of: Timestamp) -> String {
        let name = incident.name_of(self.session);
        let [alive, time] =
            [self.bounds.earliest, self.bounds.latest].map(|time| incident.clock(time, as_of));
        match self.line.map(|line| &line.event) {
            Some(LogEvent::NodeFailed(node)) => {
                format!("{name} ended at {time}, when its node {node} failed (serfHealth)")
            }
            Some(LogEvent::NodeRemoved(node)) => {
                format!("{name} ended at {time}, when its node {node} was removed")
            }
            Some(_) => format!("{name} ended at {time}"),
            None => format!(
                "{name} was alive at {alive}, and is not in {} of {time}: it ended between the two",
                self.without.map(Listing::name).unwrap_or_default()
            ),
        }
    }
}

impl Incident {
    /// The latest time at which a session was certainly alive, as a list has it, or a key with it.
    /// If the moment of each such list is assumed, that moment.
    pub(crate) fn alive_at(&self, session: &str) -> Option<Timestamp> {
        let alive = self.alive.get(session)?;
        Some(alive.certain.unwrap_or(alive.assumed))
    }

    /// The end of a session, if something shows it. For a session in a list only a line after the
    /// list counts: it has outlived an earlier destroy.
    pub(crate) fn end_of<'a>(&'a self, session: &'a str) -> Option<Ended<'a>> {
        self.end_in_log(session).or_else(|| self.end_between_lists(session))
    }

    fn end_in_log<'a>(&'a self, session: &'a str) -> Option<Ended<'a>> {
        let alive = self.alive.get(session).and_then(|alive| alive.certain);
        let is_after = |line: &&Observation| alive.is_none_or(|alive| line.time >= alive);
        let is_end = |line: &&Observation| {
            matches!(line.event, LogEvent::Expired(_) | LogEvent::Request(Request::Destroy(_)))
        };
        let own = self.lines_of_session(session).filter(is_after).find(is_end);
        let of_node = || {
            let known = self.session(session)?;
            let ends = |line: &&Observation| match &line.event {
                LogEvent::NodeFailed(node) => *node == known.node && known.rests_on_its_node(),
                LogEvent::NodeRemoved(node) => *node == known.node,
                _ => false,
            };
            // Without a moment of its list, the session may be younger than the line.
            let mut lines =
                self.broad_lines().filter(|line| alive.is_some_and(|it| line.time >= it));
            lines.find(ends)
        };
        let line = own.or_else(of_node)?;
        let bounds = Bounds { earliest: line.time, latest: line.time };
        Some(Ended { session, bounds, line: Some(line), without: None })
    }

    /// A session that a later list of all sessions does not have any more.
    fn end_between_lists<'a>(&'a self, session: &'a str) -> Option<Ended<'a>> {
        let last = self.alive.get(session)?.list;
        let is_without =
            |it: &&Listing| it.scope == Scope::AllSessions && is_before(&self.listings[last], it);
        let without = self.listings[last + 1..].iter().find(is_without)?;
        let earliest = self.alive_at(session)?;
        let bounds = Bounds { earliest, latest: without.moment.latest };
        Some(Ended { session, bounds, line: None, without: Some(without) })
    }

    /// Whether a later line may have ended a session by a check of it.
    pub(crate) fn may_end_by_check(&self, session: &Session) -> Option<&Observation> {
        let alive = self.alive_at(&session.id)?;
        let rests = !session.has_all_checks() || session.rests_on_its_node();
        let may_end = |line: &&Observation| match &line.event {
            LogEvent::EndsSome | LogEvent::Transaction => true,
            LogEvent::NodeFailed(node) => rests && session.may_be_on(node),
            LogEvent::NodeRemoved(node) => session.may_be_on(node),
            _ => false,
        };
        self.broad_lines().filter(|line| line.time > alive).find(may_end)
    }

    /// A later destroy of a session, of which nothing says whether it is about the datacenter of
    /// the lists.
    pub(crate) fn unplaced_destroy(&self, session: &str) -> Option<&Observation> {
        let alive = self.alive.get(session).and_then(|alive| alive.certain);
        let is_destroy = |line: &&Observation| {
            alive.is_none_or(|alive| line.time >= alive)
                && matches!(line.event, LogEvent::Unplaced(Request::Destroy(_)))
        };
        self.lines_of_session(session).find(is_destroy)
    }

    fn renewals_in_log(&self, session: &str) -> impl DoubleEndedIterator<Item = &Observation> {
        let is_renewal =
            |line: &&Observation| matches!(line.event, LogEvent::Request(Request::Renew(_)));
        self.lines_of_session(session).filter(is_renewal)
    }

    /// When a session was renewed, by the logs of servers.
    pub fn renewals(&self, session: &str) -> impl Iterator<Item = Timestamp> {
        self.renewals_in_log(session).map(|line| line.time)
    }

    /// Whether a source shows that a session has ended.
    pub fn has_ended(&self, session: &str) -> bool {
        self.end_of(session).is_some()
    }

    /// The last line that may have created a listed session, if nothing shows which one has.
    fn last_create(&self) -> Option<&Observation> {
        let is_create = |line: &&Observation| {
            line.time <= self.taken && line.event == LogEvent::Request(Request::Create)
        };
        self.log.iter().rfind(is_create)
    }

    /// The last renewal, even one of which nothing says whether it is about the datacenter of the
    /// lists.
    fn last_possible_renewal(&self, session: &str) -> Option<&Observation> {
        let is_possible = |line: &&Observation| match &line.event {
            LogEvent::Request(request) | LogEvent::Unplaced(request) => {
                matches!(request, Request::Renew(_))
            }
            _ => false,
        };
        self.lines_of_session(session).rfind(is_possible)
    }

    /// When a session of the list ends by its TTL if nobody renews it: 2 x TTL after its timer was
    /// last set, by its creation, a renewal or an election.
    pub(crate) fn end_by_ttl(&self, session: &Session, ttl: Duration, now: Timestamp) -> End {
        let id = &session.id;
        let twice = ttl.saturating_mul(TTL_GRACE);
        let alive = self.alive_at(id).unwrap_or(self.taken);
        let is_covered = self.covers(alive, now);
        // A later renewal may have come too late. Only a log that has every request shows that the
        // session had not ended before.
        let is_known = |line: &&Observation| line.time <= alive || is_covered;
        let renewals = || self.renewals_in_log(id);
        let is_renewed = renewals().next().is_some();
        let created = if is_renewed { None } else { self.created(id) };
        let last_create = || self.last_create().filter(|_| !is_renewed);
        let known = [
            renewals().rfind(is_known),
            self.elections().rfind(is_known),
            created.and_then(|created| created.earliest),
        ];
        let last_known = known.into_iter().flatten().max_by_key(|line| line.time);
        let possible = [
            self.last_possible_renewal(id),
            self.elections().next_back(),
            created.map(|created| created.latest).or_else(last_create),
        ];
        let last_possible = possible.into_iter().flatten().max_by_key(|line| line.time);
        let oldest = before(alive, twice);
        let earliest = last_known.map_or(oldest, |line| line.time.max(oldest));
        let client = self.client_renewal(id);
        let by_server = earliest;
        let earliest = client.as_ref().map_or(earliest, |client| earliest.max(client.after.time));
        let from = self.coverage.map_or(now, |coverage| coverage.from);
        let latest_in_log = last_possible.map_or(from, |line| line.time.max(from));
        // A session that lives although it has ended by the log: lines are missing.
        let is_contradicted = crate::time::after(latest_in_log, twice) < alive;
        let is_exact = is_covered && !is_contradicted;
        // A log can go on after the moment of the answer, and a later list can have the session.
        let listed = self.alive.get(id).map_or(alive, |it| it.assumed);
        let last_shown = last_possible.map_or(listed, |line| line.time.max(listed));
        let latest = if is_exact { latest_in_log } else { now.max(last_shown) };
        let latest = client.as_ref().map_or(latest, |client| latest.max(client.until.time));
        let bounds = Bounds { earliest, latest: latest.max(earliest) };
        let is = |line: Option<&Observation>| {
            let lines = line.zip(last_possible);
            is_exact && lines.is_some_and(|(line, last)| line.time == last.time)
        };
        let what = if is(possible[0]) {
            "last renewed"
        } else if is(possible[1]) {
            "its timer set anew by the election"
        } else if created.is_some() {
            "created"
        } else {
            "created or renewed"
        };
        let mut reasons = Vec::new();
        let line = if bounds.earliest == bounds.latest { last_known } else { last_possible };
        let name = self.name_of(id);
        let reset = format!("{what} {}", bounds.text(self, now));
        let line = line.or(last_known).map(|line| &line.line);
        reasons.push(Reason::new(format!("{name}: {reset}"), line));
        // The client's line is a reason only if it makes the end later.
        let client = client.filter(|_| by_server < bounds.earliest);
        let is_of_client = client.is_some();
        reasons.extend(client.map(|client| client.reason(self, &name, now)));
        if !is_exact {
            reasons.push(Reason::new(why_not_exact(&name, twice, is_of_client, is_renewed), None));
            reasons.extend(self.not_whole.clone().map(|text| Reason::new(text, None)));
        }
        let bounds = bounds.after(twice).not_before(alive);
        End { bounds, reset, reasons }
    }
}

fn why_not_exact(name: &str, twice: Duration, is_of_client: bool, has_renewal: bool) -> String {
    if is_of_client {
        "the log of a client does not show each renewal that the server answered: a later one may \
         be missing"
            .into()
    } else if has_renewal {
        "the logs do not have the requests of all agents up to this moment: a later renewal may be \
         missing"
            .into()
    } else {
        format!(
            "no log says when {name} was renewed: between this moment and 2 x TTL ({}) before it",
            seconds(twice)
        )
    }
}
