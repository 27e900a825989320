//! Writes a world or a lesson as a link and as HTML that embeds it, and reads links and files. What
//! is damaged or foreign is an error; a link opens at the position of the cursor at which it was
//! made.

pub mod csv;
mod words;
pub mod world_name;
pub mod world_summary;

pub use words::{SavedWorldWords, Words, saved_world_words, words};

use std::sync::Arc;

use lictor_sim::journal::{
    LessonLink, LinkError, Log, LogError, SavedText, WorldLink, link_to_cursor,
};
use lictor_sim::record::Record;
use lictor_sim::scenario::{ScenarioError, Variant};
use lictor_sim::timeline::Timeline;
use lictor_view::settings::Spacing;

use crate::lessons::{Lesson, number_by_name};

/// The length up to which a link works everywhere; some programs cut off longer ones.
pub const LINK_COMFORTABLE: usize = 2_000;
/// The largest import, in bytes.
pub const IMPORT_MAX: usize = 32 << 20;
/// Why a link or file was not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    TooLarge,
    /// It is neither a link nor a log.
    Foreign,
    /// It is a link or a log that cannot be read. The text of the error is English.
    Damaged(DamageError),
}

/// The error in a link or a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DamageError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error("unknown spacing of the timeline {0:?}")]
    UnknownSpacing(String),
    #[error("there is no story {0:?}")]
    UnknownLesson(String),
    #[error("the story has no page {0:?}")]
    NoPage(String),
}

/// The content of a link or file.
#[derive(Debug)]
pub enum Imported {
    World {
        timeline: Box<Timeline<Record>>,
        /// The spacing of the timeline, if the link has one.
        spacing: Option<Spacing>,
    },
    /// A lesson at one of its pages, counted from 0.
    Lesson { lesson: Arc<Lesson>, page: usize },
}

/// The fragment of a link to the current branch, with the position of the cursor if that is not the
/// end, and the spacing if that is not time. Fails if a link cannot express the branch, for example
/// because its beginning is no longer kept.
pub fn link(timeline: &Timeline<Record>, spacing: Spacing) -> Result<String, LinkError> {
    link_to_cursor(timeline, (spacing != Spacing::Time).then(|| spacing.name()))
}

/// The fragment of a link to a page of a lesson, counted from 0.
pub fn lesson_link(lesson: &Lesson, page: usize) -> String {
    let (name, page) = (&lesson.scenario.name, (page + 1).to_string());
    let is_fixed = lesson.variant == Variant::Fixed;
    LessonLink { name, page: Some(&page), is_fixed }.to_link()
}

/// The HTML that embeds the target of a link in another page. `page` is the address of the sandbox.
pub fn tag(page: &str, link: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let fragment = link.rsplit_once('#').map_or("", |(_, fragment)| fragment);
    let opens = match fragment.strip_prefix("story=") {
        Some(lesson) => lesson.to_owned(),
        None => format!("#{}", fragment.replace('&', "&amp;")),
    };
    format!(
        "<script src=\"{folder}/embed.js\" defer></script> \
         <lictor-sandbox opens=\"{opens}\"></lictor-sandbox>"
    )
}

/// Whether the fragment of an address contains a world or a lesson.
pub fn is_link(fragment: &str) -> bool {
    fragment.starts_with('#')
        && matches!(SavedText::of(fragment), Some(SavedText::World(_) | SavedText::Lesson(_)))
}

/// Reads a link, an address that ends in one, the text of a log file, or a page that was saved as
/// one file.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    if text.len() > IMPORT_MAX {
        return Err(ImportError::TooLarge);
    }
    let imported = match SavedText::of(text).ok_or(ImportError::Foreign)? {
        SavedText::Log(log) => read_log(&log),
        SavedText::World(link) => read_world(&link),
        SavedText::Lesson(link) => read_lesson(&link),
    };
    imported.map_err(ImportError::Damaged)
}

fn read_log(text: &str) -> Result<Imported, DamageError> {
    let timeline = Log::read(text)?;
    Ok(Imported::World { timeline: timeline.into(), spacing: None })
}

fn read_world(link: &WorldLink<'_>) -> Result<Imported, DamageError> {
    let spacing_named =
        |name| Spacing::named(name).ok_or_else(|| DamageError::UnknownSpacing(name.to_owned()));
    let spacing = link.spacing().map(spacing_named).transpose()?;
    Ok(Imported::World { timeline: link.open()?.into(), spacing })
}

