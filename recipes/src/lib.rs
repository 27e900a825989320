//! Client programs as state machines with named states, without I/O: the requests of a library or
//! a script for sessions and locks, step by step on its own clock.
//!
//! A program receives a [`Stimulus`] and returns [`Action`]s. Its [`Belief`] follows from its
//! orders, its clock and the answers that it has received, and may be wrong; [`Program::may_act`]
//! returns whether its user may still act. A [`Contender`] drives a program on a real network. The
//! state tables are in docs/en/reference/recipes.md.
//!
//! The enums of which a caller has to handle every variant, such as [`Action`], [`Report`], [`Due`]
//! and [`Belief`], can be matched without a wildcard; a new variant is a breaking change. Errors,
//! structs of options, [`Stimulus`], [`Token`] and [`Outstanding`] are `non_exhaustive`, and so are
//! enums of options that may get more values, such as [`Tries`]. Options start from their
//! defaults:
//!
//! ```
//! use lictor_recipes::{Lock, LockOptions, SessionOptions, Tries};
//!
//! let session = SessionOptions::named("nightly").with_ttl("30s");
//! let options = LockOptions::new("jobs/nightly", b"web-1");
//! let lock = Lock::new(options.with_session(session).with_tries(Tries::Once))?;
//! # Ok::<(), lictor_recipes::ProgramError>(())
//! ```

#![no_std]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// Methods of options that set one field each.
macro_rules! setters {
    ($options:ident: $($method:ident($field:ident: $value:ty)),+ $(,)?) => {
        impl $options {
            $(
                #[doc = concat!(
                    "Sets [`", stringify!($field), "`](Self::", stringify!($field), ")."
                )]
                pub fn $method(self, $field: $value) -> Self {
                    Self { $field: $field.into(), ..self }
                }
            )+
        }
    };
}

mod belief;
mod call_id;
mod consul_lock;
mod contender;
mod contender_options;
mod election;
mod holders;
mod host_clock;
mod interface;
mod late_writes;
mod lease;
mod lock;
mod naive;
mod parts;
mod program;
mod program_error;
mod recipe;
mod report;
mod script;
mod semaphore;
mod watcher;
mod writer;

pub use self::belief::{Belief, Fence, FenceKind, Token, Use};
pub use self::call_id::CallId;
pub use self::consul_lock::{Child, ConsulLock, ConsulLockOptions, ExitCode};
pub use self::contender::{Contender, ContenderStep, LockedUntil, Outcome};
pub use self::contender_options::{ContenderError, ContenderOptions, Contention};
pub use self::election::Candidate;
pub use self::holders::{COORDINATION, DocumentError, SemaphoreDocument, Style};
pub use self::host_clock::HostClock;
pub use self::interface::{Action, Due, Order, Phase, Stimulus};
pub use self::lock::{LOCK_FLAG, Lock, LockOptions};
pub use self::naive::Naive;
pub use self::parts::attempts::Tries;
pub use self::parts::calls::{CallSlot, Outstanding};
pub use self::parts::monitor::MonitorOptions;
pub use self::parts::session_renewer::{SessionOptions, SessionRenewer};
pub use self::parts::upkeep::OnFailure;
pub use self::parts::user_policy::{OnLoss, UserPolicy};
pub use self::program::Program;
pub use self::program_error::ProgramError;
pub use self::recipe::Recipe;
pub use self::report::{ChildEvent, Ending, GaveUp, LockLoss, News, Report};
pub use self::script::{OWN_SESSION, Script, Step, Task};
pub use self::semaphore::{SEMAPHORE_FLAG, Semaphore, SemaphoreOptions};
pub use self::watcher::{IndexReset, Watcher, WatcherOptions, WatcherReports};
pub use self::writer::Writer;
