//! What the page shows as plain comparable values: a row or card for each client, lock, semaphore,
//! session, key and deadline. They contain no texts, and are the same in every language.

mod future;
pub mod rows;
pub mod takeover;
mod world_view;

pub use future::{SessionFuture, due_events, session_future};
pub use world_view::{WorldView, act_summary, branches, host};

#[cfg(test)]
mod tests;
