//! Tokens of the line language: words, quotes, and the arguments after a verb: operands, and
//! parameters like `wait=10s`. [`Args`] keeps the first error and reports it when all arguments
//! were taken.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::duration;

use super::error::WordsError;
use crate::fault::{Plan, Repeats};

/// A token: its raw text, and its meaning without quotes and escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineToken<'a> {
    /// Where it begins.
    pub(super) at: usize,
    pub(super) raw: &'a str,
    pub(super) text: String,
}

/// Splits a text into tokens. A quote may begin inside a word; within quotes, a backslash makes the
/// next character literal, except in `\n`, `\r`, `\t` and `\u{1b}`.
pub(super) fn in_words(text: &str) -> Result<Vec<LineToken<'_>>, WordsError> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(words);
        }
        let at = text.len() - rest.len();
        let (length, meant) = word(rest)?;
        words.push(LineToken { at, raw: &rest[..length], text: meant });
        rest = &rest[length..];
    }
}

/// The words of a text as they are meant, without quotes and escapes.
///
/// # Errors
///
/// Fails if a quote is not closed.
pub fn split_words(text: &str) -> Result<Vec<String>, WordsError> {
    Ok(in_words(text)?.into_iter().map(|word| word.text).collect())
}

/// The first word of a text: its length, and its meaning.
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
                'u' => match escaped_character(chars.as_str()) {
                    Some((character, length)) => {
                        meant.push(character);
                        chars.by_ref().take(length).for_each(drop);
                    }
                    None => meant.push('u'),
                },
                other => meant.push(other),
            },
            c if c.is_whitespace() && !is_quoted => return Ok((at, meant)),
            c => meant.push(c),
        }
    }
    if is_quoted { Err(WordsError::Quote) } else { Ok((text.len(), meant)) }
}

/// The character of `{1b}` and the length of that text.
fn escaped_character(text: &str) -> Option<(char, usize)> {
    let (digits, _) = text.strip_prefix('{')?.split_once('}')?;
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    Some((character, digits.len() + 2))
}

/// A text without control characters: each is written as `\u{1b}`.
pub(super) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            printable.extend(c.escape_unicode());
        } else {
            printable.push(c);
        }
    }
    printable
}

/// A text as one word of the line language: in quotes if it needs them.
pub(super) fn quoted_word(text: &str) -> String {
    let mut words = String::new();
    push_quoted(&mut words, text);
    words
}

/// Adds one more word, in quotes if it needs them. One like `ttl=5` does, because it would be a
/// parameter without them.
pub fn push_operand(words: &mut String, text: &str) {
    words.push(' ');
    if parameter_name(text).is_some() {
        push_in_quotes(words, text);
    } else {
        push_quoted(words, text);
    }
}

/// The name of the parameter that a word is, as it is written: lowercase letters and `-`. A target
/// with `=` in it is no parameter, and neither is a word in quotes.
fn parameter_name(raw: &str) -> Option<&str> {
    let (name, _) = raw.split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}

/// Adds a parameter, its value in quotes if it needs them.
pub fn push_param(words: &mut String, name: &str, text: &str) {
    words.push(' ');
    words.push_str(name);
    words.push('=');
    push_quoted(words, text);
}

pub(super) fn push_number(words: &mut String, name: &str, number: u64) {
    push_param(words, name, &number.to_string());
}

/// Adds a parameter of bytes, in hexadecimal digits if they are not text.
pub(super) fn push_bytes(words: &mut String, name: &str, bytes: &[u8]) {
    match core::str::from_utf8(bytes) {
        Ok(text) => push_param(words, name, text),
        Err(_) => {
            words.push(' ');
            words.push_str(name);
            words.push_str("-hex=");
            for byte in bytes {
                words.push_str(&format!("{byte:02x}"));
            }
        }
    }
}

fn push_quoted(words: &mut String, text: &str) {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
    if !text.is_empty() && text != super::ARROW && text.chars().all(is_plain) {
        words.push_str(text);
    } else {
        push_in_quotes(words, text);
    }
}

fn push_in_quotes(words: &mut String, text: &str) {
    words.push('"');
    for c in text.chars() {
        match c {
            '\n' => words.push_str("\\n"),
            '\r' => words.push_str("\\r"),
            '\t' => words.push_str("\\t"),
            '"' | '\\' => {
                words.push('\\');
                words.push(c);
            }
            c if c.is_control() => words.extend(c.escape_unicode()),
            c => words.push(c),
        }
    }
    words.push('"');
}

/// The arguments after a verb. The first error is kept; [`finish`](Self::finish) returns it once
/// all arguments were taken.
#[derive(Clone, Debug)]
pub(super) struct Args<'a> {
    pub(super) verb: &'a str,
    operands: VecDeque<&'a str>,
    parameters: Vec<(&'a str, &'a str)>,
    error: Option<WordsError>,
}

