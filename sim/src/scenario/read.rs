//! Parses the text of a scenario line by line; an error names the line. Nothing is performed here.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lictor_core::id::ActorName;
use lictor_core::time::Instant;

use super::{
    BilingualText, Choice, LessonLane, Measure, Numbered, Scenario, ScenarioError, ScenarioPart,
    ScenarioProblem, Variant, WrittenQuestion,
};
use crate::trace::TraceLine;

/// Separates the languages.
const BETWEEN: char = '|';

/// What has been read so far.
#[derive(Default)]
struct Draft<'a> {
    scenario: Scenario,
    /// The keywords of the lines so far.
    keywords: Vec<&'a str>,
    /// A question whose answer was not read yet.
    question: Option<DraftQuestion>,
}

/// A question of which some lines were read.
struct DraftQuestion {
    line: usize,
    text: BilingualText,
    choices: Vec<Choice>,
    reason: Option<BilingualText>,
    since: Option<String>,
    span: Option<BilingualText>,
}

/// The keywords that every scenario must have.
const REQUIRED: [&str; 8] =
    ["scenario", "number", "source", "title", "preview", "conclusion", "fix", "end"];

impl Scenario {
    /// Reads a scenario. Empty lines and lines that begin with `;` are ignored.
    ///
    /// # Errors
    ///
    /// Names the first line that cannot be read, or the keyword that is missing.
    pub fn read(text: &str) -> Result<Self, ScenarioError> {
        let mut draft = Draft::default();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if !text.is_empty() && !text.starts_with(';') {
                draft.line(line, text).map_err(|problem| ScenarioError { line, problem })?;
            }
        }
        let lines = text.lines().count();
        draft.finish().map_err(|problem| ScenarioError { line: lines, problem })
    }
}

impl<'a> Draft<'a> {
    fn line(&mut self, number: usize, text: &'a str) -> Result<(), ScenarioProblem> {
        let (only, text) = match text.split_at_checked(2) {
            Some(("- ", rest)) => (Some(Variant::Plain), rest.trim()),
            Some(("+ ", rest)) => (Some(Variant::Fixed), rest.trim()),
            _ => (None, text),
        };
        let Some((keyword, rest)) = keyword(text) else {
            return self.event(number, only, text);
        };
        self.keywords.push(keyword);
        let scenario = &mut self.scenario;
        match keyword {
            "scenario" => scenario.name = rest.to_owned(),
            "number" => scenario.number = rest.parse().map_err(|_| malformed(rest, "number"))?,
            "seed" => scenario.seed = rest.parse().map_err(|_| malformed(rest, "seed"))?,
            "source" => scenario.source = rest.to_owned(),
            "title" => scenario.title = bilingual(rest)?,
            "preview" => scenario.preview = bilingual(rest)?,
            "conclusion" => scenario.conclusion = bilingual(rest)?,
            "fix" => scenario.fix = bilingual(rest)?,
            "cast" => scenario.cast = rest.split_whitespace().map(ActorName::from).collect(),
            "lanes" => {
                scenario.lanes = rest.split_whitespace().map(lane).collect::<Result<_, _>>()?;
            }
            "chapter" => self.part(number, only, ScenarioPart::Chapter(bilingual(rest)?)),
            "beat" => self.part(number, only, ScenarioPart::Beat(bilingual(rest)?)),
            "wait" => self.part(number, only, ScenarioPart::Wait(time(rest)?)),
            "question" => {
                let (text, choices) = (bilingual(rest)?, Vec::new());
                self.question = Some(DraftQuestion {
                    line: number,
                    text,
                    choices,
                    reason: None,
                    since: None,
                    span: None,
                });
            }
            "choice" => {
                let choice = choice(rest)?;
                self.asked()?.choices.push(choice);
            }
            "reason" => self.asked()?.reason = Some(bilingual(rest)?),
            "since" => self.asked()?.since = Some(squeezed(rest)),
            "span" => self.asked()?.span = Some(bilingual(rest)?),
            "answer" => {
                let asked = self.question.take().ok_or(ScenarioProblem::NoQuestion)?;
                let question = WrittenQuestion {
                    text: asked.text,
                    choices: asked.choices,
                    reason: asked.reason.ok_or(ScenarioProblem::NoReason)?,
                    since: asked.since,
                    span: asked.span,
                    answer: measure(rest)?,
                };
                self.part(asked.line, only, ScenarioPart::Question(question));
            }
            "end" => scenario.end = time(rest)?,
            "expect" => {
                scenario.expectations.push(Numbered { line: number, only, item: rest.to_owned() });
            }
            other => return Err(ScenarioProblem::UnknownKeyword(other.to_owned())),
        }
        Ok(())
    }

