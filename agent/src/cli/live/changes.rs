//! What has changed between two readings of a cluster, as lines: the state of each key, what the
//! log of the agent has of it, and whether the holders renew their sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lictor_incident::{Answer, AnswerKind, Incident};
use serde_json::{Value, json};

use super::passes::Wanted;

/// The most lines of a log that are remembered, so that each is shown once.
const REMEMBERED: usize = 20_000;
/// The interval between renewals has changed if it is longer or shorter by this factor.
const RHYTHM: f64 = 1.3;

/// A line for people, and what it is for a program.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) kind: &'static str,
    pub(super) text: String,
    pub(super) key: Option<String>,
    /// The times between which it changed, by the heads of two answers.
    pub(super) between: Option<(Timestamp, Timestamp)>,
    pub(super) answer: Option<Value>,
}

impl Line {
    pub(super) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), key: None, between: None, answer: None }
    }

    pub(super) fn to_json(&self, time: Timestamp) -> Value {
        let between = self.between.map(|(from, to)| [from, to].map(|it| format!("{it:.3}")));
        json!({
            "time": format!("{time:.3}"),
            "change": self.kind,
            "key": self.key,
            "text": self.text,
            "between": between,
            "answer": self.answer,
        })
    }
}

/// What was said about a key. What moves by itself, such as the end of a session that is renewed,
/// is no part of it.
#[derive(Clone, Debug, PartialEq)]
struct State {
    kind: AnswerKind,
    holder: Option<String>,
    likely: Option<String>,
    /// The end of a lock-delay.
    until: Option<Timestamp>,
    /// Whether a slot of a semaphore is certainly free.
    has_slot: bool,
    believers: Vec<String>,
}

impl State {
    fn of(answer: &Answer) -> Self {
        let is_delayed = answer.kind == AnswerKind::Delayed;
        Self {
            kind: answer.kind,
            holder: answer.holder.clone(),
            likely: answer.likely.clone(),
            until: answer.latest.filter(|_| is_delayed),
            has_slot: answer.kind == AnswerKind::Semaphore
                && answer.latest.is_some_and(|latest| latest <= answer.as_of),
            believers: answer.mismatches.iter().map(|it| it.text.clone()).collect(),
        }
    }

    /// The state, or the former one if this reading only shows less of it: nobody has held the key
    /// meanwhile.
    fn after(self, former: Option<&Self>, answer: &Answer, has_changed: bool) -> Self {
        let Some(former) = former.filter(|_| self.kind == AnswerKind::MaybeDelayed) else {
            return self;
        };
        let is_weaker = match former.kind {
            AnswerKind::Free => !has_changed,
            AnswerKind::Delayed => !has_changed || answer.latest <= former.until,
            _ => false,
        };
        if is_weaker { former.clone() } else { self }
    }
}

/// How a holder renews its session.
#[derive(Debug)]
struct Rhythm {
    last: Timestamp,
    /// When the log is looked at for the next one; `None` if it was missed, or if no period is
    /// known.
    check_at: Option<Instant>,
    period: Option<Duration>,
    /// The period that was said last.
    said: Option<Duration>,
    is_missed: bool,
}

/// What was said until now.
#[derive(Debug, Default)]
pub(super) struct Said {
    keys: BTreeMap<String, State>,
    has_begun: bool,
    rhythms: BTreeMap<String, Rhythm>,
    /// The sessions that have held a key.
    holders: BTreeSet<String>,
    /// The lines of the log that were read, and the texts since the last change of a key.
    lines: BTreeSet<(Timestamp, String)>,
    texts: BTreeSet<String>,
}

impl Said {
    /// Whether a session has held a key.
    pub(super) fn holders(&self) -> impl Iterator<Item = &str> {
        self.holders.iter().map(String::as_str)
    }

    /// The last end of a lock-delay that was named.
    pub(super) fn last_delay(&self) -> Option<Timestamp> {
        self.keys.values().filter_map(|state| state.until).max()
    }

    /// The lines that a reading adds.
    pub(super) fn update(
        &mut self,
        incident: &Incident,
        wanted: Wanted<'_>,
        between: Option<(Timestamp, Timestamp)>,
    ) -> Vec<Line> {
        let answers = wanted.answers(incident);
        let mut lines = self.of_log(incident, wanted);
        let states = self.states(incident, wanted, &answers, between);
        if !states.is_empty() {
            self.texts.clear();
        }
        lines.extend(states);
        lines.extend(self.rhythms(incident, &answers));
        self.has_begun = true;
        lines
    }

