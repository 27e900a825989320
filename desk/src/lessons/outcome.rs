//! What the fix of a lesson changes: the question's answer, measured again in the run with the fix.

use core::time::Duration;

use lictor_core::duration;
use lictor_core::time::Instant;
use lictor_sim::scenario::{Measurement, Question, Variant};
use lictor_sim::timeline::SeekTarget;
use lictor_view::language::Language;

use super::guess::{Guess, GuessAnswer};
use super::lesson::{Lesson, in_language};

/// The result of a lesson with its fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixOutcome {
    /// The answer of the lesson without the fix.
    pub without_fix: GuessAnswer,
    question: Question,
    found: Measurement,
}

/// A measured answer in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredValue {
    /// One of the choices, in the words of the question.
    Choice(String),
    Span(Duration),
    /// It does not happen.
    Never,
    /// Consul's own words, or a number.
    Text(String),
}

/// The measured value of something that does not happen.
const NEVER: &str = "never";

impl FixOutcome {
    /// The outcome of the lesson with this number, whose plain variant was answered with this
    /// guess. `None` if there is no such lesson, if it has no question, or if the answer cannot be
    /// measured in its run with the fix.
    pub fn new(number: u32, guess: Guess) -> Option<Self> {
        let plain = Lesson::play(number, Variant::Plain).ok()?;
        let (_, question) = plain.question()?;
        let found = plain.scenario.measure(Variant::Fixed).ok()?;
        let without_fix = GuessAnswer::new(question, guess);
        Some(Self { without_fix, question: question.clone(), found })
    }

    /// The time in the run with the fix at which the answer is measured.
    pub fn at(&self) -> Instant {
        self.found.position.at
    }

    /// The position at which the answer is measured.
    pub fn target(&self) -> SeekTarget {
        SeekTarget::Position(self.found.position)
    }

    /// Whether the answer is the one of the lesson without the fix.
    pub fn is_same(&self) -> bool {
        self.question.choices[self.question.answer.choice].value == self.found.value
    }

    pub fn value(&self, language: Language) -> MeasuredValue {
        let value = &self.found.value;
        let choice = self.question.choices.iter().find(|choice| choice.value == *value);
        if let Some(choice) = choice {
            return MeasuredValue::Choice(in_language(&choice.label, language).to_owned());
        }
        if value == NEVER {
            return MeasuredValue::Never;
        }
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let span = duration::parse(value).ok().filter(|_| !is_number);
        match span.and_then(|nanos| u64::try_from(nanos).ok()) {
            Some(nanos) => MeasuredValue::Span(Duration::from_nanos(nanos)),
            None => MeasuredValue::Text(value.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_sim::scenario::SCENARIOS;

    /// A run with the fix that lacks the request in question has no outcome.
    #[test]
    fn fixes_have_measured_outcomes_and_most_change_the_answer() {
        let numbers = 1..=SCENARIOS.len() as u32;
        let outcomes = numbers.map(|number| FixOutcome::new(number, Guess::Skipped));
        let outcomes = outcomes.collect::<Vec<_>>();
        let value = |it: &Option<FixOutcome>| it.as_ref().map(|it| it.value(Language::English));
        let values = outcomes.iter().map(value).collect::<Vec<_>>();
        assert_eq!(values[0], Some(MeasuredValue::Choice("20 s".to_owned())), "{values:#?}");
        assert_eq!(values[6], Some(MeasuredValue::Choice("10.0.0.1".to_owned())), "{values:#?}");
        assert!(values.iter().filter(|it| it.is_none()).count() <= 2, "{values:#?}");
        let same = outcomes.iter().flatten().filter(|it| it.is_same()).count();
        assert!(same <= 3, "{same} fixes change nothing that the question asks: {values:#?}");
    }
}
