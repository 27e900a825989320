//! The texts of the rows in each language: what happened and why, what is due, and how branches are
//! named. Consul's own texts (errors, keys, paths) are never translated.

mod chinese;
mod english;
mod refusals;
mod upcoming;

use core::time::Duration;

use lictor_core::id::{CheckId, SessionId};
use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_recipes::{Due, Report};
use lictor_sim::record::{
    EndCause, EventCall, EventResult, EventRow, EventSource, ExplainedReason, Note, ServerCall,
};
use lictor_sim::{CallStage, Fault, Leg, ObservedEvent, Rejected, Segment};

use self::refusals::RefusalWords;
use super::cures::Cure;
use super::headline::{Headline, LockHeadline, SemaphoreHeadline};
use super::takeover::{TakeoverRow, printed_terms};
use super::{ActText, BranchTitle, Deadline, Tense, UnansweredRenewal};
use super::{ForecastVisibility, SessionFuture};
use crate::event_folds::{Fold, FoldCounts};
use crate::format::{before_beginning, hundredths};
use crate::language::Language;
use crate::request_text;

type Text = &'static str;

/// The texts of the rows in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The texts of the rows in one language.
pub struct Words {
    /// Between the items of a list.
    pub list: Text,
    /// Between clauses.
    pub comma: Text,
    /// Before an explanation.
    pub colon: Text,
    /// After a sentence.
    pub stop: Text,
    /// After a number of seconds.
    pub second: Text,
    /// After a number of milliseconds.
    pub millisecond: Text,
    pub server: Text,
    /// The source of an event that was observed before the world.
    pub observed: Text,
    /// The source of a time before the world of which nothing is known.
    pub unknown: Text,
    pub ended: fn(&EndCause) -> String,
    /// The end of a session with its label, cause and time, which is `None` if it is not known.
    pub session_end: fn(&str, &EndCause, Option<Instant>) -> String,
    pub ended_at: fn(Instant, &EndCause) -> String,
    pub chain_ended: fn(&str, &EndCause) -> String,
    pub deadline: fn(&Deadline) -> String,
    pub server_call: fn(&ServerCall) -> String,
    pub reply: fn(&EventResult) -> String,
    pub note: fn(&Note) -> String,
    /// Why a request was refused, for a reason that still holds, or that no longer does.
    pub why: fn(&ExplainedReason, Tense) -> String,
    /// What was folded into one row of the event list: how many joins and starts, renewals and
    /// repeated tries.
    pub fold: [fn(usize) -> String; 3],
    /// The end of what was folded.
    pub fold_until: fn(Instant) -> String,
    /// The text of a renewal while a question is open.
    pub renewed_hidden: Text,
    pub nobody: Text,
    /// The time until the TTL of a session is over.
    pub clock_guaranteed: fn(Duration) -> String,
    /// The time since the TTL of a session was over.
    pub clock_over: fn(Duration) -> String,
    /// The next renewal or the end of a session, and the time until then.
    pub clock_future: fn(&SessionFuture, Duration) -> String,
    pub in_span: fn(Duration) -> String,
    /// The next deadline, and the time until then.
    pub due_in: fn(&str, Duration) -> String,

    // The state of a lock or a semaphore
    pub lock: fn(&LockHeadline, Instant) -> String,
    pub semaphore: fn(&SemaphoreHeadline) -> String,
    /// A client would get a lock at a time; the sum of the time until then.
    pub would_get: fn(&str, Instant, &str) -> String,
    /// The time of the takeover.
    pub takeover_at: fn(Instant) -> String,
    pub takeover_none_why: fn(&[CheckId]) -> Text,
    /// What can be done about a key that cannot be locked at a present time, and the consequence.
    pub cure: fn(&Cure, Instant) -> String,
    /// The sum and its terms, without those that are zero.
    pub takeover_sum: fn(&[String; 4]) -> String,

    // Branches
    pub branch_name: fn(&BranchTitle) -> String,
    /// An act in a few words.
    pub act: fn(&ActText) -> String,

    // Outside of the server
    pub fault: fn(&Fault) -> String,
    pub repair: fn(&Fault) -> String,
    pub no_answer: Text,
    pub write: fn(&str, u64) -> String,
    pub lost: fn(Leg) -> &'static str,
    pub broken: fn(CallStage) -> &'static str,
    pub rejected_why: fn(&Rejected) -> String,
    pub report: fn(&Report) -> String,
    pub due: fn(Due) -> &'static str,
    /// The name and the meaning of an option of a program.
    pub program_option: fn(&str) -> Option<(Text, Text)>,
    /// The label of the key of a program.
    pub program_key: Text,
    /// A segment that a kernel sends again, in few words.
    pub again: fn(Segment) -> Text,
    /// The end of a cut, in few words.
    pub restored: Text,
    /// A call, and the segment of it that is sent again.
    pub call_again: fn(&str, Segment) -> String,
    pub renewal: fn(&UnansweredRenewal) -> String,
    /// The number of times that it was sent so far.
    pub renewal_sent: fn(&UnansweredRenewal) -> String,

