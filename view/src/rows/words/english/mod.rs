//! The texts of the rows in English.

mod headline;
mod refusals;
mod sentences;

use lictor_core::error::Cause;
use lictor_core::store::catalog::CheckStatus;
use lictor_recipes::{ChildEvent, Due, Ending, GaveUp, LockLoss, Order, Report};
use lictor_sim::{
    CallStage, Cut, CutDirection, CutMode, Fault, Jump, LeaderFate, Leg, Rejected, Segment,
};

use self::headline::{lock, semaphore};
use self::sentences::{cure, deadline, ended, note, reply, server_call, session_ended, why};
use super::{RequestWords, Words};
use crate::format::{clock, tenths};
use crate::language::english::{counted, seconds};
use crate::rows::SessionFuture;
use crate::rows::{ActChange, ActSummary, ActText, BranchTitle, UnansweredRenewal};

pub(super) const WORDS: Words = Words {
    list: ", ",
    comma: ", ",
    colon: ": ",
    stop: ". ",
    second: " s",
    millisecond: " ms",
    server: "server",
    observed: "observed",
    unknown: "unknown",
    ended,
    session_end: |label, cause, at| match at {
        Some(at) if cause.cause == Cause::Requested => {
            format!("session {label} was destroyed at {} s", clock(at))
        }
        Some(at) => format!("session {label} {} at {} s", ended(cause), clock(at)),
        None => format!("{}, before this world began", session_ended(label, cause)),
    },
    ended_at: |at, cause| format!("{} at {} s", ended(cause), clock(at)),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    deadline,
    server_call,
    reply,
    note,
    why,
    fold: [
        |count| counted(count, "join or start", "joins and starts"),
        |count| counted(count, "renewal", "renewals"),
        |count| counted(count, "repeated try", "repeated tries"),
    ],
    fold_until: |at| format!("until {} s", clock(at)),
    renewed_hidden: "the TTL starts again",
    nobody: "nobody",
    clock_guaranteed: |left| format!("guaranteed for {}", seconds(left)),
    clock_over: |over| format!("past its TTL by {}", seconds(over)),
    clock_future: |future, left| match future {
        SessionFuture::Renewed(_) => format!(", TTL starts again in {}", seconds(left)),
        SessionFuture::Ends(_) => format!(", ends in {}", seconds(left)),
        SessionFuture::Expires(_) => format!(", expires in {}", seconds(left)),
        SessionFuture::MayExpire(_) => format!(", expires in {} unless renewed", seconds(left)),
    },
    in_span: |span| format!("+{}", seconds(span)),
    due_in: |due, span| format!("{due} in {}", seconds(span)),

    lock,
    semaphore,
    would_get: |client, at, sum| format!("{client} would get it at {} s: {sum}", clock(at)),
    takeover_at: |at| format!("at {} s", clock(at)),
    takeover_none_why: |checks| match checks {
        [] => {
            "The session has no TTL and no checks: it ends only when it is destroyed or its node \
             leaves."
        }
        _ => {
            "The session has no TTL: it ends only when it is destroyed, a check turns critical or \
             its node leaves."
        }
    },
    cure,
    takeover_sum: |[sum, session, delay, retry]| {
        let terms = [(session, "session"), (delay, "lock-delay"), (retry, "retry")];
        let terms = terms.into_iter().filter(|(span, _)| *span != "0.0");
        let terms: Vec<_> = terms.map(|(span, word)| format!("{span} {word}")).collect();
        format!("{sum} s = {}", terms.join(" + "))
    },

    branch_name: |title| match title {
        BranchTitle::Main => "main".into(),
        BranchTitle::With(act) => act_at(act),
        BranchTitle::Without(act) => format!("without {}", act_at(act)),
        BranchTitle::Moved { act, from } => {
            format!("{}, moved from {} s", act_at(act), clock(*from))
        }
        BranchTitle::Named(name) => name.clone(),
    },
    act: act_text,

    fault: |fault| match fault {
        Fault::Pause { .. } => "process frozen".into(),
        Fault::Crash { .. } => "process crashed".into(),
        Fault::Cut { cut, .. } => cut_words(*cut),
        Fault::ClockRate { rate, .. } => format!("clock at {} % speed", *rate as f64 / 10.0),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => {
            format!("clock jumps {} s forward", tenths(*by))
        }
        Fault::ClockJump { jump: Jump::Back(by), .. } => {
            format!("clock jumps {} s back", tenths(*by))
        }
        Fault::NodeSilent { .. } => "node unreachable by gossip".into(),
        Fault::NodeRemoved { .. } => "node removed from the catalog".into(),
        Fault::CheckCritical { check, .. } => format!("check {} critical", check.as_str()),
        Fault::LostAnswer { .. } => "next answer is lost".into(),
        Fault::Failover => "another server becomes leader".into(),
        Fault::LeaderLost(loss) => match loss.fate {
            LeaderFate::Killed => "the leader is killed".into(),
            LeaderFate::Cut => "the leader is cut off".into(),
            LeaderFate::Alone => "the only server is killed".into(),
            LeaderFate::Restarted => "the server is not yet the leader".into(),
        },
    },
    repair,
    no_answer: "no answer",
    write: |resource, number| format!("WRITE {resource} w{number}"),
    lost: |half| match half {
        Leg::Request => "the request never arrived; the client does not know",
        Leg::Answer => "the request was carried out; the client does not know",
    },
    broken: |stage| match stage {
        CallStage::Sent => "the connection closed before the server got the request",
        CallStage::Waits => "the connection closed while the server held the request",
        CallStage::Done => "the connection closed; the request was carried out",
        CallStage::Lost(Leg::Request) => "the connection closed; the request never arrived",
        CallStage::Lost(Leg::Answer) => {
            "the connection closed; the request was carried out, its answer lost"
        }
    },
    rejected_why: |why| match why {
        Rejected::OtherKind { .. } => "a token of another kind".into(),
        Rejected::OlderLockIndex { presented, accepted } => {
            format!("LockIndex {presented} is older than {accepted}, which was accepted")
        }
        Rejected::OlderModifyIndex { presented, accepted } => {
            format!("ModifyIndex {presented} is older than {accepted}, which was accepted")
        }
        Rejected::EarlierSession { .. } => "a session older than the latest one".into(),
        Rejected::OtherKey { .. } => "a token of another key".into(),
        Rejected::NotTheHolder => "its session does not hold the key".into(),
    },
    report: |report| match report {
        Report::Acquired { token, is_slot: true } => {
            format!("believes it holds a slot of {}", token.key)
        }
        Report::Acquired { token, is_slot: false } => format!("believes it holds {}", token.key),
        Report::Lost(loss) => match loss {
            LockLoss::KeyMissing => "lost the lock: its answer has no key".into(),
            LockLoss::Freed => "lost the lock: its answer has a key without a holder".into(),
            LockLoss::HeldBy(_) => "lost the lock: its answer has another holder".into(),
            LockLoss::NotAHolder => "lost its slot: its answer has other holders".into(),
            LockLoss::WatchFailed(_) => "assumes the lock is lost: its watch failed".into(),
            LockLoss::SessionEnded => "lost the lock: its session has ended".into(),
            LockLoss::LeaseEnded => {
                "must assume that the lock is lost: no renewal succeeded".into()
            }
            LockLoss::Undecodable(_) => {
                "assumes the slot is lost: the document cannot be read".into()
            }
        },
        Report::Released => "released the lock".into(),
        Report::ReleasedNothing => "had no lock to release any more".into(),
        Report::GaveUp(GaveUp::Stopped) => "gave up: it was stopped".into(),
        Report::GaveUp(GaveUp::TimedOut) => "gave up: its wait time is over".into(),
        Report::Failed(trouble) => format!("failed: {trouble}"),
        Report::RenewerStopped(trouble) => format!("stopped renewing: {trouble}"),
        Report::Pruned(dead) => match dead.len() {
            1 => "pruned 1 dead holder".into(),
            count => format!("pruned {count} dead holders"),
        },
        Report::Leader(Some(value)) => format!("sees a leader: {}", String::from_utf8_lossy(value)),
        Report::Leader(None) => "sees no leader".into(),
        Report::Child(event) => match event {
            ChildEvent::Started => "its child process started",
            ChildEvent::Ended(Ending::Success) => "its child process ended",
            ChildEvent::Ended(Ending::Failure) => "its child process failed",
            ChildEvent::Asked => "asked its child process to end (SIGTERM)",
            ChildEvent::Killed => "killed its child process (SIGKILL)",
        }
        .into(),
        Report::Exited(code) => format!("exited with code {code}"),
        Report::SessionCreated(_)
        | Report::TokenKnown(_)
        | Report::Destroyed
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => String::new(),
    },
    due: |due| match due {
        Due::TimeOut(_) => "times out",
        Due::Renew => "renewal",
        Due::WatchAgain => "watches again",
        Due::TryAgain => "retries",
        Due::NextStep => "next step",
        Due::Write => "writes",
        Due::ChildEnds => "child process ends",
        Due::Kill => "kills its child process",
        Due::EndOfWork => "releases the lock",
        Due::StartAgain => "restarts",
        Due::LeaseEnds => "has to stop",
    },
    program_option: option,
    program_key: "Key",
    again: |segment| match segment {
        Segment::Dial => "dials again",
        Segment::Request => "sent again",
        Segment::Answer => "answer again",
    },
    restored: "net restored",
    call_again: |call, segment| match segment {
        Segment::Dial => format!("{call}, dialled again"),
        Segment::Request => format!("{call}, sent again"),
        Segment::Answer => format!("{call}, its answer is sent again"),
    },
    renewal,
    renewal_sent: |renewal| {
        let times = match renewal.number {
            1 => "once".to_owned(),
            number => format!("{number} times"),
        };
        format!("First sent at {} s, again {times} so far", clock(renewal.since))
    },

    check_status: |status, by| match by {
        Some(label) => format!("{}: {}", status.as_str(), followed(status, label)),
        None => status.as_str().to_owned(),
    },
    check_since: |status, at, by| match by {
        Some(label) => {
            format!("{} since {} s: {}", status.as_str(), clock(at), followed(status, label))
        }
        None => format!("{} since {} s", status.as_str(), clock(at)),
    },

    refusals: refusals::WORDS,
    requests: REQUESTS,
};

