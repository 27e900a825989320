//! Placeholders of a command (`$name`, `<name>`, in addresses `{name}`), each replaced by one
//! character of Unicode's private use area, a slot, until its value is known.
//!
//! The word splitter therefore never sees quotes or blanks of a value. Characters of the input that
//! are in this area themselves become slots too.

use percent_encoding::utf8_percent_encode;

use super::error::{CommandError, ErrorKind, TextSpan};
use super::url::VALUE;
use super::variables::is_learnt;

/// Looks up the value of a name.
pub type PlaceholderValues<'a> = &'a dyn Fn(&str) -> Option<String>;

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

/// What becomes of the line ends of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileLines {
    /// curl's `-d` drops them.
    Joined,
    Kept,
}

/// The values in an address that are percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EncodedValues {
    /// Those of names that a reader would type.
    OfGuideNames,
    All,
}

/// The first of the private characters, and how many there are.
const FIRST: u32 = 0xF_0000;
const ROOM: usize = 0xFFFD;

impl Placeholders {
    pub(super) fn name(
        &mut self,
        name: String,
        form: NameForm,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let at = span.clone();
        self.put(Placeholder::Name { name, form, span }, at)
    }

    /// The content of a file, which is kept as a variable.
    pub(super) fn file(
        &mut self,
        variable: String,
        lines: FileLines,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let at = span.clone();
        self.put(Placeholder::File { variable, lines, span }, at)
    }

    /// How many there are so far, for [`Placeholders::require_from`].
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The `<name>`s of a quoted text, from the placeholder of this number on, need values: the
    /// text has no other angle brackets, and so it is no markup.
    pub(super) fn require_from(&mut self, first: usize) {
        for placeholder in self.0.iter_mut().skip(first) {
            if let Placeholder::QuotedName { name, span } = placeholder {
                let (name, span) = (std::mem::take(name), span.clone());
                *placeholder = Placeholder::Name { name, form: NameForm::Guide, span };
            }
        }
    }

    /// A `<name>` inside quotes.
    pub(super) fn quoted_name(
        &mut self,
        name: String,
        span: TextSpan,
    ) -> Result<char, CommandError> {
        let at = span.clone();
        let slot = if is_learnt(&name) {
            Placeholder::Name { name, form: NameForm::Guide, span }
        } else {
            Placeholder::QuotedName { name, span }
        };
        self.put(slot, at)
    }

    pub(super) fn literal(&mut self, text: String, span: TextSpan) -> Result<char, CommandError> {
        self.put(Placeholder::Literal(text), span)
    }

    /// A character of the input for a text with slots: one of the private area becomes a slot.
    pub(super) fn plain(&mut self, c: char, at: usize) -> Result<char, CommandError> {
        if position(c).is_some() { self.literal(c.into(), at..at + c.len_utf8()) } else { Ok(c) }
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
            match self.at(c).map(&value) {
                Some(Some(value)) => filled.push_str(&value),
                Some(None) | None => filled.push(c),
            }
        }
        filled
    }

    /// The names without a value in filled texts, one error for each place.
    pub(super) fn unresolved(
        &self,
        texts: &[&String],
        value: PlaceholderValues<'_>,
    ) -> Vec<CommandError> {
        let characters = texts.iter().flat_map(|text| text.chars());
        let mut open = characters.filter_map(position).collect::<Vec<_>>();
        open.sort();
        open.dedup();
        let errors = open.into_iter().filter_map(|at| match self.0.get(at)? {
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

    /// A fault that can be shown: what it quotes holds no slots.
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

    fn put(&mut self, slot: Placeholder, span: TextSpan) -> Result<char, CommandError> {
        let c = character(self.0.len()).ok_or(CommandError::new(ErrorKind::TooLong, span))?;
        self.0.push(slot);
        Ok(c)
    }

    fn at(&self, c: char) -> Option<&Placeholder> {
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

fn character(at: usize) -> Option<char> {
    (at < ROOM).then(|| u32::try_from(at).ok()).flatten().and_then(|at| char::from_u32(FIRST + at))
}

/// Whether a text has a slot.
pub(super) fn has_slot(text: &str) -> bool {
    text.chars().any(is_slot)
}

/// Whether a character is a slot.
pub(super) fn is_slot(c: char) -> bool {
    position(c).is_some()
}

fn position(c: char) -> Option<usize> {
    usize::try_from(u32::from(c).checked_sub(FIRST)?).ok().filter(|at| *at < ROOM)
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
