//! The line language: events and acts as lines of text, which failed tests print and scenarios are
//! written in.
//!
//! ```text
//! #index  time  actor  what  -> outcome
//! ```
//!
//! Every printed line can be parsed, and the line of a client's act can be performed.
//! docs/en/reference/formats.md has the grammar.

mod error;
mod faults;
mod names;
mod params;
mod program_acts;
mod programs;
mod requests;
mod steps;
mod tokens;
mod words;
mod writer;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

pub use self::error::{TraceLineError, WordsError};
pub use self::names::Names;
pub use self::params::{OptionSchema, OptionValue};
pub use self::programs::{PROGRAM_KINDS, program_options};
pub use self::requests::session_word;
pub use self::tokens::{push_operand, push_param, split_words};
pub use self::words::{act_of, actor_of, words_of};
pub use self::writer::{TraceWriter, is_event, trace_of};

use lictor_core::id::Index;
use lictor_core::time::Instant;

use self::tokens::{in_words, printable, quoted_word, span_of};

/// The actor of lines about the server.
pub const SERVER: &str = "server";
const ARROW: &str = "->";

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// The log index; `None` in a line that only describes an act.
    pub index: Option<Index>,
    /// The time of the world.
    pub at: Instant,
    /// The client, or [`SERVER`].
    pub actor: String,
    /// What it does, in words.
    pub what: String,
    /// The outcome, if the line states it.
    pub outcome: Option<String>,
}

impl fmt::Display for TraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index {
            write!(f, "{:<5} ", format!("#{index}"))?;
        }
        let at = self.at.to_string();
        write!(f, "{at:>10}  {:<8}  {}", quoted_word(&self.actor), printable(&self.what))?;
        match &self.outcome {
            Some(outcome) => write!(f, "  {ARROW} {}", printable(outcome)),
            None => Ok(()),
        }
    }
}

impl TraceLine {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// Fails if the time, the actor or what it does is missing or cannot be read.
    pub fn parse(text: &str) -> Result<Self, TraceLineError> {
        let words = in_words(text).map_err(|_| TraceLineError::Quote)?;
        let (index, words) = match words.split_first() {
            Some((word, words)) if word.raw.starts_with('#') => (Some(index_of(word.raw)?), words),
            _ => (None, words.as_slice()),
        };
        let (time, words) = words.split_first().ok_or(TraceLineError::Short)?;
        let span = span_of(time.raw).ok_or_else(|| TraceLineError::Time(time.raw.into()))?;
        let at = Instant::EPOCH.plus(span);
        let [actor, words @ ..] = words else { return Err(TraceLineError::Short) };
        let actor = actor.text.clone();
        let begin = words.first().ok_or(TraceLineError::Short)?.at;
        let arrow = words.iter().find(|word| word.raw == ARROW).map(|word| word.at);
        let what = printable(text[begin..arrow.unwrap_or(text.len())].trim());
        let outcome = arrow.map(|at| printable(text[at + ARROW.len()..].trim()));
        if what.is_empty() {
            return Err(TraceLineError::Short);
        }
        Ok(Self { index, at, actor, what, outcome })
    }
}

fn index_of(word: &str) -> Result<Index, TraceLineError> {
    word[1..].parse().map(Index).map_err(|_| TraceLineError::Index(word.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_line_is_parsed_to_the_same_line() {
        for text in [
            "#12       1.000s  web-1     put a acquire=S1 value=x  -> true lock=1",
            "#7       20.000s  server    S1 ends: not renewed for twice its TTL",
            "          0.000s  \"a b\"     put a value=\"x -> y\"  -> false",
            "     12345.123456789s  web-1     joins",
        ] {
            let line = TraceLine::parse(text).expect("it is a line");
            assert_eq!(TraceLine::parse(&line.to_string()), Ok(line));
        }
    }

    #[test]
    fn control_characters_are_escaped_and_read_again() {
        let odd = "a\u{1b}[31m\u{0}\u{7f}\u{85}\n\\u{41}";
        let line = TraceLine {
            index: None,
            at: Instant::EPOCH,
            actor: odd.into(),
            what: format!("put {} value={}", quoted_word(odd), quoted_word(odd)),
            outcome: Some("true \u{1}".into()),
        };
        let text = line.to_string();
        assert!(!text.contains(char::is_control), "{text:?}");
        let read = TraceLine::parse(&text).expect("it is a line");
        assert_eq!(read.actor, odd);
        let words = split_words(&read.what).expect("its quotes are closed");
        assert_eq!((words[1].as_str(), words[2].as_str()), (odd, &*format!("value={odd}")));
    }

    #[test]
    fn a_malformed_line_is_refused_with_a_reason() {
        for (text, why) in [
            ("", "a line has a time, an actor, and what it does"),
            ("1s web-1", "a line has a time, an actor, and what it does"),
            ("1s web-1 -> true", "a line has a time, an actor, and what it does"),
            ("soon web-1 joins", "the time \"soon\" is not written like 12.345s"),
            ("#x 1s web-1 joins", "the index \"#x\" is not a number"),
            ("1s web-1 put a value=\"x", "a quote is not closed"),
            ("1.2.3s a joins", "the time \"1.2.3s\" is not written like 12.345s"),
            ("-1s a joins", "the time \"-1s\" is not written like 12.345s"),
        ] {
            let error = TraceLine::parse(text).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(why), "{text}");
        }
    }
}
