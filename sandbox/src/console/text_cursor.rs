//! A position in the input that only moves forward. It knows lines, blanks and placeholders, but no
//! quotes.

use super::command_start::prompt_length;
use super::error::TextSpan;

#[derive(Clone, Debug)]
pub(super) struct TextCursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TextCursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn text_from(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn step(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, what: &str) -> bool {
        let is_here = self.rest().starts_with(what);
        if is_here {
            self.at += what.len();
        }
        is_here
    }

    pub(super) fn take_while(&mut self, is_in: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    /// What is left of the line, without moving.
    pub(super) fn line(&self) -> &'a str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    /// Moves to the next line.
    pub(super) fn skip_line(&mut self) {
        self.take_while(|c| c != '\n');
        self.eat("\n");
    }

    /// Skips everything that may be between commands: white space, separators, comments, and
    /// prompts that were copied with a command. False at the end of the input.
    pub(super) fn skip_between(&mut self) -> bool {
        loop {
            self.take_while(|c| is_blank(c) || c == '\n' || c == ';');
            match self.peek() {
                None => return false,
                Some('#') => self.skip_line(),
                Some('$') if self.rest()[1..].starts_with(is_blank) => self.at += 1,
                Some('&') if self.eat("&&") => {}
                Some(_) => match prompt_length(self.line()) {
                    0 => return true,
                    length => self.at += length,
                },
            }
        }
    }

    /// Moves over `$name`, `${name}` or `<name>`. Other text is left where it is.
    pub(super) fn name(&mut self) -> Option<(String, TextSpan)> {
        let start = self.at;
        let name = match self.step()? {
            '$' if self.eat("{") => self.bracketed('}'),
            '$' => Some(self.take_while(is_of_name)).filter(|name| starts_a_name(name)),
            '<' => self.bracketed('>'),
            _ => None,
        };
        if name.is_none() {
            self.at = start;
        }
        Some((name?.to_owned(), start..self.at))
    }

    /// Moves over the `{name}` of an address, as references of an API write it.
    pub(super) fn braced_name(&mut self) -> Option<(String, TextSpan)> {
        let start = self.at;
        let name = if self.eat("{") { self.bracketed('}') } else { None };
        if name.is_none() {
            self.at = start;
        }
        Some((name?.to_owned(), start..self.at))
    }

    /// Guides also write names of several words, as in `<Updated Lock Body>`.
    fn bracketed(&mut self, close: char) -> Option<&'a str> {
        let name = self.take_while(|c| is_of_name(c) || c == '-' || c == ' ');
        let is_name = starts_a_name(name) && !name.ends_with(' ');
        (is_name && self.step() == Some(close)).then_some(name)
    }
}

/// White space, including the no-break spaces and carriage returns of copied pages.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{a0}')
}

pub(super) fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) fn starts_a_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        TextCursor::new(text).name().map(|(name, _)| name)
    }

    #[test]
    fn names_are_known_in_their_three_forms() {
        assert_eq!(name("$s1/x").as_deref(), Some("s1"));
        assert_eq!(name("${s1}x").as_deref(), Some("s1"));
        assert_eq!(name("<lock-modify-index>").as_deref(), Some("lock-modify-index"));
        assert_eq!(name("<Updated Lock Body>").as_deref(), Some("Updated Lock Body"));
    }

    #[test]
    fn what_only_looks_like_a_name_is_left() {
        for text in ["$5", "$", "$(curl)", "< b", "<", "<a ", "<a >", "<1>", "${x:-y}", "x"] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn prompts_comments_and_separators_stand_between_commands() {
        let mut cursor = TextCursor::new("\n # note\n ; $ $ curl");
        assert!(cursor.skip_between());
        assert_eq!(cursor.rest(), "curl");
    }
}
