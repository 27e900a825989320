//! What happened and why, in English: how a session ended, why a request was refused, the detail of
//! a row, and what is due next.

use lictor_core::error::{Cause, LeaderError, Reason};
use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_recipes::Order;
use lictor_sim::record::{
    ActorTag, EndCause, EventResult, ExplainedReason, KeyFate, Note, ServerCall,
};
use lictor_sim::{CallStage, Fault, Leg, Segment};

use super::{WORDS, refusals};
use crate::format::{between, clock};
use crate::language::english::{counted, seconds};
use crate::rows::cures::{Cure, CureAction, short};
use crate::rows::{Deadline, Tense, preview};

/// The end of a session, as a verb.
pub(super) fn ended(cause: &EndCause) -> String {
    match &cause.cause {
        Cause::Requested => "destroyed".into(),
        Cause::TtlExpired => "expired (2 × TTL)".into(),
        Cause::CheckCritical(check) => format!("ended (check {check} critical)"),
        Cause::CheckRemoved(check) => format!("ended (check {check} removed)"),
        Cause::NodeRemoved => "ended (node removed)".into(),
        Cause::Unknown => "ended".into(),
        Cause::FollowedSessionEnded { check, .. } => match &cause.followed {
            Some(label) => format!("ended (check {check} critical, as session {label} ended)"),
            None => format!("ended (check {check} critical)"),
        },
    }
}

/// The end of a session that held a lock; which one it was is not always known.
pub(super) fn session_ended(label: &str, cause: &EndCause) -> String {
    match cause.cause {
        Cause::Unknown => "its session ended".into(),
        _ => format!("session {label} {}", ended(cause)),
    }
}

fn why_session_ended(why: &ExplainedReason) -> String {
    why.ended.as_ref().map(|cause| session_ended(&why.session, cause)).unwrap_or_default()
}

/// The end of the session that a refusal is about, as a verb.
fn why_ended(why: &ExplainedReason) -> String {
    why.ended.as_ref().map(ended).unwrap_or_default()
}

pub(super) fn owned(owner: Option<&ActorTag>, session: &str) -> String {
    owner.map_or_else(|| format!("session {session}"), |who| who.name.to_string())
}

/// Why a request was refused.
pub(super) fn why(why: &ExplainedReason, tense: Tense) -> String {
    let is_past = tense == Tense::Past;
    match &why.reason {
        Reason::HeldBy { .. } if why.is_other_spelling && is_past => format!(
            "session {} held it by another spelling of its id; only that spelling counts",
            why.session
        ),
        Reason::HeldBy { since, .. } if why.is_other_spelling => format!(
            "session {} has held it since index {since}, by another spelling of its id; only that \
             spelling counts",
            why.session
        ),
        Reason::HeldBy { since, .. } => {
            let holder = owned(why.owner.as_ref(), &why.session);
            if is_past {
                format!("{holder} held it")
            } else {
                format!("{holder} has held it since index {since}")
            }
        }
        Reason::LockDelay { until, .. } => {
            let left = seconds(between(why.at, *until));
            let delay = if is_past {
                format!("lock-delay, {left} were left")
            } else {
                format!("in lock-delay, {left} left")
            };
            format!("{delay}; {}", why_session_ended(why))
        }
        Reason::NotHeld if is_past => "nobody held the key".into(),
        Reason::NotHeld => "nobody holds the key".into(),
        Reason::KeyMissing if is_past => "the key did not exist".into(),
        Reason::KeyMissing => "the key does not exist".into(),
        Reason::IndexDiffers { expected, .. } if expected.0 == 0 => {
            let exists = if is_past { "existed" } else { "exists" };
            format!("cas=0 needs a key that does not exist, and this one {exists}")
        }
        Reason::IndexDiffers { expected, actual } => {
            format!("ModifyIndex {} {actual}, not {expected}", if is_past { "was" } else { "is" })
        }
        Reason::SessionEnded { at, .. } => {
            format!("session {} {} at {} s", why.session, why_ended(why), clock(*at))
        }
        Reason::SessionUnknown => "no session has this id".into(),
        Reason::TransactionFailed { failed } => {
            format!(
                "{}, so none was applied",
                counted(*failed, "operation failed", "operations failed")
            )
        }
        Reason::NoLeader { since, error } => without_leader(*since, *error),
    }
}

