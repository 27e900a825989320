//! A key that nobody holds: whether a lock-delay still refuses each acquire, and until when.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;
use lictor_core::engine::LOCK_DELAY_MAX;

use crate::answer::{Answer, AnswerKind, Bounds, Reason};
use crate::ends::taken;
use crate::facts::{Coverage, Incident, Observation};
use crate::lists::KeyEntry;
use crate::log::{LogEvent, Request};
use crate::source::Evidence;
use crate::time::{after, before, clock, seconds};

/// The end of a session that can have held the key.
struct Ended<'a> {
    session: &'a str,
    /// The line of its end; without one it ended at some time after the log named it.
    end: Option<&'a Observation>,
    after: Timestamp,
}

pub(crate) fn answer(incident: &Incident, key: &str, entry: Option<&KeyEntry>) -> Answer {
    let mut answer = Answer::new(key, AnswerKind::Free);
    answer.set(Bounds { earliest: incident.now, latest: incident.now });
    let exists = if entry.is_some() { "" } else { ", which is not in the list of keys" };
    match refusal(incident, key) {
        Some((until, line)) if until > incident.now => {
            delayed(incident, &mut answer, until, line);
        }
        Some((until, line)) if has_no_acquire_since(incident, key, until) => {
            answer.sentence = format!(
                "Nobody holds {key}{exists}, and nothing delays it since {}: an acquire is true \
                 now.",
                clock(until)
            );
            let text = format!("its lock-delay ended at {}", clock(until));
            answer.reasons.push(Reason::new(text, Some(&line.line)));
        }
        _ => perhaps_delayed(incident, &mut answer, exists, entry),
    }
    answer.reasons.extend(taken(incident));
    answer
}

/// The last line that refuses an acquire of the key because of its lock-delay.
fn refusal<'a>(incident: &'a Incident, key: &str) -> Option<(Timestamp, &'a Observation)> {
    incident.log.iter().rev().find_map(|observation| match &observation.event {
        LogEvent::LockDelay { key: refused, until } if refused == key => {
            Some((*until, observation))
        }
        _ => None,
    })
}

/// Whether the logs have every request, and no acquire of the key after a time.
fn has_no_acquire_since(incident: &Incident, key: &str, time: Timestamp) -> bool {
    let is_covered = incident.coverage.is_some_and(|coverage| coverage.from <= time);
    is_covered && !incident.acquires(key).any(|(_, line)| line.time > time)
}

fn delayed(incident: &Incident, answer: &mut Answer, until: Timestamp, line: &Observation) {
    let key = &answer.key;
    answer.kind = AnswerKind::Delayed;
    answer.asked = incident.asked(key, None, last_end(incident, key).map(|end| end.time));
    answer.sentence = format!(
        "Nobody holds {key}, and every acquire is false until {}: a lock-delay, since the session \
         of its holder ended.",
        clock(until)
    );
    let text = format!("the server names the end of the lock-delay, {}", clock(until));
    answer.reasons.push(Reason::new(text, Some(&line.line)));
    if let Some(end) = last_end(incident, key) {
        let text = format!("the session of its holder ended at {}", clock(end.time));
        answer.reasons.push(Reason::new(text, Some(&end.line)));
    }
    answer.set(Bounds { earliest: until, latest: until });
}

/// The last line with the end of a session that had tried to acquire the key.
fn last_end<'a>(incident: &'a Incident, key: &str) -> Option<&'a Observation> {
    let ends = ended_holders(incident, key).into_iter().filter_map(|ended| ended.end);
    ends.max_by_key(|end| end.time)
}

/// The session that held the key last and has ended, as far as the log says, with its end.
pub(crate) fn last_holder<'a>(
    incident: &'a Incident,
    key: &str,
) -> Option<(&'a str, Option<&'a Observation>)> {
    let ended = ended_holders(incident, key).into_iter();
    ended.max_by_key(|ended| ended.after).map(|ended| (ended.session, ended.end))
}

