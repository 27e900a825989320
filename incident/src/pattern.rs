//! Patterns of an application's lines: literal text between placeholders, without regular
//! expressions. A pattern has the kind of event of a line, one of four, and the places of its time
//! and names.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::clock_time::{ClockTime, at_start};

/// The event of a line of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientEventKind {
    /// The client holds the lock.
    Acquired,
    /// It does not hold it any more, and did not want that.
    Lost,
    /// The server has answered a renewal of its session.
    Renewed,
    /// It has given the lock back.
    Released,
}

impl ClientEventKind {
    pub(crate) const ALL: [Self; 4] = [Self::Acquired, Self::Renewed, Self::Lost, Self::Released];

    /// The word that stands for it in a pattern.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Acquired => "acquired",
            Self::Lost => "lost",
            Self::Renewed => "renewed",
            Self::Released => "released",
        }
    }
}

/// A pattern for lines of an application, such as `acquired={time} {*} acquired lock {key}`.
///
/// Before the first part and after the last one a line can have anything. `{time}` is a time in any
/// of the usual forms; at the beginning of the pattern it is the time of the line itself, if a
/// service manager wrote another one before it. `{*}` is any text or none. `{key}`, `{session}` and
/// `{client}` extend to the text that follows in the pattern, without spaces unless this text
/// begins with a quote; at the end of the pattern they extend to the next space, quote or bracket.
/// `{{` is a brace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPattern {
    pub(crate) kind: ClientEventKind,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Literal(String),
    Time,
    Any,
    Name(Name),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Key,
    Session,
    Client,
}

const PLACEHOLDERS: [(&str, Part); 5] = [
    ("time", Part::Time),
    ("*", Part::Any),
    ("key", Part::Name(Name::Key)),
    ("session", Part::Name(Name::Session)),
    ("client", Part::Name(Name::Client)),
];

/// Why a text is no pattern.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}, at character {place} of the pattern {pattern:?}")]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// The number of the character, from 1.
    pub place: usize,
    message: String,
}

/// What a pattern finds in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) time: ClockTime,
    names: [Option<&'a str>; 3],
}

impl<'a> Found<'a> {
    pub(crate) fn name(&self, name: Name) -> Option<&'a str> {
        self.names[name as usize]
    }
}

impl EventPattern {
    pub(crate) fn of_parts(kind: ClientEventKind, parts: Vec<Part>) -> Self {
        Self { kind, parts }
    }

    /// The event that the pattern is for.
    pub const fn kind(&self) -> ClientEventKind {
        self.kind
    }

    /// How many names it finds.
    pub(crate) fn names(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Name(_))).count()
    }

    /// What the pattern finds in a line, whose time begins at a place; `None` if the line does not
    /// match.
    pub(crate) fn find<'a>(&self, line: &'a str, time_place: usize) -> Option<Found<'a>> {
        let (mut rest, mut time, mut names) = (line, None, [None; 3]);
        // What a service manager writes before a line can have another time.
        let begins_with_time = self.parts.first() == Some(&Part::Time);
        let mut preferred = line.get(time_place..).filter(|_| begins_with_time);
        // Each run between two `{*}` is found at its first place: a later one leaves less text.
        for run in self.parts.split(|part| *part == Part::Any) {
            let mut starts = preferred.take().into_iter().chain(starts_of(run, rest));
            rest = starts
                .find_map(|start| {
                    let (mut found_time, mut found_names) = (time, names);
                    let rest = match_run(run, start, &mut found_time, &mut found_names)?;
                    Some((rest, found_time, found_names))
                })
                .map(|(rest, found_time, found_names)| {
                    (time, names) = (found_time, found_names);
                    rest
                })?;
        }
        Some(Found { time: time?, names })
    }
}

