//! A key whose holder no source shows: the reason, and what the log shows about it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::answer::{Answer, AnswerKind};
use crate::free;
use crate::incident::{Incident, Observation};
use crate::later::{Change, Later};
use crate::lists::KeyEntry;
use crate::log::{LogEvent, Request};
use crate::merge::SeenKey;
use crate::missing::Missing;
use crate::moment::Staleness;

/// No list covers the key; a log names it.
pub(crate) fn no_list(incident: &Incident, key: &str) -> Answer {
    let mut answer = unknown(incident, key);
    if let Some((until, line)) = free::refusal(incident, key)
        && until > incident.now
        && !free::may_be_acquired_since(incident, key, until)
    {
        // A lock-delay lets nobody acquire the key before its end.
        free::refused(incident, &mut answer, until, line);
        return answer;
    }
    answer.missing.push(Missing::key(key));
    let why = why_no_list(incident, key);
    answer.sentence = format!("Who holds {key} is not known: {why}.");
    by_the_log(incident, &mut answer);
    answer
}

fn why_no_list(incident: &Incident, key: &str) -> String {
    let mut lists = incident.key_lists();
    match lists.next_back() {
        None => "no list of keys was shown".into(),
        Some(list) if list.head.is_filtered_by_acls => format!(
            "it is not in {}, which the ACLs have filtered: the token may not see all keys",
            list.name()
        ),
        Some(list) => {
            format!("it is not in {}, and nothing shows that this list covers {key}", list.name())
        }
    }
}

/// Two lists differ, and nothing says which is the older.
pub(crate) fn disputed(incident: &Incident, key: &str, seen: &SeenKey, other: usize) -> Answer {
    let mut answer = unknown(incident, key);
    let [one, other] = [seen.list, other].map(|list| incident.listings[list].name());
    answer.sentence = format!(
        "Who holds {key} is not known: {one} and {other} differ, and nothing says which is newer."
    );
    answer.missing.push(Missing::moment(&one));
    answer.missing.push(Missing::newer_key(key));
    by_the_log(incident, &mut answer);
    answer
}

/// The entry lacks members, so that a session that is missing means nothing.
pub(crate) fn dropped(incident: &Incident, seen: &SeenKey, entry: &KeyEntry) -> Answer {
    let mut answer = unknown(incident, &entry.key);
    let list = incident.list_of(seen);
    let why = if list.request.as_ref().is_some_and(|request| request.is_filtered) {
        "went through a program that may have dropped the Session of the key"
    } else {
        "has the key without all members that Consul writes, so that the missing Session means \
         nothing"
    };
    answer.sentence = format!("Who holds {} is not known: {} {why}.", entry.key, list.name());
    answer.missing.push(Missing::key(&entry.key));
    by_the_log(incident, &mut answer);
    answer
}

/// The list is of a server that has not seen the newest state.
pub(crate) fn stale(incident: &Incident, key: &str, seen: &SeenKey) -> Answer {
    let mut answer = unknown(incident, key);
    let list = incident.list_of(seen);
    let stale = list.moment.stale.map(Staleness::text).unwrap_or_default();
    let state = match seen.entry.as_ref().map(|entry| entry.session.as_deref()) {
        Some(Some(holder)) => format!("held by {}", incident.name_of(holder)),
        Some(None) => "held by nobody".into(),
        None => "no such key".into(),
    };
    answer.likely = seen.entry.as_ref().and_then(|entry| entry.session.clone());
    let leader = if list.head.has_no_leader { " That server had no leader." } else { "" };
    answer.sentence = format!(
        "Who holds {key} now is not known: {} {stale} ({state} then).{leader} It may be free \
         already.",
        list.name()
    );
    answer.missing.push(Missing::consistent(&list.name()));
    answer
}

/// The list of the key is much older than others: nothing shows who held the key meanwhile.
pub(crate) fn outdate(incident: &Incident, answer: &mut Answer, seen: &SeenKey) {
    let list = incident.list_of(seen).name();
    let [then, now] = [answer.as_of, incident.now].map(|time| incident.clock(time, answer.as_of));
    if matches!(answer.kind, AnswerKind::Held | AnswerKind::Semaphore) {
        answer.sentence += &format!(
            " That is as of {then}; whether it has changed until {now} is not known, as {list} is \
             older than the rest."
        );
    } else {
        answer.kind = AnswerKind::Unknown;
        answer.sentence = format!(
            "Who holds {} at {now} is not known: {list} is of {then}. Nobody held it then.",
            answer.key
        );
    }
    answer.commands.clear();
    answer.earliest = Some(answer.as_of);
    answer.latest = None;
    answer.missing.push(Missing::newer_key(&answer.key));
}

