//! The reports of client programs as text, one line each.

use lictor_recipes::{ChildEvent, Ending, GaveUp, LockLoss, News, Report};

use super::ProgramReport;

/// A line such as `   1.234s  lock-2         acquired app/lock by 3f...`.
pub fn line(report: &ProgramReport) -> String {
    let ProgramReport { at, name, report } = report;
    let (seconds, millis) = (at.as_secs(), at.subsec_millis());
    format!("{seconds:>4}.{millis:03}s  {name:<14} {}", words(report))
}

fn words(report: &Report) -> String {
    match report {
        Report::SessionCreated(id) => format!("session {id}"),
        Report::Acquired { token, .. } => format!("acquired {token}"),
        Report::TokenKnown(token) => format!("knows its token: {token}"),
        Report::Lost(loss) => format!("lost: {}", loss_words(loss)),
        Report::Released => "released".into(),
        Report::ReleasedNothing => "had nothing to release".into(),
        Report::GaveUp(GaveUp::Stopped) => "gave up: it was stopped".into(),
        Report::GaveUp(GaveUp::TimedOut) => "gave up: timed out".into(),
        Report::Failed(error) => format!("failed: {error}"),
        Report::Destroyed => "removed what was left behind".into(),
        Report::RenewerStopped(why) => format!("renews its session no longer: {why}"),
        Report::Pruned(dead) => {
            let dead: Vec<_> = dead.iter().map(ToString::to_string).collect();
            format!("dropped dead holders: {}", dead.join(" "))
        }
        Report::Leader(Some(value)) => {
            format!("sees the leader {}", String::from_utf8_lossy(value))
        }
        Report::Leader(None) => "sees no leader".into(),
        Report::Answered { step, answer } => format!("step {step}: {answer:?}"),
        Report::NothingToDo { step } => format!("step {step}: nothing to do"),
        Report::Written { number, is_accepted: true } => format!("write {number} accepted"),
        Report::Written { number, is_accepted: false } => format!("write {number} refused"),
        Report::Child(event) => child_words(*event).into(),
        Report::Exited(code) => format!("exited with {code}"),
        Report::Polled { index, news } => format!("index {index}: {}", news_words(*news)),
    }
}

fn loss_words(loss: &LockLoss) -> String {
    match loss {
        LockLoss::KeyMissing => "the key is gone".into(),
        LockLoss::Freed => "nobody holds the key".into(),
        LockLoss::HeldBy(session) => format!("{session} holds the key"),
        LockLoss::NotAHolder => "it is not among the holders".into(),
        LockLoss::WatchFailed(failure) => format!("the watch failed: {failure}"),
        LockLoss::Undecodable(what) => format!("the document cannot be read: {what}"),
        LockLoss::SessionEnded => "its session has ended".into(),
        LockLoss::LeaseEnded => "no renewal has succeeded in time".into(),
    }
}

fn child_words(event: ChildEvent) -> &'static str {
    match event {
        ChildEvent::Started => "its child runs",
        ChildEvent::Ended(Ending::Success) => "its child has ended well",
        ChildEvent::Ended(Ending::Failure) => "its child has failed or was ended",
        ChildEvent::Asked => "its child is asked to end",
        ChildEvent::Killed => "its child is killed",
    }
}

fn news_words(news: News) -> &'static str {
    match news {
        News::First => "the first answer",
        News::Changed => "something new",
        News::Nothing => "nothing new",
    }
}