fn read_lesson(link: &LessonLink<'_>) -> Result<Imported, DamageError> {
    let variant = if link.is_fixed { Variant::Fixed } else { Variant::Plain };
    let (name, page) = (link.name, link.page.unwrap_or("1"));
    let unknown = || DamageError::UnknownLesson(name.to_owned());
    let lesson = Lesson::play(number_by_name(name).ok_or_else(unknown)?, variant)?;
    let position = page.parse().ok().and_then(|page: usize| page.checked_sub(1));
    let position = position.filter(|position| *position < lesson.pages.len());
    let page = position.ok_or_else(|| DamageError::NoPage(page.to_owned()))?;
    Ok(Imported::Lesson { lesson: lesson.into(), page })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::id::ActorName;
    use lictor_core::time::Instant;
    use lictor_sim::journal::{Journal, LoggedTimeline};
    use lictor_sim::timeline::SeekTarget;
    use lictor_sim::{Act, World};

    fn timeline() -> Timeline<Record> {
        let mut timeline = Timeline::recorded(World::new(9));
        timeline
            .perform(Act::Join { actor: ActorName::from("<img onerror=alert(1)>") })
            .expect("it is possible");
        timeline.advance_to(Instant::from_millis(1_500));
        timeline
    }

    #[test]
    fn a_page_that_was_saved_as_one_file_opens_as_its_world() {
        let log = Journal::of(&timeline()).to_lines();
        let encoded =
            percent_encoding::utf8_percent_encode(&log, percent_encoding::NON_ALPHANUMERIC);
        let page = format!("<!doctype html><script data-js=\"x\" data-log=\"{encoded}\"></script>");
        let Ok(Imported::World { timeline: opened, .. }) = read(&page) else { panic!("{page}") };
        assert!(opened.world() == timeline().world());
        assert!(matches!(read("<!doctype html><p>hello"), Err(ImportError::Foreign)));
    }

    #[test]
    fn the_error_of_a_newer_version_names_it_and_that_of_a_damaged_log_its_line() {
        assert!(is_link("#v2.abc") && is_link("#v1.abc") && !is_link("#vx.abc"));
        let newer = read("https://example.org/#v2.abc").expect_err("it is newer");
        assert_eq!(newer_version(&newer).as_deref(), Some("v2"), "{newer:?}");
        let log = format!("\n\n{}nonsense\n", Journal::of(&timeline()).to_lines());
        let lines = log.lines().count();
        let Err(ImportError::Damaged(error)) = read(&log) else { panic!("it is damaged") };
        assert_eq!(error.to_string(), format!("line {lines}: expected ident at column 2"));
        let cut = format!("\n{}", &log.trim_start()[..40]);
        assert!(matches!(read(&cut), Err(ImportError::Damaged(DamageError::Log(_)))));
    }

    fn newer_version(error: &ImportError) -> Option<String> {
        match error {
            ImportError::Damaged(DamageError::Link(LinkError::UnknownVersion { found })) => {
                Some(found.clone())
            }
            _ => None,
        }
    }

    /// The shared world, and the spacing of its timeline.
    fn world(text: &str) -> (Timeline<Record>, Option<Spacing>) {
        match read(text).expect("it is whole") {
            Imported::World { timeline, spacing } => (*timeline, spacing),
            Imported::Lesson { .. } => panic!("{text} is a story"),
        }
    }

    #[test]
    fn a_world_comes_back_from_its_link_and_from_its_file() {
        let timeline = timeline();
        let link = link(&timeline, Spacing::Time).expect("it has one");
        assert!(is_link(&link));
        for text in [
            link.clone(),
            format!("https://example.org/lictor/{link}"),
            Journal::of(&timeline).to_lines(),
            LoggedTimeline::begin(timeline.clone()).take_lines(),
        ] {
            let (back, spacing) = world(&text);
            assert_eq!(back.world(), timeline.world());
            assert_eq!(spacing, None);
        }
    }

    #[test]
    fn a_link_leads_to_the_place_where_it_was_made() {
        let mut timeline = timeline();
        timeline.seek(SeekTarget::Time(Instant::from_millis(700)));
        let link = link(&timeline, Spacing::Time).expect("it has one");
        assert!(link.ends_with("&t=700"), "{link}");
        let (back, _) = world(&link);
        assert_eq!((back.world().now(), back.is_at_end()), (Instant::from_millis(700), false));
        assert_eq!(back.here().end().at, Instant::from_millis(1_500));
        let after_end = link.replace("700", "99999999");
        assert!(world(&after_end).0.is_at_end());
    }

    /// Three acts at one time: the time alone does not determine after which of them the cursor
    /// was.
    #[test]
    fn a_link_opens_at_the_event_at_which_it_was_made() {
        let mut timeline = timeline();
        for actor in ["web-2", "web-3", "web-4"] {
            timeline.perform(Act::Join { actor: ActorName::from(actor) }).expect("it is possible");
        }
        timeline.advance_to(Instant::from_millis(9_000));
        let end = timeline.here().end();
        for number in 1..=end.event_number {
            timeline.seek(SeekTarget::SimEvent(number));
            let link = link(&timeline, Spacing::Order).expect("it has one");
            let (back, spacing) = world(&link);
            assert_eq!(back.position(), timeline.position(), "{link}");
            assert_eq!(spacing, Some(Spacing::Order));
        }
        let wrong = format!("{}&e=soon", link(&timeline, Spacing::Time).expect("it has one"));
        assert!(matches!(read(&wrong), Err(ImportError::Damaged(_))));
    }

    #[test]
    fn a_link_keeps_the_spacing_by_order_of_events() {
        let mut timeline = timeline();
        let at_end = link(&timeline, Spacing::Order).expect("it has one");
        timeline.seek(SeekTarget::Time(Instant::from_millis(700)));
        let in_past = link(&timeline, Spacing::Order).expect("it has one");
        assert!(in_past.ends_with("&t=700&v=order"), "{in_past}");
        for link in [at_end, in_past] {
            assert_eq!(world(&link).1, Some(Spacing::Order));
        }
    }

    #[test]
    fn a_link_leads_to_a_page_of_a_lesson() {
        let lesson = Lesson::play(15, Variant::Plain).expect("it was tested");
        let link = lesson_link(&lesson, 2);
        assert_eq!(link, "#story=two-believers.3");
        for (text, expected) in [
            (link.clone(), 2),
            (format!("https://example.org/lictor/{link}"), 2),
            ("#story=two-believers".to_owned(), 0),
        ] {
            assert!(is_link(&text) || text.starts_with("https"));
            match read(&text).expect("there is one") {
                Imported::Lesson { lesson, page } => {
                    assert_eq!((lesson.scenario.number, page), (15, expected));
                }
                Imported::World { .. } => panic!("{text} is a world"),
            }
        }
        let fixed = Lesson::play(15, Variant::Fixed).expect("it was tested");
        let link = lesson_link(&fixed, 0);
        assert_eq!(link, "#story=two-believers.1.fixed");
        let variant = |text| match read(text) {
            Ok(Imported::Lesson { lesson, .. }) => lesson.variant,
            _ => panic!("{text} is no story"),
        };
        assert_eq!(variant(&link), Variant::Fixed);
        assert_eq!(variant("#story=two-believers.fixed"), Variant::Fixed);
        for wrong in ["#story=", "#story=<img>", "#story=two-believers.0"] {
            assert!(matches!(read(wrong), Err(ImportError::Damaged(_))), "{wrong}");
        }
        for page in ["99", "-1", "x", "", "1.1", "99999999999999999999"] {
            let wrong = format!("#story=two-believers.{page}");
            assert!(matches!(read(&wrong), Err(ImportError::Damaged(_))), "{wrong}");
        }
    }

    #[test]
    fn a_tag_embeds_the_target_of_a_link_in_another_page() {
        let script = "<script src=\"https://x.org/y/embed.js\" defer></script>";
        for (link, opens) in [
            ("#story=two-believers.3", "two-believers.3"),
            ("https://x.org/y/#v1.Ab_-&t=5&v=order", "#v1.Ab_-&amp;t=5&amp;v=order"),
        ] {
            let tag = tag("https://x.org/y/index.html", link);
            let element = format!("<lictor-sandbox opens=\"{opens}\"></lictor-sandbox>");
            assert_eq!(tag, format!("{script} {element}"));
        }
    }

    #[test]
    fn what_is_no_world_is_an_error() {
        assert_eq!(read("").err(), Some(ImportError::Foreign));
        assert_eq!(read("hello").err(), Some(ImportError::Foreign));
        assert_eq!(read(&" ".repeat(IMPORT_MAX + 1)).err(), Some(ImportError::TooLarge));
        let link = link(&timeline(), Spacing::Time).expect("it has one");
        let (late, view) = (format!("{link}&t=late"), format!("{link}&v=upside-down"));
        for damaged in
            ["#v1.", "#v1.%%%", "{}", "{\"lictor\":99}", &link[..link.len() - 2], &late, &view]
        {
            assert!(matches!(read(damaged), Err(ImportError::Damaged(_))), "{damaged}");
        }
    }
}
