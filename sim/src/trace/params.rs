//! Parameters such as `ttl=15s` that are parsed, written and listed by the same code, so that all
//! three agree. A parameter with its default value is not written.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use lictor_core::id::SessionRef;

use super::tokens::{Args, push_bytes, push_param, span_of, span_word};

/// The text of a duration without end.
const NEVER: &str = "never";
/// The expected kind of a text that cannot be parsed, for the error.
const VALUE: &str = "value";

/// An option of a program: its name in the line language, and what it accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSchema {
    /// The word before the `=`.
    pub name: &'static str,
    /// What can be written after it.
    pub value: OptionValue,
    /// The value of a program without this option, as it would be written. Empty for an empty text,
    /// and for an option without a default.
    pub default: String,
}

/// What the value of an option can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Any text.
    Text,
    /// A whole number.
    Number,
    /// A duration such as `1m30s`.
    Duration,
    /// A duration, or `never`.
    DurationOrNever,
    /// One of these words.
    Choice(Vec<&'static str>),
    /// The name or id of a session.
    Session,
}

/// Reads parameters into values, or writes values as parameters.
pub(super) enum ParamCodec<'a, 'b> {
    /// Reads the parameters that are present, and adds the schema of each possible one to `listed`.
    Reads {
        args: &'b mut Args<'a>,
        listed: Option<&'b mut Vec<OptionSchema>>,
    },
    Writes(&'b mut String),
}

impl ParamCodec<'_, '_> {
    /// Parses a parameter into a value, or writes the value unless it is the default.
    fn parse_or_write<T: PartialEq>(
        &mut self,
        (name, kind): (&'static str, OptionValue),
        (value, default): (&mut T, &T),
        word: impl Fn(&T) -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) {
        match self {
            Self::Writes(words) => {
                if value != default {
                    push_param(words, name, &word(value));
                }
            }
            Self::Reads { args, listed } => {
                if let Some(listed) = listed {
                    listed.push(OptionSchema { name, value: kind, default: word(default) });
                }
                let Some(text) = args.take(name) else { return };
                match read(text) {
                    Some(found) => *value = found,
                    None => args.invalid_value(VALUE, name, text),
                }
            }
        }
    }

    pub(super) fn text(&mut self, name: &'static str, value: (&mut Arc<str>, &Arc<str>)) {
        let option = (name, OptionValue::Text);
        self.parse_or_write(option, value, ToString::to_string, |text| Some(text.into()));
    }

    /// A text for which these words are listed as choices. Other texts are not refused here.
    pub(super) fn word(
        &mut self,
        name: &'static str,
        value: (&mut Arc<str>, &Arc<str>),
        words: &[&'static str],
    ) {
        let option = (name, OptionValue::Choice(words.to_vec()));
        self.parse_or_write(option, value, ToString::to_string, |text| Some(text.into()));
    }

    /// Bytes, which are none by default.
    pub(super) fn bytes(&mut self, name: &'static str, value: &mut Arc<[u8]>) {
        match self {
            Self::Writes(_) if value.is_empty() => {}
            Self::Writes(words) => push_bytes(words, name, value),
            Self::Reads { args, .. } => {
                *value = args.bytes(name).into();
                self.list(name, OptionValue::Text);
            }
        }
    }

    pub(super) fn number<T: PartialEq + Display + FromStr>(
        &mut self,
        name: &'static str,
        value: (&mut T, &T),
    ) {
        let option = (name, OptionValue::Number);
        self.parse_or_write(option, value, ToString::to_string, |text| text.parse().ok());
    }

    /// A number that has to be given.
    pub(super) fn required_number(&mut self, name: &'static str, value: &mut i64) {
        match self {
            Self::Writes(words) => push_param(words, name, &value.to_string()),
            Self::Reads { args, .. } => {
                if let Some(text) = args.take(name) {
                    match text.parse() {
                        Ok(number) => *value = number,
                        Err(_) => args.invalid_value(VALUE, name, text),
                    }
                }
                self.list(name, OptionValue::Number);
            }
        }
    }

    pub(super) fn duration(&mut self, name: &'static str, value: (&mut Duration, &Duration)) {
        let option = (name, OptionValue::Duration);
        self.parse_or_write(option, value, |span| span_word(*span), span_of);
    }

    /// A duration that may have no end.
    pub(super) fn duration_or_never(
        &mut self,
        name: &'static str,
        value: (&mut Option<Duration>, &Option<Duration>),
    ) {
        let option = (name, OptionValue::DurationOrNever);
        let word = |span: &Option<Duration>| span.map_or_else(|| NEVER.into(), span_word);
        let read = |text: &str| if text == NEVER { Some(None) } else { span_of(text).map(Some) };
        self.parse_or_write(option, value, word, read);
    }

    /// One of several words; the first is the default.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &'static str,
        value: &mut T,
        choices: &[(&'static str, T)],
    ) {
        let words = choices.iter().map(|(word, _)| *word).collect();
        self.parse_or_write(
            (name, OptionValue::Choice(words)),
            (value, &choices[0].1),
            |value| word_of(*value, choices).into(),
            |text| choices.iter().find(|(word, _)| *word == text).map(|(_, value)| *value),
        );
    }

    /// A session that another client has created. `read` finds it by its name or id.
    pub(super) fn session(
        &mut self,
        name: &'static str,
        value: &mut Option<SessionRef>,
        read: impl FnOnce(&str) -> SessionRef,
    ) {
        match self {
            Self::Writes(words) => {
                if let Some(session) = value {
                    push_param(words, name, session.as_str());
                }
            }
            Self::Reads { args, .. } => {
                *value = args.take(name).map(read);
                self.list(name, OptionValue::Session);
            }
        }
    }

    /// Adds an option without a default to the list.
    fn list(&mut self, name: &'static str, value: OptionValue) {
        if let Self::Reads { listed: Some(listed), .. } = self {
            listed.push(OptionSchema { name, value, default: String::new() });
        }
    }
}

/// The word of a value in a table.
pub(super) fn word_of<T: Copy + PartialEq>(value: T, words: &[(&'static str, T)]) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}
