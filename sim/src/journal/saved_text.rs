//! The texts in which worlds are passed on: a log, a page that was saved with one, and a link to a
//! world or a lesson, which may be a part of an address. A link to a world can have parameters:
//! the place of the cursor, which is applied here, and the spacing of the axis.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use lictor_core::time::Instant;
use percent_encoding::percent_decode_str;

use super::{Journal, LinkError};
use crate::fold::Fold;
use crate::timeline::{SeekTarget, Timeline};

/// The beginning of every link to a world, before its version: `#v1.`.
const WORLD: &str = "#v";
/// The beginning of every link to a lesson; its name and the number of a page follow.
const LESSON: &str = "#story=";
/// Follows the page number if the lesson is the variant with the fix.
const FIXED: &str = ".fixed";
/// Precedes the cursor's time, in milliseconds.
const TIME: &str = "t=";
/// Precedes the number of the event at the cursor, if the time is not exact enough.
const EVENT: &str = "e=";
/// Precedes the spacing of the axis.
const SPACING: &str = "v=";
/// The beginning of a page that was saved as one file.
const PAGE: &str = "<!doctype html>";
/// Precedes the log of its world.
const PAGE_LOG: &str = "data-log=\"";

/// What a text contains or links to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedText<'a> {
    /// The text of a log, which may be damaged.
    Log(Cow<'a, str>),
    /// A link to a world of any version, which may be damaged.
    World(WorldLink<'a>),
    /// A link to a lesson, which may not exist.
    Lesson(LessonLink<'a>),
}

/// A link to a world in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldLink<'a> {
    journal: &'a str,
    parameters: &'a str,
}

/// A link to a lesson in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonLink<'a> {
    /// The name of its scenario.
    pub name: &'a str,
    /// The number of a page, counted from 1; `None` for the first page.
    pub page: Option<&'a str>,
    /// Whether it is the variant with the fix.
    pub is_fixed: bool,
}

impl<'a> SavedText<'a> {
    /// Recognises a text; `None` if it is no world and no lesson.
    pub fn of(text: &'a str) -> Option<Self> {
        let whole = text.trim_start_matches('\u{feff}');
        let text = whole.trim();
        if text.starts_with('{') {
            // Its errors count lines from the beginning.
            Some(Self::Log(whole.into()))
        } else if let Some(log) = log_in_page(text) {
            Some(Self::Log(log.into()))
        } else if let Some(link) = world_link(text) {
            let (journal, parameters) = link.split_once('&').unwrap_or((link, ""));
            Some(Self::World(WorldLink { journal, parameters }))
        } else {
            text.split_once(LESSON).map(|(_, lesson)| Self::Lesson(LessonLink::of(lesson)))
        }
    }
}

impl<'a> WorldLink<'a> {
    /// The world, with the cursor at the place of the link; at the end if it has none.
    ///
    /// # Errors
    ///
    /// Fails if the link is damaged or of another version, if the world refuses an act, and if the
    /// place is no number.
    pub fn open<F: Fold>(&self) -> Result<Timeline<F>, LinkError> {
        let mut timeline = Journal::from_link(self.journal)?.play()?;
        if let Some(time) = self.parameter(TIME) {
            let millis = time.parse().map_err(|_| LinkError::MalformedTime(time.into()))?;
            timeline.seek(SeekTarget::Time(Instant::from_millis(millis)));
        }
        if let Some(event) = self.parameter(EVENT) {
            let number = event.parse().map_err(|_| LinkError::MalformedEvent(event.into()))?;
            timeline.seek(SeekTarget::SimEvent(number));
        }
        Ok(timeline)
    }

    /// The name of the spacing of the axis, if the link has one.
    pub fn spacing(&self) -> Option<&'a str> {
        self.parameter(SPACING)
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.split('&').find_map(|parameter| parameter.strip_prefix(name))
    }
}

