//! A word of a command as a tree: texts, and names whose values are put in only when the command
//! runs, so that no character of a value has a meaning for the shell.
//!
//! While a command is parsed with some names unset, each of these is one character of Unicode's
//! private use area, a slot. Characters of the input that are in this area themselves become slots
//! too.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::arithmetic;
use super::error::{CommandError, ErrorKind, TextSpan};
use super::text_cursor::{TextCursor, is_of_name, starts_a_name};
use super::variables::{file_variable, is_learnt, is_token};

/// A function that returns the value of a name. `None` if it has none.
pub type PlaceholderValues<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A word as text, with its position in the input, which an error underlines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub span: TextSpan,
}

/// A word with its position in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) span: TextSpan,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A text without its quotes.
    Text(String),
    Name(Name),
    /// `$((...))`, with its expression.
    Sum {
        expression: String,
        source: String,
        span: TextSpan,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) name: String,
    pub(super) form: NameForm,
    /// The text in place of an unset name: `${name:-text}`.
    pub(super) default: Option<Word>,
    pub(super) span: TextSpan,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameForm {
    /// `$name` in quotes or as a part of a word.
    Shell,
    /// `<name>`, in whose place a reader of a guide would type the value.
    Guide,
    /// `<name>` in a quoted text that has other angle brackets, such as HTML: it is text unless it
    /// has a value.
    Markup,
}

/// The ASCII characters to escape in a value that is put into an address: all but letters, digits,
/// `-._~` and the slashes of a key.
const VALUE: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The first of the private characters.
const FIRST: u32 = 0xF_0000;
/// How many private characters can be slots.
const SLOTS_MAX: usize = 0xFFFD;
/// The largest nesting of defaults.
const DEPTH_MAX: usize = 8;
/// The part of an address that is before its names.
pub(super) const ADDRESS: &str = "v1/";

impl Word {
    /// A word of one text.
    pub(super) fn text(text: &str, span: TextSpan) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())], span }
    }

    pub(super) fn push(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => self.parts.push(Part::Text(c.into())),
        }
    }

    pub(super) fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(before)) => before.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Takes a name from a text, if one is next: also `{name}` in an address.
    pub(super) fn take_name(&mut self, cursor: &mut TextCursor<'_>, is_in_address: bool) -> bool {
        let form = if cursor.peek() == Some('$') { NameForm::Shell } else { NameForm::Guide };
        let name = match cursor.name() {
            None if is_in_address => cursor.braced_name(),
            name => name,
        };
        let Some((name, span)) = name else { return false };
        self.parts.push(Part::Name(Name { name, form, default: None, span }));
        true
    }

    /// The text of a word without names; `None` for any other.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text before the first name.
    pub(super) fn beginning(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// The name of a word that is nothing but a name.
    pub(super) fn only_name(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Name(name)] if name.default.is_none() => Some(&name.name),
            _ => None,
        }
    }

    /// Splits a word `name=value`. `None` for any other.
    fn split_at_equals(&self) -> Option<(&str, Self)> {
        let (name, value) = self.beginning().split_once('=')?;
        let mut parts = self.parts.clone();
        parts[0] = Part::Text(value.to_owned());
        if value.is_empty() {
            parts.remove(0);
        }
        let start = self.span.start + name.len() + 1;
        Some((name, Self { parts, span: start.min(self.span.end)..self.span.end }))
    }

    /// The name and the value of a word `name=value`; `None` for any other.
    pub(super) fn assignment(&self) -> Option<(String, Self)> {
        let (name, value) = self.split_at_equals()?;
        let is_name = starts_a_name(name) && name.chars().all(|c| is_of_name(c) || c == '-');
        is_name.then(|| (name.to_owned(), value))
    }

    /// The names with their places, in their order, without those inside of defaults.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, &TextSpan)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(name) => Some((name.name.as_str(), &name.span)),
            Part::Sum { source, span, .. } => Some((source.as_str(), span)),
            Part::Text(_) => None,
        })
    }

    /// Makes the names `<name>` from the part with this number on markup, unless answers give them.
    pub(super) fn mark_as_markup(&mut self, first: usize) {
        for part in self.parts.iter_mut().skip(first) {
            if let Part::Name(Name { name, form, .. }) = part
                && *form == NameForm::Guide
                && !is_learnt(name)
            {
                *form = NameForm::Markup;
            }
        }
    }
}

