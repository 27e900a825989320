//! A position in the input of the console, with the steps by which parsers move it over blanks,
//! lines and placeholders. Quotes have no meaning here.

use super::command_start::{command_start, prompt_length};
use super::error::TextSpan;

#[derive(Clone, Debug)]
pub(super) struct TextCursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> TextCursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The position, in bytes.
    pub(super) fn at(&self) -> usize {
        self.position
    }

    /// The text from the position on.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    pub(super) fn text_from(&self, start: usize) -> &'a str {
        &self.text[start..self.position]
    }

    /// The next character, without moving.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Moves over the next character.
    pub(super) fn step(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    /// Moves forward to a position.
    pub(super) fn move_to(&mut self, position: usize) {
        self.position = position;
    }

    /// Moves over a text if it is next, and returns whether it is.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.position += text.len();
        }
        is_next
    }

    /// Moves to the first character that is not in the class, and returns the text before it.
    pub(super) fn take_while(&mut self, is_in: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    /// The rest of the line, without moving.
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
                Some('<' | '>' | '*') if is_trace_of_curl(self.line()) => self.skip_line(),
                Some('$') if self.rest()[1..].starts_with(is_blank) => self.position += 1,
                Some('&') if self.eat("&&") => {}
                Some(_) => match prompt_length(self.line()) {
                    0 => return true,
                    length => self.position += length,
                },
            }
        }
    }

    /// Moves over `$name`, `${name}`, `<name>` or `{{name}}`, and over no other text.
    pub(super) fn name(&mut self) -> Option<(String, TextSpan)> {
        let start = self.position;
        let name = match self.step()? {
            '$' if self.eat("{") => self.bracketed("}").filter(|it| it.chars().all(is_of_name)),
            '$' => Some(self.take_while(is_of_name)).filter(|name| starts_a_name(name)),
            '<' => self.bracketed(">"),
            '{' if self.eat("{") => {
                self.skip_blanks();
                let name = self.take_while(|c| is_of_name(c) || c == '-');
                self.skip_blanks();
                (starts_a_name(name) && self.eat("}}")).then_some(name)
            }
            _ => None,
        };
        if name.is_none() {
            self.position = start;
        }
        Some((name?.to_owned(), start..self.position))
    }

    /// Moves over the `{name}` of an address, as references of an API write it.
    pub(super) fn braced_name(&mut self) -> Option<(String, TextSpan)> {
        let start = self.position;
        let name = if self.eat("{") { self.bracketed("}") } else { None };
        if name.is_none() {
            self.position = start;
        }
        Some((name?.to_owned(), start..self.position))
    }

    /// Moves over a backslash of `$'...'` and returns the character that it begins in bash. `None`
    /// for a byte that is no text, and for the sequences that hardly anyone writes.
    pub(super) fn escape(&mut self) -> Option<char> {
        self.step();
        let digits = match self.step()? {
            'n' => return Some('\n'),
            't' => return Some('\t'),
            'r' => return Some('\r'),
            c @ ('\\' | '\'' | '"') => return Some(c),
            'x' => 2,
            'u' => 4,
            _ => return None,
        };
        let start = self.position;
        while self.position < start + digits && self.peek().is_some_and(|c| c.is_ascii_hexdigit()) {
            self.step();
        }
        let code = u32::from_str_radix(self.text_from(start), 16).ok()?;
        char::from_u32(code).filter(|c| *c != '\0' && (c.is_ascii() || digits > 2))
    }

    /// The name up to a closing bracket, and over the bracket. In brackets, guides also write names
    /// of several words, as in `<Updated Lock Body>`.
    fn bracketed(&mut self, close: &str) -> Option<&'a str> {
        let name = self.take_while(|c| is_of_name(c) || c == '-' || c == ' ');
        let is_name = starts_a_name(name) && !name.ends_with(' ');
        (is_name && self.eat(close)).then_some(name)
    }
}

/// Whether a line is one that `curl -v` prints about a connection, a request or an answer.
pub(super) fn is_trace_of_curl(line: &str) -> bool {
    let line = line.trim_end();
    let text = line.get(1..).unwrap_or_default();
    let name = text.trim_start().split(':').next().unwrap_or_default();
    let is_header = name.len() < text.trim().len()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    match line.chars().next() {
        Some('>' | '<') => text.is_empty() || text.contains(" HTTP/") || is_header,
        Some('*') => text.starts_with(' ') && command_start(line).is_none(),
        _ => false,
    }
}

/// White space within a line, including the no-break spaces and carriage returns of copied pages.
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
    fn a_name_has_three_forms() {
        assert_eq!(name("$s1/x").as_deref(), Some("s1"));
        assert_eq!(name("${s1}x").as_deref(), Some("s1"));
        assert_eq!(name("<lock-modify-index>").as_deref(), Some("lock-modify-index"));
        assert_eq!(name("{{ session }}").as_deref(), Some("session"));
        assert_eq!(name("<Updated Lock Body>").as_deref(), Some("Updated Lock Body"));
    }

    #[test]
    fn the_cursor_does_not_move_over_other_text() {
        for text in [
            "$5", "$", "$(curl)", "< b", "<", "<a ", "<a >", "<1>", "${x:-y}", "{x}", "{{.x}}", "x",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
