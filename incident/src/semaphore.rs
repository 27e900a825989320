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

use crate::address::Address;
use crate::answer::{Answer, AnswerKind, Bounds};
use crate::ends::End;
use crate::incident::{Incident, Observation};
use crate::later::touches;
use crate::listing::{Listing, Scope};
use crate::lists::{KeyEntry, Session};
use crate::merge::{SeenKey, is_before};
use crate::missing::Missing;

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

/// What is known of a holder in the document.
enum State {
    /// It holds its contender's key.
    Holds,
    /// It does not hold its key, by the same list, or its session has ended. The session cannot
    /// come back if its end was shown.
    Gone { has_ended: bool },
    /// Its key, or its session, was not shown.
    Unknown,
}

pub(crate) fn answer(
    incident: &Incident,
    seen: &SeenKey,
    key: &KeyEntry,
    document: &SemaphoreDocument,
) -> Answer {
    let mut answer = Answer::new(&key.key, AnswerKind::Semaphore, incident.as_of_key(seen));
    answer.is_assumed = incident.list_of(seen).moment.is_assumed();
    let prefix = prefix(&key.key).unwrap_or_default();
    let (mut gone, mut ended, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut latest = answer.as_of;
    for holder in &document.holders {
        let id = holder.as_str();
        let name = incident.name_of(id);
        match state(incident, seen, prefix, id) {
            State::Holds => others.push(holder.clone()),
            State::Gone { has_ended } => {
                let text = format!("{name} is in Holders, but does not hold {prefix}{id}");
                let end = incident.end_of(id);
                answer.because(text, end.as_ref().and_then(|it| it.line).map(|line| &line.line));
                let unlisted = unlisted_by(incident, seen, id).map(|it| it.moment.latest);
                let end = end.map(|end| end.bounds.latest).or(unlisted);
                latest = end.map_or(latest, |end| end.max(latest));
                if has_ended {
                    ended.push(holder.clone());
                } else {
                    answer.missing.push(Missing::is_alive(id, &name));
                }
                gone.push(holder.clone());
            }
            State::Unknown => {
                answer.because(format!("whether {name} holds {prefix}{id} was not shown"), None);
                answer.missing.push(Missing::contenders(prefix));
                others.push(holder.clone());
            }
        }
    }
    let is_full = i64::try_from(others.len()).is_ok_and(|others| others >= document.limit);
    if is_full {
        full(incident, &mut answer, document.limit, &others);
    } else {
        let bounds = Bounds { earliest: answer.as_of, latest };
        answer.set(bounds);
        answer.sentence = free_slot(incident, document, &key.key, &gone, bounds);
    }
    if let Some(line) = later(incident, seen, prefix) {
        let time = line.time.max(answer.as_of);
        answer.earliest = Some(answer.earliest.map_or(time, |known| known.min(time)));
        answer.latest = None;
        let at = incident.clock(line.time, answer.as_of);
        let text = format!("a contender's key changed, or was asked for, at {at}");
        answer.because(text, Some(&line.line));
    }
    // Only of those that have ended it is certain that they do not live.
    if !ended.is_empty() && !answer.is_assumed {
        let is_kept = |holder: &&SessionRef| !ended.contains(*holder);
        let holders = document.holders.iter().filter(is_kept).cloned().collect();
        let document = SemaphoreDocument { holders, ..document.clone() };
        answer.commands.extend(command(&incident.address, key, &document));
    }
    answer
}

/// The first line of a log after the document about a key below its prefix. Who uses the slots then
/// is not known.
fn later<'a>(incident: &'a Incident, seen: &SeenKey, prefix: &str) -> Option<&'a Observation> {
    let since = incident.list_of(seen).taken_earliest();
    let keys = incident.keys_of_log().filter(|key| key.starts_with(prefix));
    let broad = incident.broad_lines().filter(|line| touches(&line.event, prefix));
    let lines = keys.flat_map(|key| incident.lines_of_key(key)).chain(broad);
    lines.filter(|line| line.time >= since).min_by_key(|line| line.time)
}

fn state(incident: &Incident, document: &SeenKey, prefix: &str, id: &str) -> State {
    let name = format!("{prefix}{id}");
    let has_ended = incident.end_of(id).is_some() || unlisted_by(incident, document, id).is_some();
    if has_ended {
        return State::Gone { has_ended };
    }
    let listing = incident.list_of(document);
    match incident.keys.get(&name) {
        Some(seen) if seen.disputed_by.is_some() => State::Unknown,
        Some(SeenKey { entry: Some(entry), .. }) if !entry.is_holder_known => State::Unknown,
        Some(SeenKey { entry: Some(entry), .. }) if entry.session.as_deref() == Some(id) => {
            State::Holds
        }
        Some(seen) if seen.list >= document.list => State::Gone { has_ended },
        None if listing.scope.covers_key(&name) => State::Gone { has_ended },
        _ => State::Unknown,
    }
}

