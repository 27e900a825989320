//! Whether the logs have every request: what they lack, by the lists, and what they then say about
//! the moments of these.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use jiff::Timestamp;
use lictor_core::engine::TTL_GRACE;

use super::{Incident, Observation};
use crate::coverage::Coverage;
use crate::listing::Listing;
use crate::lists::Session;
use crate::log::{self, LogEvent, Request};
use crate::merge;
use crate::moment::{Moment, MomentSource, ROUNDED};
use crate::time::{after, before};

impl Incident {
    /// A log lacks requests if it is without the one for a list that was taken meanwhile, or
    /// without a renewal of a session that would have ended.
    pub(super) fn check_coverage(&mut self) {
        let Some(coverage) = self.coverage else { return };
        let is_create = |line: &&Observation| line.event == LogEvent::Request(Request::Create);
        let created: Vec<Timestamp> =
            self.log.iter().filter(is_create).map(|line| line.time).collect();
        let lacks_renewal = |id: &&String| self.lacks_renewal(id, coverage, &created);
        if let Some(id) = self.sessions.keys().find(lacks_renewal) {
            let name = self.name_of(id);
            self.not_whole = Some(format!(
                "the logs do not have a renewal of {name}, without which it would have ended"
            ));
            self.coverage = None;
            return;
        }
        if let Some(key) = self.key_without_its_change(coverage) {
            self.not_whole = Some(format!(
                "the logs do not have a request after which the holder of {key} is another one: \
                 lines are missing"
            ));
            self.coverage = None;
            return;
        }
        let lacks = |listing: &&Listing| {
            let moment = &listing.moment;
            let is_known = matches!(moment.source, MomentSource::Header | MomentSource::Caller);
            // A caller names the time as a clock on the wall shows it.
            let [earliest, latest] =
                [before(listing.taken_earliest(), ROUNDED), after(moment.latest, ROUNDED)];
            let requests =
                self.log.iter().filter(|line| earliest <= line.time && line.time <= latest);
            let mut requests = requests.filter_map(|line| match &line.event {
                LogEvent::Request(Request::List(request)) => Some(request),
                _ => None,
            });
            let is_inside = coverage.from <= earliest && latest <= coverage.to;
            is_known && is_inside && !requests.any(|request| listing.can_be_answer_to(request))
        };
        if let Some(listing) = self.listings.iter().find(lacks) {
            let name = listing.name();
            self.not_whole = Some(format!(
                "the logs do not have the request for {name}: another agent answered it, or lines \
                 are missing"
            ));
            self.coverage = None;
        }
    }

    /// A key whose holder is not the same in two lists, although the logs have nothing in between
    /// that can have changed it.
    fn key_without_its_change(&self, coverage: Coverage) -> Option<&str> {
        let mut known: BTreeMap<&str, (Option<&str>, &Listing)> = BTreeMap::new();
        for listing in self.key_lists().filter(|listing| listing.moment.stale.is_none()) {
            let entries = listing.entries.keys().iter().filter(|entry| entry.is_holder_known);
            let mut holders: BTreeMap<&str, Option<&str>> =
                entries.map(|entry| (entry.key.as_str(), entry.session.as_deref())).collect();
            let names = listing.names();
            let gone = known.keys().filter(|key| !names.contains(*key));
            holders
                .extend(gone.filter(|key| listing.scope.covers_key(key)).map(|key| (*key, None)));
            for (key, holder) in holders {
                let Some((before, former)) = known.insert(key, (holder, listing)) else { continue };
                let [from, to] = [former.taken_earliest(), listing.moment.latest];
                if before != holder
                    && merge::is_before(former, listing)
                    && coverage.has(from)
                    && coverage.has(to)
                    && !self.may_change(key, [before, holder], [from, to])
                {
                    return Some(key);
                }
            }
        }
        None
    }

    /// Whether the log has something between two times after which a key can have another holder.
    fn may_change(&self, key: &str, holders: [Option<&str>; 2], times: [Timestamp; 2]) -> bool {
        let [from, to] = [before(times[0], ROUNDED), after(times[1], ROUNDED)];
        let [lost, gained] = holders;
        let is_between = |line: &&Observation| from <= line.time && line.time <= to;
        let ends = |line: &Observation| {
            !matches!(
                line.event,
                LogEvent::Request(Request::Renew(_) | Request::Acquire { .. } | Request::List(_))
            )
        };
        let of_lost = lost.into_iter().flat_map(|session| self.lines_of_session(session));
        let mut losses = self.lines_of_key(key).chain(of_lost).filter(is_between);
        let mut acquires = self.lines_of_key(key).filter(is_between);
        let is_gained = |line: &Observation| line.event.session() == gained;
        self.broad_lines().any(|line| is_between(&line))
            || (lost.is_none() || losses.any(ends)) && (gained.is_none() || acquires.any(is_gained))
    }

    /// A `Date` header has whole seconds. If the logs have every request, the one for the list is
    /// among those that can be, so that the list is not older than the first of these.
    pub(super) fn narrow_moments(&mut self) {
        let Some(coverage) = self.coverage else { return };
        for listing in &mut self.listings {
            let moment = &listing.moment;
            let Some(date) = moment
                .earliest
                .filter(|_| moment.source == MomentSource::Header && moment.stale.is_none())
            else {
                continue;
            };
            let [from, to] = [before(date, ROUNDED), after(moment.latest, ROUNDED)];
            let can_be = |line: &&Observation| match &line.event {
                LogEvent::Request(Request::List(request)) => listing.can_be_answer_to(request),
                _ => false,
            };
            let near = self.log.iter().filter(|line| from <= line.time && line.time <= to);
            let requests: Vec<&Observation> = near.filter(can_be).collect();
            // A clock that differs from that of the header would show the request elsewhere.
            let is_inside = |line: &&Observation| date <= line.time && line.time <= moment.latest;
            let Some(first) = requests.first().filter(|_| requests.iter().all(is_inside)) else {
                continue;
            };
            // A line is written after the answer.
            let began = requests.iter().map(|line| {
                log::latency(&line.line.text).map_or(date, |latency| before(line.time, latency))
            });
            let began = began.min().filter(|began| coverage.has(from) && *began > date);
            if began.is_some() {
                let source = MomentSource::HeaderAndRequest(first.line.clone());
                listing.moment = Moment { earliest: began, source, ..moment.clone() };
            }
        }
        self.alive = merge::alive(&self.listings);
        self.keys = merge::keys(&self.listings);
    }

    /// Whether a session was alive although it had ended by its TTL since all that may have set its
    /// timer. `created` has the times of all that create a session.
    fn lacks_renewal(&self, id: &str, coverage: Coverage, created: &[Timestamp]) -> bool {
        let ttl = self.session(id).and_then(Session::ttl);
        let alive = self.alive.get(id).and_then(|alive| alive.certain);
        let Some((ttl, alive)) = ttl.zip(alive).filter(|(_, it)| coverage.has(*it)) else {
            return false;
        };
        let is_renewal =
            |line: &&Observation| matches!(line.event, LogEvent::Request(Request::Renew(_)));
        let renewals = self.lines_of_session(id).filter(is_renewal);
        let resets = renewals.chain(self.elections()).map(|line| line.time);
        let resets = resets.chain(created.iter().copied()).filter(|time| *time <= alive);
        let last = resets.fold(coverage.from, Timestamp::max);
        after(last, ttl.saturating_mul(TTL_GRACE)) < alive
    }
}
