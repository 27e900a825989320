//! A key that a session holds: when the session ends if nobody renews it, and how long its
//! lock-delay keeps the key after that.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lictor_core::engine::LOCK_DELAY_MAX;

use crate::answer::{Answer, AnswerKind, Bounds, Reason};
use crate::ends::taken;
use crate::facts::{Incident, Observation};
use crate::lists::{KeyEntry, Session};
use crate::time::{after, clock, seconds};

pub(crate) fn answer(incident: &Incident, key: &KeyEntry, id: &str) -> Answer {
    let acquired = incident.acquires(&key.key).rfind(|(session, _)| *session == id);
    let mut answer = Answer::new(&key.key, AnswerKind::Held);
    answer.holder = Some(id.into());
    answer.asked = incident.asked(&key.key, Some(id), acquired.map(|(_, line)| line.time));
    match (incident.session(id), incident.end_of(id)) {
        (session, Some(end)) => ended(incident, &mut answer, id, session, end),
        (Some(session), None) => lives(incident, &mut answer, session),
        (None, None) => unlisted(incident, &mut answer, id),
    }
    answer.reasons.extend(taken(incident));
    answer
}

/// By the log, the session has ended, although the list of keys still names it as the holder.
fn ended(
    incident: &Incident,
    answer: &mut Answer,
    id: &str,
    session: Option<&Session>,
    end: &Observation,
) {
    let delay = session.map(|session| session.lock_delay);
    let bounds = Bounds {
        earliest: after(end.time, delay.unwrap_or_default()),
        latest: after(end.time, delay.unwrap_or(LOCK_DELAY_MAX)),
    };
    let bounds = bounds.not_before(incident.now);
    answer.kind = AnswerKind::Delayed;
    answer.holder = None;
    answer.set(bounds);
    answer.sentence = format!(
        "Nobody holds {} any more: {} ended at {}, and every acquire is false {} (lock-delay {}).",
        answer.key,
        incident.name_of(id),
        clock(end.time),
        until(bounds),
        delay.map_or("of at most 60 s".into(), seconds),
    );
    let text = format!("{} ended at {}", incident.name_of(id), clock(end.time));
    answer.reasons.push(Reason::new(text, Some(&end.line)));
}

fn lives(incident: &Incident, answer: &mut Answer, session: &Session) {
    let name = incident.name_of(&session.id);
    let key = answer.key.clone();
    let delay = session.lock_delay;
    let deleted = if session.deletes() { " and deletes the key" } else { "" };
    let delayed = if delay.is_zero() {
        "it has no lock-delay".into()
    } else {
        format!("lock-delay {}", seconds(delay))
    };
    let checks: Vec<&str> = session.all_checks().collect();
    let fails = match (checks.is_empty(), session.node.as_str()) {
        (true, _) => String::new(),
        (false, node) => {
            format!(
                ", or a check on {node} that it rests on becomes critical: {}",
                checks.join(", ")
            )
        }
    };
    let Some(ttl) = session.ttl.duration() else {
        answer.sentence = format!(
            "{key} is held by {name}, which has no TTL. It does not end before it is destroyed, or \
             its node is removed{fails}. Another client can take the key after that ({delayed})."
        );
        let text = format!("{name} has no TTL in the session list");
        answer.reasons.push(Reason::new(text, None));
        return;
    };
    let end = incident.end_by_ttl(session, ttl);
    let bounds = end.bounds.after(delay).not_before(incident.now);
    answer.set(bounds);
    answer.sentence = format!(
        "{key} is held by {name}, TTL {}, {}. If it is not renewed, it ends {} (2 x TTL){deleted}, \
         and another client can take the key {} ({delayed}).",
        seconds(ttl),
        end.reset,
        end.bounds.text(),
        bounds.text(),
    );
    answer.reasons.extend(end.reasons);
    let text = format!("{name} has a LockDelay of {}", seconds(delay));
    answer.reasons.push(Reason::new(text, None));
}

/// The list of sessions is missing, is incomplete, or was taken at another time.
fn unlisted(incident: &Incident, answer: &mut Answer, id: &str) {
    let (key, name) = (answer.key.clone(), incident.name_of(id));
    answer.earliest = Some(incident.now);
    answer.sentence = if incident.sessions.is_none() {
        format!(
            "{key} is held by {name}. How long is not known without /v1/session/list: its TTL and \
             its lock-delay are there."
        )
    } else {
        format!(
            "{key} is held by {name}, which is not in the session list. Either the list is of some \
             sessions only, or the session has just ended; then a lock-delay may last until {}.",
            clock(after(incident.now, LOCK_DELAY_MAX))
        )
    };
}

fn until(bounds: Bounds) -> String {
    let [earliest, latest] = [bounds.earliest, bounds.latest].map(clock);
    if earliest == latest {
        format!("until {earliest}")
    } else {
        format!("until a time from {earliest} to {latest}")
    }
}
