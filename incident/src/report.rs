//! The answers as text for a terminal, and as JSON.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use serde_json::{Value, json};

use crate::answer::{Answer, AnswerKind, Reason};
use crate::effects::Effects;
use crate::incident::Incident;
use crate::listing::Listing;
use crate::missing::Missing;
use crate::observed::Observed;
use crate::source::Unused;
use crate::summary::SourceSummary;
use crate::time::{rfc3339, seconds};

/// A line of a log is cut to this length in a text.
const LINE_MAX: usize = 200;
/// The line in place of answers if no list of keys was shown.
const NO_LIST: &str = "UNKNOWN; no list of keys was shown: who holds which key is not known.\n";
/// The line in place of answers if nothing shows which keys the lists of keys cover, and no key in
/// them needs an answer.
const NO_SCOPE: &str = "UNKNOWN; nothing says which keys the list of keys covers, and none in it \
                        is or was locked: who holds another key is not known.\n";
/// The most observed events in JSON.
const OBSERVED_MAX: usize = 500;

impl AnswerKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Delayed => "delayed",
            Self::MaybeDelayed => "maybe-delayed",
            Self::Free => "free",
            Self::Semaphore => "semaphore",
            Self::Unknown => "unknown",
        }
    }
}

impl Answer {
    /// The answer as JSON: `key`, `kind`, `asOf` and whether it is `assumed`, `holder`, `likely`,
    /// `since`, `earliest` and `latest` (RFC 3339, or null for never or unknown), `sentence`,
    /// `reasons`, `mismatches`, `asked`, `commands` and `missing`.
    fn to_json(&self, incident: &Incident) -> Value {
        let asked = self.asked.iter().map(|asked| {
            json!({
                "session": asked.session,
                "name": asked.name,
                "times": asked.times,
                "last": rfc3339(asked.last),
                "inVain": asked.in_vain,
            })
        });
        json!({
            "key": self.key,
            "kind": self.kind.name(),
            "headline": incident.headline(self),
            "asOf": rfc3339(self.as_of),
            "assumed": self.is_assumed,
            "holder": self.holder,
            "likely": self.likely,
            "since": self.since.map(rfc3339),
            "earliest": self.earliest.map(rfc3339),
            "latest": self.latest.map(rfc3339),
            "sentence": self.sentence,
            "reasons": self.reasons.iter().map(one_line).collect::<Vec<_>>(),
            "mismatches": self.mismatches.iter().map(one_line).collect::<Vec<_>>(),
            "asked": asked.collect::<Vec<_>>(),
            "commands": self.commands,
            "missing": self.missing,
        })
    }

    /// The sentence with what it rests on.
    fn write(&self, incident: &Incident, text: &mut String) {
        let _ = writeln!(text, "{}", self.sentence);
        for asked in &self.asked {
            let (name, last) = (&asked.name, incident.clock(asked.last, self.as_of));
            let times =
                if asked.times == 1 { "once".into() } else { format!("{} times", asked.times) };
            let how = if asked.in_vain { "asked in vain" } else { "asked for it" };
            let _ = writeln!(text, "    {how}: {name}, {times}, last at {last}");
        }
        let mismatches = self.mismatches.iter().map(|reason| ("", reason));
        for (word, reason) in mismatches.chain(self.reasons.iter().map(|it| ("because ", it))) {
            let _ = writeln!(text, "    {word}{}", reason.text);
            if let Some(line) = &reason.line {
                let cut: String = line.text.chars().take(LINE_MAX).collect();
                let _ = writeln!(text, "      {}:{}: {cut}", line.source, line.line);
            }
        }
        for command in &self.commands {
            let _ = writeln!(text, "    to remove them from Holders: {command}");
        }
    }
}

