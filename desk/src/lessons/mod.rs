//! Lessons, each played from a scenario: pages, questions, reactions to guesses, and the progress
//! of a reader. Every answer is computed by playing the scenario.

mod guess;
pub mod guess_lane;
mod lesson;
mod lesson_bookmarks;
mod mentions;
mod outcome;
mod progress;
mod scores;
mod words;

pub use guess::{AnswerEvidence, AnswerMoment, ChoiceMark, Guess, GuessAnswer, pins};
pub use lesson::{
    Lesson, LessonAxis, Page, TOPICS, Topic, in_language, next_after, number_by_name, preview,
    source, source_url, title, topic_of,
};
pub use lesson_bookmarks::{LessonBookmark, LessonBookmarks};
pub use lictor_sim::scenario::{Choice, Question};
pub use mentions::{SentencePart, key_mentions};
pub use outcome::{FixOutcome, MeasuredValue};
pub use progress::LessonProgress;
pub use scores::{QuestionState, Scores};
pub use words::{Words, words};
