//! A lesson, made by playing a scenario: pages with a text for each cursor position, and one
//! question before the event that answers it. The variant with the fix has no question. A lesson is
//! the same for every reader.

use lictor_core::duration;
use lictor_core::time::Instant;
use lictor_sim::record::LockTrack;
use lictor_sim::scenario::{
    BilingualText, Played, Question, SCENARIOS, Scenario, ScenarioError, ScenarioProblem, Scene,
    Variant,
};
use lictor_sim::timeline::{Position, Timeline};
use lictor_sim::{JournalEntry, World};
use lictor_view::language::Language;
use lictor_view::time_travel::TimeTravel;

use crate::actions::{ActionForm, SessionOption};

/// The topics of the scenarios, in the order of teaching.
pub const TOPICS: [(Topic, &[u32]); 6] = [
    (Topic::Free, &[1, 2, 3, 4, 5]),
    (Topic::Protects, &[6, 7, 8, 9, 10]),
    (Topic::Ends, &[11, 12, 13, 14]),
    (Topic::Believes, &[15, 16, 17, 18]),
    (Topic::Slots, &[19, 20, 21]),
    (Topic::Network, &[22, 23, 24, 25]),
];

/// The length of the axis, in percent of the time that it has to show.
const ROOM_AT_END: u64 = 108;
/// An axis longer than this, in milliseconds, ends at a multiple of 5 s instead of 1 s.
const LONG: u64 = 30_000;

/// The time axis of a lesson, until an act of the reader makes the branch longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonAxis {
    pub end: Instant,
    /// Whether idle times are not folded, because choices of the question may be in them.
    pub is_plain: bool,
}

impl LessonAxis {
    /// The axis that is long enough for two variants of a lesson.
    pub fn max(self, other: Self) -> Self {
        Self { end: self.end.max(other.end), is_plain: self.is_plain || other.is_plain }
    }
}

/// A group of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Free,
    Protects,
    Ends,
    Believes,
    Slots,
    Network,
}

/// A scenario that was played, divided into pages.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub scenario: Scenario,
    pub variant: Variant,
    pub pages: Vec<Page>,
    /// The acts of the lesson.
    pub script: Vec<JournalEntry>,
}

/// A text at one position of the lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The position of the cursor while the page is shown.
    pub position: Position,
    pub chapter: BilingualText,
    pub text: Option<BilingualText>,
    pub question: Option<Question>,
}

impl Page {
    /// Whether it has neither a text nor a question.
    fn is_empty(&self) -> bool {
        self.text.is_none() && self.question.is_none()
    }
}

impl Lesson {
    /// Plays a scenario by its number. The fixed variant has no question.
    pub fn play(number: u32, variant: Variant) -> Result<Self, ScenarioError> {
        let problem = ScenarioProblem::UnknownScenario(number);
        let missing = ScenarioError { line: 0, problem };
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let text = index.and_then(|index| SCENARIOS.get(index)).ok_or(missing)?;
        let scenario = Scenario::read(text)?;
        let played = scenario.play(variant)?;
        let mut pages = pages(&played);
        // A lesson whose first page has no text begins with its situation.
        if let Some(first) = pages.first_mut().filter(|page| page.is_empty()) {
            first.text = Some(scenario.preview.clone());
        }
        let script = played.timeline.here().acts().map(|(_, entry)| entry.clone()).collect();
        let last = pages.last().map(|page| page.chapter.clone());
        pages.push(Page {
            position: played.timeline.here().end(),
            chapter: last.unwrap_or_else(|| scenario.title.clone()),
            text: Some(scenario.conclusion.clone()),
            question: None,
        });
        Ok(Self { scenario, variant, pages, script })
    }

    pub fn title(&self, language: Language) -> &str {
        in_language(&self.scenario.title, language)
    }

    /// The question and the number of its page.
    pub fn question(&self) -> Option<(usize, &Question)> {
        let mut pages = self.pages.iter().enumerate();
        pages.find_map(|(number, page)| Some((number, page.question.as_ref()?)))
    }