/// The places at which a run of parts can begin. A time or a name begins with a word.
fn starts_of<'text>(run: &[Part], text: &'text str) -> impl Iterator<Item = &'text str> {
    let literal = match run.first() {
        Some(Part::Literal(literal)) => Some(literal.as_str()),
        _ => None,
    };
    let literals = literal.map(|literal| text.match_indices(literal).map(|(place, _)| place));
    let words = literal.is_none().then(|| {
        let mut before = ' ';
        text.char_indices().filter_map(move |(place, char)| {
            let begins_word = !before.is_ascii_alphanumeric();
            before = char;
            begins_word.then_some(place)
        })
    });
    let is_empty = run.is_empty().then_some(0);
    let places = literals.into_iter().flatten().chain(words.into_iter().flatten()).chain(is_empty);
    places.map(|place| &text[place..])
}

/// Matches a run at the beginning of a text, and returns what is after it.
fn match_run<'a>(
    run: &[Part],
    text: &'a str,
    time: &mut Option<ClockTime>,
    names: &mut [Option<&'a str>; 3],
) -> Option<&'a str> {
    let mut rest = text;
    for (place, part) in run.iter().enumerate() {
        match part {
            Part::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Part::Time => {
                let (found, after) = at_start(rest)?;
                (*time, rest) = (Some(found), after);
            }
            Part::Any => {}
            Part::Name(name) => {
                let end = match run.get(place + 1) {
                    Some(Part::Literal(next)) => {
                        let end = rest.find(next.as_str())?;
                        let is_quoted = next.starts_with(['"', '\'', '`']);
                        let has_space = rest[..end].contains(char::is_whitespace);
                        if has_space && !is_quoted {
                            return None;
                        }
                        end
                    }
                    _ => end_of_name(rest),
                };
                if end == 0 {
                    return None;
                }
                names[*name as usize] = Some(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    Some(rest)
}

/// The length of the name at the beginning of a text, without the full stop of a sentence.
pub(crate) fn end_of_name(text: &str) -> usize {
    let is_end = |it: char| it.is_whitespace() || "\"'`,;()[]{}<>".contains(it);
    text[..text.find(is_end).unwrap_or(text.len())].trim_end_matches(['.', ':', '!']).len()
}

impl FromStr for EventPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let fail = |place: usize, message: String| PatternError {
            pattern: text.into(),
            place: text[..place].chars().count() + 1,
            message,
        };
        let event = "acquired, lost, renewed or released is expected before an equals sign";
        let (name, pattern) = text.split_once('=').ok_or_else(|| fail(0, event.into()))?;
        let kind = ClientEventKind::ALL.into_iter().find(|kind| kind.name() == name.trim());
        let kind = kind.ok_or_else(|| fail(0, event.into()))?;
        let indent = pattern.len() - pattern.trim_start().len();
        let parts = parse_parts(pattern.trim(), &|place, message| {
            fail(name.len() + 1 + indent + place, message)
        })?;
        let has = |kind: fn(&Part) -> bool| parts.iter().any(kind);
        if !has(|part| *part == Part::Time) {
            return Err(fail(text.len(), "{time} is missing".into()));
        }
        if !has(|part| matches!(part, Part::Literal(text) if !text.trim().is_empty())) {
            let message = "there is no text besides placeholders, so that each line would match";
            return Err(fail(text.len(), message.into()));
        }
        Ok(Self { kind, parts })
    }
}

fn parse_parts(
    pattern: &str,
    fail: &dyn Fn(usize, String) -> PatternError,
) -> Result<Vec<Part>, PatternError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut place = 0;
    while let Some(rest) = pattern.get(place..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("{{") {
            push_literal(&mut parts, "{");
            place += 2;
        } else if let Some(after) = rest.strip_prefix('{') {
            let Some((name, _)) = after.split_once('}') else {
                let message = "a brace is not closed; {{ is a brace in a line";
                return Err(fail(place, message.into()));
            };
            let part = PLACEHOLDERS.iter().find(|(known, _)| *known == name);
            let Some((_, part)) = part else {
                let known = "{time}, {key}, {session}, {client} and {*} are";
                return Err(fail(place, format!("{{{name}}} is no placeholder, {known}")));
            };
            if *part != Part::Any && parts.contains(part) {
                return Err(fail(place, format!("{{{name}}} occurs for the second time")));
            }
            let is_open = |part: &Part| matches!(part, Part::Any | Part::Name(_));
            if is_open(part) && parts.last().is_some_and(is_open) {
                let message = format!("{{{name}}} follows a placeholder without text between them");
                return Err(fail(place, message));
            }
            parts.push(part.clone());
            place += name.len() + 2;
        } else {
            let end = rest.find('{').unwrap_or(rest.len());
            push_literal(&mut parts, &rest[..end]);
            place += end;
        }
    }
    Ok(parts)
}