/// The log shows that the key has changed since the list, but not who holds it then.
pub(crate) fn changed(incident: &Incident, key: &str, seen: &SeenKey, later: &Later<'_>) -> Answer {
    let mut answer = unknown(incident, key);
    answer.as_of = later.time().map_or(answer.as_of, |time| answer.as_of.max(time));
    answer.earliest = Some(answer.as_of);
    answer.is_assumed = incident.list_of(seen).moment.is_assumed();
    let list = incident.list_of(seen);
    let holder = seen.entry.as_ref().and_then(|entry| entry.session.as_deref());
    let then = match holder {
        Some(holder) => format!("held by {}", incident.name_of(holder)),
        None => "held by nobody".into(),
    };
    let at = incident.clock(list.moment.latest, answer.as_of);
    let mut sentence = format!("Who holds {key} now is not known: {then} as of the list of {at}");
    if let Some(change) = &later.change {
        let (how, line) = free::describe(incident, change, answer.as_of);
        sentence += &format!("; since then {how}");
        answer.because(how, line.map(|line| &line.line));
    }
    if let Some((session, line)) = later.likely {
        let (name, time) = (incident.name_of(session), incident.clock(line.time, answer.as_of));
        answer.likely = Some(session.into());
        sentence += &format!(
            ". Probably {name} holds it, which asked for it at {time}; the log does not have the \
             answer"
        );
        answer.because(format!("{name} asked for it at {time}"), Some(&line.line));
    } else if matches!(
        later.change,
        Some(Change::Ended(_) | Change::Released(_) | Change::Deleted(_))
    ) {
        sentence += ". The logs do not have every request since the list, so that another session \
                     may hold it";
    }
    answer.sentence = sentence + ".";
    answer.missing.push(Missing::newer_key(key));
    answer
}

fn unknown(incident: &Incident, key: &str) -> Answer {
    let mut answer = Answer::new(key, AnswerKind::Unknown, incident.now);
    answer.earliest = Some(incident.now);
    answer
}

/// What the log says about the sessions that asked for the key.
fn by_the_log(incident: &Incident, answer: &mut Answer) {
    let (key, as_of) = (answer.key.clone(), answer.as_of);
    let clock = |line: &Observation| incident.clock(line.time, as_of);
    let mut asked: BTreeMap<&str, &Observation> = BTreeMap::new();
    asked.extend(incident.acquires(&key));
    let gave_up = |session: &str, since: &Observation| {
        let is_release = |line: &&Observation| match &line.event {
            LogEvent::Request(Request::Release { session: by, .. }) => {
                line.time >= since.time && by == session
            }
            _ => false,
        };
        incident.lines_of_key(&key).find(is_release)
    };
    let failed = incident.lines_of_key(&key).filter_map(|line| match &line.event {
        LogEvent::Failed(Request::Acquire { session, .. }) => Some((session, line)),
        _ => None,
    });
    for (session, line) in failed {
        let (name, time) = (incident.name_of(session), clock(line));
        let text = format!("{name} asked for {key} at {time}, which was refused with an error");
        answer.because(text, Some(&line.line));
    }
    let mut open = None;
    let mut lines: Vec<_> = asked.into_iter().collect();
    lines.sort_by_key(|(_, line)| line.time);
    let mut count = 0;
    for (session, line) in lines {
        let name = incident.name_of(session);
        let text = format!(
            "by the log, {name} asked for {key} at {}, which does not say what was answered",
            clock(line)
        );
        answer.because(text, Some(&line.line));
        if let Some(end) = incident.end_of(session) {
            answer.because(end.text(incident, as_of), end.line.map(|line| &line.line));
        } else if let Some(line) = gave_up(session, line) {
            answer.because(format!("{name} released it at {}", clock(line)), Some(&line.line));
        } else {
            (open, count) = (Some(session), count + 1);
        }
    }
    if let Some(session) = open.filter(|_| count == 1) {
        answer.likely = Some(session.into());
        let name = incident.name_of(session);
        answer.sentence += &format!(" By the log, {name} asked for it, and may hold it.");
    }
}
