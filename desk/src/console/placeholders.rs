//! Placeholders of a command (`$name`, `<name>`, in addresses `{name}`). While the command is read,
//! each is one character of Unicode's private use area, a slot.
//!
//! A value is filled in only after the command was split into words, so its quotes and blanks have
//! no meaning. Characters of the input that are in this area themselves become slots too.

use percent_encoding::utf8_percent_encode;

use super::error::{CommandError, ErrorKind, TextSpan};
use super::url::VALUE;
use super::variables::is_learnt;

/// A function that returns the value of a name. `None` if it has none.
pub type PlaceholderValues<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The placeholders of a command; the number of each is that of its slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Placeholders(Vec<Placeholder>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Placeholder {
    Name {
        name: String,
        form: NameForm,
        span: TextSpan,
    },
    /// The content of a file, as `-d @file` or `--data-binary @file` sends it.
    File {
        variable: String,
        lines: FileLines,
        span: TextSpan,
    },
    /// `<name>` in a quoted text that has other angle brackets, such as HTML: it is text unless it
    /// has a value.
    QuotedName {
        name: String,
        span: TextSpan,
    },
    /// A text that is filled in as it is.
    Literal(String),
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameForm {
    /// `$name`, whose value replaces it as in a shell.
    Shell,
    /// `<name>`, in whose place a reader of a guide would type the value.
    Guide,
}

/// Whether the line ends of a file are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileLines {
    /// curl's `-d` drops them.
    Joined,
    Kept,
}

/// Which values in an address are percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EncodedValues {
    /// Those of `<name>`, in whose place a reader would type the value.
    OfGuideNames,
    /// Those of `$name`, too.
    All,
}

/// The first of the private characters.
const FIRST: u32 = 0xF_0000;
/// How many private characters can be slots.
const SLOTS_MAX: usize = 0xFFFD;

impl Placeholders {
    /// Adds a name and returns its slot. This function and the others that return a slot fail if
    /// the command has more placeholders than there are slots.
    pub(super) fn name(
        &mut self,
        name: String,
        form: NameForm,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let place = span.clone();
        self.put(Placeholder::Name { name, form, span }, place)
    }

    /// Adds the content of a file, which is the value of a variable, and returns its slot.
    pub(super) fn file(
        &mut self,
        variable: String,
        lines: FileLines,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let place = span.clone();
        self.put(Placeholder::File { variable, lines, span }, place)
    }

    /// How many there are so far, for [`Placeholders::require_from`].
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Makes every `<name>` in quotes, from the placeholder with this number on, one that needs a
    /// value. This is called for a text without other angle brackets, which is no markup.
    pub(super) fn require_from(&mut self, first: usize) {
        for placeholder in self.0.iter_mut().skip(first) {
            if let Placeholder::QuotedName { name, span } = placeholder {
                let (name, span) = (std::mem::take(name), span.clone());
                *placeholder = Placeholder::Name { name, form: NameForm::Guide, span };
            }
        }
    }

    /// Adds a `<name>` inside quotes and returns its slot.
    pub(super) fn quoted_name(
        &mut self,
        name: String,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let place = span.clone();
        let placeholder = if is_learnt(&name) {
            Placeholder::Name { name, form: NameForm::Guide, span }
        } else {
            Placeholder::QuotedName { name, span }
        };
        self.put(placeholder, place)
    }

    /// Adds a text that is filled in as it is, and returns its slot.
    pub(super) fn literal(&mut self, text: String, span: TextSpan) -> Result<char, CommandError> {
        self.put(Placeholder::Literal(text), span)
    }

    /// A character at a place of the input as it is written in a text with slots: itself, or a slot
    /// if it is in the private area.
    pub(super) fn plain(&mut self, c: char, place: usize) -> Result<char, CommandError> {
        if position(c).is_some() {
            self.literal(c.into(), place..place + c.len_utf8())
        } else {
            Ok(c)
        }
    }

