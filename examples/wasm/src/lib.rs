//! A program that acquires a lock. It depends on Consul only as a function that answers requests,
//! so a test can pass a server in memory.

use lictor_core::http::{HttpRequest, HttpResponse};

/// Tries to acquire the lock of a key for a session; returns whether it succeeded.
pub fn acquire(
    send: &mut impl FnMut(&HttpRequest) -> HttpResponse,
    key: &str,
    session: &str,
) -> bool {
    let target = format!("/v1/kv/{key}?acquire={session}");
    send(&HttpRequest::new("PUT", &target, b"me")).body == b"true"
}
