//! How the beliefs of clients about locks change with each event. A program reports its own belief;
//! the belief of a person follows only from the answers to their own requests. A crash ends the
//! beliefs of its host.
//!
//! This is the only derivation of beliefs, so that all counts and pictures of overlaps agree.

use lictor_core::http::AnswerKind;
use lictor_core::id::{ActorName, Key, ProgramName, SessionRef};
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::store::{Found, KvVerb, Query};
use lictor_recipes::Belief;
use serde::{Deserialize, Serialize};

use crate::call::{Call, Caller, Outcome};
use crate::event::{EventKind, ProgramEvent, SimEvent};
use crate::fault::Fault;

/// The person or the program that has a belief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Believer {
    /// The user of a client.
    Person(ActorName),
    /// A program on a client.
    Program {
        /// The program.
        name: ProgramName,
        /// Its client.
        actor: ActorName,
    },
}

impl Believer {
    /// The client of the person or the program.
    pub fn actor(&self) -> &ActorName {
        match self {
            Self::Person(actor) | Self::Program { actor, .. } => actor,
        }
    }
}

/// The belief that a session holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBelief {
    /// The believer.
    pub believer: Believer,
    /// The key of the lock.
    pub key: Key,
    /// The session.
    pub session: SessionRef,
}

/// What an event changes: first the beliefs of `ends` end, then the one of `begins` begins, unless
/// it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeliefChange {
    /// The beliefs that end.
    pub ends: Option<BeliefEnd>,
    /// The belief that begins.
    pub begins: Option<HeldBelief>,
}

/// A set of beliefs that end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeliefEnd {
    /// All beliefs of a program.
    All(Believer),
    /// All beliefs of a program except one: a program holds one lock at a time.
    AllBut(HeldBelief),
    /// All beliefs about a session, which a person has ended or could not renew.
    Session(Believer, SessionRef),
    /// One belief, after an acquire or a release that left the session without the lock.
    One(HeldBelief),
    /// The beliefs about a key and a session that is not the holder that a person has read.
    NotHolder {
        /// The reader.
        believer: Believer,
        /// The key.
        key: Key,
        /// The holder that the answer shows.
        holder: Option<SessionRef>,
    },
    /// All beliefs on a client that has crashed.
    Client(ActorName),
}

impl BeliefEnd {
    /// Whether this belief ends.
    pub fn includes(&self, believer: &Believer, key: &Key, session: &SessionRef) -> bool {
        match self {
            Self::All(ended) => ended == believer,
            Self::AllBut(kept) => {
                kept.believer == *believer && (kept.key != *key || kept.session != *session)
            }
            Self::Session(owner, ended) => owner == believer && ended == session,
            Self::One(one) => {
                one.believer == *believer && one.key == *key && one.session == *session
            }
            Self::NotHolder { believer: reader, key: read, holder } => {
                reader == believer && read == key && holder.as_ref() != Some(session)
            }
            Self::Client(actor) => believer.actor() == actor,
        }
    }
}

impl BeliefChange {
    /// What an event changes, if it changes a belief.
    pub fn of(event: &SimEvent) -> Option<Self> {
        match &event.kind {
            EventKind::Answered { call, outcome } if call.caller == Caller::Person => {
                Self::of_answer(call, outcome)
            }
            EventKind::Program { program, actor, event: ProgramEvent::Believes(belief) } => {
                Some(Self::of_program(program, actor, belief))
            }
            EventKind::Failed(trouble) => match &trouble.fault {
                Fault::Crash { actor, .. } => Some(Self::end(BeliefEnd::Client(actor.clone()))),
                _ => None,
            },
            _ => None,
        }
    }

    /// The change to what a program now believes.
    pub fn of_program(name: &ProgramName, actor: &ActorName, belief: &Belief) -> Self {
        let believer = Believer::Program { name: name.clone(), actor: actor.clone() };
        match belief {
            Belief::Believes { token, .. } => {
                let (key, session) = (token.key.clone(), token.session.clone());
                let held = HeldBelief { believer, key, session };
                Self { ends: Some(BeliefEnd::AllBut(held.clone())), begins: Some(held) }
            }
            Belief::Unknown
            | Belief::Contending { .. }
            | Belief::KnowsLost { .. }
            | Belief::LetGo { .. } => Self::end(BeliefEnd::All(believer)),
        }
    }

    /// What a person learns from the answer to their own request.
    fn of_answer(call: &Call, outcome: &Outcome) -> Option<Self> {
        let believer = Believer::Person(call.actor.clone());
        if let Some(ended) = outcome.effects.ended {
            return Some(Self::end(BeliefEnd::Session(believer, SessionRef::from(ended))));
        }
        let decoded = call.decoded.as_ref().ok()?;
        match (&decoded.request.operation, &outcome.answer) {
            (Operation::RenewSession(session), Err(_)) if outcome.response.status == 404 => {
                Some(Self::end(BeliefEnd::Session(believer, session.clone())))
            }
            (Operation::Kv { key, verb }, Ok(Response { answer, .. })) => {
                let (session, is_acquire) = match verb {
                    KvVerb::Acquire { session, .. } => (session.clone(), true),
                    KvVerb::Release { session, .. } => (session.clone(), false),
                    _ => return None,
                };
                let held = HeldBelief { believer, key: key.clone(), session };
                if is_acquire && matches!(answer, Answer::Flag(true)) {
                    return Some(Self { ends: None, begins: Some(held) });
                }
                Some(Self::end(BeliefEnd::One(held)))
            }
            (
                Operation::Read { query: Query::Key(key), .. },
                Ok(Response { answer: Answer::Found(Found::Entry(entry)), .. }),
            ) if decoded.format.kind != AnswerKind::RawValue => {
                let holder = entry.as_ref().and_then(|entry| entry.holder()).cloned();
                Some(Self::end(BeliefEnd::NotHolder { believer, key: key.clone(), holder }))
            }
            _ => None,
        }
    }

    fn end(ends: BeliefEnd) -> Self {
        Self { ends: Some(ends), begins: None }
    }
}
