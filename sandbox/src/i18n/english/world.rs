//! Hosts, programs and guarded resources in English.

use lictor_recipes::{Due, GaveUp, LockLoss, Report};
use lictor_sim::{Fault, Jump, Leg, Rejected};

use super::super::words::WorldWords;
use crate::format::tenths;

pub(super) const WORDS: WorldWords = WorldWords {
    pause: "Pause",
    pause_hint: "Stand still, as in a long garbage collection",
    crash: "Crash",
    crash_hint: "End its programs; its node stays up",
    cut: "Cut net",
    cut_hint: "Let no message through; its node stays healthy",
    server: "Server",
    failover: "Failover",
    failover_hint: "Another server leads, and every session has its whole time again",
    slow_clock: "Clock ½",
    slow_clock_hint: "Let its clock run at half the rate",
    faults_of: |name| format!("Faults of {name}"),
    is_paused: "stands still",
    is_down: "down",
    is_cut: "net cut",
    programs: "Programs",
    program_kind: "Kind of program",
    program_words: "The key and the options of the program",
    start: "Start",
    stop: "Stop",
    why_not: |why| format!("This cannot be done: {why}"),
    resource: "resource",
    resource_lane_label: |name, count| format!("Writes to the resource {name}: {count}"),
    takeover: "Earliest takeover",
    takeover_terms: ("session", "lock-delay", "retry"),
    believes: "Believes",
    fault: |fault| match fault {
        Fault::Pause { .. } => "stands still".into(),
        Fault::Crash { .. } => "crashes".into(),
        Fault::Cut { .. } => "net cut".into(),
        Fault::ClockRate { rate, .. } => format!("clock runs at {rate} ‰"),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => {
            format!("clock jumps {} s on", tenths(*by))
        }
        Fault::ClockJump { jump: Jump::Back(by), .. } => {
            format!("clock jumps {} s back", tenths(*by))
        }
        Fault::NodeSilent { .. } => "node silent".into(),
        Fault::NodeRemoved { .. } => "node leaves the catalog".into(),
        Fault::CheckCritical { check, .. } => format!("check {} critical", check.as_str()),
        Fault::LostAnswer { .. } => "next answer will be lost".into(),
        Fault::Failover => "another server leads".into(),
    },
    began: "fault",
    mended: "mended",
    accepted: "accepted",
    rejected: "rejected",
    no_answer: "no answer",
    says: "says",
    write: |resource, number| format!("WRITE {resource} w{number}"),
    lost: |half| match half {
        Leg::Request => "the request never arrived; the client does not know",
        Leg::Answer => "the request took effect; the client does not know",
    },
    rejected_why: |why| match why {
        Rejected::OtherKind { .. } => "a token of another kind".into(),
        Rejected::OlderLockIndex { shown, accepted } => {
            format!("LockIndex {shown}, and {accepted} was accepted")
        }
        Rejected::OlderModifyIndex { shown, accepted } => {
            format!("ModifyIndex {shown}, and {accepted} was accepted")
        }
        Rejected::EarlierSession { .. } => "a session from before the latest one".into(),
        Rejected::OtherKey { .. } => "a token of another key".into(),
        Rejected::NotTheHolder => "its session does not hold the key".into(),
    },
    report: |report| match report {
        Report::Acquired { token } => format!("takes itself for the holder of {}", token.key),
        Report::Lost(loss) => match loss {
            LockLoss::KeyMissing => "notices its loss: the key is gone".into(),
            LockLoss::Freed => "notices its loss: nobody holds the key".into(),
            LockLoss::HeldBy(_) => "notices its loss: another session holds the key".into(),
            LockLoss::NotAHolder => "notices its loss: it is not among the holders".into(),
            LockLoss::WatchFailed(_) => "takes it for lost: its watch failed".into(),
            LockLoss::Undecodable(_) => "takes it for lost: the document cannot be read".into(),
        },
        Report::Released => "has let go".into(),
        Report::GaveUp(GaveUp::Stopped) => "gave up: it was stopped".into(),
        Report::GaveUp(GaveUp::TimedOut) => "gave up: its time is over".into(),
        Report::Failed(trouble) => format!("failed: {trouble}"),
        Report::KeeperStopped(trouble) => format!("renews no longer: {trouble}"),
        Report::Pruned(dead) => format!("pruned {} dead", dead.len()),
        Report::Leader(Some(value)) => format!("sees a leader: {}", String::from_utf8_lossy(value)),
        Report::Leader(None) => "sees no leader".into(),
        Report::Child(_) => "its child changes".into(),
        Report::Exited(code) => format!("exits with {code}"),
        Report::SessionCreated(_)
        | Report::TokenKnown(_)
        | Report::Destroyed
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => String::new(),
    },
    due: |due| match due {
        Due::TimeOut(_) => "its patience ends",
        Due::Renew => "renews",
        Due::WatchAgain => "watches again",
        Due::TryAgain => "tries again",
        Due::NextStep => "next step",
        Due::Write => "writes",
        Due::ChildEnds => "its child ends",
        Due::Kill => "kills its child",
        Due::EndOfWork => "lets go",
        Due::StartAgain => "starts again",
    },
};
