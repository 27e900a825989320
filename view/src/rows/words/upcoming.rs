//! The texts of the next events after the cursor: a sentence, and a few words for a small card.

use std::sync::Arc;

use lictor_core::id::{SessionId, SessionRef};
use lictor_core::message::Operation;
use lictor_core::store::KvVerb;
use lictor_sim::Fault;
use lictor_sim::record::{EventCall, EventResult, Note, ServerCall};

use super::Words;
use crate::rows::{Deadline, Upcoming};

impl Words {
    /// The sentence of one of the next events.
    pub fn upcoming(&self, upcoming: &Upcoming) -> String {
        match upcoming {
            Upcoming::Due(Deadline::SentAgain { call, actor, segment }) => {
                let call = self.short_call(call, None);
                format!("{actor}{}{}", self.colon, (self.call_again)(&call, *segment))
            }
            Upcoming::Due(deadline) => (self.deadline)(deadline),
            Upcoming::Recorded(row) => {
                let (source, call) = (self.source(&row.source), self.call(&row.call));
                format!("{source}{}{call}{}{}", self.colon, self.comma, (self.reply)(&row.reply))
            }
        }
    }

    /// The same in a few words, for a small card. They do not name the client, whose badge is shown
    /// beside them.
    pub fn upcoming_short(&self, upcoming: &Upcoming) -> String {
        match upcoming {
            Upcoming::Due(Deadline::LockDelayOver { key }) => (self.requests.free)(&end_of(key)),
            Upcoming::Due(Deadline::WaitOver { .. }) => self.requests.wait_ends.to_owned(),
            Upcoming::Due(Deadline::Program { due, .. }) => (self.due)(*due).to_owned(),
            Upcoming::Due(Deadline::FaultBegins { fault }) => (self.fault)(fault),
            Upcoming::Due(Deadline::FaultEnds { fault: Fault::Cut { .. } }) => {
                self.restored.to_owned()
            }
            Upcoming::Due(Deadline::FaultEnds { fault }) => (self.repair)(fault),
            Upcoming::Due(Deadline::SentAgain { segment, .. }) => (self.again)(*segment).to_owned(),
            Upcoming::Due(deadline) => (self.deadline)(deadline),
            Upcoming::Recorded(row) => match &row.note {
                Note::SentAgain(segment, _) => (self.again)(*segment).to_owned(),
                _ => self.short_call(&row.call, Some(&row.reply)),
            },
        }
    }

    fn short_call(&self, call: &EventCall, reply: Option<&EventResult>) -> String {
        let words = &self.requests;
        let (http, sessions) = match call {
            EventCall::Http { call, sessions } => (call, sessions),
            EventCall::Server(ServerCall::LockDelayOver { key }) => {
                return (words.free)(&end_of(key));
            }
            call => return self.call(call),
        };
        let session = |id| label(sessions, id);
        match http.operation() {
            Some(Operation::CreateSession(_)) => words.creates.to_owned(),
            Some(Operation::RenewSession(id)) => (words.renews)(session(id)),
            Some(Operation::DestroySession(id)) => (words.destroys)(session(id)),
            Some(Operation::Read { wait: Some(_), .. }) => words.waits.to_owned(),
            Some(Operation::Read { .. }) => words.reads.to_owned(),
            Some(Operation::Kv { key, verb }) => match verb {
                KvVerb::Acquire { .. } if reply == Some(&EventResult::True) => {
                    (words.acquires)(key.as_str())
                }
                KvVerb::Acquire { .. } => (words.tries)(key.as_str()),
                KvVerb::Release { .. } => (words.releases)(key.as_str()),
                KvVerb::Set(_) | KvVerb::Cas { .. } => (words.writes)(key.as_str()),
                KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree => {
                    (words.deletes)(key.as_str())
                }
            },
            _ => self.call(call),
        }
    }
}

/// A key in at most eight characters: of a longer one an ellipsis and the last seven, as most keys
/// differ at their ends.
fn end_of(key: &str) -> String {
    const LETTERS: usize = 8;
    match key.chars().count().checked_sub(LETTERS) {
        None | Some(0) => key.to_owned(),
        Some(cut) => format!("…{}", key.chars().skip(cut + 1).collect::<String>()),
    }
}

/// The label of a session, or its id if it has no label.
fn label<'a>(sessions: &'a [(SessionId, Arc<str>)], id: &'a SessionRef) -> &'a str {
    let known = id.id().and_then(|id| sessions.iter().find(|(known, _)| *known == id));
    known.map_or(id.as_str(), |(_, label)| label)
}
