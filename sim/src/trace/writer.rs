//! Writes events as lines of the line language, one for each event that is worth a line. It tracks
//! the names of sessions and the pending calls. Failed tests and scenarios use it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::faults::fault_words;
use super::program_acts::{program_event_words, used_words};
use super::requests::request_words;
use super::tokens::{quoted, span_word};
use super::{Names, SERVER, TraceLine};
use crate::call::{Call, CallStage, Outcome, Verdict};
use crate::event::{EventKind, SimEvent, Travel};
use crate::fault::{ActiveFault, Fault};
use alloc::collections::BTreeMap;
use lictor_core::engine::{Event, LockDelay, Timer, Wake};
use lictor_core::error::Cause;
use lictor_core::id::{Index, RequestId, SessionId};
use lictor_core::store::Change;

/// Whether an event has a line of its own.
pub fn is_event(event: &SimEvent) -> bool {
    match &event.kind {
        EventKind::Sent { .. } => false,
        EventKind::Joined { .. }
        | EventKind::Answered { .. }
        | EventKind::Cancelled { .. }
        | EventKind::Failed(_)
        | EventKind::Mended(_)
        | EventKind::Used(_) => true,
        EventKind::Program { event, .. } => program_event_words(event).is_some(),
        EventKind::Travel(travel) => match travel {
            Travel::Arrived { .. } | Travel::HungUp { .. } => false,
            Travel::RequestLost { .. }
            | Travel::AnswerLost { .. }
            | Travel::Broken { .. }
            | Travel::Late { .. } => true,
        },
        EventKind::Server { event, .. } => match event {
            Event::Changed(Change::SessionEnded { cause, held, .. }) => {
                *cause != Cause::Requested || !held.is_empty()
            }
            Event::Parked { .. }
            | Event::DelayArmed(_)
            | Event::DelayOver { .. }
            | Event::LeaderChanged { .. }
            | Event::Fired(Timer::CheckTtl(..)) => true,
            _ => false,
        },
    }
}

/// The lines of all these events.
pub fn story(events: &[SimEvent]) -> String {
    let mut writer = TraceWriter::default();
    writer.tell(events).iter().map(|line| format!("{line}\n")).collect()
}

/// Names of sessions and pending calls, across events.
#[derive(Clone, Debug, Default)]
pub struct TraceWriter {
    /// The names of the sessions so far.
    pub names: Names,
    index: Index,
    /// The pending calls, and their numbers at the server.
    calls: BTreeMap<RequestId, Arc<Call>>,
    /// Effects of the log entries since the last request that its answer does not state.
    did: Did,
}

#[derive(Clone, Debug, Default)]
enum Did {
    #[default]
    Nothing,
    Created(SessionId),
    Locked(u64),
}

impl TraceWriter {
    /// Returns the lines of further events.
    pub fn tell(&mut self, events: &[SimEvent]) -> Vec<TraceLine> {
        events.iter().filter_map(|event| self.push_event(event)).collect()
    }

    fn push_event(&mut self, event: &SimEvent) -> Option<TraceLine> {
        self.names.learn(core::slice::from_ref(event));
        let (actor, what, outcome) = match &event.kind {
            EventKind::Sent(call) => {
                self.calls.insert(call.id, call.clone());
                self.did = Did::Nothing;
                return None;
            }
            EventKind::Joined { actor } => (actor.to_string(), "joins".to_owned(), None),
            EventKind::Answered { call, outcome } => {
                self.calls.remove(&call.id);
                let found = self.found(call, outcome);
                let outcome = self.outcome(outcome) + &found;
                self.of_call(call, outcome)
            }
            EventKind::Cancelled { call, stage } => {
                let what = format!("cancels {}", call.id);
                (call.actor.to_string(), what, Some(stage_words(*stage)))
            }
            EventKind::Travel(travel) => self.travel(travel)?,
            EventKind::Failed(ActiveFault { fault, .. }) => {
                let mut what = String::new();
                fault_words(fault, &mut what);
                (actor_of(fault), what, None)
            }
            EventKind::Mended(ActiveFault { fault, .. }) => {
                let mut what = "mends ".to_owned();
                fault_words(fault, &mut what);
                (actor_of(fault), what, None)
            }
            EventKind::Program { program, actor, event } => {
                let what = format!("{program} {}", program_event_words(event)?);
                (actor.to_string(), self.named(&what), None)
            }
            EventKind::Used(used) => {
                let (what, outcome) = used_words(used);
                (used.actor.to_string(), self.named(&what), Some(self.named(&outcome)))
            }
            EventKind::Server { index, event } => {
                self.index = *index;
                self.event(event)?
            }
        };
        Some(TraceLine { index: Some(self.index), at: event.at, actor, what, outcome })
    }

    fn named(&self, text: &str) -> String {
        self.names.named(text, ToOwned::to_owned)
    }