const REQUESTS: RequestWords = RequestWords {
    creates: "new session",
    renews: |session| format!("renews {session}"),
    destroys: |session| format!("destroys {session}"),
    reads: "reads",
    waits: "waits for a change",
    wait_ends: "wait ends",
    acquires: |key| format!("acquires {key}"),
    tries: |key| format!("tries {key}"),
    releases: |key| format!("releases {key}"),
    writes: |key| format!("writes {key}"),
    deletes: |key| format!("deletes {key}"),
    free: |key| format!("{key} free"),
};

/// An act with its time and its client.
fn act_at(act: &ActSummary) -> String {
    let client = act.actor.as_ref().map(|name| format!(" {name}:")).unwrap_or_default();
    format!("{} s{client} {}", clock(act.at), act_text(&act.text))
}

/// An act in a few words.
fn act_text(text: &ActText) -> String {
    match text {
        ActText::Words(words) => words.clone(),
        ActText::Fault(fault) => (WORDS.fault)(fault),
        ActText::Edited { text, changes } if changes.is_empty() => {
            format!("{}, edited", act_text(text))
        }
        ActText::Edited { text, changes } => {
            let changes: Vec<_> = changes.iter().map(change).collect();
            format!("{} with {}", act_text(text), changes.join(", "))
        }
        ActText::Repair(fault) => (WORDS.repair)(fault),
        ActText::Spawn(program) => format!("{program} added"),
        ActText::Order { program, order: Order::Start } => format!("{program} started"),
        ActText::Order { program, .. } => format!("{program} stopped"),
    }
}

