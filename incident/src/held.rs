//! A key that a session holds: when the session ends if nobody renews it, and how long its
//! lock-delay keeps the key after that.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;
use lictor_core::engine::LOCK_DELAY_MAX;

use crate::answer::{Answer, AnswerKind, Bounds, Reason};
use crate::incident::{Incident, Observation};
use crate::listing::Scope;
use crate::lists::{KeyEntry, Session};
use crate::log::{LogEvent, Request};
use crate::merge::SeenKey;
use crate::missing::Missing;
use crate::time::{after, seconds};

impl Incident {
    /// The shortest and the longest lock-delay that a session can have.
    pub(crate) fn delay_of(&self, session: &str) -> (Duration, Duration) {
        let known = self.session(session).and_then(|session| session.lock_delay);
        known.map_or((Duration::ZERO, LOCK_DELAY_MAX), |delay| {
            let delay = delay.min(LOCK_DELAY_MAX);
            (delay, delay)
        })
    }
}

/// The answer for a key whose holder the list names, and the log does not change.
pub(crate) fn answer(incident: &Incident, seen: &SeenKey, entry: &KeyEntry, id: &str) -> Answer {
    let listing = incident.list_of(seen);
    let mut answer = Answer::new(&entry.key, AnswerKind::Held, incident.as_of_key(seen));
    answer.holder = Some(id.into());
    answer.is_assumed = listing.moment.is_assumed();
    let mut acquires = incident.acquires(&entry.key).filter(|(session, _)| *session == id);
    let acquired = acquires.rfind(|(_, line)| line.time <= listing.moment.latest);
    // After a release it has acquired the key again, which the logs may not have.
    let is_release = |line: &Observation| {
        let by = match &line.event {
            LogEvent::Request(Request::Release { session, .. }) => Some(session.as_str()),
            _ => None,
        };
        by == Some(id) && line.time <= listing.moment.latest
    };
    let is_released = |since: &Observation| {
        let mut lines = incident.lines_of_key(&entry.key).filter(|line| line.time >= since.time);
        lines.any(is_release)
    };
    let acquired = acquired.filter(|(_, line)| !is_released(line));
    answer.since = acquired.map(|(_, line)| line.time);
    // While the same session holds the key, every other acquire is false.
    let until = listing.moment.earliest;
    let in_vain = |time| {
        let holds = answer.since.zip(until);
        holds.is_some_and(|(since, until)| time <= until && incident.covers(since, until))
    };
    answer.asked = incident.asked(&entry.key, Some(id), answer.since, in_vain);
    match incident.session(id) {
        Some(session) => lives(incident, &mut answer, session),
        None => unlisted(incident, &mut answer, id),
    }
    answer
}

fn lives(incident: &Incident, answer: &mut Answer, session: &Session) {
    let name = incident.name_of(&session.id);
    let key = answer.key.clone();
    let deleted = if session.deletes() { " and deletes the key" } else { "" };
    let delayed = match session.lock_delay {
        None => "its LockDelay is not in the list: at most 60 s".into(),
        Some(delay) if delay.is_zero() => "it has no lock-delay".into(),
        Some(delay) => format!("lock-delay {}", seconds(delay)),
    };
    let fails = fails(session);
    if session.ttl.is_none() {
        let (shortest, _) = incident.delay_of(&session.id);
        answer.earliest = Some(after(answer.as_of, shortest));
        answer.sentence = format!(
            "{key} is held by {name}. How long is not known: the list does not have its TTL \
             ({delayed}), which Consul always writes."
        );
        answer.missing.push(Missing::session(&session.id, &name));
        return;
    }
    let Some(ttl) = session.ttl() else {
        answer.sentence = format!(
            "{key} is held by {name}, which has no TTL. It does not end before it is destroyed, or \
             its node is removed{fails}. Another client can take the key after that ({delayed})."
        );
        answer.because(format!("{name} has no TTL in the session list"), None);
        may_have_ended(incident, answer, session);
        return;
    };
    let end = incident.end_by_ttl(session, ttl, answer.as_of);
    let (shortest, longest) = incident.delay_of(&session.id);
    let bounds = Bounds {
        earliest: after(end.bounds.earliest, shortest),
        latest: after(end.bounds.latest, longest),
    };
    let taken = may_be_taken(incident, answer, session, bounds.earliest);
    let bounds = bounds.not_before(answer.as_of);
    answer.set(bounds);
    let open = match taken {
        Some(_) => format!("from {} on", incident.clock(bounds.earliest, answer.as_of)),
        None => bounds.text(incident, answer.as_of),
    };
    answer.sentence = format!(
        "{key} is held by {name}, TTL {}, {}. If it is not renewed and the leader stays, it ends \
         {} (2 x TTL){deleted}, and another client can take the key {open} ({delayed}).",
        seconds(ttl),
        end.reset,
        end.bounds.text(incident, answer.as_of),
    );
    answer.reasons.extend(end.reasons);
    if let Some(taken) = taken {
        answer.latest = None;
        answer.sentence += &format!(" But {}.", taken.text);
        answer.reasons.push(taken);
        answer.missing.push(Missing::newer_key(&key));
    }
    if let Some(delay) = session.lock_delay {
        answer.because(format!("{name} has a LockDelay of {}", seconds(delay)), None);
    } else {
        answer.missing.push(Missing::session(&session.id, &name));
    }
    may_have_ended(incident, answer, session);
    if answer.earliest != answer.latest {
        answer.missing.push(Missing::logs());
    }
}