    /// The names and their positions in the input.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, &TextSpan)> {
        self.0.iter().filter_map(|placeholder| match placeholder {
            Placeholder::Name { name, span, .. }
            | Placeholder::QuotedName { name, span }
            | Placeholder::File { variable: name, span, .. } => Some((name.as_str(), span)),
            Placeholder::Literal(_) => None,
        })
    }

    /// The text with the known values; names without a value stay slots.
    pub(super) fn fill(&self, text: &str, value: PlaceholderValues<'_>) -> String {
        self.filled(text, |placeholder| placeholder.value(value))
    }

    /// An address with the known values, which are percent-encoded where they are not part of its
    /// syntax.
    pub(super) fn fill_address(
        &self,
        text: &str,
        encoded: EncodedValues,
        value: PlaceholderValues<'_>,
    ) -> String {
        self.filled(text, |placeholder| {
            let is_encoded = match placeholder {
                Placeholder::Name { form, .. } => {
                    encoded == EncodedValues::All || *form == NameForm::Guide
                }
                Placeholder::QuotedName { name, .. } => value(name).is_some(),
                Placeholder::File { .. } | Placeholder::Literal(_) => false,
            };
            let value = placeholder.value(value)?;
            Some(if is_encoded { utf8_percent_encode(&value, VALUE).to_string() } else { value })
        })
    }

    fn filled(&self, text: &str, value: impl Fn(&Placeholder) -> Option<String>) -> String {
        let mut filled = String::with_capacity(text.len());
        for c in text.chars() {
            match self.get(c).map(&value) {
                Some(Some(value)) => filled.push_str(&value),
                Some(None) | None => filled.push(c),
            }
        }
        filled
    }

    /// An error for each place of a name without a value in texts that were filled.
    pub(super) fn unresolved(
        &self,
        texts: &[&String],
        value: PlaceholderValues<'_>,
    ) -> Vec<CommandError> {
        let characters = texts.iter().flat_map(|text| text.chars());
        let mut open = characters.filter_map(position).collect::<Vec<_>>();
        open.sort();
        open.dedup();
        let errors = open.into_iter().filter_map(|number| match self.0.get(number)? {
            Placeholder::Name { name, span, .. }
            | Placeholder::File { variable: name, span, .. }
                if value(name).is_none() =>
            {
                Some(CommandError::new(ErrorKind::NoValue(name.clone()), span.clone()))
            }
            _ => None,
        });
        errors.collect()
    }

    /// A text with its names in place of the slots, approximately as written.
    pub(super) fn source_text(&self, text: &str) -> String {
        self.fill(text, &|name| Some(format!("<{name}>")))
    }

    /// The error with names in place of the slots in the texts that it quotes.
    pub(super) fn with_source_text(&self, error: CommandError) -> CommandError {
        let kind = match error.kind {
            ErrorKind::UnknownProgram(text) => ErrorKind::UnknownProgram(self.source_text(&text)),
            ErrorKind::InnerProgram(text) => ErrorKind::InnerProgram(self.source_text(&text)),
            ErrorKind::UnknownOption(text) => ErrorKind::UnknownOption(self.source_text(&text)),
            ErrorKind::ConsulUsage(text) => ErrorKind::ConsulUsage(self.source_text(&text)),
            ErrorKind::JqFilter(text) => ErrorKind::JqFilter(self.source_text(&text)),
            ErrorKind::DidYouMean { written, meant } => {
                ErrorKind::DidYouMean { written: self.source_text(&written), meant }
            }
            ErrorKind::SecondAddress(text) => ErrorKind::SecondAddress(self.source_text(&text)),
            ErrorKind::Pattern(text) => ErrorKind::Pattern(self.source_text(&text)),
            other => other,
        };
        CommandError { kind, span: error.span }
    }

    fn put(&mut self, placeholder: Placeholder, span: TextSpan) -> Result<char, CommandError> {
        let c = character(self.0.len()).ok_or(CommandError::new(ErrorKind::TooLong, span))?;
        self.0.push(placeholder);
        Ok(c)
    }

    fn get(&self, c: char) -> Option<&Placeholder> {
        self.0.get(position(c)?)
    }
}

impl Placeholder {
    fn value(&self, value: PlaceholderValues<'_>) -> Option<String> {
        match self {
            Self::Literal(literal) => Some(literal.clone()),
            Self::Name { name, .. } => value(name),
            Self::QuotedName { name, .. } => {
                Some(value(name).unwrap_or_else(|| format!("<{name}>")))
            }
            Self::File { variable, lines, .. } => value(variable).map(|text| match lines {
                FileLines::Joined => text.replace(['\r', '\n'], ""),
                FileLines::Kept => text,
            }),
        }
    }
}

/// The slot of a placeholder. `None` if there is no such private character.
fn character(number: usize) -> Option<char> {
    let number = u32::try_from(number).ok().filter(|_| number < SLOTS_MAX)?;
    char::from_u32(FIRST + number)
}

/// Whether a text has a slot.
pub(super) fn has_slot(text: &str) -> bool {
    text.chars().any(is_slot)
}

/// Whether a character is a slot.
pub(super) fn is_slot(c: char) -> bool {
    position(c).is_some()
}

/// The number of the placeholder of a slot; `None` for any other character.
fn position(c: char) -> Option<usize> {
    usize::try_from(u32::from(c).checked_sub(FIRST)?).ok().filter(|number| *number < SLOTS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_values_and_unknown_ones_are_reported() {
        let mut placeholders = Placeholders::default();
        let known = placeholders.name("s1".into(), NameForm::Shell, 0..3).expect("room");
        let open = placeholders.name("s2".into(), NameForm::Shell, 4..7).expect("room");
        let value = |name: &str| (name == "s1").then(|| "abc".to_owned());
        let filled = placeholders.fill(&format!("{known}-{open}"), &value);
        assert_eq!(filled, format!("abc-{open}"));
        assert_eq!(
            placeholders.unresolved(&[&filled], &value),
            [CommandError::new(ErrorKind::NoValue("s2".into()), 4..7)]
        );
    }

    #[test]
    fn values_in_addresses_are_encoded_where_a_reader_would_type_them() {
        let mut placeholders = Placeholders::default();
        let shell = placeholders.name("s".into(), NameForm::Shell, 0..2).expect("room");
        let guide = placeholders.name("p".into(), NameForm::Guide, 3..6).expect("room");
        let value = |_: &str| Some("a b/ü?x=1&y#z".to_owned());
        let fill =
            |text: char, encoded| placeholders.fill_address(&text.to_string(), encoded, &value);
        let escaped = "a%20b/%C3%BC%3Fx%3D1%26y%23z";
        assert_eq!(fill(guide, EncodedValues::OfGuideNames), escaped);
        assert_eq!(fill(shell, EncodedValues::OfGuideNames), "a b/ü?x=1&y#z");
        assert_eq!(fill(shell, EncodedValues::All), escaped);
    }

    #[test]
    fn private_characters_of_the_input_survive() {
        let mut placeholders = Placeholders::default();
        placeholders.name("s".into(), NameForm::Shell, 0..2).expect("room");
        let masked = placeholders.plain('\u{f0000}', 2).expect("room");
        assert_eq!(placeholders.fill(&masked.to_string(), &|_| Some("x".into())), "\u{f0000}");
    }
}
