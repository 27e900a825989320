//! What the page shows as plain comparable values: a row or card for each client, lock, semaphore,
//! session, key and deadline. They contain no texts, and are the same in every language.

mod future;
pub mod rows;
pub mod takeover;
mod words;
mod world_view;

pub use future::{ForecastVisibility, SessionFuture, due_events, session_future};
pub use words::{Words, words};
pub use world_view::{WorldView, act_summary, branches, host};

#[cfg(test)]
mod tests;
