//! The scenarios as stories: their pages and questions, and how far a reader has come. Every answer
//! is computed by playing the scenario. The page's tutorial controller turns the pages.

mod progress;
mod story;

pub use progress::{ForecastVisibility, StoryProgress};
pub use story::{Page, Question, Story, THEMES, Theme, in_language, number_by_name, title};