/// The texts of words with the values of names.
pub(super) struct Expansion<'v> {
    value: PlaceholderValues<'v>,
    slots: Vec<Slot>,
    /// The first error: too many slots.
    error: Option<CommandError>,
}

enum Slot {
    /// A name without a value.
    Unset(String, TextSpan),
    /// A private character of the input.
    Text(char),
}

impl<'v> Expansion<'v> {
    pub(super) fn new(value: PlaceholderValues<'v>) -> Self {
        Self { value, slots: Vec::new(), error: None }
    }

    /// The word with its values. A name without one is a slot.
    pub(super) fn token(&mut self, word: &Word) -> Token {
        let mut text = String::new();
        self.add(word, &mut text, 0);
        Token { text, span: word.span.clone() }
    }

    /// The words with their values. A word that is nothing but a name, whose value begins as a
    /// command or an option does, is split at its blanks.
    pub(super) fn tokens(&mut self, words: &[Word]) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(words.len());
        for word in words {
            let token = self.token(word);
            let is_words = word.only_name().is_some()
                && (tokens.is_empty() && token.text.contains(' ') || token.text.starts_with('-'));
            if is_words {
                let words = token.text.split_whitespace();
                let span = &token.span;
                tokens.extend(words.map(|it| Token { text: it.to_owned(), span: span.clone() }));
            } else {
                tokens.push(token);
            }
        }
        tokens
    }

    /// The content of a file that was written here.
    pub(super) fn file(&mut self, file: &str, span: &TextSpan) -> String {
        let name = file_variable(file);
        let mut text = String::new();
        match (self.value)(&name) {
            Some(content) => self.add_text(&content, &mut text),
            None => self.unset(&name, span, &mut text),
        }
        text
    }

    fn add(&mut self, word: &Word, text: &mut String, depth: usize) {
        for part in &word.parts {
            match part {
                Part::Text(part) => self.add_text(part, text),
                Part::Name(name) => self.add_name(name, text, depth),
                Part::Sum { expression, source, span } => {
                    match arithmetic::result(expression, self.value) {
                        Some(number) => text.push_str(&number.to_string()),
                        None => self.unset(source, span, text),
                    }
                }
            }
        }
    }

    fn add_name(&mut self, name: &Name, text: &mut String, depth: usize) {
        let value = (self.value)(&name.name);
        match (&name.default, value) {
            (Some(default), None) if depth < DEPTH_MAX => self.add(default, text, depth + 1),
            (Some(default), Some(value)) if value.is_empty() => self.add(default, text, depth + 1),
            (_, Some(value)) if name.form != NameForm::Shell && is_address(text) => {
                *text += &utf8_percent_encode(&value, VALUE).to_string();
            }
            (_, Some(value)) => self.add_text(&value, text),
            (_, None) if name.form == NameForm::Markup => {
                *text += &format!("<{}>", name.name);
            }
            (_, None) if is_token(&name.name) => {}
            (_, None) => self.unset(&name.name, &name.span, text),
        }
    }

    fn add_text(&mut self, added: &str, text: &mut String) {
        if !added.contains(is_slot) {
            return text.push_str(added);
        }
        for c in added.chars() {
            if is_slot(c) {
                self.put(Slot::Text(c), 0..0, text);
            } else {
                text.push(c);
            }
        }
    }

    fn unset(&mut self, name: &str, span: &TextSpan, text: &mut String) {
        self.put(Slot::Unset(name.to_owned(), span.clone()), span.clone(), text);
    }

    fn put(&mut self, slot: Slot, span: TextSpan, text: &mut String) {
        match slot_of(self.slots.len()) {
            Some(c) => {
                self.slots.push(slot);
                text.push(c);
            }
            None => self.error = Some(CommandError::new(ErrorKind::TooLong, span)),
        }
    }

    /// The text with names in place of the slots, approximately as written.
    pub(super) fn source_text(&self, text: &str) -> String {
        self.restored(text, |name| format!("<{name}>"))
    }

    fn restored(&self, text: &str, written: impl Fn(&str) -> String) -> String {
        let mut restored = String::with_capacity(text.len());
        for c in text.chars() {
            match position(c).and_then(|number| self.slots.get(number)) {
                Some(Slot::Text(c)) => restored.push(*c),
                Some(Slot::Unset(name, _)) => restored += &written(name),
                None => restored.push(c),
            }
        }
        restored
    }

    /// Puts the characters of the input back into texts that were parsed. Fails with an error for
    /// each place of a name without a value in them.
    pub(super) fn finish(&self, texts: &mut [&mut String]) -> Result<(), Vec<CommandError>> {
        if let Some(error) = &self.error {
            return Err(vec![error.clone()]);
        }
        let mut open: Vec<usize> =
            texts.iter().flat_map(|it| it.chars()).filter_map(position).collect();
        open.sort_unstable();
        open.dedup();
        let errors = open.into_iter().filter_map(|number| match self.slots.get(number)? {
            Slot::Unset(name, span) => {
                Some(CommandError::new(ErrorKind::NoValue(name.clone()), span.clone()))
            }
            Slot::Text(_) => None,
        });
        let errors: Vec<CommandError> = errors.collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        for text in texts.iter_mut().filter(|text| text.contains(is_slot)) {
            **text = self.restored(text, str::to_owned);
        }
        Ok(())
    }

    /// The places of names without a value.
    pub(super) fn unset_places(&self) -> impl Iterator<Item = (&str, &TextSpan)> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Unset(name, span) => Some((name.as_str(), span)),
            Slot::Text(_) => None,
        })
    }

    /// The error of a command with names in place of the slots in the text that it quotes. `None`
    /// for an error whose word has a name without a value: it may be right with one.
    pub(super) fn certain(&self, error: CommandError) -> Option<CommandError> {
        if let Some(error) = &self.error {
            return Some(error.clone());
        }
        let is_open = |(_, span): (&str, &TextSpan)| {
            !error.span.is_empty() && error.span.start <= span.start && span.end <= error.span.end
        };
        if self.unset_places().any(is_open) {
            return None;
        }
        Some(self.with_source_text(error))
    }

    pub(super) fn with_source_text(&self, mut error: CommandError) -> CommandError {
        if let Some(text) = error.kind.quoted_mut() {
            *text = self.source_text(text);
        }
        error
    }
}