impl Incident {
    /// The answers for all keys, or for one, and all that they rest on, as JSON: `asOf`, the
    /// moment for which they hold; `complete`, whether each key is known and nothing is missing;
    /// `answers`; `missing`, each with `what`, what it `shows` and the `command` that prints it;
    /// `lists`, each with its `source`, `line`, what it is (`list`), `asOf`, which is the end of
    /// the second that a `Date` header names, `notBefore` (null if it may have any age) and `by`,
    /// what says so; `effects`, what the end of each session does;
    /// `unused`, what was not used, with its line and reason; and `sources`, what each source
    /// holds, with the `lines` of its log, its `clockOffset` in milliseconds and, if its clock
    /// differs from that of another log, `proposal` with another `clockOffset` and a `sentence`.
    /// If it has lines of an application, `application` has their number, a `text`, the `patterns`,
    /// each with the number of its `lines`, and whether they are `proposed`.
    pub fn report_to_json(&self, key: Option<&str>) -> Value {
        self.answers_to_json(&self.answers_about(key))
    }

    /// What [`Incident::report_to_json`] has, for these answers.
    pub fn answers_to_json(&self, answers: &[Answer]) -> Value {
        let effects = self.effects().into_iter().map(|effects| {
            json!({
                "session": effects.session,
                "name": effects.name,
                "frees": effects.frees,
                "deletes": effects.deletes,
                "perhaps": effects.perhaps,
                "allKeys": effects.has_all_keys,
                "delay": effects.delay.map(|delay| delay.as_millis() as u64),
                "checks": effects.checks,
                "allChecks": effects.has_all_checks,
                "node": effects.node,
                "sentence": sentence_of_effects(&effects),
            })
        });
        let unused = self.unused().iter().map(|unused| {
            json!({ "source": &*unused.source, "line": unused.line, "reason": unused.reason })
        });
        let notes = self.remarks().iter().map(|remark| {
            json!({ "source": &*remark.source, "line": remark.line, "text": remark.reason })
        });
        let missing = self.missing(answers);
        let is_complete = Self::is_known(answers) && !answers.is_empty() && missing.is_empty();
        let sources = self.sources().iter().map(source_to_json);
        json!({
            "asOf": rfc3339(self.as_of()),
            "complete": is_complete,
            "answers": answers.iter().map(|it| it.to_json(self)).collect::<Vec<_>>(),
            "missing": missing,
            "lists": self.listings.iter().map(listing_to_json).collect::<Vec<_>>(),
            "effects": effects.collect::<Vec<_>>(),
            "unused": unused.collect::<Vec<_>>(),
            "notes": notes.collect::<Vec<_>>(),
            "sources": sources.collect::<Vec<_>>(),
        })
    }

    /// What [`Incident::report_to_json`] has for all keys, and `world`, the text of a log that
    /// begins at this moment, or null with `noWorld`, the reason; `assumptions`, what it assumes;
    /// `observed`, the last 500 `events` of all sources, how many are `before`, and `lines`, which
    /// say both as text; `picture`, what the sources show as lanes of bars and marks
    /// ([`Picture`](crate::Picture)).
    pub fn to_json(&self) -> Value {
        self.to_json_with(&self.answers())
    }

    /// The same with these of its answers.
    pub fn to_json_with(&self, answers: &[Answer]) -> Value {
        let (world, assumptions, no_world) = match self.world() {
            Ok(world) => (Some(world.log), world.assumptions, None),
            Err(error) => (None, Vec::new(), Some(error.to_string())),
        };
        let mut report = self.answers_to_json(answers);
        report["world"] = world.into();
        report["noWorld"] = no_world.into();
        report["assumptions"] = assumptions.into();
        report["observed"] = self.observed_to_json();
        report["picture"] = json!(self.picture(answers));
        report
    }

    /// An answer as JSON, as `answers` of [`Incident::report_to_json`] has it.
    pub fn answer_to_json(&self, answer: &Answer) -> Value {
        answer.to_json(self)
    }

    /// The answers for all keys, or for one.
    pub fn answers_about(&self, key: Option<&str>) -> Vec<Answer> {
        match key {
            Some(key) => Vec::from_iter(self.answer_for(key)),
            None => self.answers(),
        }
    }

