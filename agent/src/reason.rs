//! The reason for an answer in a few words, such as the lock-delay that caused a `false`. It is
//! written to the log, because Consul's answers do not have it.

use crate::answers::EngineAnswer;

/// The reason for an answer of the engine; `None` if the answer itself is complete.
pub(crate) fn of_answer(answered: &EngineAnswer) -> Option<String> {
    let reason = match &answered.result {
        Ok(response) => response.reason.as_ref(),
        Err(refusal) => refusal.reason.as_deref(),
    };
    reason.map(ToString::to_string).or_else(|| answered.wake.as_ref().map(ToString::to_string))
}