/// Whether a text is the beginning of an address, in which the value of a `<name>` is encoded.
fn is_address(text: &str) -> bool {
    text.contains(ADDRESS) && !text.contains([' ', '"', '\'', '{', '\n'])
}

/// The slot with a number. `None` if there is no such private character.
fn slot_of(number: usize) -> Option<char> {
    let number = u32::try_from(number).ok().filter(|_| number < SLOTS_MAX)?;
    char::from_u32(FIRST + number)
}

/// Whether a text has a slot.
pub(super) fn has_slot(text: &str) -> bool {
    text.contains(is_slot)
}

/// Whether a character is a slot.
pub(super) fn is_slot(c: char) -> bool {
    position(c).is_some()
}

/// The number of a slot; `None` for any other character.
fn position(c: char) -> Option<usize> {
    usize::try_from(u32::from(c).checked_sub(FIRST)?).ok().filter(|number| *number < SLOTS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str, form: NameForm) -> Part {
        Part::Name(Name { name: name.into(), form, default: None, span: 0..1 })
    }

    fn expanded(parts: Vec<Part>) -> Result<String, Vec<CommandError>> {
        let value = |name: &str| (name == "s").then(|| "a b/ü?x=1&y#z".to_owned());
        let mut expansion = Expansion::new(&value);
        let mut text = expansion.token(&Word { parts, span: 0..1 }).text;
        expansion.finish(&mut [&mut text]).map(|()| text)
    }

    #[test]
    fn an_unset_name_is_an_error_and_private_characters_survive() {
        let kind = ErrorKind::NoValue("t".into());
        let unset = expanded(vec![name("t", NameForm::Shell)]);
        assert_eq!(unset, Err(vec![CommandError::new(kind, 0..1)]));
        assert_eq!(expanded(vec![Part::Text("\u{f0000}".into())]), Ok("\u{f0000}".into()));
    }

    #[test]
    fn a_default_is_used_for_an_unset_name_and_a_token_may_be_empty() {
        let inner = Word { parts: vec![name("t", NameForm::Shell)], span: 0..1 };
        let with = |default| {
            Part::Name(Name {
                name: "u".into(),
                form: NameForm::Shell,
                default: Some(default),
                span: 0..1,
            })
        };
        assert_eq!(expanded(vec![with(Word::text("x", 0..1))]), Ok("x".into()));
        assert!(expanded(vec![with(inner)]).is_err(), "the default itself is unset");
        assert_eq!(expanded(vec![name("CONSUL_HTTP_TOKEN", NameForm::Shell)]), Ok(String::new()));
    }
}
