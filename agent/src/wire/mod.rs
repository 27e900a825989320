//! Reads HTTP/1 from clients by the rules of Go's `net/http`. hyper gets a plain form of each
//! request, which it never refuses; the service gets the head as it was sent.

mod chunks;
pub(crate) mod head;
pub(crate) mod refused_head;
pub(crate) mod stream;
mod target;
