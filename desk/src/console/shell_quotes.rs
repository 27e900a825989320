//! Quoted parts of a word: `'...'`, `"..."` and `$'...'`. Names are filled in within all of them.

use super::error::{CommandError, ErrorKind, Unclosed};
use super::shell::ShellScanner;
use super::shell_escapes::{escape, text_of};

impl ShellScanner<'_, '_> {
    /// Takes a text in quotation marks. Names are filled in both kinds; in double ones a backslash
    /// and a command in brackets have a meaning too, and a backquote is refused.
    pub(super) fn quoted(&mut self, mark: char, unclosed: Unclosed) -> Result<(), CommandError> {
        let (start, first) = (self.cursor.at(), self.placeholders.count());
        let (mut is_markup, is_double) = (false, mark == '"');
        self.character()?;
        loop {
            match self.cursor.peek() {
                None => return Err(unfinished(unclosed, start)),
                Some(c) if c == mark => break,
                Some('\\') if is_double => {
                    self.verbatim()?;
                    self.verbatim()?;
                }
                Some('`') if is_double => return Err(self.error(ErrorKind::Substitution)),
                Some('$') if is_double => self.name_or_dollar()?,
                Some('$') if self.name()? => {}
                Some('<') if self.quoted_name()? => {}
                Some('{') if self.name_in_address()? => {}
                Some(c) => {
                    is_markup |= matches!(c, '<' | '>');
                    self.verbatim()?;
                }
            }
        }
        if !is_markup {
            self.placeholders.require_from(first);
        }
        self.verbatim()
    }

    /// Takes a `<name>` inside of quotes, if there is one.
    fn quoted_name(&mut self) -> Result<bool, CommandError> {
        let Some((name, span)) = self.cursor.name() else { return Ok(false) };
        self.masked.push(self.placeholders.quoted_name(name, span)?);
        Ok(true)
    }

    /// Takes a `$'...'`. Its text becomes slots, which the splitter does not change. A zero byte
    /// cuts off the rest of the quoted text with its names, as in bash.
    pub(super) fn escaped(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        self.begin_word();
        self.cursor.eat("$'");
        let (mut bytes, mut is_cut) = (Vec::new(), false);
        loop {
            match self.cursor.peek() {
                None => return Err(unfinished(Unclosed::SingleQuote, start)),
                Some('\'') => break,
                Some('\\') => {
                    let before = bytes.len();
                    escape(self.cursor, &mut bytes);
                    is_cut |= bytes[before..].contains(&0);
                }
                Some('$' | '<') if !is_cut => {
                    self.literal(&mut bytes, start)?;
                    if !self.name()? {
                        self.verbatim_into(&mut bytes);
                    }
                }
                Some(_) => self.verbatim_into(&mut bytes),
            }
        }
        self.cursor.step();
        self.literal(&mut bytes, start)
    }

    fn verbatim_into(&mut self, bytes: &mut Vec<u8>) {
        if let Some(c) = self.cursor.step() {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn literal(&mut self, bytes: &mut Vec<u8>, start: usize) -> Result<(), CommandError> {
        let span = start..self.cursor.at();
        let text = text_of(core::mem::take(bytes))
            .map_err(|_| CommandError::new(ErrorKind::NotText, span.clone()))?;
        self.masked.push(self.placeholders.literal(text, span)?);
        Ok(())
    }
}

fn unfinished(open: Unclosed, at: usize) -> CommandError {
    CommandError::new(ErrorKind::Unfinished(open), at..at + 1)
}