    fn travel(&mut self, travel: &Travel) -> Option<(String, String, Option<String>)> {
        let (call, outcome) = match travel {
            Travel::Arrived { id, call } => {
                self.calls.insert(*id, call.clone());
                self.did = Did::Nothing;
                return None;
            }
            Travel::HungUp { .. } => return None,
            Travel::RequestLost { call, .. } => (call, "the request is lost".to_owned()),
            Travel::AnswerLost { call, outcome, .. } => {
                (call, format!("{}, but the answer is lost", self.outcome(outcome)))
            }
            Travel::Broken { call, stage } => (call, format!("broken, {}", stage_words(*stage))),
            Travel::Late { call } => (call, "the answer comes too late".to_owned()),
        };
        Some(self.of_call(call, outcome))
    }

    /// A line about a call.
    fn of_call(&self, call: &Call, outcome: String) -> (String, String, Option<String>) {
        (call.actor.to_string(), request_words(&call.request, &self.names), Some(outcome))
    }

    fn event(&mut self, event: &Event) -> Option<(String, String, Option<String>)> {
        if let Event::Changed(change) = event {
            self.note(change);
        }
        let server = |what: String| Some((SERVER.to_owned(), self.named(&what), None));
        match event {
            Event::Changed(change) => {
                let Change::SessionEnded { session, cause, held, .. } = change else { return None };
                if *cause == Cause::Requested && held.is_empty() {
                    return None;
                }
                let held: Vec<String> = held.iter().map(ToString::to_string).collect();
                let releases = if held.is_empty() {
                    String::new()
                } else {
                    format!(", releases {}", held.join(", "))
                };
                let name = self.names.of(session.id);
                server(format!("{name} ends: {cause}{releases}"))
            }
            Event::DelayArmed(delay) => server(delay_words(delay)),
            Event::DelayOver { key } => server(format!("{key} can be locked again")),
            Event::LeaderChanged { .. } => server("has another leader".to_owned()),
            Event::Parked { id, .. } => {
                let call = self.calls.get(id)?;
                Some(self.of_call(call, "waits".to_owned()))
            }
            Event::Fired(Timer::CheckTtl(node, check)) => {
                server(format!("check {} of {} lapses", check.as_str(), node.as_str()))
            }
            _ => None,
        }
    }

    fn note(&mut self, change: &Change) {
        match change {
            Change::SessionCreated(session) => self.did = Did::Created(session.id),
            Change::KeyWritten { before, after } => {
                let was = before.as_ref().and_then(|entry| entry.holder());
                if was.is_none() && after.hold.is_some() {
                    self.did = Did::Locked(after.lock_index);
                }
            }
            _ => {}
        }
    }

    fn outcome(&mut self, outcome: &Outcome) -> String {
        let verdict = outcome.verdict();
        let mut words = match verdict {
            Verdict::True => "true".to_owned(),
            Verdict::False => "false".to_owned(),
            Verdict::Ok => "ok".to_owned(),
            Verdict::Missing => "missing".to_owned(),
            Verdict::Error => "error".to_owned(),
        };
        match core::mem::take(&mut self.did) {
            Did::Created(id) if verdict == Verdict::Ok => words = self.names.of(id),
            Did::Locked(index) if verdict == Verdict::True => {
                words.push_str(&format!(" lock={index}"));
            }
            _ => {}
        }
        if let Some(reason) = outcome.reason() {
            words.push_str(&format!(": {}", self.named(&reason.to_string())));
        } else if let Some(problem) = outcome.problem() {
            let text = self.named(&problem.text());
            words.push_str(&format!(": {text}"));
        }
        if let Some(waited) = outcome.waited {
            words.push_str(&format!(" after {}", span_word(waited)));
        }
        let wake = outcome.wake.as_ref().filter(|wake| !wake.is_news() && **wake != Wake::TimeUp);
        if let Some(without_news) = wake {
            words.push_str(&format!(", as {without_news}"));
        }
        words
    }

    /// The entry that a read has found, if it is a single one.
    fn found(&self, call: &Call, outcome: &Outcome) -> String {
        let [entry] = call.entries_in(outcome) else { return String::new() };
        let value = quoted(&self.named(&String::from_utf8_lossy(&entry.value)));
        match entry.holder() {
            Some(holder) => format!(" value={value}, held by {}", self.names.of_ref(holder)),
            None => format!(" value={value}"),
        }
    }
}

fn actor_of(fault: &Fault) -> String {
    fault.actor().map_or_else(|| SERVER.to_owned(), ToString::to_string)
}

fn delay_words(delay: &LockDelay) -> String {
    format!("{} cannot be locked until {}", delay.key, delay.until)
}

fn stage_words(stage: CallStage) -> String {
    let words = match stage {
        CallStage::Sent => "on its way",
        CallStage::Waits => "it waited",
        CallStage::Done => "it was done",
        CallStage::Lost(_) => "it was lost",
    };
    words.to_owned()
}