/// A changed parameter of an act.
fn change(change: &ActChange) -> String {
    let name = match change.word.as_str() {
        "" => WORDS.program_key,
        word => option(word).map_or(word, |it| it.0),
    };
    format!("{name} {}", change.value)
}

/// A cut: its direction, and its mode in the words of the line language unless it is the usual one.
fn cut_words(cut: Cut) -> String {
    let way = match cut.way {
        _ if cut.mode.cuts_both_directions() => "network cut",
        CutDirection::Both => "network cut",
        CutDirection::ToServer => "network cut to the server",
        CutDirection::FromServer => "network cut from the server",
    };
    match cut.mode {
        CutMode::Drop => way.into(),
        mode => format!("{way} ({})", mode.word()),
    }
}

/// What the end of a fault brings.
fn repair(fault: &Fault) -> String {
    match fault {
        Fault::Pause { .. } => "process resumed".into(),
        Fault::Crash { .. } => "process restarted".into(),
        Fault::Cut { .. } => "network restored".into(),
        Fault::ClockRate { .. } => "clock at normal speed".into(),
        Fault::ClockJump { .. } => "clock corrected".into(),
        Fault::NodeSilent { .. } => "node reachable by gossip".into(),
        Fault::NodeRemoved { .. } => "node registered again".into(),
        Fault::CheckCritical { check, .. } => format!("check {} passing", check.as_str()),
        Fault::LostAnswer { .. } => "answers arrive again".into(),
        Fault::LeaderLost(loss) => match loss.fate {
            LeaderFate::Killed | LeaderFate::Cut => (WORDS.fault)(&Fault::Failover),
            LeaderFate::Alone => "the server is started again".into(),
            LeaderFate::Restarted => "the server is the leader".into(),
        },
        Fault::Failover => (WORDS.fault)(fault),
    }
}

