//! The event history as tracks over time: the requests of each client, the sessions and their
//! owners, the holders of each lock, the beliefs of clients, and the slots of semaphores. It is
//! pure: `History` (in `fold`) folds the world's events. Unlike the store, it includes the past.
//! `view` and `timeline` read it; `time_travel` keeps one at the cursor and one at the end.

mod belief;
mod belief_updates;
mod calls;
mod check;
mod chunked_log;
mod client_events;
mod event_row;
mod explain;
mod explanation;
mod fold;
mod from_snapshot;
mod lock;
mod marks;
mod resource;
mod row_keys;
mod row_updates;
mod semaphore;
mod server_changes;
mod session;
mod tags;

pub use belief::{BeliefOverlap, BeliefSpan, BeliefTrack};
pub use check::{CheckPath, CheckSpan, CheckTrack};
pub use chunked_log::ChunkedLog;
pub use event_row::{
    EventCall, EventResult, EventRow, EventSource, ExplainedReason, Note, ServerCall,
};
pub use explanation::{CauseStep, Explanation};
pub use fold::History;
pub use lock::{AcquireAttempt, AttemptResult, LockIndexReset, LockIndexStep, LockTrack, Tenure};
pub use marks::{LogEntryMark, TimelineMarks};
pub use resource::{ResourceTrack, WriteMark};
pub use row_keys::{RowKey, RowKeys};
pub use semaphore::{
    DocumentFormat, DocumentView, PrunedHolder, SemaphoreTrack, SlotSpan, document_prefix,
    parse_contender_key, semaphore_prefix,
};
pub use session::{EndCause, SessionEnd, SessionTrack};
pub use tags::{ActorTag, Badge, SessionTag, short_id};

#[cfg(test)]
pub(crate) mod tests;
