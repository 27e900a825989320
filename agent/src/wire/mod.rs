//! HTTP/1 as clients send it, read as Go's `net/http` reads it. hyper gets a plain form of each
//! request, so it never refuses one, and the service gets the head as it was sent.

mod chunks;
pub(crate) mod head;
pub(crate) mod refused_head;
pub(crate) mod stream;
mod target;
