//! A scenario as a story to be read: pages with what is said at each cursor position, one question
//! before the world answers it, and the fix as a second telling. `StoryProgress` says how far a
//! reader has come; the page moves the cursor.

use lictor_sim::JournalEntry;
use lictor_sim::scenario::{
    Played, SCENARIOS, Scenario, ScenarioError, ScenarioProblem, Scene, Text, Variant,
};
use lictor_sim::timeline::Position;

use crate::language::Language;

/// What the scenarios are about, in the order of teaching.
pub const THEMES: [(Theme, &[u32]); 5] = [
    (Theme::Free, &[1, 2, 3, 4, 5]),
    (Theme::Protects, &[6, 7, 8, 9]),
    (Theme::Ends, &[12, 13, 14, 11]),
    (Theme::Believes, &[15, 16, 17, 18]),
    (Theme::Fences, &[10, 19, 20]),
];

/// A group of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Free,
    Protects,
    Ends,
    Believes,
    Fences,
}

/// A scenario that was played, ready to be told.
#[derive(Clone, Debug)]
pub struct Story {
    pub scenario: Scenario,
    pub variant: Variant,
    pub pages: Vec<Page>,
    /// The acts of the story.
    pub script: Vec<JournalEntry>,
}

/// A text at one position of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The acts that were done until then, and the time.
    pub position: Position,
    pub chapter: Text,
    pub says: Option<Text>,
    pub question: Option<Question>,
}

/// A question whose answer the world gives later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub text: Text,
    pub choices: Vec<String>,
    pub answer: String,
}

impl Story {
    /// A scenario by its number. The fix has no question: it is asked once.
    pub fn read(number: u32, variant: Variant) -> Result<Self, ScenarioError> {
        let problem = ScenarioProblem::UnknownScenario(number);
        let missing = ScenarioError { line: 0, problem };
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let text = place.and_then(|place| SCENARIOS.get(place)).ok_or(missing)?;
        let scenario = Scenario::read(text)?;
        let played = scenario.play(variant)?;
        let mut pages = pages(&played);
        if variant == Variant::Fixed {
            pages.iter_mut().for_each(|page| page.question = None);
        }
        let script = played.timeline.here().acts().map(|(_, entry)| entry.clone()).collect();
        let last = pages.last().map(|page| page.chapter.clone());
        pages.push(Page {
            position: played.timeline.here().end(),
            chapter: last.unwrap_or_else(|| scenario.title.clone()),
            says: Some(scenario.lesson.clone()),
            question: None,
        });
        Ok(Self { scenario, variant, pages, script })
    }

    pub fn title(&self, language: Language) -> &str {
        in_language(&self.scenario.title, language)
    }

    /// Whether a page is the last one, which has the lesson.
    pub fn is_last(&self, page: usize) -> bool {
        page + 1 >= self.pages.len()
    }
}

/// The stages as pages: stages at the same position share a page.
fn pages(played: &Played) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let nothing = Text { english: String::new(), chinese: String::new() };
    for stage in &played.stages {
        let chapter = pages.last().map_or_else(|| nothing.clone(), |page| page.chapter.clone());
        let is_new = pages.last().is_none_or(|page| {
            page.position != stage.position
                || matches!(stage.scene, Scene::Chapter(_))
                || page.question.is_some()
                || (page.says.is_some() && matches!(stage.scene, Scene::Beat(_)))
        });
        if is_new {
            let position = stage.position;
            pages.push(Page { position, chapter, says: None, question: None });
        }
        let Some(page) = pages.last_mut() else { continue };
        match &stage.scene {
            Scene::Chapter(text) => page.chapter = text.clone(),
            Scene::Beat(text) => page.says = Some(text.clone()),
            Scene::Question { text, choices, answer } => {
                let (text, choices) = (text.clone(), choices.clone());
                page.question = Some(Question { text, choices, answer: answer.clone() });
            }
        }
    }
    pages
}

/// The number of the scenario of a name.
pub fn number_by_name(name: &str) -> Option<u32> {
    let place = SCENARIOS.iter().position(|text| member(text, "scenario:") == name)?;
    u32::try_from(place + 1).ok()
}

/// The title of a scenario; empty where there is none of the number.
pub fn title(number: u32, language: Language) -> String {
    let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let text = place.and_then(|place| SCENARIOS.get(place)).copied().unwrap_or_default();
    let line = member(text, "title:");
    let (english, chinese) = line.split_once('|').unwrap_or((line, line));
    match language {
        Language::English => english.trim().to_owned(),
        Language::Chinese => chinese.trim().to_owned(),
    }
}

/// What a scenario's text says behind a word at the beginning of a line.
fn member<'a>(text: &'a str, word: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim()
}

/// A text of a scenario in a language.
pub fn in_language(text: &Text, language: Language) -> &str {
    match language {
        Language::English => &text.english,
        Language::Chinese => &text.chinese,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scenario_is_told_on_pages_that_only_go_forward() {
        for number in 1..=SCENARIOS.len() as u32 {
            for variant in Variant::BOTH {
                let story = Story::read(number, variant).expect("it was tested");
                assert!(story.pages.len() > 2, "{number}");
                let places: Vec<_> = story.pages.iter().map(|page| page.position).collect();
                assert!(places.is_sorted_by_key(|place| (place.acts, place.at)), "{number}");
            }
        }
    }

    #[test]
    fn each_scenario_asks_one_question_before_it_is_fixed() {
        for number in 1..=SCENARIOS.len() as u32 {
            let asked = |variant| {
                let story = Story::read(number, variant).expect("it was tested");
                story.pages.iter().filter(|page| page.question.is_some()).count()
            };
            assert_eq!((asked(Variant::Plain), asked(Variant::Fixed)), (1, 0), "{number}");
        }
    }

    #[test]
    fn each_scenario_has_a_title_and_a_theme() {
        let mut listed: Vec<_> = THEMES.iter().flat_map(|(_, of)| of.iter().copied()).collect();
        listed.sort_unstable();
        assert_eq!(listed, (1..=SCENARIOS.len() as u32).collect::<Vec<_>>());
        for number in listed {
            for language in Language::ALL {
                assert!(!title(number, language).is_empty());
            }
        }
    }

    #[test]
    fn each_scenario_is_in_the_documentation_of_the_element() {
        let listed = include_str!("../../../docs/embedding.md");
        for number in 1..=SCENARIOS.len() as u32 {
            let story = Story::read(number, Variant::Plain).expect("it was tested");
            let title = title(number, Language::English);
            let row = format!("| `{}` | {title} |", story.scenario.name);
            assert!(listed.contains(&row), "docs/embedding.md misses {row}");
        }
    }

    #[test]
    fn a_scenario_is_found_by_its_name() {
        for number in 1..=SCENARIOS.len() as u32 {
            let story = Story::read(number, Variant::Plain).expect("it was tested");
            assert_eq!(number_by_name(&story.scenario.name), Some(number));
        }
        assert_eq!(number_by_name(""), None);
        assert_eq!(number_by_name("two"), None);
    }

    #[test]
    fn what_is_no_number_of_a_scenario_is_an_error() {
        for number in [0, 21, u32::MAX] {
            assert!(Story::read(number, Variant::Plain).is_err());
            assert_eq!(title(number, Language::English), "");
        }
    }
}
