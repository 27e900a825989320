//! Splits one shell command into words. The crate `shell-words` does it after this file has handled
//! what the crate does not know: the end of the command, placeholders, `$'...'`, continued lines,
//! and unsupported syntax.
//!
//! Two rules differ from a shell: placeholders are also filled inside single quotes, and `&` and
//! `<name>` inside a word belong to it, because addresses are often pasted without quotes. A quoted
//! text with other angle brackets is markup, whose `<name>` are text.

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::here_document::HereDocument;
use super::placeholders::{NameForm, Placeholders};
use super::text_cursor::{TextCursor, is_blank};
use super::token::Token;

/// What the address of a request contains, in front of its names.
pub(super) const ADDRESS: &str = "v1/";

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandEnd {
    Line,
    /// The closing bracket of `name=$(...)`; nothing may follow it.
    Bracket(&'static str),
    /// The brackets of a `$(...)` within a word of another command.
    BracketInWord,
}

/// Reads the command in a `$(...)` inside of a word, over its closing bracket, and returns the name
/// that takes its answer.
pub(super) type Nested<'n, 'a> =
    &'n mut dyn FnMut(&mut TextCursor<'a>) -> Result<String, CommandError>;

impl CommandEnd {
    fn close(self) -> Option<&'static str> {
        match self {
            Self::Line => None,
            Self::Bracket(close) => Some(close),
            Self::BracketInWord => Some(")"),
        }
    }
}

/// The words of a command, and where its input and output are.
#[derive(Debug)]
pub(super) struct CommandWords {
    pub(super) words: Vec<Token>,
    /// `<<END`: the lines that follow the command are its input.
    pub(super) here: Option<HereDocument>,
    /// `> file`.
    pub(super) output: Option<Token>,
}

/// Reads up to the end of the command, up to a pipe, or up to and over what closes its bracket.
pub(super) fn words<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<CommandWords, CommandError> {
    let mut scan = ShellScanner::new(cursor, placeholders, end, nested);
    while scan.piece()? {}
    scan.closed()?;
    scan.words()
}

/// Reads the one word behind `name=`.
pub(super) fn value<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    nested: Nested<'_, 'a>,
) -> Result<Token, CommandError> {
    let at = cursor.at();
    let read = words(cursor, placeholders, CommandEnd::Line, nested)?;
    if let Some(output) = read.output {
        return Err(CommandError::new(ErrorKind::Redirect, output.span));
    }
    let mut words = read.words.into_iter();
    let value = words.next().unwrap_or(Token { text: String::new(), span: at..at });
    match words.next() {
        None => Ok(value),
        Some(second) => Err(CommandError::new(ErrorKind::SeveralValues, second.span)),
    }
}

struct ShellScanner<'c, 'a> {
    cursor: &'c mut TextCursor<'a>,
    placeholders: &'c mut Placeholders,
    end: CommandEnd,
    nested: Nested<'c, 'a>,
    opened: usize,
    /// The text for the word splitter: one slot for each name, no comments, no continued lines.
    masked: String,
    /// The positions of the words, in the order in which the splitter returns them.
    spans: Vec<TextSpan>,
    word: Option<usize>,
    here: Option<HereDocument>,
    /// The number of the word that names the file for the output.
    output: Option<usize>,
}

impl<'c, 'a> ShellScanner<'c, 'a> {
    fn new(
        cursor: &'c mut TextCursor<'a>,
        placeholders: &'c mut Placeholders,
        end: CommandEnd,
        nested: Nested<'c, 'a>,
    ) -> Self {
        let opened = cursor.at();
        let (masked, spans) = (String::new(), Vec::new());
        let (word, here, output) = (None, None, None);
        Self { cursor, placeholders, end, nested, opened, masked, spans, word, here, output }
    }