impl<'a> LessonLink<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.split('&').next().unwrap_or_default();
        let unfixed = text.strip_suffix(FIXED);
        let text = unfixed.unwrap_or(text);
        let (name, page) = match text.split_once('.') {
            Some((name, page)) => (name, Some(page)),
            None => (text, None),
        };
        Self { name, page, is_fixed: unfixed.is_some() }
    }

    /// The link as the fragment of an address.
    pub fn to_link(&self) -> String {
        let Self { name, page, is_fixed } = *self;
        let (dot, page) = page.map_or(("", ""), |page| (".", page));
        let fixed = if is_fixed { FIXED } else { "" };
        format!("{LESSON}{name}{dot}{page}{fixed}")
    }
}

/// The fragment of a link to the current branch, with the place of the cursor if that is not the
/// end, and the spacing of the axis if there is one.
///
/// # Errors
///
/// Fails for a past whose beginning is no longer known.
pub fn link_to_cursor<F: Fold>(
    timeline: &Timeline<F>,
    spacing: Option<&str>,
) -> Result<String, LinkError> {
    let mut link = Journal::of(timeline).to_link()?;
    if !timeline.is_at_end() {
        link += &cursor(timeline);
    }
    if let Some(spacing) = spacing {
        link += &format!("&{SPACING}{spacing}");
    }
    Ok(link)
}

/// The position of the cursor: its time if that is exact, else the number of its event.
fn cursor<F: Fold>(timeline: &Timeline<F>) -> String {
    let millis = timeline.world().now().as_millis();
    let leads_here = |target| {
        let world = timeline.visit(timeline.current(), target);
        world.is_some_and(|world| world == *timeline.world())
    };
    let event = timeline.position().event_number;
    match leads_here(SeekTarget::Time(Instant::from_millis(millis))) {
        false if leads_here(SeekTarget::SimEvent(event)) => format!("&{EVENT}{event}"),
        _ => format!("&{TIME}{millis}"),
    }
}

/// The rest of a text from the first link to a world of any version. A text that is nothing but a
/// link may lack the `#`.
fn world_link(text: &str) -> Option<&str> {
    let has_version = |link: &&str| {
        let version = link.strip_prefix('#').unwrap_or(link).strip_prefix('v');
        let version = version.and_then(|rest| rest.split_once('.')).map(|(version, _)| version);
        version.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let links = text.match_indices(WORLD).map(|(at, _)| &text[at..]);
    let alone = Some(text).filter(|text| !text.contains(char::is_whitespace));
    alone.into_iter().chain(links).find(has_version)
}

/// The log in a page that was saved as one file.
fn log_in_page(text: &str) -> Option<String> {
    let is_page = text.get(..PAGE.len())?.eq_ignore_ascii_case(PAGE);
    let (_, log) = text.split_once(PAGE_LOG).filter(|_| is_page)?;
    let (log, _) = log.split_once('"')?;
    percent_decode_str(log).decode_utf8().ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_found_in_an_address_and_divided_into_its_parts() {
        let link = |journal, parameters| SavedText::World(WorldLink { journal, parameters });
        let lesson = |name, page, is_fixed| SavedText::Lesson(LessonLink { name, page, is_fixed });
        for (text, expected) in [
            ("#v1.Ab_-&t=5&v=order", Some(link("#v1.Ab_-", "t=5&v=order"))),
            ("https://x.org/#vx/#v12.Ab", Some(link("#v12.Ab", ""))),
            (" v1.Ab ", Some(link("v1.Ab", ""))),
            ("see v1.Ab", None),
            ("v1.13 and later", None),
            ("https://x.org/#story=ttl-twice.2.fixed", Some(lesson("ttl-twice", Some("2"), true))),
            ("#story=ttl-twice.fixed&x=1", Some(lesson("ttl-twice", None, true))),
            ("<!doctype html><p>hello", None),
            ("", None),
        ] {
            assert_eq!(SavedText::of(text), expected, "{text}");
        }
        let Some(SavedText::World(link)) = SavedText::of("#v1.Ab&t=5&v=order") else { panic!() };
        assert_eq!((link.parameter(TIME), link.spacing()), (Some("5"), Some("order")));
    }

    #[test]
    fn a_log_is_found_in_a_page_that_was_saved_with_it() {
        let page = "\u{feff}<!DOCTYPE html><script data-log=\"%7B%22a%22%3A1%7D\" src=x>";
        assert_eq!(SavedText::of(page), Some(SavedText::Log("{\"a\":1}".into())));
    }
}
