//! The progress of a reader in one lesson: the page, the guess, and the branch on which the lesson
//! is performed, with the text in which the browser stores it.

use std::sync::Arc;

use lictor_sim::scenario::Variant;
use lictor_sim::timeline::BranchId;
use lictor_view::language::Language;
use lictor_view::rows::ForecastVisibility;

use super::guess::{Guess, GuessAnswer};
use super::lesson::{Lesson, in_language};

/// A lesson at one of its pages.
#[derive(Clone)]
pub struct LessonProgress {
    pub lesson: Arc<Lesson>,
    pub page: usize,
    /// How the question was answered; `None` while it is open.
    pub guess: Option<Guess>,
    /// The last page whose events were played.
    pub last_played_page: Option<usize>,
    /// The branch on which the lesson runs.
    pub branch: BranchId,
}

/// The stored form of an answer that was shown without a guess.
const SKIPPED: &str = "s";

impl LessonProgress {
    /// The stored form: the lesson, its variant, the page, the guess, the last performed page, the
    /// branch.
    pub fn to_text(&self) -> String {
        let (number, variant) =
            (self.lesson.scenario.number, u32::from(self.lesson.variant == Variant::Fixed));
        let place =
            |place: Option<usize>| place.map_or_else(|| "-".into(), |place| place.to_string());
        let guess = match self.guess {
            Some(Guess::Skipped) => SKIPPED.into(),
            guess => place(guess.and_then(Guess::choice)),
        };
        let (last_played_page, branch) = (place(self.last_played_page), self.branch.number());
        format!("{number} {variant} {} {guess} {last_played_page} {branch}", self.page)
    }

    /// Reads the text of [`to_text`](Self::to_text). `None` if a number is missing or names a
    /// lesson or a page that does not exist. A guess that cannot be read counts as none.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let number = |word: Option<&str>| word?.parse::<usize>().ok();
        let (lesson, variant) = (number(words.next())?, number(words.next())?);
        let page = number(words.next())?;
        let guess = match words.next() {
            Some(SKIPPED) => Some(Guess::Skipped),
            word => number(word).map(Guess::Choice),
        };
        let (last_played_page, branch) = (number(words.next()), number(words.next())?);
        let variant = if variant == 0 { Variant::Plain } else { Variant::Fixed };
        let lesson = Lesson::play(u32::try_from(lesson).ok()?, variant).ok()?;
        let branch = BranchId::new(u32::try_from(branch).ok()?);
        let exists = |page: usize| page < lesson.pages.len();
        (exists(page) && last_played_page.is_none_or(exists)).then(|| Self {
            lesson: Arc::new(lesson),
            page,
            guess,
            last_played_page,
            branch,
        })
    }

    /// The reaction to the guess; `None` without a question or while it is open.
    pub fn answer(&self) -> Option<GuessAnswer> {
        let (_, question) = self.lesson.question()?;
        Some(GuessAnswer::new(question, self.guess?))
    }

    /// Whether the forecast is visible. It is hidden on the page of the question and on those
    /// before it until the guess.
    pub fn forecast_visibility(&self) -> ForecastVisibility {
        let is_ahead = self.lesson.question().is_some_and(|(page, _)| self.page <= page);
        if is_ahead && self.guess.is_none() {
            ForecastVisibility::Closed
        } else {
            ForecastVisibility::Open
        }
    }

    /// The texts of the current page and its question as one text. `None` if there is no such page.
    pub fn spoken(&self, language: Language) -> Option<String> {
        let page = self.lesson.pages.get(self.page)?;
        let question = page.question.as_ref().map(|question| &question.text);
        let texts = page.text.iter().chain(question).map(|text| in_language(text, language));
        Some(texts.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_restored_from_its_text() {
        let lesson = Arc::new(Lesson::play(1, Variant::Plain).expect("it was tested"));
        for guess in [None, Some(Guess::Choice(2)), Some(Guess::Skipped)] {
            let (lesson, branch) = (lesson.clone(), BranchId::new(3));
            let progress =
                LessonProgress { lesson, page: 1, guess, last_played_page: Some(1), branch };
            let back = LessonProgress::from_text(&progress.to_text()).expect("it was written");
            assert_eq!((back.page, back.guess, back.last_played_page), (1, guess, Some(1)));
            assert_eq!(back.branch, branch);
        }
        for wrong in ["", "1", "1 0 99 - - 0", "1 0 1 - 99 0", "99 0 0 - - 0", "1 0 1 - -"] {
            assert!(LessonProgress::from_text(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn the_future_is_hidden_while_the_question_is_open() {
        let lesson = Arc::new(Lesson::play(1, Variant::Plain).expect("it was tested"));
        let (page, _) = lesson.question().expect("it asks one");
        let branch = BranchId::FIRST;
        let mut progress =
            LessonProgress { lesson, page, guess: None, last_played_page: Some(page), branch };
        for before in 0..=page {
            progress.page = before;
            assert!(progress.forecast_visibility().is_hidden(), "page {before}");
        }
        assert_eq!(progress.answer(), None);
        progress.guess = Some(Guess::Choice(0));
        assert!(!progress.forecast_visibility().is_hidden());
        assert!(progress.answer().is_some_and(|answer| !answer.is_right));
    }
}
