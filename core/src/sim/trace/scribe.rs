//! Parameters that are read and written by the same lines: each has a name and a plain value, which
//! is left out.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use super::faults::span_word;
use super::given::{Given, quoted, span_of, value};
use super::words::{WordsError, parameter};

/// In place of a span that does not end.
const NEVER: &str = "never";

/// Reads parameters into values, or writes values as parameters.
pub(super) enum Scribe<'a, 'b> {
    Reads(&'b mut Given<'a>),
    Writes(&'b mut String),
}

impl Scribe<'_, '_> {
    /// What a parameter says, in its place the value; it is written where it is not plain.
    fn said<T: PartialEq>(
        &mut self,
        name: &str,
        (said, plain): (&mut T, &T),
        word: impl FnOnce(&T) -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<(), WordsError> {
        match self {
            Self::Writes(words) => {
                if said != plain {
                    words.push_str(&format!(" {name}={}", quoted(&word(said))));
                }
            }
            Self::Reads(given) => {
                if let Some(text) = given.take(name) {
                    *said = read(text).ok_or_else(|| value(name, text, "value"))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn text(
        &mut self,
        name: &str,
        it: (&mut Arc<str>, &Arc<str>),
    ) -> Result<(), WordsError> {
        self.said(name, it, ToString::to_string, |text| Some(text.into()))
    }

    pub(super) fn bytes(&mut self, name: &str, said: &mut Arc<[u8]>) -> Result<(), WordsError> {
        match self {
            Self::Writes(_) if said.is_empty() => {}
            Self::Writes(words) => words.push_str(&parameter(name, said)),
            Self::Reads(given) => *said = given.bytes(name)?.into(),
        }
        Ok(())
    }

    pub(super) fn number<T: PartialEq + Display + FromStr>(
        &mut self,
        name: &str,
        it: (&mut T, &T),
    ) -> Result<(), WordsError> {
        self.said(name, it, ToString::to_string, |text| text.parse().ok())
    }

    pub(super) fn span(
        &mut self,
        name: &str,
        it: (&mut Duration, &Duration),
    ) -> Result<(), WordsError> {
        self.said(name, it, |span| span_word(*span), span_of)
    }

    /// A span that may be without an end.
    pub(super) fn end(
        &mut self,
        name: &str,
        it: (&mut Option<Duration>, &Option<Duration>),
    ) -> Result<(), WordsError> {
        let word = |span: &Option<Duration>| span.map_or_else(|| NEVER.into(), span_word);
        let read = |text: &str| if text == NEVER { Some(None) } else { span_of(text).map(Some) };
        self.said(name, it, word, read)
    }

    /// One of some words, of which the first is the plain one.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &str,
        said: &mut T,
        choices: &[(&'static str, T)],
    ) -> Result<(), WordsError> {
        let word = |it: &T| {
            let found = choices.iter().find(|(_, of)| of == it);
            found.map_or_else(String::new, |(word, _)| (*word).into())
        };
        let read = |text: &str| {
            let found = choices.iter().find(|(word, _)| *word == text);
            found.map(|(_, of)| *of)
        };
        self.said(name, (said, &choices[0].1), word, read)
    }
}