    /// The time axis of the lesson. It ends after the last page, and after all choices that are
    /// times, so that its end does not give the answer away.
    pub fn axis(&self) -> LessonAxis {
        let last = self.pages.last().map_or(Instant::EPOCH, |page| page.position.at);
        let question = self.question().map(|(_, question)| question.choices.iter());
        let choices = question.into_iter().flatten().filter_map(|choice| choice.at);
        let choices = choices.collect::<Vec<_>>();
        let furthest = choices.iter().copied().fold(last, Instant::max);
        let needed = furthest.as_millis() * ROOM_AT_END / 100;
        let step = if needed > LONG { LONG / 6 } else { LONG / 30 };
        let end = Instant::from_millis(needed.div_ceil(step) * step);
        LessonAxis { end, is_plain: !choices.is_empty() }
    }

    /// The key and the TTL that the lesson uses first, for the buttons of its clients. Everything
    /// else is as in a sandbox.
    pub fn action_form(&self) -> ActionForm {
        let mut past = TimeTravel::new(Timeline::recorded(World::new(self.scenario.seed)));
        let end = self.pages.last().map_or(Position::default(), |page| page.position);
        past.play_script(&self.script, end, "");
        let record = past.record_at_end();
        let first = |track: &LockTrack| track.tenures.first().map(|tenure| tenure.from);
        let locked = record.locks().filter(|(_, track)| !track.tenures.is_empty());
        let locked = locked.min_by_key(|(_, track)| first(track));
        let written = || past.world().store().kv().with_prefix("").next().map(|entry| &entry.key);
        let read = || record.keys().next();
        let key = locked.map(|(key, _)| key).or_else(read).or_else(written);
        let first = record.sessions().min_by_key(|track| track.session.create_index);
        let ttl = first.and_then(|track| track.clock).map(|clock| duration::print(clock.ttl));
        let mut form = ActionForm::default();
        form.key = key.map_or(form.key, ToString::to_string);
        if first.is_some() {
            let choices = SessionOption::Ttl.choices();
            form.ttl = choices.iter().copied().find(|it| it.map(str::to_owned) == ttl).flatten();
        }
        form
    }

    pub fn topic(&self) -> Option<Topic> {
        topic_of(self.scenario.number)
    }

    /// The address of the issue in which people met this behaviour.
    pub fn source_url(&self) -> Option<String> {
        source_url(&self.scenario.source)
    }

    /// Whether a page is the last one, which has the conclusion.
    pub fn is_last(&self, page: usize) -> bool {
        page + 1 >= self.pages.len()
    }
}

/// The stages as pages: stages at the same position share a page.
fn pages(played: &Played) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let nothing = BilingualText { english: String::new(), chinese: String::new() };
    for stage in &played.stages {
        let chapter = pages.last().map_or_else(|| nothing.clone(), |page| page.chapter.clone());
        let is_new = pages.last().is_none_or(|page| {
            page.position != stage.position
                || matches!(stage.scene, Scene::Chapter(_))
                || page.question.is_some()
                || (page.text.is_some() && matches!(stage.scene, Scene::Beat(_)))
        });
        if is_new {
            let position = stage.position;
            pages.push(Page { position, chapter, text: None, question: None });
        }
        let Some(page) = pages.last_mut() else { continue };
        match &stage.scene {
            Scene::Chapter(text) => page.chapter = text.clone(),
            Scene::Beat(text) => page.text = Some(text.clone()),
            Scene::Question(question) => page.question = Some(question.clone()),
        }
    }
    pages
}

/// The number of the scenario with a name.
pub fn number_by_name(name: &str) -> Option<u32> {
    let index = SCENARIOS.iter().position(|text| member(text, "scenario:") == name)?;
    u32::try_from(index + 1).ok()
}

/// The title of a scenario, which is its question; empty for an unknown number.
pub fn title(number: u32, language: Language) -> String {
    translated_member(number, "title:", language)
}

/// The situation of a scenario in one line; empty for an unknown number.
pub fn preview(number: u32, language: Language) -> String {
    translated_member(number, "preview:", language)
}

/// The issue in which people met a scenario's behaviour, such as `consul#1172`.
pub fn source(number: u32) -> &'static str {
    member(text_of(number), "source:")
}

