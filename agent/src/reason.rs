//! The reason of an answer in a few words, such as the lock-delay behind a `false`, for the log.
//! Consul's answers do not contain it; service.rs logs it at the level `debug`.

use lictor_core::http::HttpResponse;

use crate::answers::EngineAnswer;

/// The reason of an answer of the engine, if there is more to say than its status.
pub(crate) fn of_answer(answered: &EngineAnswer) -> Option<String> {
    let reason = match &answered.result {
        Ok(response) => response.reason.as_ref(),
        Err(refusal) => refusal.reason.as_ref(),
    };
    match (reason, &answered.wake, &answered.result) {
        (Some(reason), ..) => Some(reason.to_string()),
        (None, Some(wake), _) => Some(wake.to_string()),
        (None, None, Err(refusal)) => Some(refusal.error.to_string()),
        (None, None, Ok(_)) => None,
    }
}

/// The text of a response that was refused before it reached the engine.
pub(crate) fn of_response(response: &HttpResponse) -> Option<String> {
    let is_refusal = response.status >= 400;
    is_refusal.then(|| response.text().chars().take(200).collect())
}