/// The first request of another session for the key that may have been answered with `true`, as the
/// holder may have ended before it. `open` is the earliest time for that after an end by TTL.
fn may_be_taken(
    incident: &Incident,
    answer: &Answer,
    holder: &Session,
    open: Timestamp,
) -> Option<Reason> {
    let (shortest, _) = incident.delay_of(&holder.id);
    let by_check = incident.may_end_by_check(holder).map(|line| after(line.time, shortest));
    let open = by_check.map_or(open, |time| time.min(open));
    let mut others = incident.acquires(&answer.key).filter(|(session, _)| *session != holder.id);
    let (other, line) = others.find(|(_, line)| line.time >= open)?;
    let [other, holder] = [other, &holder.id].map(|id| incident.name_of(id));
    let text = format!(
        "{other} asked for {} at {}, when {holder} may have ended: it may hold the key since",
        answer.key,
        incident.clock(line.time, answer.as_of)
    );
    Some(Reason::new(text, Some(&line.line)))
}

/// A check of the session may have failed since the lists.
fn may_have_ended(incident: &Incident, answer: &mut Answer, session: &Session) {
    let Some(line) = incident.may_end_by_check(session) else { return };
    let (shortest, _) = incident.delay_of(&session.id);
    let earliest = after(line.time, shortest).max(answer.as_of);
    answer.earliest = Some(answer.earliest.map_or(earliest, |known| known.min(earliest)));
    let text = format!(
        "{} may have ended at {}, if a check that it rests on became critical, or if its node was \
         removed",
        incident.name_of(&session.id),
        incident.clock(line.time, answer.as_of)
    );
    answer.because(text, Some(&line.line));
}

/// What ends a session besides a destroy and the end of its node.
fn fails(session: &Session) -> String {
    let checks: Vec<&str> = session.all_checks().collect();
    if !session.has_all_checks() {
        return ", or a check that it rests on becomes critical; the list does not have all of \
                these"
            .into();
    }
    if checks.is_empty() {
        return String::new();
    }
    let (node, checks) = (&session.node, checks.join(", "));
    format!(", or a check on {node} that it rests on becomes critical: {checks}")
}

/// The holder is in no list of sessions.
fn unlisted(incident: &Incident, answer: &mut Answer, id: &str) {
    let (key, name) = (answer.key.clone(), incident.name_of(id));
    answer.earliest = Some(answer.as_of);
    answer.missing.push(Missing::session(id, &name));
    let mut lists = incident.session_lists();
    answer.sentence = match lists.next_back() {
        None => format!(
            "{key} is held by {name}. How long is not known without /v1/session/list: its TTL and \
             its lock-delay are there."
        ),
        Some(list) => {
            let other = match &list.scope {
                Scope::AllSessions => "the lists are of two clusters or namespaces",
                Scope::Session(session) if session == id => {
                    "the lists are of two clusters or namespaces"
                }
                _ => "that list is of some sessions only",
            };
            format!(
                "{key} is held by {name}, which is not in {}. Either {other}, or the lists are of \
                 two moments and the session has ended; then a lock-delay may last until {} or \
                 later.",
                list.name(),
                incident.clock(after(answer.as_of, LOCK_DELAY_MAX), answer.as_of)
            )
        }
    };
}
