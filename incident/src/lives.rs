//! What is known of the life of a session: when it was created, when it ended, and when it ends if
//! nobody acts.

use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;

use crate::coverage::Coverage;
use crate::created::Created;
use crate::ends::Ended;
use crate::incident::{Incident, Observation};
use crate::lists::Session;
use crate::log::{self, LogEvent, Request};
use crate::observed::ELECTION_MIN;
use crate::picture::{BarKind, EndReason, MarkKind, PictureBar, PictureMark, TimeBounds};
use crate::time::before;

/// When the request of a line was carried out at the earliest: the line is written after it.
pub(crate) fn began(line: &Observation) -> Timestamp {
    before(line.time, log::latency(&line.line.text).unwrap_or(Duration::ZERO))
}

impl Incident {
    /// The first moment at which a source names a session. Its id is random, so that it was created
    /// before. A failed request, or one that may be about another datacenter, shows nothing.
    pub(crate) fn first_evidence(&self, id: &str) -> Option<Timestamp> {
        let is_of_cluster = |line: &&Observation| {
            !matches!(line.event, LogEvent::Failed(_) | LogEvent::Unplaced(_))
        };
        let line = self.lines_of_session(id).find(is_of_cluster).map(|line| line.time);
        let listed = self.alive.get(id).map(|alive| alive.first);
        line.into_iter().chain(listed).min()
    }

    /// The last moment at which a session was certainly alive. No request shows it: an acquire is
    /// answered with `false` while a lock-delay lasts, even if its session has ended (DLY-07).
    fn last_alive(&self, id: &str) -> Option<Timestamp> {
        self.alive.get(id).and_then(|alive| alive.certain)
    }

    /// The bars of a session: its life, and what follows from `now` on if nobody acts.
    pub(crate) fn life(&self, id: &str, now: Timestamp) -> Vec<PictureBar> {
        let ended = self.end_of(id);
        let Some(begin) = self.bounds_of_begin(id) else { return Vec::new() };
        let session = self.session(id).filter(|_| ended.is_none());
        let end = match &ended {
            Some(ended) => Some(self.bounds_of_end(id, ended)),
            None if session.is_some() && self.lives_at(id, now) => None,
            None => Some(TimeBounds::new(self.last_alive(id), None)),
        };
        let mut life = PictureBar::new(BarKind::Lives, begin, end);
        life.end_reason = ended.as_ref().and_then(reason);
        life.is_assumed = self.alive.get(id).is_some_and(|alive| alive.certain.is_none());
        let ahead = session.map(|session| {
            let end = self.end_if_nobody_acts(session, now);
            let mut ahead = PictureBar::ahead(BarKind::Lives, TimeBounds::exact(now), end);
            // Of a session that may have ended already, nothing says why it ends.
            let is_by_ttl = session.ttl().is_some() && self.lives_at(id, now);
            ahead.end_reason = is_by_ttl.then_some(EndReason::Expired);
            ahead.is_assumed = life.is_assumed;
            ahead
        });
        [life].into_iter().chain(ahead).collect()
    }