    fn states(
        &mut self,
        incident: &Incident,
        wanted: Wanted<'_>,
        answers: &[Answer],
        between: Option<(Timestamp, Timestamp)>,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut known = std::mem::take(&mut self.keys);
        for answer in answers {
            let former = known.remove(&answer.key);
            let state = State::of(answer).after(former.as_ref(), answer, between.is_some());
            self.holders.extend(state.holder.clone());
            if former.as_ref() != Some(&state) {
                let line = of_change(incident, answer, former.as_ref(), &state, self.has_begun);
                let between = between.filter(|_| self.has_begun);
                lines.push(Line { between: until(between, answer.as_of), ..line });
            }
            self.keys.insert(answer.key.clone(), state);
        }
        let gone = |key: String| {
            let text = format!("there is no key {key} any more");
            let between = until(between, incident.as_of());
            Line { key: Some(key), between, ..Line::new("gone", text) }
        };
        lines.extend(known.into_keys().map(gone));
        if let (false, Wanted::Key(key), []) = (self.has_begun, wanted, answers) {
            lines.push(Line {
                key: Some(key.into()),
                ..Line::new("state", format!("there is no key {key}"))
            });
        }
        lines
    }

    /// The lines of the log that were not shown yet; each text once until a key changes.
    pub(super) fn of_log(&mut self, incident: &Incident, wanted: Wanted<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        for observed in incident.changes_of(&|key| wanted.includes(key), &self.holders) {
            let id = observed.line.as_ref().map_or_else(String::new, |line| line.text.clone());
            if self.lines.insert((observed.time, id)) && self.texts.insert(observed.text.clone()) {
                let time = incident.write_time(observed.time);
                lines.push(Line::new("log", format!("{time} {}", observed.text)));
            }
        }
        while self.lines.len() > REMEMBERED {
            self.lines.pop_first();
        }
        lines
    }

    fn rhythms(&mut self, incident: &Incident, answers: &[Answer]) -> Vec<Line> {
        let mut lines = Vec::new();
        let holders: BTreeSet<&str> =
            answers.iter().filter_map(|it| it.holder.as_deref()).collect();
        self.rhythms.retain(|session, _| holders.contains(session.as_str()));
        for session in holders {
            let times: Vec<Timestamp> = incident.renewals(session).collect();
            let Some(last) = times.last().copied() else { continue };
            let period = times.iter().rev().nth(1).map(|before| last.duration_since(*before));
            let period = period.map(jiff::SignedDuration::unsigned_abs);
            let rhythm = self.rhythms.entry(session.into()).or_insert_with(|| Rhythm {
                last: Timestamp::MIN,
                check_at: None,
                period: None,
                said: None,
                is_missed: false,
            });
            if rhythm.last == last {
                continue;
            }
            let was_missed = std::mem::take(&mut rhythm.is_missed);
            rhythm.last = last;
            let name = incident.name_of(session);
            let known = rhythm.period.filter(|_| was_missed).or(period);
            rhythm.check_at = known.map(|period| Instant::now() + patience(period));
            if was_missed {
                // The distance to the renewal before is no period.
                let text = format!("{name} is renewed again, at {}", incident.write_time(last));
                lines.push(Line::new("renewals", text));
                continue;
            }
            rhythm.period = period;
            let Some(period) = period else { continue };
            let differs = |said: Duration| {
                let ratio = period.as_secs_f64() / said.as_secs_f64();
                !(1.0 / RHYTHM..RHYTHM).contains(&ratio)
            };
            if rhythm.said.is_none_or(differs) {
                rhythm.said = Some(period);
                let every = period.as_secs_f64();
                let last = incident.write_time(last);
                let text = format!("{name} is renewed every {every:.1} s, last at {last}");
                lines.push(Line::new("renewals", text));
            }
        }
        lines
    }

    /// When the log is to be looked at again, as it may lack a renewal.
    pub(super) fn next_check(&self) -> Option<Instant> {
        self.rhythms.values().filter_map(|rhythm| rhythm.check_at).min()
    }

