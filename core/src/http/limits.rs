//! The limits on the body of a write and on the time that a read may wait. A body that is too long
//! is refused with status 413; a wait that is too long is shortened.

use alloc::format;
use core::time::Duration;

use super::bad_request::BadRequest;
use super::types::HttpRequest;
use crate::version::VersionRules;

/// The longest value of a key, and the longest body of a transaction, in bytes (KV-24, TXN-03,
/// LIM-01).
pub(super) const VALUE_MAX: usize = 512 * 1024;
/// How long a blocking read waits that names no time (BLK-03).
pub(super) const WAIT_DEFAULT: Duration = Duration::from_secs(300);
/// The longest that a blocking read waits (BLK-03).
const WAIT_MAX: Duration = Duration::from_secs(600);

/// How long a read waits that asks for this wait; zero gives the default.
pub(crate) fn bounded_wait(wait: Duration) -> Duration {
    if wait.is_zero() { WAIT_DEFAULT } else { wait.min(WAIT_MAX) }
}

/// Refuses a value that is too long (KV-24). One without a declared length has a limit of its own,
/// or none (KV-25, V22-12).
pub(super) fn admit_value_size(
    rules: &VersionRules,
    request: &HttpRequest,
) -> Result<(), BadRequest> {
    match (content_length(request), rules.chunked_value_max) {
        (Some(length), _) if length > VALUE_MAX => {
            Err(too_large(rules, &format!("({length} bytes)"), "kv_max_value_size"))
        }
        (None, Some(max)) if request.body.len() > max => Err(BadRequest::TooLarge(format!(
            "Request body too large. Max allowed is {VALUE_MAX} bytes."
        ))),
        _ => Ok(()),
    }
}

/// Refuses the body of a transaction that is too long, with or without a declared length (TXN-03).
pub(super) fn admit_txn_size(
    rules: &VersionRules,
    request: &HttpRequest,
) -> Result<(), BadRequest> {
    match content_length(request) {
        Some(length) if length > VALUE_MAX => {
            Err(too_large(rules, &format!("({length} bytes)"), "txn_max_req_len"))
        }
        None if request.body.len() > VALUE_MAX => Err(too_large(rules, "", "txn_max_req_len")),
        _ => Ok(()),
    }
}

/// The length of the body in bytes as the client declares it; `None` for a chunked body.
pub(super) fn content_length(request: &HttpRequest) -> Option<usize> {
    if request.is_chunked() {
        return None;
    }
    let declared = request.header("content-length").and_then(|text| text.parse().ok());
    Some(declared.unwrap_or(request.body.len()))
}

fn too_large(rules: &VersionRules, length: &str, setting: &str) -> BadRequest {
    let page = rules.settings_page;
    BadRequest::TooLarge(format!(
        "Request body{length} too large, max size: {VALUE_MAX} bytes. See {page}#{setting}."
    ))
}
