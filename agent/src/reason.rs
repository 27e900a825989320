//! The reason of an answer in a few words, such as the lock-delay behind a `false`, for the log.
//! Consul does not say it; log/request_lines.rs writes it at the level `debug`.

use lictor_core::engine::Wake;
use lictor_core::error::Reason;

use crate::answers::EngineAnswer;

/// The reason of an answer of the engine, if there is more to say than the answer does.
pub(crate) fn of_answer(answered: &EngineAnswer) -> Option<String> {
    let reason = match &answered.result {
        Ok(response) => response.reason.as_ref(),
        Err(refusal) => refusal.reason.as_deref(),
    };
    reason.map(of_refusal).or_else(|| answered.wake.as_ref().map(of_wake))
}

fn of_refusal(reason: &Reason) -> String {
    match reason {
        Reason::HeldBy { holder, since } => format!("held by {holder} since index {since}"),
        Reason::LockDelay { session, .. } => {
            format!("in the lock-delay of session {session}")
        }
        Reason::NotHeld => "no session holds the key".into(),
        Reason::KeyMissing => "the key does not exist".into(),
        Reason::IndexDiffers { expected, actual } => {
            format!("the index is {actual}, not {expected}")
        }
        Reason::SessionEnded { session, index, .. } => {
            format!("session {session} ended at index {index}")
        }
        Reason::SessionUnknown => "no such session".into(),
        Reason::TransactionFailed { failed } => match failed {
            1 => "1 operation failed".into(),
            failed => format!("{failed} operations failed"),
        },
    }
}

fn of_wake(wake: &Wake) -> String {
    match wake {
        Wake::Changed { key: Some(key) } => format!("{key} has changed"),
        Wake::Changed { key: None } => "what it reads has changed".into(),
        Wake::Deleted { key } => format!("{key} was deleted"),
        Wake::SameKeys { key } => format!("{key} was written, the list of keys is the same"),
        Wake::NoMatch => "nothing is there; another row of the table has changed".into(),
        Wake::OtherRow => "another row of the table has changed".into(),
        Wake::TimeUp => "the wait time is over".into(),
    }
}