/// The name and the meaning of an option of a program.
fn option(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "limit" => ("Limit", "Number of slots"),
        "style" => ("Style", "go: as the Go client; guide: as Consul's guide"),
        "value" => ("Value", "Value that it writes to the key"),
        "name" => ("Session name", "Name of its session"),
        "ttl" => ("TTL", "TTL of its session"),
        "delay" => ("LockDelay", "LockDelay of its session"),
        "behavior" => {
            ("Behavior", "What happens to its keys when the session ends: release or delete")
        }
        "session" => ("Session", "Session to use instead of creating one"),
        "retries" => ("Retries", "How often a failed watch is repeated"),
        "retry-time" => ("Retry time", "Pause before a failed watch is repeated"),
        "tries" => ("Tries", "forever: waits for the lock; once: gives up after one try"),
        "wait" => ("Wait", "How long a blocking query waits"),
        "token" => (
            "Token",
            "Token that it shows to the resource: nothing, session, lock-index, modify-index, \
             triple or check-session",
        ),
        "every" => ("Write interval", "Time between two writes"),
        "holders" => ("Holders", "How many may hold the lock at once (-n)"),
        "timeout" => ("Timeout", "How long it waits for the lock (-timeout); 0s: for ever"),
        "monitor-retry" => {
            ("Monitor retries", "How often a failed watch is repeated (-monitor-retry)")
        }
        "exit-code" => {
            ("Exit code", "own: its own exit code; child: that of its child (-child-exit-code)")
        }
        "command" => ("Command", "Name of the child process"),
        "runs" => ("Run time", "How long the child process runs; never: until it is stopped"),
        "ends" => ("End", "How the child process ends: success or failure"),
        "stop-time" => {
            ("Stop time", "How long the child process takes to stop; never: it ignores the signal")
        }
        "pause" => ("Pause", "Pause between two tries"),
        "index-reset" => (
            "Index reset",
            "on-decrease: starts at 0 again, as Consul asks; never: keeps the index",
        ),
        "tells" => ("Reports", "What it reports: answers or leaders"),
        "hold" => ("Hold time", "How long it holds the lock; never: until it is stopped"),
        "on-loss" => {
            ("On loss", "What it does after losing the lock: unlock, stand-still or lock-again")
        }
        "again" => ("Restart after", "Pause before it starts again; never: it does not"),
        "request-timeout" => {
            ("Request timeout", "How long it waits for an answer; never: for ever")
        }
        _ => return None,
    })
}

fn renewal(renewal: &UnansweredRenewal) -> String {
    let repeated = match renewal.segment {
        Segment::Dial => "The renewal dials again at",
        Segment::Request => "The renewal is repeated at",
        Segment::Answer => "The answer to the renewal is repeated at",
    };
    let (at, ends) = (clock(renewal.at), clock(renewal.session_ends));
    if renewal.session_has_ended {
        format!("{repeated} {at} s; the session ended at {ends} s.")
    } else if renewal.is_late() {
        format!("{repeated} {at} s; the session ends at {ends} s.")
    } else {
        format!("{repeated} {at} s; without it the session lasts until {ends} s.")
    }
}

/// What a session did that changed the status of a check.
fn followed(status: &CheckStatus, label: &str) -> String {
    match status {
        CheckStatus::Critical => format!("session {label} ended"),
        _ => format!("session {label} began"),
    }
}
