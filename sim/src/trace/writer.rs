//! Writes events as lines of the line language, one for each event that is worth a line. It tracks
//! the names of sessions.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use lictor_core::engine::{Event, LockDelay, Timer, Wake};
use lictor_core::error::Cause;
use lictor_core::http::BadRequest;
use lictor_core::id::{Index, SessionId};
use lictor_core::message::{Answer, Response};
use lictor_core::store::catalog::Check;
use lictor_core::store::{Behavior, Change};

use super::faults::fault_words;
use super::program_acts::{program_event_words, used_words};
use super::requests::request_words;
use super::tokens::{quoted_word, span_word};
use super::{Names, SERVER, TraceLine};
use crate::call::{Call, CallStage, Outcome, Problem, Verdict};
use crate::event::{EventKind, Segment, SimEvent, Travel};
use crate::fault::{ActiveFault, Fault};

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
            Travel::SentAgain { .. } | Travel::Repeated { .. } => true,
            Travel::RequestLost { .. }
            | Travel::AnswerLost { .. }
            | Travel::Broken { .. }
            | Travel::Late { .. } => true,
        },
        EventKind::Server { event, .. } => match event {
            Event::Changed(Change::SessionEnded { cause, held, .. }) => {
                *cause != Cause::Requested || !held.is_empty()
            }
            Event::Changed(Change::CheckWritten { followed, .. }) => followed.is_some(),
            Event::Parked { .. }
            | Event::DelayArmed(_)
            | Event::DelayOver { .. }
            | Event::LeaderChanged { .. }
            | Event::Fired(Timer::CheckTtl(..)) => true,
            _ => false,
        },
    }
}

/// The trace of these events: one line for each event that has one.
pub fn trace_of(events: &[SimEvent]) -> String {
    let mut writer = TraceWriter::default();
    writer.lines_of(events).iter().map(|line| format!("{line}\n")).collect()
}

/// The names of sessions and the latest index, across events.
#[derive(Clone, Debug, Default)]
pub struct TraceWriter {
    /// The names of the sessions so far.
    pub names: Names,
    index: Index,
}

impl TraceWriter {
    /// Returns the lines of further events.
    pub fn lines_of(&mut self, events: &[SimEvent]) -> Vec<TraceLine> {
        events.iter().filter_map(|event| self.push_event(event)).collect()
    }

    fn push_event(&mut self, event: &SimEvent) -> Option<TraceLine> {
        self.names.learn(core::slice::from_ref(event));
        let (actor, what, outcome) = match &event.kind {
            EventKind::Sent(_) => return None,
            EventKind::Joined { actor } => (actor.to_string(), "joins".to_owned(), None),
            EventKind::Answered { call, outcome } => {
                self.of_call(call, self.outcome(outcome) + &self.found(call, outcome))
            }
            EventKind::Cancelled { call, stage, .. } => {
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
            EventKind::Server { index, event, call } => {
                self.index = *index;
                self.event(event, call.as_deref())?
            }
        };
        Some(TraceLine { index: Some(self.index), at: event.at, actor, what, outcome })
    }

    fn named(&self, text: &str) -> String {
        self.names.named(text, ToOwned::to_owned)
    }

    fn travel(&self, travel: &Travel) -> Option<(String, String, Option<String>)> {
        let (call, outcome) = match travel {
            Travel::Arrived { .. } | Travel::HungUp { .. } => return None,
            Travel::RequestLost { call, .. } => (call, "the request is lost".to_owned()),
            Travel::AnswerLost { call, outcome, .. } => {
                (call, format!("{}, but the answer is lost", self.outcome(outcome)))
            }
            Travel::Broken { call, stage, failure, .. } => {
                let stage = stage_words(*stage);
                let broken = match failure {
                    Some(failure) => format!("fails, {stage}: {}", call.failure_text(failure)),
                    None => format!("broken, {stage}"),
                };
                (call, broken)
            }
            Travel::SentAgain { call, segment, number } => {
                let what = match segment {
                    Segment::Dial => "dials again",
                    Segment::Request => "sent again",
                    Segment::Answer => "the answer is sent again",
                };
                (call, format!("{what} ({number})"))
            }
            Travel::Repeated { call, .. } => (call, "repeated on a new connection".to_owned()),
            Travel::Late { call } => (call, "the answer comes too late".to_owned()),
        };
        Some(self.of_call(call, outcome))
    }

    /// A line about a call.
    fn of_call(&self, call: &Call, outcome: String) -> (String, String, Option<String>) {
        (call.actor.to_string(), request_words(&call.request, &self.names), Some(outcome))
    }

    fn event(
        &self,
        event: &Event,
        call: Option<&Call>,
    ) -> Option<(String, String, Option<String>)> {
        let server = |what: String| Some((SERVER.to_owned(), self.named(&what), None));
        match event {
            Event::Changed(Change::SessionEnded { session, cause, held }) => {
                if *cause == Cause::Requested && held.is_empty() {
                    return None;
                }
                let held: Vec<String> = held.iter().map(ToString::to_string).collect();
                let verb = match session.behavior {
                    Behavior::Delete => "deletes",
                    _ => "releases",
                };
                let fate = match held.as_slice() {
                    [] => String::new(),
                    keys => format!(", {verb} {}", keys.join(", ")),
                };
                let name = self.names.of(session.id);
                server(format!("{name} ends: {}{fate}", self.named(&cause.to_string())))
            }
            Event::Changed(Change::CheckWritten { after, followed: Some(session), .. }) => {
                Some(self.followed(after, *session))
            }
            Event::DelayArmed(delay) => server(delay_words(delay)),
            Event::DelayOver { key } => server(format!("{key} can be locked again")),
            Event::LeaderChanged { .. } => server("has another leader".to_owned()),
            Event::LeaderLost { .. } => None,
            Event::Parked { .. } => Some(self.of_call(call?, "waits".to_owned())),
            Event::Fired(Timer::CheckTtl(node, check)) => {
                server(format!("check {} of {} lapses", check.as_str(), node.as_str()))
            }
            _ => None,
        }
    }

    /// The new status of a check that follows a session, and what that session did.
    fn followed(&self, check: &Check, session: SessionId) -> (String, String, Option<String>) {
        let name = self.names.of(session);
        let happened = if check.is_critical() { "ended" } else { "began" };
        let what = format!("check {} of {}", check.id, check.node);
        let outcome = format!("{}: {name} {happened}", check.status.as_str());
        (SERVER.to_owned(), self.named(&what), Some(outcome))
    }

    fn outcome(&self, outcome: &Outcome) -> String {
        if let Some(Problem::BadRequest(BadRequest::Moved { location, .. })) = outcome.problem() {
            return format!("redirect: to {location}, nothing was done");
        }
        let mut words = match (outcome.verdict(), &outcome.answer) {
            (Verdict::Ok, Ok(Response { answer: Answer::Created(id), .. })) => self.names.of(*id),
            (Verdict::Ok, _) => "ok".to_owned(),
            (Verdict::True, _) => match outcome.effects.locked {
                Some(lock_index) => format!("true lock={lock_index}"),
                None => "true".to_owned(),
            },
            (Verdict::False, _) => "false".to_owned(),
            (Verdict::Missing, _) => "missing".to_owned(),
            (Verdict::Error, _) => "error".to_owned(),
        };
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
        let value = quoted_word(&self.named(&String::from_utf8_lossy(&entry.value)));
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