/// The first list of all sessions that is newer than the document, by their moments or by the index
/// of a session in it, if no list has the session.
fn unlisted_by<'a>(incident: &'a Incident, document: &SeenKey, id: &str) -> Option<&'a Listing> {
    let listing = incident.list_of(document);
    let written = document.entry.as_ref().map_or(u64::MAX, |entry| entry.modify_index);
    let is_later = |it: &&Listing| {
        let has_newer = it.entries.sessions().iter().any(|one| one.create_index > written);
        it.scope == Scope::AllSessions
            && !it.moment.is_assumed()
            && it.moment.stale.is_none()
            && (is_before(listing, it) || has_newer)
    };
    let is_listed = incident.alive.contains_key(id);
    incident.session_lists().find(is_later).filter(|_| !is_listed)
}

fn free_slot(
    incident: &Incident,
    document: &SemaphoreDocument,
    key: &str,
    gone: &[SessionRef],
    bounds: Bounds,
) -> String {
    let (used, limit) = (document.holders.len(), document.limit);
    let used = match (used, limit) {
        (1, 1) => format!("The only slot of the semaphore {key} is used"),
        _ => format!("{used} of {limit} slots of the semaphore {key} are used"),
    };
    if gone.is_empty() {
        return format!("{used}: one is free now.");
    }
    let names: Vec<String> = gone.iter().map(|holder| incident.name_of(holder.as_str())).collect();
    let (by, them) = match gone.len() {
        1 => ("1 of them by a session that does not hold its key any more".into(), "it"),
        many => {
            (format!("{many} of them by sessions that do not hold their keys any more"), "them")
        }
    };
    let when = if bounds.earliest == bounds.latest {
        "now".into()
    } else {
        format!("from {} on at the latest", incident.clock(bounds.latest, bounds.earliest))
    };
    format!(
        "{used}, {by}: {}. A contender can take a slot {when}, when it has removed {them} from \
         Holders by check-and-set; no lock-delay applies to a slot.",
        names.join(" and ")
    )
}

/// All slots are used, as far as is known: one is free when the first of the sessions ends.
fn full(incident: &Incident, answer: &mut Answer, limit: i64, holders: &[SessionRef]) {
    let key = answer.key.clone();
    let all = match limit {
        1 => format!("The only slot of the semaphore {key} is used"),
        _ => format!("All {limit} slots of the semaphore {key} are used"),
    };
    let mut ends = Vec::new();
    let mut is_any_unknown = false;
    for holder in holders {
        let session = incident.session(holder.as_str());
        is_any_unknown |= session.is_none_or(|session| session.ttl.is_none());
        if let Some((session, ttl)) = session.and_then(|it| Some((it, it.ttl()?))) {
            ends.push((session, incident.end_by_ttl(session, ttl, answer.as_of)));
        }
    }
    let first = ends.iter().min_by_key(|(_, end)| end.bounds.latest);
    let Some((session, end)) = first else {
        answer.earliest = is_any_unknown.then_some(answer.as_of);
        answer.sentence = format!(
            "{all}, and no session of their holders \
             is known to end by itself."
        );
        return;
    };
    let earliest = ends.iter().map(|(_, end)| end.bounds.earliest).min();
    let mut bounds = Bounds {
        earliest: earliest.unwrap_or(end.bounds.earliest).max(answer.as_of),
        latest: end.bounds.latest.max(answer.as_of),
    };
    // A holder of which too little was shown may have given its slot up, or have ended.
    let may_end = |(session, _): &(&Session, End)| {
        incident.may_end_by_check(session).is_some()
            || incident.unplaced_destroy(&session.id).is_some()
    };
    if is_any_unknown || !answer.missing.is_empty() || ends.iter().any(may_end) {
        bounds.earliest = answer.as_of;
    }
    answer.sentence = format!(
        "{all}. If nobody renews and the leader stays, the first one is \
         free {}, when {} ends; no lock-delay applies to a slot.",
        bounds.text(incident, answer.as_of),
        incident.name_of(&session.id),
    );
    let reasons = ends.iter().flat_map(|(_, end)| end.reasons.iter().cloned());
    answer.reasons.extend(reasons);
    answer.set(bounds);
}

/// The request that writes the document unless it was changed since, as a command of a shell. It
/// keeps the flags of the key.
fn command(address: &Address, key: &KeyEntry, document: &SemaphoreDocument) -> Option<String> {
    let write = Write { value: document.write().into(), flags: key.flags };
    let verb = KvVerb::Cas { write, expected: Index(key.modify_index) };
    let operation = Operation::Kv { key: Key::from(key.key.as_str()), verb };
    let request = client::encode(&operation).ok()?;
    let body = core::str::from_utf8(&request.body).ok()?;
    Some(address.command(&["-X", "PUT", "-d", body], &request.target))
}
