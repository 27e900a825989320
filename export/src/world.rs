//! Reads the events of a saved world, which is the text of a log, a saved page that contains a log,
//! or a link, which may be part of an address. The events are those of the branch on which the
//! cursor is, up to its end.

use lictor_core::engine::Config;
use lictor_core::time::Instant;
use lictor_sim::SimEvent;
use lictor_sim::journal::{Journal, LessonLink, LinkError, Log, LogError, SavedText, Start};
use lictor_sim::scenario::{SCENARIOS, Scenario, ScenarioError, Variant};
use lictor_sim::timeline::Timeline;

/// Why a text is no world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableWorld {
    /// It is neither a log nor a link.
    #[error("this is neither a saved world nor a link to one")]
    Foreign,
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The link cannot be read.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// No lesson has this name.
    #[error("there is no story {0:?}")]
    UnknownLesson(String),
    /// The lesson cannot be played.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

/// One branch of a world.
#[derive(Debug)]
pub(crate) struct WorldEvents {
    pub(crate) config: Config,
    /// Whether the events begin with the beginning of the world.
    pub(crate) has_beginning: bool,
    pub(crate) events: Vec<SimEvent>,
    pub(crate) end: Instant,
}

/// Reads a world. Fails if the text is none, or if its acts cannot be performed.
pub(crate) fn read(text: &str) -> Result<WorldEvents, UnreadableWorld> {
    let timeline = match SavedText::of(text).ok_or(UnreadableWorld::Foreign)? {
        SavedText::Log(log) => Log::read(&log)?,
        SavedText::World(link) => link.open()?,
        SavedText::Lesson(link) => lesson(&link)?,
    };
    Ok(WorldEvents::of(&timeline))
}

/// Plays the lesson of a link. The page in the link is ignored.
fn lesson(link: &LessonLink<'_>) -> Result<Timeline, UnreadableWorld> {
    let variant = if link.is_fixed { Variant::Fixed } else { Variant::Plain };
    for scenario in SCENARIOS {
        let scenario = Scenario::read(scenario)?;
        if scenario.name == link.name {
            return Ok(scenario.play(variant)?.timeline);
        }
    }
    Err(UnreadableWorld::UnknownLesson(link.name.into()))
}

impl WorldEvents {
    fn of(timeline: &Timeline) -> Self {
        let branch = timeline.here();
        let end = branch.end();
        Self {
            config: branch.beginning().config().clone(),
            has_beginning: matches!(Journal::of(timeline).start, Start::Fresh { .. }),
            events: branch.events(1..end.event_number + 1),
            end: end.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_a_link_and_the_name_of_a_lesson_have_the_same_events() {
        let link = LessonLink { name: "ttl-twice", page: Some("2"), is_fixed: false };
        let lesson = lesson(&link).expect("there is such a lesson");
        let events = WorldEvents::of(&lesson).events;
        let journal = Journal::of(&lesson);
        let link = journal.to_link().expect("it fits into a link");
        for text in [
            journal.to_lines(),
            format!("https://example.org/lictor/{link}&t=700"),
            "https://example.org/lictor/#story=ttl-twice.2".into(),
        ] {
            assert_eq!(read(&text).expect("it is a world").events, events, "{text}");
        }
        let fixed = read("#story=ttl-twice.1.fixed").expect("it has a fix");
        assert_ne!(fixed.events, events);
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        for (text, reason) in [
            ("", "this is neither a saved world nor a link to one"),
            ("<!doctype html>", "this is neither a saved world nor a link to one"),
            ("{}", "this is not a log"),
            ("#story=none", "there is no story \"none\""),
        ] {
            assert_eq!(read(text).map(drop).map_err(|error| error.to_string()), Err(reason.into()));
        }
        assert!(matches!(read("#v1.AAAA"), Err(UnreadableWorld::Link(_))));
    }
}
