//! The strings around lessons and questions in each language: the first visit, the question, the
//! reaction to a guess, and the list of questions.

mod chinese;
mod english;

use core::time::Duration;

use lictor_core::time::Instant;
use lictor_view::language::Language;

use crate::lessons::{AnswerMoment, GuessAnswer, MeasuredValue, QuestionState, Topic};

type Text = &'static str;

/// The strings around lessons in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The strings around lessons and questions, in one language.
pub struct Words {
    /// The label of a link for the keyboard, which is the first of the page.
    pub skip_to_question: Text,
    pub learn: Text,
    pub heading: Text,
    pub intro: Text,
    pub topic: fn(Topic) -> Text,
    pub sandbox: Text,
    pub sandbox_text: Text,
    /// The number of the page, and the number of pages.
    pub page: fn(usize, usize) -> String,
    pub next: Text,
    /// The label of the less prominent button beside "Next question".
    pub next_page: Text,
    pub back: Text,
    pub lesson: Text,
    pub close: Text,
    pub again: Text,

    // The first visit
    /// A sentence that describes Lictor, with the server's version.
    pub about: fn(&str) -> String,
    /// The three choices of the first visit, each with a description.
    pub own_text: Text,
    pub visit_guide: Text,
    pub visit_sandbox: Text,
    /// What a new sandbox contains.
    pub fresh_sandbox: Text,
    /// The button that opens the list of this many questions.
    pub all_questions: fn(usize) -> String,
    /// The tabs that replace these choices after the first visit.
    pub tab_questions: Text,
    pub tab_guide: Text,
    pub tab_sandbox: Text,

    // The question
    /// Its number, and the number of questions.
    pub question_of: fn(u32, u32) -> String,
    pub choices: Text,
    pub guess: Text,
    pub choose_first: Text,
    pub skip: Text,
    /// The label of a button that is disabled until the guess.
    pub guess_first: Text,
    /// The TTL of a session, and the time since its last renewal, on a card without countdown.
    pub renewed_ago: fn(Duration, Duration) -> String,
    /// The TTL of a session that was not renewed, and the time since it was created.
    pub made_ago: fn(Duration, Duration) -> String,
    pub changed: Text,
    pub put_lesson_back: Text,

    // The answer
    pub verdict: fn(&GuessAnswer) -> String,
    pub your_guess: Text,
    /// The note from which time on the spans of the choices are counted.
    pub counted_from: fn(&str) -> String,
    pub the_answer: Text,
    pub see_on_timeline: Text,
    pub seek_guess: fn(Instant) -> String,
    pub seek_answer: fn(Instant, AnswerMoment) -> String,
    pub helped: Text,
    /// The heading above the sentence about the lesson without its fix.
    pub without_fix: Text,
    pub with_fix: Text,
    /// The effect of the fix: the measured answer, and the one without the fix if it differs.
    pub outcome: fn(MeasuredValue, Option<&str>) -> String,
    pub seek_outcome: fn(Instant) -> String,
    pub next_question: Text,
    /// The number of the next question, the number of questions, and its title.
    pub next_title: fn(u32, u32, &str) -> String,

    // The list of questions
    pub mark: fn(QuestionState) -> Text,
    /// The numbers of answered questions, of all questions, and of right guesses.
    pub scores: fn(usize, usize, usize) -> String,
    pub go_on: fn(u32) -> String,
    pub stays_here: Text,
    pub forget: Text,
}