    /// The lines that can have created a session, if the logs have every request until the lists:
    /// its line is among them unless it is older than the logs.
    pub(crate) fn created_in_log(&self, id: &str) -> Option<Created<'_>> {
        let has_lists = |coverage: &Coverage| coverage.has(self.taken);
        self.coverage.filter(has_lists).and_then(|_| self.created(id))
    }

    /// When a session was created. `None` if nothing shows that it ever was.
    fn bounds_of_begin(&self, id: &str) -> Option<TimeBounds> {
        let created = self.created_in_log(id);
        // The line is not in the logs if it was created before they have every request.
        let from = self.coverage.map(|coverage| coverage.from);
        let latest = created.map(|created| created.latest.time.max(from.unwrap_or(Timestamp::MIN)));
        let latest = latest.into_iter().chain(self.first_evidence(id)).min()?;
        let earliest = created.and_then(|created| created.earliest).map(began);
        Some(TimeBounds::new(earliest, Some(latest)))
    }

    /// When a session ended that has ended. It may have ended before the line about it, unless the
    /// logs have every request in between.
    pub(crate) fn bounds_of_end(&self, id: &str, ended: &Ended<'_>) -> TimeBounds {
        let last_alive = self.last_alive(id).filter(|alive| *alive <= ended.bounds.latest);
        let Some(line) = ended.line else {
            return TimeBounds::new(last_alive, Some(ended.bounds.latest));
        };
        let is_expiry = matches!(line.event, LogEvent::Expired(_));
        let is_whole = is_expiry || last_alive.is_some_and(|alive| self.covers(alive, line.time));
        let may_end = self.first_possible_end(id, last_alive).filter(|time| *time < line.time);
        let known = may_end.unwrap_or_else(|| began(line));
        let earliest = if is_whole { Some(known) } else { last_alive };
        TimeBounds::new(earliest, Some(line.time))
    }

    /// The first line after a moment that may have ended a session without naming it.
    pub(crate) fn first_possible_end(
        &self,
        id: &str,
        after: Option<Timestamp>,
    ) -> Option<Timestamp> {
        let may_end = |line: &&Observation| match (&line.event, self.session(id)) {
            (LogEvent::EndsSome | LogEvent::Transaction, _)
            | (LogEvent::NodeFailed(_) | LogEvent::NodeRemoved(_), None) => true,
            (LogEvent::NodeFailed(node), Some(session)) => {
                (!session.has_all_checks() || session.rests_on_its_node())
                    && session.may_be_on(node)
            }
            (LogEvent::NodeRemoved(node), Some(session)) => session.may_be_on(node),
            _ => false,
        };
        let is_after = |line: &&Observation| after.is_none_or(|after| line.time > after);
        self.broad_lines().filter(is_after).find(may_end).map(|line| line.time)
    }

    /// Whether a session that has not ended, as far as is known, was alive at a moment.
    pub(crate) fn lives_at(&self, id: &str, now: Timestamp) -> bool {
        let Some(alive) = self.alive.get(id) else { return false };
        let may_have_ended = self.first_possible_end(id, alive.certain).is_some()
            || self.unplaced_destroy(id).is_some();
        let is_stale = self.listings[alive.list].moment.stale.is_some();
        let is_covered = alive.certain.is_some_and(|certain| self.covers(certain, now));
        !is_stale && !may_have_ended && (alive.assumed >= now || is_covered)
    }

    /// When a session ends if nobody acts from `now` on; `None` if it has no TTL. Its end may be
    /// past already if a line may have ended it, and has no latest moment without a known TTL.
    pub(crate) fn end_if_nobody_acts(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Option<TimeBounds> {
        let is_sure = self.lives_at(&session.id, now)
            && self.alive.get(&session.id).is_some_and(|alive| alive.certain.is_some());
        if session.ttl.is_none() {
            return Some(TimeBounds::new(Some(now), None));
        }
        let Some(ttl) = session.ttl() else {
            return (!is_sure).then_some(TimeBounds::new(Some(now), None));
        };
        let end = self.end_by_ttl(session, ttl, now).bounds.not_before(now);
        let earliest = if is_sure { end.earliest } else { now };
        Some(TimeBounds::new(Some(earliest), Some(end.latest)))
    }

    /// The renewals of a session, and the elections since which its TTL is another, while it may
    /// have been alive.
    pub(crate) fn marks_of_session(&self, id: &str) -> Vec<PictureMark> {
        let mark = |kind, time| PictureMark { kind, time, session: None, name: None };
        let end = self.end_of(id).map(|ended| ended.bounds.latest);
        let is_in_life = |time: &Timestamp| end.is_none_or(|end| *time <= end);
        let renewed = self.renewals(id).map(|time| mark(MarkKind::Renewed, time));
        let by_client = self.client_renewals.get(id).into_iter().flatten();
        let by_client = by_client.map(|place| self.clients[*place].time);
        let by_client = by_client.map(|time| mark(MarkKind::RenewedByClient, time));
        let first = self.first_evidence(id);
        let has_ttl = self.session(id).is_some_and(|session| session.ttl().is_some());
        let elected = self.elections().map(|line| line.time);
        let elected = elected.filter(|time| has_ttl && first.is_some_and(|first| first <= *time));
        let elected = elected.map(|time| mark(MarkKind::Elected, time));
        let all = renewed.chain(elected).filter(|mark| is_in_life(&mark.time)).chain(by_client);
        let mut marks: Vec<PictureMark> = all.collect();
        marks.sort_by_key(|mark| mark.time);
        // Each server writes a line about one election.
        marks.dedup_by(|next, mark| {
            let is_elected = [&*next, mark].iter().all(|mark| mark.kind == MarkKind::Elected);
            is_elected && next.time.duration_since(mark.time) < ELECTION_MIN
        });
        marks
    }
}

fn reason(ended: &Ended<'_>) -> Option<EndReason> {
    match ended.line?.event {
        LogEvent::Expired(_) => Some(EndReason::Expired),
        LogEvent::Request(Request::Destroy(_)) => Some(EndReason::Destroyed),
        LogEvent::NodeFailed(_) => Some(EndReason::NodeFailed),
        LogEvent::NodeRemoved(_) => Some(EndReason::NodeRemoved),
        _ => None,
    }
}
