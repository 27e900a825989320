//! The first line about a key: its state, who holds it, and from when another client may get it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::Timestamp;

use crate::answer::{Answer, AnswerKind};
use crate::incident::Incident;
use crate::time::seconds;

impl Incident {
    /// The answer in a line: `HELD jobs/leader by session 4154283e (worker-a) on node n1, since
    /// 09:10:27.123; others can get it possibly from 09:11:05.000 (in 21 s), surely from
    /// 09:11:25.000 (in 41 s), if nobody acts and the leader stays`.
    pub fn headline(&self, answer: &Answer) -> String {
        let key = &answer.key;
        let mut line = format!("{} {key}", word(answer));
        if let Some(holder) = &answer.holder {
            line += &format!(" by {}{}", self.name_of(holder), self.on_node(holder));
            if let Some(since) = answer.since {
                line += &format!(", since {}", self.clock(since, answer.as_of));
            }
        } else if let Some(likely) = &answer.likely {
            line += &format!(", perhaps held by {}{}", self.name_of(likely), self.on_node(likely));
        } else if answer.kind == AnswerKind::MaybeDelayed {
            line += ", perhaps: nobody holds it";
        }
        if answer.is_assumed {
            line += &format!(", assumed as of {}", self.clock(answer.as_of, answer.as_of));
        } else if answer.as_of < self.now {
            line += &format!(", as of {}", self.clock(answer.as_of, answer.as_of));
        }
        line + "; " + &self.moments(answer)
    }

    fn on_node(&self, session: &str) -> String {
        let node = self.session(session).map(|session| session.node.as_str());
        node.filter(|node| !node.is_empty()).map_or_else(String::new, |it| format!(" on node {it}"))
    }

    /// From when another client may get the key, with the distances from the moment of the answer,
    /// and the condition of what is later than that: a new leader begins each TTL again, and may
    /// know another end of a lock-delay.
    fn moments(&self, answer: &Answer) -> String {
        let what = if answer.kind == AnswerKind::Semaphore { "a slot" } else { "it" };
        let at = |time: Timestamp| match time.duration_since(answer.as_of) {
            span if span.is_positive() => {
                let (time, span) = (self.clock(time, answer.as_of), span.unsigned_abs());
                format!("from {time} (in {})", distance(span))
            }
            _ => "now".into(),
        };
        let when = match (answer.earliest, answer.latest) {
            (None, _) => return format!("nobody else can get {what} before somebody acts"),
            (Some(earliest), Some(latest)) if earliest == latest => at(earliest),
            (Some(earliest), Some(latest)) => {
                format!("possibly {}, surely {}", at(earliest), at(latest))
            }
            (Some(earliest), None) => {
                format!("possibly {}, surely from a time that is not known", at(earliest))
            }
        };
        let is_later = |time: Option<Timestamp>| time.is_some_and(|time| time > answer.as_of);
        let condition = if is_later(answer.earliest) || is_later(answer.latest) {
            ", if nobody acts and the leader stays"
        } else {
            ""
        };
        format!("others can get {what} {when}{condition}")
    }
}

const fn word(answer: &Answer) -> &'static str {
    match answer.kind {
        AnswerKind::Held => "HELD",
        AnswerKind::Delayed | AnswerKind::MaybeDelayed => "DELAYED",
        AnswerKind::Free => "FREE",
        AnswerKind::Semaphore => "CONTENDED",
        AnswerKind::Unknown => "UNKNOWN",
    }
}

/// Shorter distances are written to the tenth of a second, others in whole seconds: the moment is
/// beside them.
const TENTHS: Duration = Duration::from_secs(10);
/// The seconds of an hour. Distances from this on have hours and minutes: `48 h 15 s`.
const HOUR: u64 = 3_600;

fn distance(duration: Duration) -> String {
    let unit = if duration < TENTHS { 100 } else { 1_000 };
    let units = (duration.as_millis() as u64 + unit / 2) / unit;
    let rounded = Duration::from_millis(units * unit);
    if rounded.as_secs() < HOUR {
        return seconds(rounded);
    }
    let (hours, rest) = (rounded.as_secs() / HOUR, rounded.as_secs() % HOUR);
    let parts = [(hours, "h"), (rest / 60, "min"), (rest % 60, "s")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}