fn push_literal(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Literal(literal)) => literal.push_str(text),
        _ => parts.push(Part::Literal(text.into())),
    }
}

impl fmt::Display for EventPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}=", self.kind.name())?;
        self.parts.iter().try_for_each(|part| match part {
            Part::Literal(text) => formatter.write_str(&text.replace('{', "{{")),
            part => {
                let placeholder = PLACEHOLDERS.iter().find(|(_, known)| known == part);
                let name = placeholder.map(|(name, _)| name.to_string()).unwrap_or_default();
                write!(formatter, "{{{name}}}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> EventPattern {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn names(pattern_text: &str, line: &str) -> Option<[Option<String>; 3]> {
        let found = pattern(pattern_text).find(line, 0)?;
        Some([Name::Key, Name::Session, Name::Client].map(|name| found.name(name).map(Into::into)))
    }

    #[test]
    fn names_extend_to_the_next_text_or_to_a_space() {
        let line = "2026-11-20T09:10:31.123Z INFO worker-a acquired lock jobs/nightly/leader.";
        for (text, expected) in [
            ("acquired={time} {*} acquired lock {key}", ["jobs/nightly/leader", "", ""]),
            ("acquired={time} INFO {client} acquired", ["", "", "worker-a"]),
            ("acquired={time} {*}{client} acquired", ["", "", ""]),
            ("lost={time}{*}lock {key}/", ["jobs", "", ""]),
        ] {
            let Ok(parsed) = text.parse::<EventPattern>() else {
                assert!(text.contains("{*}{client}"), "{text}");
                continue;
            };
            assert_eq!(parsed.to_string(), text);
            let found = names(text, line).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.map(Option::unwrap_or_default), expected, "{text}");
        }
        assert_eq!(names("lost={time} {*} lost", line), None);
    }

    #[test]
    fn a_name_in_quotes_can_have_spaces_and_braces_are_written_twice() {
        let line = r#"{"time":1795165831123,"msg":"lock lost","key":"a b"}"#;
        let text = r#"lost={{"time":{time},{*}lock lost","key":"{key}"}"#;
        assert_eq!(names(text, line).unwrap()[0].as_deref(), Some("a b"));
        assert_eq!(pattern(text).to_string(), text);
    }

    #[test]
    fn a_text_that_is_no_pattern_is_refused_with_its_place() {
        for (text, place, message) in [
            ("", 1, "acquired, lost, renewed or released"),
            ("aquired={time} x", 1, "acquired, lost, renewed or released"),
            ("lost={time} {kye} lost", 13, "{kye} is no placeholder"),
            ("lost={time} {key lost", 13, "not closed"),
            ("lost=lock lost", 15, "{time} is missing"),
            ("lost={time} {time} lost", 13, "second time"),
            ("lost={time} é {*}{key} lost", 18, "without text between"),
            ("lost={time} {*} ", 17, "no text besides placeholders"),
        ] {
            let error = text.parse::<EventPattern>().expect_err(text);
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.place, place, "{error}");
        }
    }
}
