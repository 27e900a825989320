//! Who can take a key, and when, with what the answer rests on.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;

use crate::incident::Incident;
use crate::missing::Missing;
use crate::source::Evidence;
use crate::time::after;

/// Who can take a key, and when, if nobody acts and the leader stays.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The key.
    pub key: String,
    /// What the answer is about.
    pub kind: AnswerKind,
    /// The moment for which the answer holds: that of the list that has the key, or of the last
    /// line of a log that changes it.
    pub as_of: Timestamp,
    /// Whether nothing says when that list was taken, so that the moment is assumed.
    pub is_assumed: bool,
    /// The session that holds the key.
    pub holder: Option<String>,
    /// The session that holds it probably: the last one that asked for it in a log, which does not
    /// have the answer.
    pub likely: Option<String>,
    /// When the holder asked for it, by a log.
    pub since: Option<Timestamp>,
    /// When another client can take it, at the earliest. `None`: not as long as nobody acts.
    pub earliest: Option<Timestamp>,
    /// When another client can take it, at the latest. `None`: never, or unknown.
    pub latest: Option<Timestamp>,
    /// The answer in a sentence or two.
    pub sentence: String,
    /// What the answer rests on, in the order of importance.
    pub reasons: Vec<Reason>,
    /// What the logs of clients have about the key that contradicts the server. Each begins with
    /// "But", as it follows the sentence.
    pub mismatches: Vec<Reason>,
    /// The other sessions that have asked for it since it is not free.
    pub asked: Vec<Asked>,
    /// Commands that would help, to copy. What was shown proves that they harm no living holder.
    pub commands: Vec<String>,
    /// What is missing, and would show more.
    pub missing: Vec<Missing>,
}

/// What an [`Answer`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerKind {
    /// A session holds the key.
    Held,
    /// Nobody holds the key, and a lock-delay refuses each acquire.
    Delayed,
    /// Nobody holds the key, and perhaps a lock-delay refuses each acquire.
    MaybeDelayed,
    /// Nobody holds the key, and nothing delays it.
    Free,
    /// The document of a semaphore (`.lock`), which contenders change by check-and-set.
    Semaphore,
    /// What was shown does not say who holds the key.
    Unknown,
}

/// A statement, and the line that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The statement.
    pub text: String,
    /// The line, if there is one.
    pub line: Option<Arc<Evidence>>,
}

impl Reason {
    pub(crate) fn new(text: String, line: Option<&Arc<Evidence>>) -> Self {
        Self { text, line: line.cloned() }
    }
}

/// The attempts of one session to acquire a key that another one holds, or that is delayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The session.
    pub session: String,
    /// The session as people name it: its id up to the first hyphen, and its name.
    pub name: String,
    /// How often the log has it.
    pub times: usize,
    /// When it asked for the last time.
    pub last: Timestamp,
    /// Whether what was shown proves that each attempt was answered with `false`.
    pub in_vain: bool,
}

/// The times between which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
}

impl Bounds {
    pub(crate) fn after(self, duration: Duration) -> Self {
        Self { earliest: after(self.earliest, duration), latest: after(self.latest, duration) }
    }

    pub(crate) fn not_before(self, time: Timestamp) -> Self {
        Self { earliest: self.earliest.max(time), latest: self.latest.max(time) }
    }

    /// `at 09:11:02.124`, or `between` the two times, in a text about a moment.
    pub(crate) fn text(self, incident: &Incident, as_of: Timestamp) -> String {
        let [earliest, latest] =
            [self.earliest, self.latest].map(|time| incident.clock(time, as_of));
        if earliest == latest {
            format!("at {earliest}")
        } else {
            format!("between {earliest} and {latest}")
        }
    }
}

impl Answer {
    /// An answer without bounds, a sentence and reasons.
    pub(crate) fn new(key: &str, kind: AnswerKind, as_of: Timestamp) -> Self {
        Self {
            key: key.into(),
            kind,
            as_of,
            is_assumed: false,
            holder: None,
            likely: None,
            since: None,
            earliest: None,
            latest: None,
            sentence: String::new(),
            reasons: Vec::new(),
            mismatches: Vec::new(),
            asked: Vec::new(),
            commands: Vec::new(),
            missing: Vec::new(),
        }
    }

    pub(crate) fn because(&mut self, text: impl Into<String>, line: Option<&Arc<Evidence>>) {
        self.reasons.push(Reason::new(text.into(), line));
    }

    pub(crate) fn set(&mut self, bounds: Bounds) {
        self.earliest = Some(bounds.earliest);
        self.latest = Some(bounds.latest);
    }
}

impl Incident {
    /// The sessions other than the holder that have asked for the key since a time. `in_vain` says
    /// whether every acquire at a time is known to be false.
    pub(crate) fn asked(
        &self,
        key: &str,
        holder: Option<&str>,
        since: Option<Timestamp>,
        in_vain: impl Fn(Timestamp) -> bool,
    ) -> Vec<Asked> {
        let mut asked: BTreeMap<&str, Asked> = BTreeMap::new();
        for (session, observation) in self.acquires(key) {
            let is_after = since.is_none_or(|since| observation.time > since);
            if Some(session) == holder || !is_after {
                continue;
            }
            let entry = asked.entry(session).or_insert_with(|| Asked {
                session: session.into(),
                name: self.name_of(session),
                times: 0,
                last: observation.time,
                in_vain: true,
            });
            entry.times += 1;
            entry.last = observation.time;
            entry.in_vain &= in_vain(observation.time);
        }
        asked.into_values().collect()
    }

    /// A session as people name it: its id up to the first hyphen, and its name.
    pub fn name_of(&self, id: &str) -> String {
        let short = id.split('-').next().unwrap_or(id);
        match self.session(id).map(|session| session.name.as_str()) {
            None | Some("") => format!("session {short}"),
            Some(name) => format!("session {short} ({name})"),
        }
    }
}
