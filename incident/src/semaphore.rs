//! The document of a semaphore: which of its holders have ended, when a slot is free, and the
//! command that removes those that have ended.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::client;
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::Operation;
use lictor_core::store::{KvVerb, Write};
use lictor_recipes::{COORDINATION, SemaphoreDocument};

use crate::answer::{Answer, AnswerKind, Bounds, Reason};
use crate::ends::taken;
use crate::facts::Incident;
use crate::lists::KeyEntry;

/// Where an agent serves HTTP unless it is configured otherwise.
const ADDRESS: &str = "http://127.0.0.1:8500";

/// The document in a key, if it is one of a semaphore.
pub(crate) fn document(key: &KeyEntry) -> Option<SemaphoreDocument> {
    prefix(&key.key)?;
    read_document(key.value.as_ref()?)
}

/// Whether a value in base64 is the document of a semaphore.
pub(crate) fn is_document(value: &str) -> bool {
    read_document(value).is_some()
}

fn read_document(value: &str) -> Option<SemaphoreDocument> {
    let document = SemaphoreDocument::read(&STANDARD.decode(value).ok()?).ok()?;
    (document.limit > 0).then_some(document)
}

/// The prefix of a semaphore with this coordination key.
fn prefix(key: &str) -> Option<&str> {
    let prefix = key.strip_suffix(COORDINATION)?;
    (prefix.is_empty() || prefix.ends_with('/')).then_some(prefix)
}

pub(crate) fn answer(incident: &Incident, key: &KeyEntry, document: &SemaphoreDocument) -> Answer {
    let mut answer = Answer::new(&key.key, AnswerKind::Semaphore);
    let prefix = prefix(&key.key).unwrap_or_default();
    let contenders = incident.keys.range(String::from(prefix)..);
    let mut contenders = contenders.take_while(|(name, _)| name.starts_with(prefix));
    let has_contenders = contenders.any(|(name, _)| *name != key.key);
    let has_ended = |holder: &SessionRef| {
        let entry = incident.keys.get(&format!("{prefix}{}", holder.as_str()));
        let holds = entry.is_some_and(|entry| entry.session.as_deref() == Some(holder.as_str()));
        has_contenders && !holds || incident.end_of(holder.as_str()).is_some()
    };
    let (ended, alive): (Vec<_>, Vec<_>) =
        document.holders.iter().cloned().partition(|holder| has_ended(holder));
    for holder in &ended {
        let name = incident.name_of(holder.as_str());
        let text = format!("{name} is in Holders, but does not hold {prefix}{}", holder.as_str());
        let line = incident.end_of(holder.as_str()).map(|end| &end.line);
        answer.reasons.push(Reason::new(text, line));
    }
    if !has_contenders {
        let text = format!("the keys of the contenders below {prefix} are not in the list of keys");
        answer.reasons.push(Reason::new(text, None));
    }
    let is_full = i64::try_from(alive.len()).is_ok_and(|alive| alive >= document.limit);
    if is_full {
        full(incident, &mut answer, document.limit, &alive);
    } else {
        answer.set(Bounds { earliest: incident.now, latest: incident.now });
        answer.sentence = free_slot(incident, document, &key.key, &ended);
    }
    if !ended.is_empty() {
        let pruned = SemaphoreDocument { holders: alive, ..document.clone() };
        answer.commands.extend(command(key, &pruned));
    }
    answer.reasons.extend(taken(incident));
    answer
}

fn free_slot(
    incident: &Incident,
    document: &SemaphoreDocument,
    key: &str,
    ended: &[SessionRef],
) -> String {
    let (used, limit) = (document.holders.len(), document.limit);
    let used = format!("{used} of {limit} slots of the semaphore {key} are used");
    if ended.is_empty() {
        return format!("{used}: one is free now.");
    }
    let names: Vec<String> = ended.iter().map(|holder| incident.name_of(holder.as_str())).collect();
    format!(
        "{used}, {} of them by sessions that have ended: {}. A contender can take a slot now, when \
         it has removed them from Holders by check-and-set; no lock-delay applies to a slot.",
        ended.len(),
        names.join(" and ")
    )
}

/// All slots are used by sessions that live: one is free when the first of them ends.
fn full(incident: &Incident, answer: &mut Answer, limit: i64, alive: &[SessionRef]) {
    let sessions = alive.iter().filter_map(|holder| incident.session(holder.as_str()));
    let ends: Vec<_> = sessions
        .filter_map(|session| {
            Some((session, incident.end_by_ttl(session, session.ttl.duration()?)))
        })
        .collect();
    let key = &answer.key;
    let first = ends.iter().min_by_key(|(_, end)| end.bounds.latest);
    let Some((session, end)) = first else {
        answer.sentence = format!(
            "All {limit} slots of the semaphore {key} are used, and no session of their holders \
             is known to end by itself."
        );
        return;
    };
    let earliest = ends.iter().map(|(_, end)| end.bounds.earliest).min();
    let bounds = Bounds {
        earliest: earliest.unwrap_or(end.bounds.earliest).max(incident.now),
        latest: end.bounds.latest.max(incident.now),
    };
    answer.sentence = format!(
        "All {limit} slots of the semaphore {key} are used. If nobody renews, the first one is \
         free {}, when {} ends; no lock-delay applies to a slot.",
        bounds.text(),
        incident.name_of(&session.id),
    );
    let reasons = ends.iter().flat_map(|(_, end)| end.reasons.iter().cloned());
    answer.reasons.extend(reasons);
    answer.set(bounds);
}

/// The request that writes the document unless it was changed since, as a command of a shell. It
/// keeps the flags of the key.
fn command(key: &KeyEntry, document: &SemaphoreDocument) -> Option<String> {
    let write = Write { value: document.write().into(), flags: key.flags };
    let verb = KvVerb::Cas { write, expected: Index(key.modify_index) };
    let operation = Operation::Kv { key: Key::from(key.key.as_str()), verb };
    let request = client::encode(&operation).ok()?;
    let body = core::str::from_utf8(&request.body).ok()?;
    let address = format!("{ADDRESS}{}", request.target);
    Some(shell_words::join(["curl", "-X", "PUT", "-d", body, &address]))
}
