//! A text in words, and what stands behind a verb: operands, and parameters like `wait=10s`. Quotes
//! keep together what has spaces in it.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::words::WordsError;
use crate::duration;
use crate::sim::{Plan, Repeats};

/// A word as it stands in its text, and as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Where it begins.
    pub(super) at: usize,
    pub(super) raw: &'a str,
    pub(super) text: String,
}

/// Takes a text apart. A quote may begin inside of a word; within it, a backslash makes the next
/// character an ordinary one, but for `\n`, `\r` and `\t`.
pub(super) fn in_words(text: &str) -> Result<Vec<Word<'_>>, WordsError> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(words);
        }
        let at = text.len() - rest.len();
        let (length, meant) = word(rest)?;
        words.push(Word { at, raw: &rest[..length], text: meant });
        rest = &rest[length..];
    }
}

/// The first word of a text: its length, and what it means.
fn word(text: &str) -> Result<(usize, String), WordsError> {
    let mut meant = String::new();
    let mut is_quoted = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => match chars.next().ok_or(WordsError::Quote)?.1 {
                'n' => meant.push('\n'),
                'r' => meant.push('\r'),
                't' => meant.push('\t'),
                other => meant.push(other),
            },
            c if c.is_whitespace() && !is_quoted => return Ok((at, meant)),
            c => meant.push(c),
        }
    }
    if is_quoted { Err(WordsError::Quote) } else { Ok((text.len(), meant)) }
}

/// A text as one word: in quotes if it needs them.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
    if !text.is_empty() && text != super::ARROW && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '"' | '\\' => quoted.extend(['\\', c]),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What is said beside a verb. Everything must be used up in the end.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    pub(super) verb: &'a str,
    operands: Vec<&'a str>,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Given<'a> {
    /// A target may have `=` in it; the names of parameters are plain words.
    pub(super) fn new(verb: &'a str, words: impl Iterator<Item = &'a str>) -> Self {
        let (mut operands, mut parameters) = (Vec::new(), Vec::new());
        for word in words {
            let is_name = |name: &str| {
                !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'-')
            };
            match word.split_once('=').filter(|(name, _)| is_name(name)) {
                Some(parameter) => parameters.push(parameter),
                None => operands.push(word),
            }
        }
        Self { verb, operands, parameters }
    }

    pub(super) fn needs(&self, what: &'static str) -> WordsError {
        WordsError::Missing { verb: self.verb.to_owned(), what }
    }

    /// The next operand.
    pub(super) fn first(&mut self, what: &'static str) -> Result<String, WordsError> {
        if self.operands.is_empty() {
            return Err(self.needs(what));
        }
        Ok(self.operands.remove(0).to_owned())
    }

    pub(super) fn first_number(&mut self, what: &'static str) -> Result<u64, WordsError> {
        let text = self.first(what)?;
        text.parse().map_err(|_| value(self.verb, &text, "number"))
    }

    /// A parameter, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a str> {
        let place = self.parameters.iter().position(|(of, _)| *of == name)?;
        Some(self.parameters.remove(place).1)
    }

    /// All parameters of certain names, in their order.
    pub(super) fn take_all(&mut self, is_one: impl Fn(&str) -> bool) -> Vec<(&'a str, &'a str)> {
        let (taken, left) = self.parameters.iter().partition(|(name, _)| is_one(name));
        self.parameters = left;
        taken
    }

    pub(super) fn number<T: core::str::FromStr>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, WordsError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| value(name, text, "number"))
    }

    pub(super) fn span(&mut self, name: &str) -> Result<Option<Duration>, WordsError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        span_of(text).map(Some).ok_or_else(|| value(name, text, "span"))
    }

    /// A parameter of bytes, as text or in digits; none is empty.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Vec<u8>, WordsError> {
        if let Some(text) = self.take(name) {
            return Ok(Vec::from(text));
        }
        let name = alloc::format!("{name}-hex");
        let Some(digits) = self.take(&name) else { return Ok(Vec::new()) };
        let wrong = || value(&name, digits, "row of pairs of digits");
        if digits.len() % 2 != 0 || !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let pairs = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]);
        pairs.map(|pair| u8::from_str_radix(pair, 16).map_err(|_| wrong())).collect()
    }

    /// When a fault happens.
    pub(super) fn plan(&mut self) -> Result<Plan, WordsError> {
        let repeats = match self.number("times")? {
            None => None,
            Some(times) => Some(Repeats {
                times,
                every: self.span("every")?.ok_or_else(|| self.needs("every=, with times="))?,
                jitter: self.span("jitter")?.unwrap_or_default(),
            }),
        };
        Ok(Plan {
            after: self.span("after")?.unwrap_or_default(),
            lasts: self.span("for")?,
            repeats,
        })
    }

    /// Whether everything has been of use.
    pub(super) fn used_up(&self) -> Result<(), WordsError> {
        let operand = self.operands.first().map(|word| (*word).to_owned());
        let parameter = self.parameters.first().map(|(name, _)| (*name).to_owned());
        operand.or(parameter).map_or(Ok(()), |word| Err(WordsError::Extra(word)))
    }
}

/// Seconds like `12.5s`, or a duration as Go writes it.
pub(super) fn span_of(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s').unwrap_or(text);
    let (seconds, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if text.ends_with('s') && is_digits(seconds) && is_digits(fraction) && fraction.len() <= 9 {
        let nanos = alloc::format!("{fraction:0<9}").parse().ok()?;
        return Some(Duration::new(seconds.parse().ok()?, nanos));
    }
    let nanos = duration::parse(text).ok()?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

pub(super) fn value(name: &str, text: &str, kind: &'static str) -> WordsError {
    WordsError::Value { name: name.to_owned(), text: text.to_owned(), kind }
}