impl<'a> Args<'a> {
    pub(super) fn new(verb: &'a str, words: &'a [LineToken<'_>]) -> Self {
        let (mut operands, mut parameters) = (VecDeque::new(), Vec::new());
        for LineToken { raw, text, .. } in words {
            match parameter_name(raw).and_then(|_| text.split_once('=')) {
                Some(parameter) => parameters.push(parameter),
                None => operands.push_back(text.as_str()),
            }
        }
        Self { verb, operands, parameters, error: None }
    }

    /// Stores an error, unless there is one already.
    pub(super) fn fail(&mut self, error: WordsError) {
        self.error.get_or_insert(error);
    }

    pub(super) fn fail_missing(&mut self, what: &'static str) {
        self.fail(WordsError::Missing { verb: self.verb.to_owned(), what });
    }

    pub(super) fn invalid_value(&mut self, kind: &'static str, name: &str, text: &str) {
        self.fail(value(name, text, kind));
    }

    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// The next operand.
    pub(super) fn next(&mut self, what: &'static str) -> &'a str {
        self.operands.pop_front().unwrap_or_else(|| {
            self.fail_missing(what);
            ""
        })
    }

    pub(super) fn next_number(&mut self, what: &'static str) -> u64 {
        let text = self.next(what);
        text.parse().unwrap_or_else(|_| {
            self.invalid_value("number", self.verb, text);
            0
        })
    }

    /// A parameter, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a str> {
        let index = self.parameters.iter().position(|(known, _)| *known == name)?;
        Some(self.parameters.remove(index).1)
    }

    /// The next parameter whose name is in a table: the table's value, and the parameter.
    pub(super) fn take_one<T: Copy>(&mut self, names: &[(&str, T)]) -> Option<(T, &'a str)> {
        let found = |name: &str| names.iter().find(|(word, _)| *word == name);
        let index = self.parameters.iter().position(|(name, _)| found(name).is_some())?;
        let (name, text) = self.parameters.remove(index);
        found(name).map(|(_, value)| (*value, text))
    }

    /// A parameter whose value is one of some words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        (name, kind): (&str, &'static str),
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.take(name)?;
        let found = choices.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            self.invalid_value(kind, name, text);
        }
        found.map(|(_, value)| *value)
    }

    pub(super) fn number<T: TryFrom<u64>>(&mut self, name: &str) -> Option<T> {
        let text = self.take(name)?;
        let number = text.parse().ok().and_then(|number: u64| T::try_from(number).ok());
        if number.is_none() {
            self.invalid_value("number", name, text);
        }
        number
    }

    pub(super) fn span(&mut self, name: &str) -> Option<Duration> {
        let text = self.take(name)?;
        let span = span_of(text);
        if span.is_none() {
            self.invalid_value("span", name, text);
        }
        span
    }

    /// A parameter of bytes, as text or in hexadecimal digits; empty if it is missing.
    pub(super) fn bytes(&mut self, name: &str) -> Vec<u8> {
        if let Some(text) = self.take(name) {
            return Vec::from(text);
        }
        let name = format!("{name}-hex");
        let Some(digits) = self.take(&name) else { return Vec::new() };
        let bytes = bytes_of(digits.as_bytes());
        if bytes.is_none() {
            self.invalid_value("row of pairs of digits", &name, digits);
        }
        bytes.unwrap_or_default()
    }

    /// The schedule of a fault.
    pub(super) fn plan(&mut self) -> Plan {
        let repeats = self.number("times").map(|times| {
            let every = self.span("every").unwrap_or_else(|| {
                self.fail_missing("every=, with times=");
                Duration::ZERO
            });
            Repeats { times, every, jitter: self.span("jitter").unwrap_or_default() }
        });
        let after = self.span("after").unwrap_or_default();
        Plan { after, lasts: self.span("for"), repeats }
    }

    /// The first error, or that an argument was not used.
    pub(super) fn finish(&mut self) -> Result<(), WordsError> {
        let parameter = self.parameters.first().map(|(name, _)| name);
        let extra = self.operands.front().or(parameter).map(|word| (*word).to_owned());
        if let Some(word) = extra {
            self.fail(WordsError::Extra(word));
        }
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Pairs of hexadecimal digits.
fn bytes_of(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let mut bytes = Vec::new();
    for pair in digits.chunks(2) {
        let &[high, low] = pair else { return None };
        bytes.push((digit(high)? << 4 | digit(low)?) as u8);
    }
    Some(bytes)
}

/// Seconds like `12.5s`, or a duration as Go writes it.
pub(super) fn span_of(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s').unwrap_or(text);
    let (seconds, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if text.ends_with('s') && is_digits(seconds) && is_digits(fraction) && fraction.len() <= 9 {
        let nanos = format!("{fraction:0<9}").parse().ok()?;
        return Some(Duration::new(seconds.parse().ok()?, nanos));
    }
    let nanos = duration::parse(text).ok()?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

pub(super) fn value(name: &str, text: &str, kind: &'static str) -> WordsError {
    WordsError::Value { name: name.to_owned(), text: text.to_owned(), kind }
}

/// Writes seconds with as many decimals as needed.
pub(super) fn span_word(span: Duration) -> String {
    let fraction = format!(".{:09}", span.subsec_nanos());
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{}{fraction}s", span.as_secs())
}