/// The address of an issue that is written like `consul#1172`.
pub fn source_url(source: &str) -> Option<String> {
    let (project, issue) = source.split_once('#')?;
    let repository = match project {
        "consul" => "hashicorp/consul",
        "consul-api" => "Ecwid/consul-api",
        "python-consul" => "python-consul/python-consul",
        "vitess" => "vitessio/vitess",
        _ => return None,
    };
    Some(format!("https://github.com/{repository}/issues/{issue}"))
}

/// The topic of a scenario.
pub fn topic_of(number: u32) -> Option<Topic> {
    let mut topics = TOPICS.iter();
    topics.find(|(_, numbers)| numbers.contains(&number)).map(|(topic, _)| *topic)
}

/// The scenario after another one, in the order of teaching.
pub fn next_after(number: u32) -> Option<u32> {
    let mut numbers = TOPICS.iter().flat_map(|(_, numbers)| numbers.iter().copied());
    numbers.by_ref().find(|it| *it == number)?;
    numbers.next()
}

fn text_of(number: u32) -> &'static str {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| SCENARIOS.get(index)).copied().unwrap_or_default()
}

fn translated_member(number: u32, word: &str, language: Language) -> String {
    let line = member(text_of(number), word);
    let (english, chinese) = line.split_once('|').unwrap_or((line, line));
    match language {
        Language::English => english.trim().to_owned(),
        Language::Chinese => chinese.trim().to_owned(),
    }
}

/// The text after a keyword at the beginning of a line of a scenario.
fn member<'a>(text: &'a str, word: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim()
}

