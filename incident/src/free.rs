//! A key that nobody holds: whether a lock-delay still refuses each acquire, and until when.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use jiff::Timestamp;
use lictor_core::engine::LOCK_DELAY_MAX;

use crate::answer::{Answer, AnswerKind, Bounds};
use crate::coverage::Coverage;
use crate::ends::Ended;
use crate::incident::{Incident, Observation};
use crate::later::Change;
use crate::listing::{Listing, Scope};
use crate::log::{LogEvent, Request};
use crate::merge::SeenKey;
use crate::missing::Missing;
use crate::time::{after, before, seconds};

/// The end of a session that can have held the key.
struct PossibleHolder<'a> {
    session: &'a str,
    /// Its end; without one it ended, if at all, after the log named it.
    end: Option<Ended<'a>>,
    asked: Timestamp,
}

/// The answer for a key that nobody holds by the list, and whose holders the log does not change.
pub(crate) fn answer(incident: &Incident, key: &str, seen: &SeenKey) -> Answer {
    let listing = incident.list_of(seen);
    let now = incident.as_of_key(seen);
    let mut answer = Answer::new(key, AnswerKind::Free, now);
    answer.is_assumed = listing.moment.is_assumed();
    answer.set(Bounds { earliest: now, latest: now });
    match refusal(incident, key) {
        Some((until, line)) if until > now => refused(incident, &mut answer, until, line),
        Some((until, line)) if has_no_acquire_since(incident, key, until) => {
            let until = incident.clock(until, now);
            answer.sentence = format!(
                "Nobody holds {key}{}, and nothing delays it since {until}: an acquire is true \
                 now.",
                exists(incident, seen),
            );
            answer.because(format!("its lock-delay ended at {until}"), Some(&line.line));
        }
        _ => perhaps_delayed(incident, &mut answer, seen),
    }
    answer
}

/// The answer for a key that lost its holder after the list, by a log that has every request since,
/// or by a lock-delay that still lasts.
pub(crate) fn changed(incident: &Incident, key: &str, change: &Change<'_>) -> Answer {
    let now = incident.now.max(change.time());
    let mut answer = Answer::new(key, AnswerKind::Free, now);
    let (how, line) = describe(incident, change, now);
    let delay = incident.delay_after(change).filter(|delay| delay.latest > now);
    answer.set(Bounds { earliest: now, latest: now });
    if let Some(delay) = delay {
        let bounds = delay.not_before(now);
        answer.kind = AnswerKind::Delayed;
        let since = change.time();
        let in_vain = |time: Timestamp| since <= time && time < bounds.earliest;
        answer.asked = incident.asked(key, None, Some(since), in_vain);
        answer.sentence = format!(
            "Nobody holds {key} any more: {how}, and every acquire is false {} (lock-delay) while \
             the leader stays.",
            until(incident, bounds, now)
        );
        answer.set(bounds);
    } else {
        answer.sentence = format!("Nobody holds {key} any more: {how}. An acquire is true now.");
    }
    answer.because(how, line.map(|line| &line.line));
    answer
}

/// How a key lost its holder, in words, and the line that shows it.
pub(crate) fn describe<'a>(
    incident: &Incident,
    change: &Change<'a>,
    as_of: Timestamp,
) -> (String, Option<&'a Observation>) {
    let clock = |time| incident.clock(time, as_of);
    match change {
        Change::Released(line) => {
            let session = line.event.session().unwrap_or_default();
            let name = incident.name_of(session);
            (format!("{name} released it at {}", clock(line.time)), Some(line))
        }
        Change::Deleted(line) => (format!("it was deleted at {}", clock(line.time)), Some(line)),
        Change::Possible(line) => {
            let time = clock(line.time);
            let text = match line.event {
                LogEvent::Transaction => format!("a transaction may have changed it at {time}"),
                LogEvent::Unplaced(_) => format!(
                    "a request at {time} may have changed it, if the datacenter or namespace that \
                     it names is that of the lists"
                ),
                _ => format!("a delete by check-and-set may have deleted it at {time}"),
            };
            (text, Some(line))
        }
        Change::Refused { until, line } => {
            let text = format!(
                "the server refused an acquire at {}, because of a lock-delay until {}",
                clock(line.time),
                clock(*until)
            );
            (text, Some(line))
        }
        Change::Ended(ended) => (ended.text(incident, as_of), ended.line),
    }
}

/// What to add to the name of a key that a list covers and does not have.
fn exists(incident: &Incident, seen: &SeenKey) -> String {
    match seen.entry {
        Some(_) => String::new(),
        None => format!(", which is not in {}", incident.list_of(seen).name()),
    }
}

/// The last line that refuses an acquire of the key because of its lock-delay.
pub(crate) fn refusal<'a>(
    incident: &'a Incident,
    key: &str,
) -> Option<(Timestamp, &'a Observation)> {
    incident.lines_of_key(key).rev().find_map(|line| match &line.event {
        LogEvent::LockDelay { until, .. } => Some((*until, line)),
        _ => None,
    })
}

