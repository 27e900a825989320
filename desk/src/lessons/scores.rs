//! The questions that a reader has answered, and whether the first guess was right; and the text in
//! which the browser stores them.

use std::collections::BTreeMap;

use lictor_sim::scenario::SCENARIOS;

use super::guess::GuessAnswer;
use super::lesson::TOPICS;

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionState {
    Open,
    /// Open, and the first open one in the order of teaching.
    Next,
    GuessedRight,
    /// Answered after a wrong guess, or without one.
    Answered,
}

/// The answered questions, by the numbers of their lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Whether the first guess was right.
    answered: BTreeMap<u32, bool>,
}

impl Scores {
    /// Records the first answer to a question; later ones do not count.
    pub fn answer(&mut self, number: u32, answer: &GuessAnswer) {
        self.answered.entry(number).or_insert(answer.is_right);
    }

    pub fn mark(&self, number: u32) -> QuestionState {
        match self.answered.get(&number) {
            Some(true) => QuestionState::GuessedRight,
            Some(false) => QuestionState::Answered,
            None if self.next() == Some(number) => QuestionState::Next,
            None => QuestionState::Open,
        }
    }

    /// The first open question in the order of teaching.
    pub fn next(&self) -> Option<u32> {
        let mut numbers = TOPICS.iter().flat_map(|(_, numbers)| numbers.iter().copied());
        numbers.find(|number| !self.answered.contains_key(number))
    }

    pub fn is_answered(&self, number: u32) -> bool {
        self.answered.contains_key(&number)
    }

    pub fn answered(&self) -> usize {
        self.answered.len()
    }

    pub fn guessed_right(&self) -> usize {
        self.answered.values().filter(|is_right| **is_right).count()
    }

    /// The numbers of the answered questions; `+` follows those that were guessed right.
    pub fn to_text(&self) -> String {
        let word = |(number, is_right): (&u32, &bool)| {
            format!("{number}{}", if *is_right { "+" } else { "" })
        };
        self.answered.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Parses the text of `to_text`. Unknown words and numbers are skipped, so a damaged text only
    /// loses these.
    pub fn from_text(text: &str) -> Self {
        let read = |word: &str| {
            let (number, is_right) = match word.strip_suffix('+') {
                Some(number) => (number, true),
                None => (word, false),
            };
            let number = number.parse::<u32>().ok()?;
            let exists = (1..=SCENARIOS.len() as u32).contains(&number);
            exists.then_some((number, is_right))
        };
        Self { answered: text.split_whitespace().filter_map(read).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Guess, Lesson};
    use lictor_sim::scenario::Variant;

    fn answer(scores: &mut Scores, number: u32, guess: impl FnOnce(usize) -> Guess) {
        let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let guess = guess(question.answer.choice);
        scores.answer(number, &GuessAnswer::new(question, guess));
    }

    #[test]
    fn the_first_answer_counts_and_the_next_question_is_the_first_open_one() {
        let mut scores = Scores::default();
        assert_eq!((scores.next(), scores.mark(1)), (Some(1), QuestionState::Next));
        answer(&mut scores, 1, Guess::Choice);
        answer(&mut scores, 3, |right| Guess::Choice(right + 1));
        answer(&mut scores, 3, Guess::Choice);
        answer(&mut scores, 20, |_| Guess::Skipped);
        let marks = [1, 2, 3, 4, 20].map(|number| scores.mark(number));
        assert_eq!(
            marks,
            [
                QuestionState::GuessedRight,
                QuestionState::Next,
                QuestionState::Answered,
                QuestionState::Open,
                QuestionState::Answered,
            ]
        );
        assert_eq!((scores.answered(), scores.guessed_right()), (3, 1));
    }

    #[test]
    fn scores_are_restored_from_their_text() {
        let mut scores = Scores::default();
        assert_eq!(Scores::from_text(&scores.to_text()), scores);
        let all = SCENARIOS.len();
        (1..=all as u32).for_each(|number| answer(&mut scores, number, Guess::Choice));
        assert_eq!((scores.next(), scores.guessed_right()), (None, all));
        assert_eq!(Scores::from_text(&scores.to_text()), scores);
        assert_eq!(Scores::from_text("2+ x 99 0 -1 7").to_text(), "2+ 7");
    }
}
