//! Reads the evidence of a lock incident: lists of Consul's HTTP interface, a decoded snapshot,
//! lines of a server's log and of the log of an application. For each key that is or was locked,
//! delayed or contended an answer has who can take it, and when, with the calculation and the lines
//! that it rests on.
//!
//! ```
//! use lictor_incident::{Incident, Source};
//!
//! let sessions = br#"[{"ID": "4154283e-a8f4-f7f1-22ce-3de43166da77", "Name": "worker-a",
//!     "Node": "n1", "LockDelay": 15000000000, "Behavior": "release", "TTL": "15s",
//!     "NodeChecks": ["serfHealth"], "CreateIndex": 8, "ModifyIndex": 8}]"#;
//! let keys = br#"[{"LockIndex": 1, "Key": "jobs/leader", "Flags": 0, "Value": null,
//!     "Session": "4154283e-a8f4-f7f1-22ce-3de43166da77", "CreateIndex": 9, "ModifyIndex": 9}]"#;
//! let sources = [Source::new("sessions.json", sessions), Source::new("keys.json", keys)];
//! let incident = Incident::read(&sources, "2026-11-26T09:10:41Z".parse().ok())?;
//! let answers = incident.answers();
//! // Without a log, the session was renewed just now, or nearly 2 x TTL ago.
//! assert_eq!(answers[0].earliest, "2026-11-26T09:10:56Z".parse().ok());
//! assert_eq!(answers[0].latest, "2026-11-26T09:11:26Z".parse().ok());
//! # Ok::<(), lictor_incident::IncidentError>(())
//! ```
//!
//! An answer holds if nobody acts and the leader stays: nobody renews, destroys, acquires, no check
//! fails, and no leader is elected, which begins each TTL again. A moment that the sources leave
//! open has bounds; none is guessed.
#![no_std]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod address;
mod agreement;
mod answer;
mod answer_head;
mod answers;
mod application;
mod assumption;
mod beliefs;
mod clients;
mod clock_time;
mod clusters;
mod collect;
mod coverage;
mod created;
mod effects;
mod ends;
mod failed;
mod foreign_line;
mod free;
mod headline;
mod held;
mod incident;
mod key_table;
mod lanes;
mod later;
mod listing;
mod lists;
mod lives;
mod log;
mod merge;
mod missing;
mod moment;
mod named_text;
mod observed;
mod old_log;
mod pattern;
mod picture;
mod plain;
mod propose;
mod reading;
mod redact;
mod remark;
mod renewal_clock;
mod report;
mod request;
mod semaphore;
mod source;
mod summary;
mod tenures;
mod time;
mod unknown;
mod world;
mod wrapped;

pub use jiff::{SignedDuration, Timestamp};

pub use self::agreement::SharedState;
pub use self::answer::{Answer, AnswerKind, Asked, Reason};
pub use self::application::ApplicationSummary;
pub use self::collect::collect_commands;
pub use self::effects::Effects;
pub use self::incident::Incident;
pub use self::missing::{Missing, escaped};
pub use self::moment::TakenBy;
pub use self::named_text::{NamedText, TextError};
pub use self::observed::Observed;
pub use self::pattern::{ClientEventKind, EventPattern, PatternError};
pub use self::picture::{
    BarKind, EndReason, LaneKind, MarkKind, Picture, PictureBar, PictureLane, PictureMark,
    TimeBounds,
};
pub use self::redact::Redactor;
pub use self::remark::remark;
pub use self::source::{Evidence, IncidentError, Source, Unused};
pub use self::summary::{ClockProposal, SourceSummary};
pub use self::time::{parse as parse_time, write as write_time};
pub use self::world::{IncidentWorld, WorldError};