    fn observed_to_json(&self) -> Value {
        let (before, observed) = self.observed(OBSERVED_MAX);
        let events = observed.iter().map(|observed| {
            json!({
                "time": rfc3339(observed.time),
                "text": observed.text,
                "source": observed.line.as_ref().map(|line| &*line.source),
                "line": observed.line.as_ref().map(|line| line.line),
                "gap": observed.is_gap,
            })
        });
        let lines = self.lines(before, &observed);
        json!({ "before": before, "events": events.collect::<Vec<_>>(), "lines": lines })
    }

    /// The last observed events, one in a line, each with its source and line.
    pub fn events_text(&self, most: usize) -> String {
        let (before, observed) = self.observed(most);
        let mut text = String::from("What the inputs show, in order, in UTC:\n\n");
        for line in self.lines(before, &observed) {
            let _ = writeln!(text, "    {line}");
        }
        text
    }

    /// The number of events before others, and these, one in a line.
    fn lines(&self, before: usize, observed: &[Observed]) -> Vec<String> {
        let more = (before > 0).then(|| format!("{before} more before"));
        more.into_iter().chain(observed.iter().map(|event| event.line(self))).collect()
    }

    /// A line with the answer for each key, the moment for which they hold, and what is missing;
    /// then the answers with what they rest on, what the end of each session does, critical checks,
    /// the patterns of applications, clocks that differ, and what was not used, as text. With
    /// `key`, the answers and the sessions are those of this key.
    pub fn report(&self, key: Option<&str>) -> String {
        let about = |keys: &[String]| key.is_none_or(|key| keys.iter().any(|one| one == key));
        self.report_about(&self.answers_about(key), &about)
    }

    /// What [`Incident::report`] has, for the keys that begin with a prefix.
    pub fn report_with_prefix(&self, prefix: &str) -> String {
        let about = |keys: &[String]| keys.iter().any(|key| key.starts_with(prefix));
        self.report_about(&self.answers_with_prefix(prefix), &about)
    }

    fn report_about(&self, answers: &[Answer], about: &dyn Fn(&[String]) -> bool) -> String {
        let mut text = String::new();
        if answers.is_empty() {
            text.push_str(if self.has_key_list() { NO_SCOPE } else { NO_LIST });
        }
        for answer in answers {
            let _ = writeln!(text, "{}", self.headline(answer));
        }
        let _ = writeln!(text, "As of {}, in UTC.\n", rfc3339(self.as_of()));
        for Unused { source, line, reason } in self.remarks() {
            let _ = writeln!(text, "Note: {reason} ({source}:{line}).");
        }
        if !self.remarks().is_empty() {
            text.push('\n');
        }
        self.write_missing(answers, &mut text);
        for answer in answers {
            answer.write(self, &mut text);
            text.push('\n');
        }
        let effects = self.effects();
        let effects = effects.iter().filter(|one| about(&one.frees) || about(&one.deletes));
        let line = |effects: &Effects| format!("    {}\n", sentence_of_effects(effects));
        let effects: String = effects.map(line).collect();
        if !effects.is_empty() {
            let _ = writeln!(text, "If a session is destroyed:\n{effects}");
        }
        self.write_sources(&mut text);
        text
    }

    fn write_missing(&self, answers: &[Answer], text: &mut String) {
        let missing = self.missing(answers);
        if missing.is_empty() {
            return;
        }
        let _ = writeln!(text, "Missing:");
        for Missing { what, shows, command, .. } in &missing {
            let _ = writeln!(text, "    {what}. It would show {shows}.\n      {command}");
        }
        text.push('\n');
    }