/// Whether the logs have every request, and no acquire of the key after a time.
fn has_no_acquire_since(incident: &Incident, key: &str, time: Timestamp) -> bool {
    incident.covers(time, incident.now) && !may_be_acquired_since(incident, key, time)
}

/// Whether the logs have an acquire of the key after a time, or what may be one.
pub(crate) fn may_be_acquired_since(incident: &Incident, key: &str, time: Timestamp) -> bool {
    let is_acquire = |line: &&Observation| {
        matches!(
            line.event,
            LogEvent::Request(Request::Acquire { .. })
                | LogEvent::Unplaced(Request::Acquire { .. })
        )
    };
    let may_lock = |line: &&Observation| line.event == LogEvent::Transaction;
    let acquires = incident.lines_of_key(key).filter(is_acquire);
    acquires.chain(incident.broad_lines().filter(may_lock)).any(|line| line.time > time)
}

/// A server has refused an acquire, and named the end of the lock-delay.
pub(crate) fn refused(
    incident: &Incident,
    answer: &mut Answer,
    until: Timestamp,
    line: &Observation,
) {
    let key = answer.key.clone();
    answer.kind = AnswerKind::Delayed;
    // Before this line somebody may have held it.
    answer.as_of = answer.as_of.max(line.time);
    let same = |line: &&Observation| match line.event {
        LogEvent::LockDelay { until: other, .. } => other == until,
        _ => false,
    };
    let first = incident.lines_of_key(&key).find(same).map_or(line.time, |line| line.time);
    let end = last_end(incident, &key).filter(|end| end.bounds.latest <= first);
    let since = end.as_ref().map_or(first, |end| end.bounds.latest);
    let in_vain = |time: Timestamp| since <= time && time < until;
    // The line of a refused request follows the one about the lock-delay.
    answer.asked = incident.asked(&key, None, Some(before(since, ONE_NANO)), in_vain);
    let time = incident.clock(until, answer.as_of);
    answer.sentence = format!(
        "Nobody holds {key}, and every acquire is false until {time} while the leader stays: a \
         lock-delay, since the session of its holder ended."
    );
    let text = format!("the server names the end of the lock-delay, {time}");
    answer.because(text, Some(&line.line));
    if let Some(end) = end {
        let text = format!("{}, and had asked for it", end.text(incident, answer.as_of));
        answer.because(text, end.line.map(|line| &line.line));
    }
    answer.set(Bounds { earliest: until, latest: until });
}

const ONE_NANO: core::time::Duration = core::time::Duration::from_nanos(1);

/// The last end of a session that had tried to acquire the key.
fn last_end<'a>(incident: &'a Incident, key: &str) -> Option<Ended<'a>> {
    let ends = possible_holders(incident, key).into_iter().filter_map(|holder| holder.end);
    ends.max_by_key(|end| end.bounds.latest)
}

/// The session that held the key last and has ended, as far as the log says, with its end.
pub(crate) fn last_holder<'a>(
    incident: &'a Incident,
    key: &str,
) -> Option<(&'a str, Option<Ended<'a>>)> {
    let ended = possible_holders(incident, key).into_iter();
    ended.max_by_key(|ended| ended.asked).map(|ended| (ended.session, ended.end))
}

/// The last list that shows the key with a session: the session, and the earliest time of the list.
/// Whatever delayed the key before was over when this session acquired it.
fn last_held<'a>(incident: &'a Incident, key: &str) -> Option<(&'a str, Timestamp)> {
    let is_certain = |listing: &&Listing| listing.moment.stale.is_none();
    incident.key_lists().filter(is_certain).rev().find_map(|listing| {
        let entry = listing.entries.keys().iter().find(|entry| entry.key == key)?;
        Some((entry.session.as_deref()?, listing.moment.earliest?))
    })
}