    /// Puts the checks that are due off by this time.
    pub(super) fn put_off(&mut self, by: Duration) {
        let now = Instant::now();
        let due = self.rhythms.values_mut().filter(|it| it.check_at.is_some_and(|at| at <= now));
        due.for_each(|rhythm| rhythm.check_at = Some(now + by));
    }

    /// The renewals that the log lacks, which has every request to the agent until a time.
    pub(super) fn missed(
        &mut self,
        incident: &Incident,
        wanted: Wanted<'_>,
        until: Timestamp,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        for (session, rhythm) in &mut self.rhythms {
            let Some(period) = rhythm.period.filter(|_| rhythm.check_at.is_some()) else {
                continue;
            };
            let since_last = until.duration_since(rhythm.last).unsigned_abs();
            if until < rhythm.last || since_last < patience(period) {
                continue;
            }
            rhythm.check_at = None;
            rhythm.is_missed = true;
            let mut text = format!(
                "the log of this agent has no renewal of {} since {}, for {:.1} s; it was renewed \
                 every {:.1} s before",
                incident.name_of(session),
                incident.write_time(rhythm.last),
                since_last.as_secs_f64(),
                period.as_secs_f64()
            );
            let answers = wanted.answers(incident);
            let held = answers.iter().find(|it| it.holder.as_deref() == Some(session.as_str()));
            if let Some(answer) = held {
                text += &format!(". {}", headline(incident, answer));
            }
            lines.push(Line::new("missed", text));
        }
        lines
    }
}

/// A renewal is missed half a period, and a second, after it was due.
fn patience(period: Duration) -> Duration {
    period * 3 / 2 + Duration::from_secs(1)
}

/// The times between which a key changed whose state is of this moment: the lists can show a later
/// change than the answer of the blocking query.
fn until(
    between: Option<(Timestamp, Timestamp)>,
    moment: Timestamp,
) -> Option<(Timestamp, Timestamp)> {
    between.map(|(from, to)| (from, to.max(moment)))
}

/// The first line of an answer with its moment, from which its distances count. The moment often
/// comes from a `Date` header, which has whole seconds.
fn headline(incident: &Incident, answer: &Answer) -> String {
    let line = incident.headline(answer);
    let has_moment = answer.is_assumed || answer.as_of < incident.as_of();
    if has_moment {
        return line;
    }
    let moment = incident.write_time(answer.as_of);
    format!("{line}, as of {}", moment.split('.').next().unwrap_or_default())
}

/// The line for a key whose state has changed.
fn of_change(
    incident: &Incident,
    answer: &Answer,
    former: Option<&State>,
    state: &State,
    has_begun: bool,
) -> Line {
    let old = former.and_then(|former| former.holder.as_deref());
    let (kind, word) = match (old, state.holder.as_deref()) {
        // What happened while it was not known who holds the key is not known, either.
        _ if !has_begun || former.is_some_and(|it| it.kind == AnswerKind::Unknown) => ("state", ""),
        (None, Some(_)) => ("acquired", "acquired: "),
        (Some(old), Some(new)) if old != new => ("taken", "taken over: "),
        (Some(old), None) if incident.has_ended(old) => ("ended", "its holder ended: "),
        (Some(_), None) if state.kind == AnswerKind::Unknown => ("state", ""),
        (Some(_), None) => ("lost", "not held any more: "),
        _ => ("state", ""),
    };
    let mut text = format!("{word}{}", headline(incident, answer));
    let reason = answer.reasons.first().filter(|_| matches!(kind, "ended" | "lost"));
    if state.kind == AnswerKind::Unknown {
        text += &format!(". {}", answer.sentence.trim_end_matches('.'));
    } else if let Some(reason) = reason {
        text += &format!("; because {}", reason.text);
    }
    if let Some(old) = old.filter(|old| incident.has_ended(old)) {
        let name = incident.name_of(old);
        text += &format!(". A client of {name} that has not released the lock may still use it");
    }
    for believer in &state.believers {
        text += &format!(". {believer}");
    }
    let answer_json = Some(incident.answer_to_json(answer));
    Line { key: Some(answer.key.clone()), answer: answer_json, ..Line::new(kind, text) }
}