fn without_leader(since: Instant, error: LeaderError) -> String {
    let since = clock(since);
    match error {
        LeaderError::Refused | LeaderError::NoConnection => {
            format!("the leader was lost at {since} s, and the server still tries to reach it")
        }
        LeaderError::Unknown => {
            format!("the leader was lost at {since} s, and no other was elected yet")
        }
        LeaderError::NoLeader => format!(
            "the leader was lost at {since} s, and no other was elected while the server held the \
             request"
        ),
        LeaderError::Broken => format!(
            "the leader was lost at {since} s with the request: a write may have been applied"
        ),
        LeaderError::DeadlineReached => {
            format!("the leader was lost at {since} s, and the query was not answered in time")
        }
    }
}

/// What can be done about a key that cannot be locked, and the consequence.
pub(super) fn cure(cure: &Cure, now: Instant) -> String {
    let action = match cure.action {
        CureAction::Wait => "Wait".to_owned(),
        CureAction::Destroy(session) => format!("Destroy session {}", short(session)),
        CureAction::Release(session) => format!("Release the key of session {}", short(session)),
    };
    let Some(free) = &cure.free else {
        return format!(
            "{action}: the key is still held in {}.",
            seconds(between(now, cure.until))
        );
    };
    let when = match between(now, free.at) {
        span if span.is_zero() => "at once".to_owned(),
        span => format!("in {}", seconds(span)),
    };
    let taker = match &free.taker {
        Some(client) => format!("{client} acquires the key"),
        None => "any client can acquire the key".to_owned(),
    };
    let sooner = cure.sooner.filter(|sooner| !sooner.is_zero());
    let sooner = sooner.map_or_else(String::new, |it| format!(", {} sooner", seconds(it)));
    let believer = free.believer.as_ref().map_or_else(String::new, |client| {
        format!("; {client} still believes then that it holds the key")
    });
    format!("{action}: {taker} {when}{sooner}{believer}.")
}

pub(super) fn reply(reply: &EventResult) -> String {
    match reply {
        EventResult::True => "true".into(),
        EventResult::False => "false".into(),
        EventResult::Ok => "ok".into(),
        EventResult::NotFound => "not found".into(),
        EventResult::Moved => "redirect".into(),
        EventResult::Refused(status) => format!("error {status}"),
        EventResult::Waits => "waits".into(),
        EventResult::Cancelled => "cancelled".into(),
        EventResult::Failed => "failed".into(),
        EventResult::SentAgain => "sent again".into(),
        EventResult::Ended => "ended".into(),
        EventResult::Joined => "joined".into(),
        EventResult::Fault => "fault".into(),
        EventResult::Mended => "fault over".into(),
        EventResult::Accepted => "accepted".into(),
        EventResult::Rejected => "rejected".into(),
        EventResult::NoAnswer => WORDS.no_answer.into(),
        EventResult::Added => "added".into(),
        EventResult::Ordered(Order::Start) => "started".into(),
        EventResult::Ordered(Order::Stop | Order::Destroy) => "stopped".into(),
        EventResult::Reported => "reports".into(),
        EventResult::Passing => CheckStatus::Passing.as_str().into(),
        EventResult::Critical => CheckStatus::Critical.as_str().into(),
    }
}

