//! Answers by what a recipe expects of them. Another kind of answer is a failure like any other.

use alloc::string::String;
use alloc::sync::Arc;

use crate::id::{Index, SessionId};
use crate::message::{Answer, Failure, Response};
use crate::store::{Entry, Found};

type Answered = Result<Response, Failure>;

pub(super) fn flag(answered: Answered) -> Result<bool, Failure> {
    match answered?.answer {
        Answer::Flag(flag) => Ok(flag),
        _ => Err(unreadable()),
    }
}

pub(super) fn created(answered: Answered) -> Result<SessionId, Failure> {
    match answered?.answer {
        Answer::Created(id) => Ok(id),
        _ => Err(unreadable()),
    }
}

pub(super) fn entry(answered: Answered) -> Result<(Index, Option<Arc<Entry>>), Failure> {
    let Response { index, answer, .. } = answered?;
    match answer {
        Answer::Found(Found::Entry(entry)) => Ok((index, entry)),
        _ => Err(unreadable()),
    }
}

fn unreadable() -> Failure {
    Failure::Unreadable(String::from("another kind of answer was expected"))
}