    fn asked(&mut self) -> Result<&mut DraftQuestion, ScenarioProblem> {
        self.question.as_mut().ok_or(ScenarioProblem::NoQuestion)
    }

    fn part(&mut self, line: usize, only: Option<Variant>, item: ScenarioPart) {
        self.scenario.parts.push(Numbered { line, only, item });
    }

    /// A line of the trace, which may name the session that it creates (`= name`).
    fn event(
        &mut self,
        number: usize,
        only: Option<Variant>,
        text: &str,
    ) -> Result<(), ScenarioProblem> {
        let TraceLine { at, actor, what, outcome, .. } = TraceLine::parse(text)?;
        let (name, what) = match what.split_once(" = ") {
            Some((name, what)) if !name.contains(' ') => {
                (Some(name.to_owned()), what.trim().to_owned())
            }
            _ => (None, what),
        };
        self.part(number, only, ScenarioPart::TraceLine { at, actor, name, what, outcome });
        Ok(())
    }

    fn finish(self) -> Result<Scenario, ScenarioProblem> {
        if self.question.is_some() {
            return Err(ScenarioProblem::NoAnswer);
        }
        match REQUIRED.iter().find(|keyword| !self.keywords.contains(keyword)) {
            Some(keyword) => Err(ScenarioProblem::MissingKeyword(keyword)),
            None => Ok(self.scenario),
        }
    }
}

/// A choice: its value, and its words in both languages where they differ from the value.
fn choice(text: &str) -> Result<Choice, ScenarioProblem> {
    let (value, label) = match text.split_once(BETWEEN) {
        Some((value, label)) => (value.trim(), bilingual(label)?),
        None => (text, BilingualText { english: text.to_owned(), chinese: text.to_owned() }),
    };
    Ok(Choice { value: value.to_owned(), label, at: None })
}

fn lane(text: &str) -> Result<LessonLane, ScenarioProblem> {
    match text {
        "server" => Ok(LessonLane::Server),
        "locks" => Ok(LessonLane::Locks),
        "beliefs" => Ok(LessonLane::Beliefs),
        "keys" => Ok(LessonLane::Keys),
        "sessions" => Ok(LessonLane::Sessions),
        "checks" => Ok(LessonLane::Checks),
        "slots" => Ok(LessonLane::Slots),
        "resources" => Ok(LessonLane::Resources),
        "connections" => Ok(LessonLane::Connections),
        other => Err(malformed(other, "kind of lane")),
    }
}

/// A line that begins with a keyword and a colon.
fn keyword(text: &str) -> Option<(&str, &str)> {
    let (keyword, rest) = text.split_once(':')?;
    let is_word = !keyword.is_empty() && keyword.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then_some((keyword, rest.trim()))
}

fn bilingual(text: &str) -> Result<BilingualText, ScenarioProblem> {
    let (english, chinese) = text.split_once(BETWEEN).ok_or(ScenarioProblem::OneLanguage)?;
    let (english, chinese) = (english.trim(), chinese.trim());
    if english.is_empty() || chinese.is_empty() {
        return Err(ScenarioProblem::OneLanguage);
    }
    Ok(BilingualText { english: english.to_owned(), chinese: chinese.to_owned() })
}

fn time(text: &str) -> Result<Instant, ScenarioProblem> {
    let line = TraceLine::parse(&format!("{text} nobody waits"));
    Ok(line?.at)
}

fn measure(text: &str) -> Result<Measure, ScenarioProblem> {
    let (kind, pattern) = text.split_once(' ').unwrap_or((text, ""));
    let pattern = squeezed(pattern);
    match (kind, pattern.is_empty()) {
        ("when", false) => Ok(Measure::When(pattern)),
        ("count", false) => Ok(Measure::Count(pattern)),
        ("outcome", false) => Ok(Measure::Outcome(pattern)),
        ("verdict", false) => Ok(Measure::Verdict(pattern)),
        ("overlap", true) => Ok(Measure::Overlap),
        _ => Err(malformed(text, "answer")),
    }
}

/// The text with single spaces, so that aligned columns make no difference.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn malformed(text: &str, kind: &'static str) -> ScenarioProblem {
    ScenarioProblem::Malformed { text: text.to_owned(), kind }
}