pub(super) fn note(note: &Note) -> String {
    match note {
        Note::Nothing => String::new(),
        Note::Reason(reason) => why(reason, Tense::Present),
        Note::SentAgain(segment, number) => {
            let what = match segment {
                Segment::Dial => "the server has not answered the connection attempt",
                Segment::Request => "the server has not acknowledged the request",
                Segment::Answer => "the client has not acknowledged the answer",
            };
            format!("{what}; retransmission {number}")
        }
        Note::Repeated => {
            "its connection broke; the HTTP client repeats the read on a new one".into()
        }
        Note::Problem(problem) => refusals::WORDS.explained(problem),
        Note::Moved { location } => format!("to {location}; nothing was done"),
        Note::ClocksRestarted => "the TTL of every session starts again".into(),
        Note::LockIndex(count) => format!("LockIndex {count}"),
        Note::HeldByOther { session, owner } => {
            format!(
                "{} still holds it; a lock stops no plain write",
                owned(owner.as_ref(), session)
            )
        }
        Note::HoldEnded { session, owner, others, fate } => {
            let others = match others {
                0 => String::new(),
                others => format!(" (and {} more)", counted(*others, "lock", "locks")),
            };
            let holder = owned(owner.as_ref(), session);
            match fate {
                KeyFate::Deleted => format!("{holder} held it{others}; a lock stops no delete"),
                KeyFate::Released => format!(
                    "{holder} held it{others}; any client can release it with the session's id"
                ),
            }
        }
        Note::Created { label } => format!("session {label}"),
        Note::Renewed { expires } => format!("TTL renewed; expires at {} s", clock(*expires)),
        Note::Found(entry) => format!("value {:?}", preview(&entry.value)),
        Note::Parked { min_index, until } => {
            format!("waits for an index above {min_index}, at most until {} s", clock(*until))
        }
        Note::Woken { index } => format!("woken by index {index}"),
        Note::IndexPassed { index, min_index } => {
            format!("answered at once: index {index} is above {min_index}")
        }
        Note::WaitOver => "wait time over; nothing changed".into(),
        Note::SessionEnded { cause, freed, fate } => match (freed.as_slice(), fate) {
            ([], _) => ended(cause),
            (keys, KeyFate::Released) => format!("{}; released {}", ended(cause), keys.join(", ")),
            (keys, KeyFate::Deleted) => format!("{}; deleted {}", ended(cause), keys.join(", ")),
        },
        Note::LockDelayOver => "can be acquired again".into(),
        Note::FollowedBegan { label } => format!("session {label} began"),
        Note::FollowedEnded { label } => format!("session {label} ended"),
        Note::OwnNode => "on its own node".into(),
        Note::Rejected(why) => (WORDS.rejected_why)(why),
        Note::Lost(half) => (WORDS.lost)(*half).into(),
        Note::Broken { stage, error } => match (stage, error) {
            (Some(stage), None) => (WORDS.broken)(*stage).into(),
            (Some(stage), Some(error)) => format!("{error}; {}", progress(*stage)),
            (None, error) => error.as_deref().unwrap_or_default().into(),
        },
        Note::Report(report) => (WORDS.report)(report),
    }
}

pub(super) fn server_call(call: &ServerCall) -> String {
    match call {
        ServerCall::SessionEnded { label } => format!("session {label} ended"),
        ServerCall::LockDelayOver { key } => format!("lock-delay of {key} over"),
        ServerCall::LeaderChanged => "another server becomes leader".into(),
        ServerCall::CheckLapsed { check } => format!("check {check} expired"),
        ServerCall::CheckChanged { check } => format!("check {check}"),
        ServerCall::Joined => "joins the sandbox".into(),
    }
}

pub(super) fn deadline(deadline: &Deadline) -> String {
    match deadline {
        Deadline::SessionExpires { label } => format!("{label} expires"),
        Deadline::SessionEnds { label } => format!("{label} ends"),
        Deadline::LockDelayOver { key } => format!("{key} can be acquired"),
        Deadline::WaitOver { actor } => format!("{actor}: query times out"),
        Deadline::CheckLapses { check } => format!("check {check} expires"),
        Deadline::Reap => "tombstones are purged".into(),
        Deadline::Program { name, due, .. } => {
            format!("{name}: {}", (WORDS.due)(*due))
        }
        Deadline::FaultBegins { fault } => of_fault(fault, &(WORDS.fault)(fault)),
        Deadline::FaultEnds { fault } => of_fault(fault, &(WORDS.repair)(fault)),
        Deadline::SentAgain { actor, segment, .. } => {
            format!("{actor}: {}", (WORDS.again)(*segment))
        }
    }
}

/// A fault with its client, if it has one.
fn of_fault(fault: &Fault, text: &str) -> String {
    fault.actor().map_or_else(|| text.to_owned(), |actor| format!("{actor}: {text}"))
}

/// How far a request had come when its caller got an error.
fn progress(stage: CallStage) -> &'static str {
    match stage {
        CallStage::Sent => "the request had not arrived",
        CallStage::Waits => "the server held the request",
        CallStage::Done => "the request was carried out",
        CallStage::Lost(Leg::Request) => "the request was lost",
        CallStage::Lost(Leg::Answer) => "the request was carried out, its answer lost",
    }
}
