//! Takes the kind of answer that a recipe expects out of a response: a flag, an entry, a list, a
//! session. An answer of any other kind is a failure.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::{Index, SessionId};
use lictor_core::message::{Answer, Failure, Response};
use lictor_core::store::{Entry, Found, Session};

type Answered = Result<Response, Failure>;

pub(crate) fn flag(answered: Answered) -> Result<bool, Failure> {
    match answered?.answer {
        Answer::Flag(flag) => Ok(flag),
        _ => Err(unreadable()),
    }
}

pub(crate) fn created(answered: Answered) -> Result<SessionId, Failure> {
    match answered?.answer {
        Answer::Created(id) => Ok(id),
        _ => Err(unreadable()),
    }
}

pub(crate) fn entry(answered: Answered) -> Result<(Index, Option<Arc<Entry>>), Failure> {
    let Response { index, answer, .. } = answered?;
    match answer {
        Answer::Found(Found::Entry(entry)) => Ok((index, entry)),
        _ => Err(unreadable()),
    }
}

pub(crate) fn entries(answered: Answered) -> Result<(Index, Vec<Arc<Entry>>), Failure> {
    let Response { index, answer, .. } = answered?;
    match answer {
        Answer::Found(Found::Entries(entries)) => Ok((index, entries)),
        _ => Err(unreadable()),
    }
}

pub(crate) fn renewed(answered: Answered) -> Result<Arc<Session>, Failure> {
    match answered?.answer {
        Answer::Renewed(session) => Ok(session),
        _ => Err(unreadable()),
    }
}

pub(crate) fn session(answered: Answered) -> Result<Option<Arc<Session>>, Failure> {
    match answered?.answer {
        Answer::Found(Found::Session(session)) => Ok(session),
        _ => Err(unreadable()),
    }
}

fn unreadable() -> Failure {
    Failure::Unreadable(String::from("another kind of answer was expected"))
}
