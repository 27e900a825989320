//! The scenarios as stories: pages, questions, reactions to guesses, and the progress of a reader.
//! Every answer is computed by playing the scenario (`lictor_sim::scenario`). The page's tutorial
//! controller turns the pages.

mod guess;
mod left_stories;
mod progress;
mod scores;
mod story;

pub use guess::{AnswerPlace, AnswerSight, ChoiceMark, Guess, GuessAnswer, pins};
pub use left_stories::{LeftStories, LeftStory};
pub use lictor_sim::scenario::{Choice, Question};
pub use progress::{ForecastVisibility, StoryProgress};
pub use scores::{QuestionMark, Scores};
pub use story::{
    Page, Story, StoryAxis, THEMES, Theme, in_language, next_after, number_by_name, preview,
    source, source_url, theme_of, title,
};
