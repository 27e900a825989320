//! Consul clients around one server, in virtual time, with faults.
#![doc = include_str!("../README.md")]
#![no_std]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod act;
mod belief;
mod call;
mod checks;
mod checksum;
mod clock;
mod event;
mod fault;
mod fold;
mod ids;
pub mod journal;
mod link;
mod observed;
pub mod record;
mod request_form;
pub mod scenario;
mod tcp;
pub mod timeline;
pub mod trace;
mod world;

pub use self::act::{Act, ActError, JOURNAL_MAX, JournalEntry};
pub use self::belief::{BeliefChange, BeliefEnd, Believer, HeldBelief};
pub use self::call::{
    Call, CallFailure, CallStage, Caller, CausedBy, Effects, Outcome, Problem, Verdict,
};
pub use self::checks::{Always, Broken, Checks, Overlap, Sometimes};
pub use self::clock::{Clock, Jump};
pub use self::event::{
    EventKind, MessageLoss, ProgramEvent, Rejected, Segment, SimEvent, Travel, Used,
};
pub use self::fault::{
    ActiveFault, Fault, LeaderFate, LeaderLoss, Memory, Plan, RAFT_MULTIPLIER, Repeats, SERVER_DOWN,
};
pub use self::fold::Fold;
pub use self::link::{Cut, CutDirection, CutMode, Leg, Link, Overtaking};
pub use self::observed::{OBSERVED_MAX, ObservedError, ObservedEvent, ObservedPast};
pub use self::tcp::{
    ConnectionId, Ends, HttpClient, KeepAlive, Kernel, LINUX_6, Network, NetworkError, Profile,
    ResponseTimeout,
};
pub use self::world::{
    Actor, Condition, Connection, ConnectionState, ConnectionTimer, DialStep, DumpError,
    EVENTS_AT_ONCE, HeldRequest, HeldStep, InFlightRequest, LostLeader, Pending, Repetition, Reply,
    Resource, Running, ScheduledEvent, Searched, Takeover, TakeoverSearch, Terms, TimerKind,
    Upcoming, World,
};
