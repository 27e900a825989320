//! The page and the guess at which a reader left each lesson, so that a lesson that is opened again
//! continues there; and the text in which the browser stores them.

use std::collections::BTreeMap;

use super::guess::Guess;
use super::lesson::Lesson;

/// The page at which a lesson was left, and how its question was answered then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonBookmark {
    pub page: usize,
    pub guess: Option<Guess>,
}

/// The lessons that were left, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonBookmarks {
    by_number: BTreeMap<u32, LessonBookmark>,
}

/// The stored form of an open question.
const OPEN: &str = "-";
/// The stored form of an answer that was shown without a guess.
const SKIPPED: &str = "s";

impl LessonBookmark {
    /// Whether a lesson has this page and this choice, as a later version of it may not.
    fn fits(&self, lesson: &Lesson) -> bool {
        let choices = lesson.question().map_or(0, |(_, question)| question.choices.len());
        let choice = self.guess.and_then(Guess::choice);
        self.page < lesson.pages.len() && choice.is_none_or(|choice| choice < choices)
    }
}

impl LessonBookmarks {
    /// Stores where the lesson with this number was left.
    pub fn set(&mut self, number: u32, bookmark: LessonBookmark) {
        self.by_number.insert(number, bookmark);
    }

    /// Where a lesson was left. `None` if it was not left, or if it has no such page or choice.
    pub fn get(&self, lesson: &Lesson) -> Option<LessonBookmark> {
        self.by_number
            .get(&lesson.scenario.number)
            .copied()
            .filter(|bookmark| bookmark.fits(lesson))
    }

    /// A word for each lesson: its number, the page and the guess.
    pub fn to_text(&self) -> String {
        let word = |(number, bookmark): (&u32, &LessonBookmark)| {
            let guess = match bookmark.guess {
                None => OPEN.to_owned(),
                Some(Guess::Skipped) => SKIPPED.to_owned(),
                Some(Guess::Choice(choice)) => choice.to_string(),
            };
            format!("{number}:{}:{guess}", bookmark.page)
        };
        self.by_number.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Parses the text of `to_text`. Words that are malformed are skipped, so a damaged text only
    /// loses these.
    pub fn from_text(text: &str) -> Self {
        let read = |word: &str| {
            let mut parts = word.split(':');
            let (number, page) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let guess = match parts.next()? {
                OPEN => None,
                SKIPPED => Some(Guess::Skipped),
                choice => Some(Guess::Choice(choice.parse().ok()?)),
            };
            parts.next().is_none().then_some((number, LessonBookmark { page, guess }))
        };
        Self { by_number: text.split_whitespace().filter_map(read).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_sim::scenario::Variant;

    fn lesson(number: u32) -> Lesson {
        Lesson::play(number, Variant::Plain).expect("it was tested")
    }

    #[test]
    fn a_lesson_that_was_left_is_restored_from_its_text() {
        let mut bookmarks = LessonBookmarks::default();
        let guesses = [None, Some(Guess::Choice(2)), Some(Guess::Skipped)];
        for (number, guess) in (1..).zip(guesses) {
            bookmarks.set(number, LessonBookmark { page: 1, guess });
        }
        let back = LessonBookmarks::from_text(&bookmarks.to_text());
        assert_eq!(back, bookmarks);
        assert_eq!(back.get(&lesson(2)), Some(LessonBookmark { page: 1, guess: guesses[1] }));
        assert_eq!(back.get(&lesson(4)), None);
    }

    #[test]
    fn a_damaged_text_loses_only_what_is_damaged() {
        let text = "1:1:- 2:x:- three 3:1 4:1:2:9 5:99:- 6:1:77 7:-1:0 8:1:? {\"a\":1}";
        let bookmarks = LessonBookmarks::from_text(text);
        assert_eq!(bookmarks.get(&lesson(1)), Some(LessonBookmark { page: 1, guess: None }));
        for number in 2..=8 {
            assert_eq!(bookmarks.get(&lesson(number)), None, "{number}");
        }
    }
}
