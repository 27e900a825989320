//! Ordered maps and sets: std's trees, and on wasm sorted chunks in their place. A tree's code is
//! made for each kind of key and value and is long, and the page has many kinds.
//!
//! Both give the same answers in the same order. Chunks offer only what Lictor asks of them.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use alloc::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
pub(crate) use chunks::{BTreeMap, BTreeSet};

#[cfg(any(target_arch = "wasm32", test))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "only their test is native"))]
mod chunks;