    // Health checks
    /// The status of a check, with the session by whose beginning or end it changed.
    pub check_status: fn(&CheckStatus, Option<&str>) -> String,
    /// The status with its time.
    pub check_since: fn(&CheckStatus, Instant, Option<&str>) -> String,

    /// Explanations of Consul's errors.
    pub refusals: RefusalWords,
    /// Requests in two or three words.
    pub requests: RequestWords,
}

impl Words {
    /// A row of the event list as one line.
    pub fn description(&self, row: &EventRow, visibility: ForecastVisibility) -> String {
        let Self { colon, comma, stop, .. } = self;
        let mut text = format!("{}{colon}{}", self.source(&row.source), self.call(&row.call));
        // These words are in the call already.
        let is_in_call =
            matches!(row.reply, EventResult::Ended | EventResult::Joined | EventResult::Fault);
        if !is_in_call {
            text.extend([comma, &*(self.reply)(&row.reply)]);
        }
        let note = self.note_while(&row.note, visibility);
        text.extend(if note.is_empty() { [stop, ""] } else { [colon, &*note] });
        text.trim_end().to_owned()
    }

    /// The detail of an event, without hints at the future while a question is open.
    pub fn note_while(&self, note: &Note, visibility: ForecastVisibility) -> String {
        match note {
            Note::Renewed { .. } if visibility.is_hidden() => self.renewed_hidden.to_owned(),
            Note::ClocksRestarted if visibility.is_hidden() => String::new(),
            note => (self.note)(note),
        }
    }

    /// The sentence about the state of a lock or a semaphore at a present time, and the sum of a
    /// takeover's time, which may be empty.
    pub fn headline(&self, headline: &Headline, now: Instant) -> [String; 2] {
        match headline {
            Headline::Lock(lock) => [(self.lock)(lock, now), self.sum(lock, now)],
            Headline::Semaphore(semaphore) => [(self.semaphore)(semaphore), String::new()],
        }
    }

    /// The terms of the time until a takeover, if there is more than one.
    fn sum(&self, lock: &LockHeadline, now: Instant) -> String {
        let takeover = lock.takeover.as_ref().filter(|_| lock.overlap.is_none());
        let Some(TakeoverRow::At { at, terms, taker, .. }) = takeover else { return String::new() };
        let printed = printed_terms(now, *at, terms);
        if printed[1..].iter().filter(|term| *term != "0.0").count() < 2 {
            return String::new();
        }
        let sum = (self.takeover_sum)(&printed);
        let taker = taker.as_ref().filter(|_| !terms.retry.is_zero());
        match taker.and_then(|tag| tag.owner.as_ref()) {
            Some(owner) => (self.would_get)(owner.name.as_str(), *at, &sum),
            None => sum,
        }
    }

    /// The texts of a row of the event list, by column.
    pub fn cells(&self, row: &EventRow) -> [String; 7] {
        [
            row.number.to_string(),
            hundredths(row.at.since(Instant::EPOCH)),
            row.index.map_or_else(|| "–".to_owned(), |index| index.to_string()),
            self.source(&row.source).to_owned(),
            self.call(&row.call),
            (self.reply)(&row.reply),
            (self.note)(&row.note),
        ]
    }

    /// The texts of a fold by column, with its first and its last event.
    pub fn fold_cells(&self, fold: &Fold, first: &EventRow, last: &EventRow) -> [String; 7] {
        let FoldCounts { starts, renewals, tries } = fold.counts;
        let counts = [starts, renewals, tries].into_iter().zip(self.fold);
        let counts = counts.filter(|(count, _)| *count > 0);
        let texts: Vec<_> = counts.map(|(count, text)| text(count as usize)).collect();
        let [number, time, _, source, ..] = self.cells(first);
        let source = if fold.is_of_one_client { source } else { String::new() };
        let until = if last.at > first.at { (self.fold_until)(last.at) } else { String::new() };
        [number, time, String::new(), source, texts.join(self.list), String::new(), until]
    }

    /// The texts of an event that was observed before the world, by column.
    pub fn observed_cells(&self, event: &ObservedEvent) -> [String; 7] {
        let source = if event.is_gap { self.unknown } else { self.observed };
        let [none, result, why] = [const { String::new() }; 3];
        let index = "–".to_owned();
        let text = event.text.clone();
        [none, before_beginning(event.ago), index, source.to_owned(), text, result, why]
    }

