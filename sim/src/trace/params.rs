//! Parameters such as `ttl=15s` that are parsed and written by the same code, so that both
//! directions agree. A parameter with its default value is left out. `programs` uses it for all
//! options.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use super::tokens::{Args, push_bytes, push_param, span_of, span_word};

/// The text of a duration without end.
const NEVER: &str = "never";
/// The expected kind of a text that cannot be parsed, for the error.
const VALUE: &str = "value";

/// Reads parameters into values, or writes values as parameters.
pub(super) enum ParamCodec<'a, 'b> {
    Reads(&'b mut Args<'a>),
    Writes(&'b mut String),
}

impl ParamCodec<'_, '_> {
    /// Parses a parameter into a value, or writes the value unless it is the default.
    fn parse_or_write<T: PartialEq>(
        &mut self,
        name: &str,
        (value, default): (&mut T, &T),
        word: impl FnOnce(&T) -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) {
        match self {
            Self::Writes(words) => {
                if value != default {
                    push_param(words, name, &word(value));
                }
            }
            Self::Reads(args) => {
                let Some(text) = args.take(name) else { return };
                match read(text) {
                    Some(it) => *value = it,
                    None => args.fail_not_a(VALUE, name, text),
                }
            }
        }
    }

    pub(super) fn text(&mut self, name: &str, it: (&mut Arc<str>, &Arc<str>)) {
        self.parse_or_write(name, it, ToString::to_string, |text| Some(text.into()));
    }

    pub(super) fn bytes(&mut self, name: &str, value: &mut Arc<[u8]>) {
        match self {
            Self::Writes(_) if value.is_empty() => {}
            Self::Writes(words) => push_bytes(words, name, value),
            Self::Reads(args) => *value = args.bytes(name).into(),
        }
    }

    pub(super) fn number<T: PartialEq + Display + FromStr>(
        &mut self,
        name: &str,
        it: (&mut T, &T),
    ) {
        self.parse_or_write(name, it, ToString::to_string, |text| text.parse().ok());
    }

    pub(super) fn span(&mut self, name: &str, it: (&mut Duration, &Duration)) {
        self.parse_or_write(name, it, |span| span_word(*span), span_of);
    }

    /// A duration that may have no end.
    pub(super) fn optional_span(
        &mut self,
        name: &str,
        it: (&mut Option<Duration>, &Option<Duration>),
    ) {
        let word = |span: &Option<Duration>| span.map_or_else(|| NEVER.into(), span_word);
        let read = |text: &str| if text == NEVER { Some(None) } else { span_of(text).map(Some) };
        self.parse_or_write(name, it, word, read);
    }

    /// One of several words; the first is the default.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &str,
        value: &mut T,
        choices: &[(&'static str, T)],
    ) {
        match self {
            Self::Writes(words) => {
                if choices[0].1 != *value {
                    push_param(words, name, word_of(*value, choices));
                }
            }
            Self::Reads(args) => {
                *value = args.choice((name, VALUE), choices).unwrap_or(*value);
            }
        }
    }
}

/// The word of a value in a table.
pub(super) fn word_of<T: Copy + PartialEq>(it: T, words: &[(&'static str, T)]) -> &'static str {
    words.iter().find(|(_, of)| *of == it).map_or("", |(word, _)| word)
}
