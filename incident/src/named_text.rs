//! The texts of an incident as a page or a script passes them, with the settings of a person: they
//! are checked here, before anything is read.

use alloc::string::String;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use crate::incident::Incident;
use crate::pattern::{EventPattern, PatternError};
use crate::redact::Redactor;
use crate::source::{IncidentError, Source};

/// A text that was pasted, or the content of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedText {
    /// What messages call it.
    pub name: String,
    /// Its content.
    pub text: String,
    /// The milliseconds that are added to its times because its clock is behind; negative if it is
    /// ahead.
    #[serde(default)]
    pub clock_offset: f64,
    /// The patterns by which its lines of an application are read. Without them, patterns are
    /// proposed; an empty list reads no such line.
    pub patterns: Option<Vec<String>>,
}

/// Why texts are not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A pattern is invalid.
    #[error("the patterns of {name}: {error}")]
    Pattern {
        /// The name of the text.
        name: String,
        /// What is wrong with the pattern.
        error: PatternError,
    },
    /// The texts have nothing of Consul's, or contradict each other.
    #[error(transparent)]
    Incident(#[from] IncidentError),
}

impl NamedText {
    fn parse_patterns(&self) -> Result<Option<Vec<EventPattern>>, TextError> {
        let Some(patterns) = &self.patterns else { return Ok(None) };
        let parsed = patterns.iter().map(|pattern| pattern.parse::<EventPattern>());
        let parsed = parsed.collect::<Result<_, _>>();
        parsed.map(Some).map_err(|error| TextError::Pattern { name: self.name.clone(), error })
    }
}

impl Incident {
    /// Reads texts as [`Incident::read_now`] does. With `redacts`, values of keys, tokens and
    /// addresses are replaced before anything is read. `progress` gets the share of all bytes that
    /// was read, from 0 to 1.
    ///
    /// # Errors
    ///
    /// Fails if a pattern is invalid, and as [`Incident::read_now`].
    pub fn read_texts(
        mut texts: Vec<NamedText>,
        taken: Option<Timestamp>,
        now: Timestamp,
        redacts: bool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, TextError> {
        if redacts {
            let mut redactor = Redactor::default();
            texts.iter_mut().for_each(|text| text.text = redactor.redact(&text.text));
        }
        let patterns: Vec<_> =
            texts.iter().map(NamedText::parse_patterns).collect::<Result<_, _>>()?;
        let sources: Vec<Source<'_>> = texts
            .iter()
            .zip(&patterns)
            .map(|(text, patterns)| {
                let offset = SignedDuration::from_millis(text.clock_offset as i64);
                let source = Source::new(&text.name, text.text.as_bytes()).clock_offset(offset);
                match patterns {
                    Some(patterns) => source.patterns(patterns),
                    None => source,
                }
            })
            .collect();
        let all: usize = texts.iter().map(|text| text.text.len()).sum();
        let mut done = 0;
        let mut report = |bytes: usize| {
            done += bytes;
            progress(done as f64 / all as f64);
        };
        Ok(Self::read_now(&sources, taken, now, &mut report)?)
    }
}