/// A text of a scenario in a language.
pub fn in_language(text: &BilingualText, language: Language) -> &str {
    match language {
        Language::English => &text.english,
        Language::Chinese => &text.chinese,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_begins_with_a_text() {
        for number in 1..=SCENARIOS.len() as u32 {
            for variant in [Variant::Plain, Variant::Fixed] {
                let lesson = Lesson::play(number, variant).expect("it was tested");
                assert!(!lesson.pages[0].is_empty(), "{number} {variant:?}");
            }
        }
    }

    #[test]
    fn the_pages_of_each_scenario_only_go_forward() {
        for number in 1..=SCENARIOS.len() as u32 {
            for variant in Variant::BOTH {
                let lesson = Lesson::play(number, variant).expect("it was tested");
                assert!(lesson.pages.len() > 2, "{number}");
                let positions: Vec<_> = lesson.pages.iter().map(|page| page.position).collect();
                assert!(positions.is_sorted_by_key(|index| (index.acts, index.at)), "{number}");
            }
        }
    }

    #[test]
    fn only_the_variant_without_the_fix_has_a_question() {
        for number in 1..=SCENARIOS.len() as u32 {
            let questions = |variant| {
                let lesson = Lesson::play(number, variant).expect("it was tested");
                lesson.pages.iter().filter(|page| page.question.is_some()).count()
            };
            let counts = (questions(Variant::Plain), questions(Variant::Fixed));
            assert_eq!(counts, (1, 0), "{number}");
        }
    }

    /// The facts that a reader needs are on the page of the question.
    #[test]
    fn each_question_has_its_facts_choices_and_reason_in_both_languages() {
        for number in 1..=SCENARIOS.len() as u32 {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let (page, question) = lesson.question().expect("it asks one");
            assert!(lesson.pages[page].text.is_some(), "{number} has no facts");
            assert!(question.choices.len() >= 3, "{number} has too few choices");
            for language in Language::ALL {
                let labels =
                    question.choices.iter().map(|choice| in_language(&choice.label, language));
                let mut labels: Vec<_> = labels.collect();
                labels.sort_unstable();
                labels.dedup();
                assert_eq!(labels.len(), question.choices.len(), "{number}");
                let title = title(number, language);
                assert!(title.ends_with(['?', '？']), "{title} is no question");
                assert!(!preview(number, language).is_empty());
            }
            let reason = &question.reason;
            assert!(reason.english.ends_with('.') && reason.chinese.ends_with('。'), "{number}");
            assert!(!reason.english.starts_with("because") && !reason.chinese.starts_with("因为"));
        }
    }

    /// For each scenario, the rules that its reason applies.
    const RULES: [(u32, &[&str]); 25] = [
        (1, &["TTL-02", "TTL-03"]),
        (2, &["TTL-03", "DLY-02", "DLY-03", "RCL-05"]),
        (3, &["DLY-02", "LCK-05"]),
        (4, &["DLY-02", "DST-10"]),
        (5, &["SES-17", "SES-18"]),
        (6, &["KV-03", "KV-12", "KV-15", "LCK-17"]),
        (7, &["LCK-11"]),
        (8, &["KV-21", "LCK-19"]),
        (9, &["LCK-03", "KV-07"]),
        (10, &["KV-19", "LCK-01", "LCK-17"]),
        (11, &["DST-05"]),
        (12, &["SES-21", "CAT-01"]),
        (13, &["SES-26", "CAT-05", "DLY-02"]),
        (14, &["SES-21", "SES-26", "TTL-03"]),
        (15, &["RCL-11", "RCL-12", "DLY-03"]),
        (16, &["RCL-12", "RCL-19"]),
        (17, &["TTL-01", "TTL-05"]),
        (18, &["TTL-03", "DLY-05"]),
        (19, &["TTL-03", "RCS-08", "RCS-09"]),
        (20, &["IDX-02", "BLK-10"]),
        (21, &["V22-09"]),
        (22, &["TTL-03", "RCL-11"]),
        (23, &["TTL-03", "DLY-03"]),
        (24, &["RCL-11", "RCL-12"]),
        (25, &["RCL-12", "TTL-05"]),
    ];

    #[test]
    fn the_rules_of_each_reason_are_in_the_documentation() {
        let rules = include_str!("../../../docs/en/reference/behaviour.md");
        let numbers = RULES.iter().map(|(number, _)| *number);
        assert!(numbers.eq(1..=SCENARIOS.len() as u32), "each scenario has its rules");
        for (number, ids) in RULES {
            for id in ids {
                let rule = format!("- {id} [");
                let is_rule = |line: &str| line.starts_with(&rule);
                assert!(rules.lines().any(is_rule), "scenario {number} applies {id}");
            }
        }
    }

    #[test]
    fn each_scenario_names_the_issue_where_people_met_it() {
        for number in 1..=SCENARIOS.len() as u32 {
            assert!(source_url(source(number)).is_some(), "{number}");
        }
        assert_eq!(
            source_url("consul#1172").as_deref(),
            Some("https://github.com/hashicorp/consul/issues/1172")
        );
        assert_eq!(source_url("elsewhere#1"), None);
        assert_eq!(source_url("consul"), None);
    }

    #[test]
    fn the_scenarios_follow_each_other_in_the_order_of_their_numbers() {
        let last = SCENARIOS.len() as u32;
        for number in 1..last {
            assert_eq!(next_after(number), Some(number + 1));
        }
        assert_eq!((next_after(last), next_after(0)), (None, None));
    }

    #[test]
    fn each_scenario_has_a_title_and_a_topic() {
        let mut listed: Vec<_> =
            TOPICS.iter().flat_map(|(_, numbers)| numbers.iter().copied()).collect();
        listed.sort_unstable();
        assert_eq!(listed, (1..=SCENARIOS.len() as u32).collect::<Vec<_>>());
        for number in listed {
            for language in Language::ALL {
                assert!(!title(number, language).is_empty());
            }
        }
    }

    #[test]
    fn each_scenario_is_listed_in_the_documentation_of_the_element() {
        let listed = include_str!("../../../docs/en/use/embedding.md");
        for number in 1..=SCENARIOS.len() as u32 {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let title = title(number, Language::English);
            let row = format!("| `{}` | {title} |", lesson.scenario.name);
            assert!(listed.contains(&row), "docs/en/use/embedding.md misses {row}");
        }
    }

    #[test]
    fn a_scenario_is_found_by_its_name() {
        for number in 1..=SCENARIOS.len() as u32 {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            assert_eq!(number_by_name(&lesson.scenario.name), Some(number));
        }
        assert_eq!(number_by_name(""), None);
        assert_eq!(number_by_name("two"), None);
    }

    #[test]
    fn an_unknown_number_of_a_scenario_is_an_error() {
        for number in [0, SCENARIOS.len() as u32 + 1, u32::MAX] {
            assert!(Lesson::play(number, Variant::Plain).is_err());
            assert_eq!(title(number, Language::English), "");
        }
    }
}