    /// Takes one piece. False at the end of the command.
    fn piece(&mut self) -> Result<bool, CommandError> {
        if self.end.close().is_some_and(|close| self.cursor.rest().starts_with(close)) {
            return Ok(false);
        }
        let Some(c) = self.cursor.peek() else { return Ok(false) };
        match c {
            '\n' | ';' if self.end == CommandEnd::Line => return Ok(false),
            ';' => return Err(self.error(ErrorKind::AfterBracket)),
            '\n' => self.blank(),
            '#' if self.word.is_none() => drop(self.cursor.take_while(|c| c != '\n')),
            '&' => return self.ampersand(),
            '|' if self.cursor.rest().starts_with("||") => {
                return Err(self.error(ErrorKind::OrElse));
            }
            '|' => return Ok(false),
            '<' if self.cursor.rest().starts_with("<<") => self.here()?,
            '<' => self.name_or(ErrorKind::Redirect)?,
            '>' => self.output()?,
            '\u{2013}' | '\u{2014}' | '\u{2212}' if self.word.is_none() => {
                return Err(self.error(ErrorKind::Dash));
            }
            '$' => self.dollar()?,
            '\\' => self.backslash()?,
            '\'' => self.quoted('\'', Unclosed::SingleQuote)?,
            '"' => self.quoted('"', Unclosed::DoubleQuote)?,
            '{' if self.name_in_address()? => {}
            '`' => return Err(self.error(ErrorKind::Substitution)),
            '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
                return Err(self.error(ErrorKind::CurlyQuote));
            }
            c if is_blank(c) => self.blank(),
            _ => self.character()?,
        }
        Ok(true)
    }

    /// Checks the end of the command behind its last piece.
    fn closed(&mut self) -> Result<(), CommandError> {
        self.end_word();
        let Some(close) = self.end.close() else { return Ok(()) };
        if self.cursor.peek() == Some('|') {
            return Ok(());
        }
        if !self.cursor.eat(close) {
            let open = self.opened.saturating_sub(1)..self.opened;
            return Err(CommandError::new(ErrorKind::Unfinished(Unclosed::Bracket), open));
        }
        if self.end == CommandEnd::BracketInWord {
            return Ok(());
        }
        self.cursor.skip_blanks();
        let rest = self.cursor.rest();
        let is_end =
            rest.is_empty() || rest.starts_with(['\n', ';', '#']) || rest.starts_with("&&");
        if is_end { Ok(()) } else { Err(self.error(ErrorKind::AfterBracket)) }
    }

    fn words(self) -> Result<CommandWords, CommandError> {
        let whole = self.opened..self.cursor.at();
        let words = shell_words::split(&self.masked).map_err(|_| {
            CommandError::new(ErrorKind::Unfinished(Unclosed::DoubleQuote), whole.clone())
        })?;
        let spans = self.spans.into_iter().chain(core::iter::repeat(whole.clone()));
        let tokens = words.into_iter().zip(spans).map(|(text, span)| Token { text, span });
        let mut words: Vec<Token> = tokens.collect();
        let output = match self.output {
            Some(at) if at < words.len() => Some(words.remove(at)),
            Some(_) => return Err(CommandError::new(ErrorKind::Redirect, whole)),
            None => None,
        };
        Ok(CommandWords { words, here: self.here, output })
    }

    /// `<<END`: the lines up to one that is `END` are the input of the command.
    fn here(&mut self) -> Result<(), CommandError> {
        if self.end != CommandEnd::Line || self.here.is_some() {
            return Err(self.error(ErrorKind::Redirect));
        }
        self.end_word();
        let start = self.cursor.at();
        match HereDocument::begin(self.cursor) {
            Some(here) => self.here = Some(here),
            None => {
                let end = self.cursor.at().max(start + 2);
                return Err(CommandError::new(ErrorKind::Redirect, start..end));
            }
        }
        Ok(())
    }

    /// `> file`: the next word names the file.
    fn output(&mut self) -> Result<(), CommandError> {
        if self.output.is_some() || self.cursor.rest().starts_with(">>") {
            return Err(self.error(ErrorKind::Redirect));
        }
        self.end_word();
        self.cursor.step();
        self.masked.push(' ');
        self.output = Some(self.spans.len());
        Ok(())
    }

    fn blank(&mut self) {
        self.end_word();
        self.cursor.step();
        self.masked.push(' ');
    }

    fn character(&mut self) -> Result<(), CommandError> {
        self.begin_word();
        self.verbatim()
    }

    /// Takes one character as it is.
    fn verbatim(&mut self) -> Result<(), CommandError> {
        let at = self.cursor.at();
        if let Some(c) = self.cursor.step() {
            self.masked.push(self.placeholders.plain(c, at)?);
        }
        Ok(())
    }

    /// `&&` ends the command; inside of a word `&` belongs to it.
    fn ampersand(&mut self) -> Result<bool, CommandError> {
        let mut after = self.cursor.rest()[1..].chars();
        match after.next() {
            Some('&') if self.end == CommandEnd::Line => Ok(false),
            Some('&') => Err(self.error(ErrorKind::AfterBracket)),
            Some(c) if self.word.is_some() && !is_blank(c) && !matches!(c, '\n' | ';' | ')') => {
                self.character()?;
                Ok(true)
            }
            _ => Err(self.error(ErrorKind::Background)),
        }
    }

    fn dollar(&mut self) -> Result<(), CommandError> {
        let rest = self.cursor.rest();
        if rest.starts_with("$'") {
            return self.escaped();
        }
        if rest.starts_with("$\"") {
            self.begin_word();
            self.cursor.step();
            return self.quoted('"', Unclosed::DoubleQuote);
        }
        self.name_or_dollar()
    }

    fn name_or_dollar(&mut self) -> Result<(), CommandError> {
        let rest = self.cursor.rest();
        if rest.starts_with("$(") {
            return self.command_in_word();
        }
        if rest.starts_with("${") {
            return self.name_or(ErrorKind::Substitution);
        }
        if self.name()? { Ok(()) } else { self.character() }
    }

    /// `$(...)`: the place of the answer of the command in it.
    fn command_in_word(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        self.begin_word();
        self.cursor.eat("$(");
        let name = (self.nested)(self.cursor)?;
        let span = start..self.cursor.at();
        self.masked.push(self.placeholders.name(name, NameForm::Shell, span)?);
        Ok(())
    }

    fn name_or(&mut self, kind: ErrorKind) -> Result<(), CommandError> {
        if self.name()? { Ok(()) } else { Err(self.error(kind)) }
    }

    /// Takes a `<name>` inside of quotes, if there is one.
    fn quoted_name(&mut self) -> Result<bool, CommandError> {
        let Some((name, span)) = self.cursor.name() else { return Ok(false) };
        self.masked.push(self.placeholders.quoted_name(name, span)?);
        Ok(true)
    }

    /// Takes a `{name}`, if there is one and the word so far is an address.
    fn name_in_address(&mut self) -> Result<bool, CommandError> {
        let Some(start) = self.word else { return Ok(false) };
        if !self.cursor.text_from(start).contains(ADDRESS) {
            return Ok(false);
        }
        let Some((name, span)) = self.cursor.braced_name() else { return Ok(false) };
        self.masked.push(self.placeholders.name(name, NameForm::Guide, span)?);
        Ok(true)
    }

    /// Takes a name, if there is one.
    fn name(&mut self) -> Result<bool, CommandError> {
        let start = self.cursor.at();
        let is_guide = self.cursor.peek() == Some('<');
        let form = if is_guide { NameForm::Guide } else { NameForm::Shell };
        let Some((name, span)) = self.cursor.name() else { return Ok(false) };
        self.word.get_or_insert(start);
        self.masked.push(self.placeholders.name(name, form, span)?);
        Ok(true)
    }

    /// Blanks after the backslash of a continued line come from copying.
    fn backslash(&mut self) -> Result<(), CommandError> {
        let mut ahead = self.cursor.clone();
        ahead.step();
        ahead.skip_blanks();
        let is_continued = ahead.eat("\n");
        if ahead.rest().chars().all(is_blank) {
            return Err(self.error(ErrorKind::Unfinished(Unclosed::Line)));
        }
        if is_continued {
            *self.cursor = ahead;
            self.skip_second_prompt();
            return Ok(());
        }
        self.character()?;
        self.verbatim()
    }

    /// A shell shows `> ` before a continued line, and it is copied with it.
    fn skip_second_prompt(&mut self) {
        let mut ahead = self.cursor.clone();
        ahead.skip_blanks();
        if self.word.is_none() && ahead.eat("> ") {
            *self.cursor = ahead;
        }
    }

    /// A text in quotation marks; in double ones `\\`, `$` and a backquote have a meaning.
    fn quoted(&mut self, mark: char, unclosed: Unclosed) -> Result<(), CommandError> {
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

    /// `$'...'`: what its escapes stand for becomes slots, so that the splitter leaves it alone.
    fn escaped(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        self.begin_word();
        self.cursor.eat("$'");
        let mut bytes = Vec::new();
        loop {
            match self.cursor.peek() {
                None => return Err(unfinished(Unclosed::SingleQuote, start)),
                Some('\'') => break,
                Some('\\') => escape(self.cursor, &mut bytes),
                Some('$' | '<') => {
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
        let text = String::from_utf8(core::mem::take(bytes))
            .map_err(|_| CommandError::new(ErrorKind::NotText, span.clone()))?;
        self.masked.push(self.placeholders.literal(text, span)?);
        Ok(())
    }

    fn begin_word(&mut self) {
        self.word.get_or_insert(self.cursor.at());
    }

    fn end_word(&mut self) {
        if let Some(start) = self.word.take() {
            self.spans.push(start..self.cursor.at());
        }
    }

    /// A fault at the next character.
    fn error(&self, kind: ErrorKind) -> CommandError {
        let at = self.cursor.at();
        CommandError::new(kind, at..at + self.cursor.peek().map_or(0, char::len_utf8))
    }
}

fn unfinished(open: Unclosed, at: usize) -> CommandError {
    CommandError::new(ErrorKind::Unfinished(open), at..at + 1)
}

/// One backslash sequence inside of `$'...'`. Unknown ones stay as they are, as in a shell.
fn escape(cursor: &mut TextCursor<'_>, bytes: &mut Vec<u8>) {
    cursor.step();
    let Some(c) = cursor.step() else { return bytes.push(b'\\') };
    match c {
        'n' => bytes.push(b'\n'),
        't' => bytes.push(b'\t'),
        'r' => bytes.push(b'\r'),
        'e' | 'E' => bytes.push(0x1b),
        '\\' | '\'' | '"' | '?' | '$' | '<' => bytes.push(c as u8),
        'x' => bytes.push(digits(cursor, 2, 16) as u8),
        '0'..='7' => {
            let first = c as u32 - '0' as u32;
            let taken = cursor.at();
            let rest = digits(cursor, 2, 8);
            bytes.push((first * 8u32.pow((cursor.at() - taken) as u32) + rest) as u8);
        }
        'u' | 'U' => {
            let code = digits(cursor, if c == 'u' { 4 } else { 8 }, 16);
            let decoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
        }
        other => {
            bytes.push(b'\\');
            bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

/// The number in the next few digits; 0 if there are none.
fn digits(cursor: &mut TextCursor<'_>, most: usize, radix: u32) -> u32 {
    let mut number = 0u32;
    for _ in 0..most {
        let Some(digit) = cursor.peek().and_then(|c| c.to_digit(radix)) else { break };
        number = number.wrapping_mul(radix).wrapping_add(digit);
        cursor.step();
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, CommandError> {
        let mut placeholders = Placeholders::default();
        let (mut cursor, end) = (TextCursor::new(text), CommandEnd::Line);
        let words = words(&mut cursor, &mut placeholders, end, &mut no_command)?;
        if let Some(output) = words.output {
            return Err(CommandError::new(ErrorKind::Redirect, output.span));
        }
        Ok(words.words.iter().map(|word| placeholders.source_text(&word.text)).collect())
    }

    /// For texts without a command in brackets.
    fn no_command(cursor: &mut TextCursor<'_>) -> Result<String, CommandError> {
        let at = cursor.at();
        Err(CommandError::new(ErrorKind::NoCommand, at..at))
    }

    fn kind(text: &str) -> Option<(ErrorKind, usize)> {
        read(text).err().map(|error| (error.kind, error.span.start))
    }

    #[test]
    fn quotes_escapes_and_continued_lines_are_removed() {
        for (text, expected) in [
            ("curl  -d 'a b' \"c \\\"d\\\"\" e\\ f", &["curl", "-d", "a b", "c \"d\"", "e f"][..]),
            ("curl \\\n  -s \\  \n> x\ny", &["curl", "-s", "x"]),
            ("curl \\\r\n x\r\n", &["curl", "x"]),
            ("a $'it\\'s\\t\\x41\\u00e9\\101' b", &["a", "it's\tAéA", "b"]),
            ("a $'' '' b", &["a", "", "", "b"]),
            ("a # b\nc", &["a"]),
            ("a#b ; c", &["a#b"]),
            ("a && b", &["a"]),
            ("a\u{a0}b", &["a", "b"]),
            (
                "'{\"Holders\": [\"$s1\", \"<other>\"]}'",
                &["{\"Holders\": [\"<s1>\", \"<other>\"]}"],
            ),
            ("x/<Updated Lock Body>?cas=${i}", &["x/<Updated Lock Body>?cas=<i>"]),
            ("x?recurse&index=1&wait=60s", &["x?recurse&index=1&wait=60s"]),
            ("\\$s \"\\$s\" $'\\$s' '$5' $", &["$s", "$s", "$s", "$5", "$"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|&word| word.into()).collect();
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn unsupported_syntax_is_reported_with_its_position() {
        for (text, expected, at) in [
            ("curl x > y", ErrorKind::Redirect, 9),
            ("curl x >", ErrorKind::Redirect, 0),
            ("curl x >> y", ErrorKind::Redirect, 7),
            ("curl x << ", ErrorKind::Redirect, 7),
            ("curl \u{2013}X PUT", ErrorKind::Dash, 5),
            ("curl < y", ErrorKind::Redirect, 5),
            ("curl x &", ErrorKind::Background, 7),
            ("curl x || y", ErrorKind::OrElse, 7),
            ("curl \"`date`\"", ErrorKind::Substitution, 6),
            ("curl ${x:-y}", ErrorKind::Substitution, 5),
            ("curl “x”", ErrorKind::CurlyQuote, 5),
            ("curl $'\\xff'", ErrorKind::NotText, 5),
            ("curl 'x", ErrorKind::Unfinished(Unclosed::SingleQuote), 5),
            ("curl \"x", ErrorKind::Unfinished(Unclosed::DoubleQuote), 5),
            ("curl \"x\\", ErrorKind::Unfinished(Unclosed::DoubleQuote), 5),
            ("curl x \\\n", ErrorKind::Unfinished(Unclosed::Line), 7),
        ] {
            assert_eq!(kind(text), Some((expected, at)), "{text}");
        }
    }

    #[test]
    fn a_closing_bracket_ends_the_inner_command() {
        let mut placeholders = Placeholders::default();
        let mut cursor = TextCursor::new("curl '(' x) ; y");
        let end = CommandEnd::Bracket(")");
        let inside = words(&mut cursor, &mut placeholders, end, &mut no_command).expect("closed");
        assert_eq!(inside.words.len(), 3);
        assert_eq!(cursor.rest(), "; y");
        let mut cursor = TextCursor::new("curl x) y");
        let more = words(&mut cursor, &mut placeholders, end, &mut no_command);
        assert_eq!(more.map_err(|error| error.kind).err(), Some(ErrorKind::AfterBracket));
    }
}
