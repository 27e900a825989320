//! The reason of an answer in a few words, such as the lock-delay that caused a `false`, for the
//! log. Consul does not say it.

use crate::answers::EngineAnswer;

/// The reason of an answer of the engine, if there is more to say than the answer does.
pub(crate) fn of_answer(answered: &EngineAnswer) -> Option<String> {
    let reason = match &answered.result {
        Ok(response) => response.reason.as_ref(),
        Err(refusal) => refusal.reason.as_deref(),
    };
    reason.map(ToString::to_string).or_else(|| answered.wake.as_ref().map(ToString::to_string))
}