    fn write_sources(&self, text: &mut String) {
        for (node, check) in self.critical_checks() {
            let _ = writeln!(
                text,
                "Check {check} of node {node} is critical: a session that rests on it has ended."
            );
        }
        for source in self.sources() {
            if let Some(application) = source.application.as_ref().filter(|it| it.found() > 0) {
                let _ =
                    writeln!(text, "{}: {}, by these patterns:", source.name, application.text());
                for (pattern, lines) in &application.patterns {
                    let _ = writeln!(text, "    {pattern}  ({lines})");
                }
            }
            if let Some(proposal) = &source.proposal {
                let (name, by) = (&source.name, proposal.clock_offset.as_secs_f64());
                let _ = writeln!(
                    text,
                    "{name}: {}. With --offset {name}={by} they agree.",
                    proposal.sentence
                );
            }
        }
        for unused in self.unused() {
            let _ =
                writeln!(text, "not used: {}:{}: {}", unused.source, unused.line, unused.reason);
        }
    }
}

fn listing_to_json(listing: &Listing) -> Value {
    let moment = &listing.moment;
    json!({
        "source": &*listing.line.source,
        "line": listing.line.line,
        "list": listing.name(),
        "asOf": rfc3339(moment.latest),
        "notBefore": moment.earliest.map(rfc3339),
        "by": moment.taken_by(),
        "assumed": moment.is_assumed(),
    })
}

fn source_to_json(source: &SourceSummary) -> Value {
    let proposal = source.proposal.as_ref().map(|proposal| {
        json!({
            "clockOffset": proposal.clock_offset.as_millis() as i64,
            "sentence": proposal.sentence,
        })
    });
    let application = source.application.as_ref().map(|application| {
        let patterns = application
            .patterns
            .iter()
            .map(|(pattern, lines)| json!({ "pattern": pattern.to_string(), "lines": lines }));
        json!({
            "lines": application.lines,
            "text": application.text(),
            "patterns": patterns.collect::<Vec<_>>(),
            "proposed": application.is_proposed,
        })
    });
    json!({
        "name": &*source.name,
        "holds": source.holds,
        "lines": source.lines,
        "clockOffset": source.clock_offset.as_millis() as i64,
        "proposal": proposal,
        "application": application,
    })
}

/// The session, what it rests on, and what its end does.
fn sentence_of_effects(effects: &Effects) -> String {
    let more = if effects.has_all_keys { "" } else { ", and perhaps keys that are in no list" };
    let done = match (&effects.frees[..], &effects.deletes[..]) {
        ([], []) if !effects.perhaps.is_empty() => {
            format!("perhaps it holds {}: the log does not say it", effects.perhaps.join(", "))
        }
        ([], []) if effects.has_all_keys => "it holds no key in the list of all keys".into(),
        ([], []) if effects.has_keys => "it holds none of the keys in these lists".into(),
        ([], []) => "which keys it holds is not known: no list of keys was shown".into(),
        (frees, []) if !effects.has_behavior => {
            format!("frees or deletes {}{more}; its behavior is not in the list", frees.join(", "))
        }
        (frees, []) => format!("frees {}{more}", frees.join(", ")),
        (_, deletes) => format!("deletes {}{more}", deletes.join(", ")),
    };
    let holds_none = effects.frees.is_empty() && effects.deletes.is_empty();
    let delay = match effects.delay {
        _ if holds_none => String::new(),
        None => "; its LockDelay is not in the list".into(),
        Some(delay) if delay.is_zero() => String::new(),
        Some(delay) => format!("; nobody can acquire for {}", seconds(delay)),
    };
    let rests = if !effects.has_all_checks {
        " (the list does not have all checks that it rests on)".into()
    } else if effects.checks.is_empty() {
        String::new()
    } else {
        format!(" (rests on {} of {})", effects.checks.join(", "), effects.node)
    };
    format!("{}{rests}: {done}{delay}", effects.name)
}

/// A reason with the place of its line.
fn one_line(reason: &Reason) -> String {
    match &reason.line {
        Some(line) => format!("{} ({}:{}: {})", reason.text, line.source, line.line, line.text),
        None => reason.text.clone(),
    }
}