fn perhaps_delayed(incident: &Incident, answer: &mut Answer, seen: &SeenKey) {
    let now = answer.as_of;
    let held = last_held(incident, &answer.key);
    let since = held.map(|(_, time)| time);
    let longest_ago = before(now, LOCK_DELAY_MAX).max(since.unwrap_or(Timestamp::MIN));
    let coverage = incident.coverage.filter(|coverage| coverage.has(now));
    let covered = coverage.filter(|coverage| coverage.from_birth || coverage.from <= longest_ago);
    let key = answer.key.clone();
    // The latest end of a lock-delay, and its span.
    let mut latest = (now, LOCK_DELAY_MAX);
    for holder in holders_of(incident, &key, covered, longest_ago) {
        let (_, longest) = incident.delay_of(holder.session);
        let latest_end = holder.end.as_ref().map_or(now, |end| end.bounds.latest);
        let until = after(latest_end, longest);
        let is_over = held.is_some_and(|(other, time)| {
            holder.session != other && holder.end.is_some() && latest_end <= time
        });
        if until <= now || is_over {
            continue;
        }
        latest = latest.max((until, longest));
        match &holder.end {
            Some(end) => {
                let text = format!("{}, and may have held the key", end.text(incident, now));
                answer.because(text, end.line.map(|line| &line.line));
            }
            None => answer.because(unlisted(incident, &holder, now), None),
        }
    }
    let mut some_ended = lines_since(incident, longest_ago);
    if let Some(line) = some_ended.rfind(|line| line.event.is_broad()) {
        latest = latest.max((after(line.time, LOCK_DELAY_MAX), LOCK_DELAY_MAX));
        let at = incident.clock(line.time, now);
        let text = format!("sessions that rest on a check may have ended at {at}");
        answer.because(text, Some(&line.line));
    }
    if covered.is_none() {
        let unseen =
            coverage.map_or(Timestamp::MAX, |coverage| after(coverage.from, LOCK_DELAY_MAX));
        latest = latest.max((after(now, LOCK_DELAY_MAX).min(unseen), LOCK_DELAY_MAX));
        let text = "the logs do not have all requests of the last 60 s, the longest lock-delay";
        answer.because(text, None);
        if let Some(text) = &incident.not_whole {
            answer.because(text.clone(), None);
        }
    }
    let exists = exists(incident, seen);
    let (latest, span) = latest;
    if latest > now {
        answer.kind = AnswerKind::MaybeDelayed;
        let since = last_end(incident, &key).map_or(longest_ago, |end| end.bounds.latest);
        answer.asked = incident.asked(&key, None, Some(since), |_| false);
        answer.latest = Some(latest);
        answer.sentence = format!(
            "Nobody holds {key}{exists}. Perhaps a lock-delay refuses each acquire until {} at the \
             latest, if the leader stays: {} after a session that held it ended.",
            incident.clock(latest, now),
            seconds(span),
        );
        answer.missing.push(Missing::logs());
        return;
    }
    answer.sentence =
        format!("Nobody holds {key}{exists}, and nothing delays it: an acquire is true now.");
    if seen.entry.as_ref().is_some_and(|entry| entry.lock_index > 0) {
        let text = "no session that can have held it ended in the last 60 s";
        answer.because(text, None);
    }
}

fn unlisted(incident: &Incident, holder: &PossibleHolder<'_>, as_of: Timestamp) -> String {
    let name = incident.name_of(holder.session);
    let asked = incident.clock(holder.asked, as_of);
    let mut lists = incident.session_lists();
    match lists.next_back() {
        Some(list) if list.scope == Scope::AllSessions && !list.moment.is_assumed() => format!(
            "{name} asked for the key at {asked}, and is not in {}: it ended after that, and may \
             have held the key",
            list.name()
        ),
        Some(list) => format!(
            "{name} asked for the key at {asked}, and is not in {}: it may live, or have ended \
             after that",
            list.name()
        ),
        None => format!("{name} asked for the key at {asked}, and may have ended after that"),
    }
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
fn holders_of<'a>(
    incident: &'a Incident,
    key: &str,
    covered: Option<Coverage>,
    longest_ago: Timestamp,
) -> Vec<PossibleHolder<'a>> {
    let mut holders = possible_holders(incident, key);
    if covered.is_some_and(|coverage| coverage.from_birth) && !incident.has_transactions() {
        return holders;
    }
    for line in lines_since(incident, longest_ago) {
        let Some(session) = line.event.session() else { continue };
        let is_known = holders.iter().any(|holder| holder.session == session);
        let end = incident.end_of(session).filter(|end| end.bounds.latest == line.time);
        if let (false, Some(end)) = (is_known, end) {
            holders.push(PossibleHolder { session, end: Some(end), asked: line.time });
        }
    }
    holders
}

/// The sessions that have asked for the key and have ended, or may have.
fn possible_holders<'a>(incident: &'a Incident, key: &str) -> Vec<PossibleHolder<'a>> {
    let mut ended: Vec<PossibleHolder<'a>> = Vec::new();
    for (session, observation) in incident.acquires(key) {
        if let Some(known) = ended.iter_mut().find(|ended| ended.session == session) {
            known.asked = observation.time;
            continue;
        }
        let end = incident.end_of(session);
        let is_listed = incident.session(session).is_some();
        if end.is_some() || !is_listed {
            ended.push(PossibleHolder { session, end, asked: observation.time });
        }
    }
    ended
}

fn until(incident: &Incident, bounds: Bounds, as_of: Timestamp) -> String {
    let [earliest, latest] =
        [bounds.earliest, bounds.latest].map(|time| incident.clock(time, as_of));
    if earliest == latest {
        format!("until {earliest}")
    } else {
        format!("until a time from {earliest} to {latest}")
    }
}