fn perhaps_delayed(
    incident: &Incident,
    answer: &mut Answer,
    exists: &str,
    entry: Option<&KeyEntry>,
) {
    let now = incident.now;
    let longest_ago = before(now, LOCK_DELAY_MAX);
    let covered =
        incident.coverage.filter(|coverage| coverage.from_birth || coverage.from <= longest_ago);
    let (key, mut latest) = (answer.key.clone(), now);
    for ended in possible_holders(incident, &key, covered) {
        let name = incident.name_of(ended.session);
        let delay = incident.session(ended.session).map(|session| session.lock_delay);
        let latest_end = ended.end.map_or(incident.taken, |end| end.time);
        let until = after(latest_end, delay.unwrap_or(LOCK_DELAY_MAX));
        if until <= now {
            continue;
        }
        latest = latest.max(until);
        let (text, line) = match ended.end {
            Some(end) => (
                format!("{name} ended at {} and may have held the key", clock(end.time)),
                Some(end),
            ),
            None => (
                format!(
                    "{name} is not in the session list: it ended after {} and may have held the \
                     key",
                    clock(ended.after)
                ),
                None,
            ),
        };
        answer.reasons.push(Reason::new(text, line.map(|line| &line.line)));
    }
    let mut some_ended = lines_since(incident, longest_ago);
    if let Some(line) = some_ended.rfind(|line| may_end_some(&line.event)) {
        latest = latest.max(after(line.time, LOCK_DELAY_MAX));
        let text = format!("sessions that rest on a check may have ended at {}", clock(line.time));
        answer.reasons.push(Reason::new(text, Some(&line.line)));
    }
    if covered.is_none() {
        latest = latest.max(after(now, LOCK_DELAY_MAX).min(unseen_end(incident)));
        let text = "the logs do not have all requests of the last 60 s, the longest lock-delay";
        answer.reasons.push(Reason::new(text.into(), None));
    }
    if latest > now {
        answer.kind = AnswerKind::MaybeDelayed;
        let since = last_end(incident, &key).map_or(longest_ago, |end| end.time);
        answer.asked = incident.asked(&key, None, Some(since));
        answer.latest = Some(latest);
        answer.sentence = format!(
            "Nobody holds {key}{exists}. An acquire is true from now on, or a lock-delay refuses \
             it until {} at the latest: {} after a session that held it ended.",
            clock(latest),
            seconds(LOCK_DELAY_MAX),
        );
        return;
    }
    answer.sentence =
        format!("Nobody holds {key}{exists}, and nothing delays it: an acquire is true now.");
    if entry.is_some_and(|entry| entry.lock_index > 0) {
        let text = "no session that has held it ended in the last 60 s: it was released";
        answer.reasons.push(Reason::new(text.into(), released(incident, &key)));
    }
}

fn may_end_some(event: &LogEvent) -> bool {
    matches!(event, LogEvent::EndsSome | LogEvent::Transaction)
}

fn lines_since(
    incident: &Incident,
    time: Timestamp,
) -> impl DoubleEndedIterator<Item = &Observation> {
    let first = incident.log.partition_point(|line| line.time < time);
    incident.log[first..].iter()
}

/// The sessions that have ended and can have held the key. Unless the log begins with the cluster,
/// a session can have acquired the key before it.
fn possible_holders<'a>(
    incident: &'a Incident,
    key: &str,
    covered: Option<Coverage>,
) -> Vec<Ended<'a>> {
    let mut holders = ended_holders(incident, key);
    if covered.is_some_and(|coverage| coverage.from_birth) && !incident.has_transactions() {
        return holders;
    }
    for line in lines_since(incident, before(incident.now, LOCK_DELAY_MAX)) {
        let Some(session) = line.event.session() else { continue };
        let is_known = holders.iter().any(|holder| holder.session == session);
        let end = incident.end_of(session).filter(|end| end.time == line.time);
        if let (false, Some(end)) = (is_known, end) {
            holders.push(Ended { session, end: Some(end), after: line.time });
        }
    }
    holders
}

/// The latest end of a lock-delay that began before the time from which the logs have every
/// request.
fn unseen_end(incident: &Incident) -> Timestamp {
    incident.coverage.map_or(Timestamp::MAX, |coverage| after(coverage.from, LOCK_DELAY_MAX))
}

fn released<'a>(incident: &'a Incident, key: &str) -> Option<&'a Arc<Evidence>> {
    let is_release =
        |line: &&Observation| matches!(line.event, LogEvent::Request(Request::Release { .. }));
    incident.lines_of_key(key).rfind(is_release).map(|line| &line.line)
}

/// The sessions that have tried to acquire the key and have ended.
fn ended_holders<'a>(incident: &'a Incident, key: &str) -> Vec<Ended<'a>> {
    let mut ended: Vec<Ended<'a>> = Vec::new();
    for (session, observation) in incident.acquires(key) {
        if let Some(known) = ended.iter_mut().find(|ended| ended.session == session) {
            known.after = observation.time;
            continue;
        }
        let end = incident.end_of(session);
        let is_listed = incident.session(session).is_some() || incident.sessions.is_none();
        if end.is_some() || !is_listed {
            ended.push(Ended { session, end, after: observation.time });
        }
    }
    ended
}
