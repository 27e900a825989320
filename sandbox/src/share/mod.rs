//! Writes a world or a lesson as a link and as HTML that embeds it, and reads links and files. What
//! is damaged or foreign is an error; a link opens at the position of the cursor at which it was
//! made.

pub mod csv;
mod words;
pub mod world_name;
pub mod world_summary;

pub use words::{SavedWorldWords, Words, saved_world_words, words};

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::journal::{Journal, LinkError, Log, LogError, PlayError};
use lictor_sim::record::Record;
use lictor_sim::scenario::{ScenarioError, Variant};
use lictor_sim::timeline::{SeekTarget, Timeline};
use percent_encoding::percent_decode_str;

use crate::lessons::{Lesson, number_by_name};
use crate::settings::Spacing;

/// The length up to which a link works everywhere; some programs cut off longer ones.
pub const LINK_COMFORTABLE: usize = 2_000;
/// The largest import, in bytes.
pub const IMPORT_MAX: usize = 32 << 20;
/// The beginning of every link to a world, before its version: `#v1.`.
const LINK: &str = "#v";
/// The beginning of a page that was saved as one file.
const SAVED_PAGE: &str = "<!doctype html>";
/// The text before the log of the world in such a page.
const SAVED_LOG: &str = "data-log=\"";
/// The beginning of every link to a lesson; its name and the number of a page follow.
const LESSON: &str = "#story=";
/// The end of a link to the variant of a lesson with its fix.
const FIXED: &str = ".fixed";
/// The text before the cursor's time, which is in milliseconds.
const CURSOR: &str = "&t=";
/// The text before the number of the event at the cursor, for a time that is not exact enough.
const EVENT: &str = "&e=";
/// The text before the spacing of the axis.
const VIEW: &str = "&v=";

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
    Play(#[from] PlayError),
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error("unknown spacing of the timeline {0:?}")]
    UnknownSpacing(String),
    #[error("{0:?} is not a time in milliseconds")]
    MalformedTime(String),
    #[error("{0:?} is not the number of an event")]
    MalformedEvent(String),
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
    let mut link = Journal::of(timeline).to_link()?;
    if !timeline.is_at_end() {
        link += &cursor(timeline);
    }
    if spacing != Spacing::Time {
        link += &format!("{VIEW}{}", spacing.name());
    }
    Ok(link)
}

/// The position of the cursor in a link: its time if that leads to the same world, else the number
/// of its event.
fn cursor(timeline: &Timeline<Record>) -> String {
    let millis = timeline.world().now().as_millis();
    let leads_here = |target| {
        let world = timeline.visit(timeline.current(), target);
        world.is_some_and(|world| world == *timeline.world())
    };
    let event = timeline.position().event_number;
    let time = SeekTarget::Time(Instant::from_millis(millis));
    if !leads_here(time) && leads_here(SeekTarget::SimEvent(event)) {
        format!("{EVENT}{event}")
    } else {
        format!("{CURSOR}{millis}")
    }
}

/// The fragment of a link to a page of a lesson, counted from 0.
pub fn lesson_link(lesson: &Lesson, page: usize) -> String {
    let fixed = if lesson.variant == Variant::Fixed { FIXED } else { "" };
    format!("{LESSON}{}.{}{fixed}", lesson.scenario.name, page + 1)
}

/// The HTML that embeds the target of a link in another page. `page` is the address of the sandbox.
pub fn tag(page: &str, link: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let fragment = link.rsplit_once('#').map_or("", |(_, fragment)| fragment);
    let opens = match fragment.strip_prefix(&LESSON[1..]) {
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
    world_link(fragment) == Some(0) || fragment.starts_with(LESSON)
}

/// The byte at which a link to a world of any version begins. `None` if there is no such link.
fn world_link(text: &str) -> Option<usize> {
    let has_version = |start: &usize| {
        let version = text[start + LINK.len()..].split_once('.').map(|(version, _)| version);
        version.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.match_indices(LINK).map(|(start, _)| start).find(has_version)
}

/// The log in a page that was saved as one file; none for any other text.
fn saved_log(text: &str) -> Option<String> {
    let is_page = text.get(..SAVED_PAGE.len())?.eq_ignore_ascii_case(SAVED_PAGE);
    let (_, log) = text.split_once(SAVED_LOG).filter(|_| is_page)?;
    let (log, _) = log.split_once('"')?;
    percent_decode_str(log).decode_utf8().ok().map(Into::into)
}

fn read_log(text: &str) -> Result<Imported, DamageError> {
    let timeline = Log::read(text)?;
    Ok(Imported::World { timeline: timeline.into(), spacing: None })
}

/// Reads a link, an address that ends in one, the text of a log file, or a page that was saved as
/// one file.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    if text.len() > IMPORT_MAX {
        return Err(ImportError::TooLarge);
    }
    let trimmed = text.trim();
    let shared = if trimmed.starts_with('{') {
        read_log(text)
    } else if let Some(log) = saved_log(trimmed) {
        read_log(&log)
    } else if let Some(start) = world_link(trimmed) {
        read_link(&trimmed[start..])
    } else if let Some((_, lesson)) = trimmed.split_once(LESSON) {
        read_lesson(lesson)
    } else {
        return Err(ImportError::Foreign);
    };
    shared.map_err(ImportError::Damaged)
}

fn read_link(link: &str) -> Result<Imported, DamageError> {
    let (link, view) = link.split_once(VIEW).map_or((link, None), |(it, view)| (it, Some(view)));
    let (link, event) = link.split_once(EVENT).unwrap_or((link, ""));
    let (link, cursor) = link.split_once(CURSOR).unwrap_or((link, ""));
    let spacing_named =
        |name| Spacing::named(name).ok_or_else(|| DamageError::UnknownSpacing(name.to_owned()));
    let spacing = view.map(spacing_named).transpose()?;
    let mut timeline = Journal::from_link(link)?.play()?;
    if !cursor.is_empty() {
        let at = cursor.parse().map_err(|_| DamageError::MalformedTime(cursor.to_owned()))?;
        timeline.seek(SeekTarget::Time(Instant::from_millis(at)));
    }
    if !event.is_empty() {
        let number = event.parse().map_err(|_| DamageError::MalformedEvent(event.to_owned()))?;
        timeline.seek(SeekTarget::SimEvent(number));
    }
    Ok(Imported::World { timeline: timeline.into(), spacing })
}

/// Reads the name of a lesson and, after a dot each, the number of a page and whether it is fixed.
fn read_lesson(text: &str) -> Result<Imported, DamageError> {
    let (text, variant) = match text.strip_suffix(FIXED) {
        Some(text) => (text, Variant::Fixed),
        None => (text, Variant::Plain),
    };
    let (name, page) = text.split_once('.').unwrap_or((text, "1"));
    let unknown = || DamageError::UnknownLesson(name.to_owned());
    let lesson = Lesson::read(number_by_name(name).ok_or_else(unknown)?, variant)?;
    let position = page.parse().ok().and_then(|page: usize| page.checked_sub(1));
    let position = position.filter(|position| *position < lesson.pages.len());
    let page = position.ok_or_else(|| DamageError::NoPage(page.to_owned()))?;
    Ok(Imported::Lesson { lesson: lesson.into(), page })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::id::ActorName;
    use lictor_sim::journal::LoggedTimeline;
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
        let lesson = Lesson::read(15, Variant::Plain).expect("it was tested");
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
        let fixed = Lesson::read(15, Variant::Fixed).expect("it was tested");
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