    /// The server, or the name of a client.
    pub fn source<'a>(&self, source: &'a EventSource) -> &'a str {
        match source {
            EventSource::Server => self.server,
            EventSource::Actor(actor) => actor.name.as_str(),
        }
    }

    pub fn call(&self, call: &EventCall) -> String {
        match call {
            EventCall::Http { call, sessions } => request_text::summary(&call.request, |id| {
                let id = SessionId::parse(id)?;
                let (_, label) = sessions.iter().find(|(session, _)| *session == id)?;
                Some(label.to_string())
            }),
            EventCall::Server(call) => (self.server_call)(call),
            EventCall::Fault(fault) => (self.fault)(fault),
            EventCall::Repair(fault) => (self.repair)(fault),
            EventCall::Write { resource, number } => (self.write)(resource, *number),
            EventCall::Program(name) => name.to_string(),
        }
    }
}

/// Requests in two or three words, in one language.
pub struct RequestWords {
    pub creates: Text,
    pub renews: fn(&str) -> String,
    pub destroys: fn(&str) -> String,
    pub reads: Text,
    pub waits: Text,
    /// A blocking query ends without a change.
    pub wait_ends: Text,
    pub acquires: fn(&str) -> String,
    /// An acquire that is not granted.
    pub tries: fn(&str) -> String,
    pub releases: fn(&str) -> String,
    pub writes: fn(&str) -> String,
    pub deletes: fn(&str) -> String,
    /// A key whose lock-delay is over.
    pub free: fn(&str) -> String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    /// The notes of the last event, in English and Chinese.
    fn notes(target: &str, body: &str) -> [String; 2] {
        let mut played = TestWorld::of_three();
        played.call("web-1", "PUT", target, body);
        last_notes(&played)
    }

    fn last_notes(played: &TestWorld) -> [String; 2] {
        let row = played.record.events().iter().last().expect("it was refused");
        [Language::English, Language::Chinese].map(|it| (words(it).note)(&row.note))
    }

    #[test]
    fn an_error_of_consul_has_its_meaning_before_its_text() {
        let consul = "Invalid Session TTL '5000000000', must be between [10s=24h0m0s]";
        assert_eq!(
            notes("/v1/session/create", r#"{"TTL": "5s"}"#),
            [
                format!("5s is below the minimum of 10s · {consul}"),
                format!("5s 低于下限 10s · {consul}"),
            ]
        );
        let [english, _] = notes("/v1/session/create", r#"{"TTL": "25h"}"#);
        assert!(english.starts_with("25h0m0s is above the maximum of 24h · "), "{english}");
        let [english, _] = notes("/v1/session/create", r#"{"TTL": "-1s"}"#);
        assert!(
            english.starts_with("a TTL cannot be negative; the minimum is 10s · "),
            "{english}"
        );
    }

    #[test]
    fn a_refusal_by_cas_0_is_true_of_a_delete_as_well() {
        let mut played = TestWorld::of_three();
        played.call("web-1", "PUT", "/v1/kv/a", "x");
        for method in ["PUT", "DELETE"] {
            played.call("web-1", method, "/v1/kv/a?cas=0", "");
            let [english, chinese] = last_notes(&played);
            assert_eq!(english, "cas=0 needs a key that does not exist, and this one exists");
            assert_eq!(chinese, "cas=0 要求键不存在，而这个键已存在");
        }
    }

    #[test]
    fn a_holder_in_another_spelling_is_named_as_such() {
        let mut played = TestWorld::of_three();
        played.call("web-1", "PUT", "/v1/session/create", "");
        let session = played.record.session_of(&"web-1".into()).expect("it was created");
        let id = session.session.id.to_string();
        let upper = id.to_uppercase();
        played.call("web-1", "PUT", &format!("/v1/kv/a?acquire={upper}"), "");
        for (parameter, is_same) in [("release", false), ("acquire", false), ("release", true)] {
            let session = if is_same { &upper } else { &id };
            played.call("web-1", "PUT", &format!("/v1/kv/a?{parameter}={session}"), "");
            let [english, chinese] = last_notes(&played);
            assert_eq!(english.contains("another spelling"), !is_same, "{english}");
            assert_eq!(chinese.contains("另一种 ID 写法"), !is_same, "{chinese}");
        }
    }

    #[test]
    fn an_error_without_a_text_has_its_meaning_alone_and_a_plain_one_its_text() {
        let [english, _] = notes("/v1/kv/a%01b", "1");
        assert_eq!(english, "the path has a character that cannot be printed; nothing was done");
        assert_eq!(notes("/v1/kv/", "1"), ["Missing key name"; 2]);
    }
}
