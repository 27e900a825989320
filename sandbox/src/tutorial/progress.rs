//! How far a reader has come in a story: the page, the guess, and the branch on which the story
//! runs; and the text in which the browser stores it. The page's tutorial controller turns the
//! pages.

use lictor_sim::scenario::Variant;
use lictor_sim::timeline::BranchId;
use std::sync::Arc;

use super::story::{Story, in_language};
use crate::language::Language;

/// A story at one of its pages.
#[derive(Clone)]
pub struct StoryProgress {
    pub story: Arc<Story>,
    pub page: usize,
    /// The choice that was taken, by its place.
    pub guess: Option<usize>,
    /// The last page whose events were played.
    pub lived: Option<usize>,
    /// The branch on which the story runs.
    pub branch: BranchId,
}

/// Whether the forecast is shown. A question is to be answered without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForecastVisibility {
    Open,
    Closed,
}

impl StoryProgress {
    /// The numbers of the story, its telling, the page, the guess, the last page that was lived and
    /// the branch.
    pub fn to_text(&self) -> String {
        let (number, variant) =
            (self.story.scenario.number, u32::from(self.story.variant == Variant::Fixed));
        let place =
            |place: Option<usize>| place.map_or_else(|| "-".into(), |place| place.to_string());
        let (guess, lived, branch) = (place(self.guess), place(self.lived), self.branch.number());
        format!("{number} {variant} {} {guess} {lived} {branch}", self.page)
    }

    /// None if that is no such text, or there is no such place.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ').map(|word| word.parse::<usize>().ok());
        let mut next = || words.next().flatten();
        let (number, variant, page) = (next()?, next()?, next()?);
        let (guess, lived, branch) = (next(), next(), next()?);
        let variant = if variant == 0 { Variant::Plain } else { Variant::Fixed };
        let story = Story::read(u32::try_from(number).ok()?, variant).ok()?;
        let branch = BranchId::new(u32::try_from(branch).ok()?);
        let is_there = |page: usize| page < story.pages.len();
        (is_there(page) && lived.is_none_or(is_there)).then(|| Self {
            story: Arc::new(story),
            page,
            guess,
            lived,
            branch,
        })
    }

    /// The forecast is hidden while a question is open.
    pub fn foresight(&self) -> ForecastVisibility {
        let asks = self.story.pages.get(self.page).is_some_and(|page| page.question.is_some());
        if asks && self.guess.is_none() {
            ForecastVisibility::Closed
        } else {
            ForecastVisibility::Open
        }
    }

    /// The texts of the current page as one text.
    pub fn spoken(&self, language: Language) -> Option<String> {
        let page = self.story.pages.get(self.page)?;
        let asked = page.question.as_ref().map(|question| &question.text);
        let says = page.says.iter().chain(asked).map(|text| in_language(text, language));
        Some(says.collect::<Vec<_>>().join(" "))
    }
}
