//! A program that takes a lock: it knows Consul only as a function that answers requests.

use lictor_core::http::{HttpRequest, HttpResponse};

/// Whether the session got the lock of a key.
pub fn acquire(
    send: &mut impl FnMut(&HttpRequest) -> HttpResponse,
    key: &str,
    session: &str,
) -> bool {
    let target = format!("/v1/kv/{key}?acquire={session}");
    send(&HttpRequest::new("PUT", &target, b"me")).body == b"true"
}
