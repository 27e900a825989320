//! Splits one shell command into words. Handled here are the end of the command, placeholders,
//! `$'...'`, redirections and continued lines; the crate `shell-words` splits the rest. Other
//! syntax is an error.
//!
//! Unlike in a shell, placeholders are also filled inside single quotes, and `&` and `<name>`
//! inside a word belong to it, because addresses are often pasted without quotes. In a quoted text
//! with other angle brackets, which is markup, no `<name>` has to be filled.

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::here_document::HereDocument;
use super::kv_output::ErrorStream;
use super::placeholders::{FileLines, NameForm, Placeholders, has_slot};
use super::text_cursor::{TextCursor, is_blank};
use super::token::Token;
use super::variables::file_variable;

/// The part of an address that is before its names.
pub(super) const ADDRESS: &str = "v1/";

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandEnd {
    Line,
    /// The closing bracket of `name=$(...)`; nothing may follow it in its command.
    Bracket(&'static str),
    /// The closing bracket of a `$(...)` within a word of another command.
    BracketInWord,
}

/// Reads the command in a `$(...)` inside of a word, over its closing bracket, and returns the name
/// to which its answer is assigned.
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

/// The words of a command, and its redirections.
#[derive(Debug)]
pub(super) struct CommandWords {
    pub(super) words: Vec<Token>,
    /// `<<END`: the lines that follow the command are its input.
    pub(super) here: Option<HereDocument>,
    /// `<<< text` and `< file`.
    pub(super) input: Option<Token>,
    /// `> file`.
    pub(super) output: Option<Token>,
    pub(super) errors: ErrorStream,
}

/// A file or a text that is no argument of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Redirection {
    /// `>`, `>>`.
    Output,
    /// `2>`.
    Errors,
    /// `&>`.
    Both,
    /// `< file`.
    File,
    /// `<<< text`.
    Text,
}

/// The file of discarded output.
pub(super) const NULL: &str = "/dev/null";
/// The commands that may follow `||`: they only change the exit status.
const NO_EFFECT: [&str; 2] = ["true", ":"];

/// Reads up to the end of the command, up to a pipe, or over its closing bracket.
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

pub(super) struct ShellScanner<'c, 'a> {
    pub(super) cursor: &'c mut TextCursor<'a>,
    pub(super) placeholders: &'c mut Placeholders,
    end: CommandEnd,
    nested: Nested<'c, 'a>,
    opened: usize,
    /// The text for the word splitter: one slot for each name, no comments, no continued lines.
    pub(super) masked: String,
    /// The positions of the words, in the order in which the splitter returns them.
    spans: Vec<TextSpan>,
    word: Option<usize>,
    here: Option<HereDocument>,
    /// The words that are redirections, by their indexes in `spans`.
    redirected: Vec<(usize, Redirection)>,
    errors: ErrorStream,
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
        let (word, here, redirected) = (None, None, Vec::new());
        let errors = ErrorStream::Shown;
        Self {
            cursor,
            placeholders,
            end,
            nested,
            opened,
            masked,
            spans,
            word,
            here,
            redirected,
            errors,
        }
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
            '|' if self.cursor.rest().starts_with("||") => return self.or_else(),
            '|' => return Ok(false),
            '<' if self.cursor.rest().starts_with("<<<") => self.redirect("<<<", Redirection::Text),
            '<' if self.cursor.rest().starts_with("<<") => self.here()?,
            '<' if self.name()? => {}
            '<' => self.redirect("<", Redirection::File),
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

    /// Checks the end of the command after its last piece.
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
        let mut read = CommandWords {
            words: Vec::new(),
            here: self.here,
            input: None,
            output: None,
            errors: self.errors,
        };
        // From the last one, so that the numbers of the others remain right.
        for (number, redirection) in self.redirected.into_iter().rev() {
            if number >= words.len() {
                return Err(CommandError::new(ErrorKind::Redirect, whole));
            }
            let word = words.remove(number);
            let refused = CommandError::new(ErrorKind::Redirect, word.span.clone());
            let is_null = word.text == NULL;
            match redirection {
                Redirection::Output if read.output.is_none() => read.output = Some(word),
                Redirection::Errors | Redirection::Both if is_null => {
                    read.errors = ErrorStream::Dropped;
                }
                Redirection::Text if read.input.is_none() => {
                    read.input = Some(Token { text: word.text + "\n", ..word });
                }
                Redirection::File if is_null => {}
                Redirection::File if read.input.is_none() && !has_slot(&word.text) => {
                    let (variable, span) = (file_variable(&word.text), word.span.clone());
                    let slot = self.placeholders.file(variable, FileLines::Kept, span)?;
                    read.input = Some(Token { text: slot.to_string(), ..word });
                }
                _ => return Err(refused),
            }
        }
        read.words = words;
        Ok(read)
    }

    /// Takes `<<END`: the lines up to a line `END` are the input of the command.
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

    /// Takes `>`, after which the next word is a file. `2>` redirects the error stream, and `2>&1`
    /// has no file.
    fn output(&mut self) -> Result<(), CommandError> {
        let stream = self.word.map(|start| self.cursor.text_from(start));
        let redirection = match stream {
            Some("2") => Redirection::Errors,
            _ => Redirection::Output,
        };
        if matches!(stream, Some("1" | "2")) {
            self.masked.pop();
            self.word = None;
        }
        if redirection == Redirection::Errors && self.cursor.eat(">&1") {
            self.errors = ErrorStream::Merged;
            return Ok(());
        }
        if self.cursor.rest().starts_with(">&") {
            return Err(self.error(ErrorKind::Redirect));
        }
        let sign = if self.cursor.rest().starts_with(">>") { ">>" } else { ">" };
        let rest = self.cursor.rest()[sign.len()..].trim_start_matches(is_blank);
        if sign == ">>" && !rest.starts_with(NULL) {
            return Err(self.error(ErrorKind::Redirect));
        }
        self.redirect(sign, redirection);
        Ok(())
    }

    /// Takes the sign of a redirection: the next word is no argument.
    fn redirect(&mut self, sign: &str, redirection: Redirection) {
        self.end_word();
        self.cursor.eat(sign);
        self.masked.push(' ');
        self.redirected.push((self.spans.len(), redirection));
    }

    /// Takes `|| true`, which has no effect: no exit status is read.
    fn or_else(&mut self) -> Result<bool, CommandError> {
        let mut ahead = self.cursor.clone();
        ahead.eat("||");
        ahead.skip_blanks();
        let command =
            ahead.take_while(|c| !is_blank(c) && !matches!(c, '\n' | ';' | ')' | '`' | '"'));
        if !NO_EFFECT.contains(&command) {
            return Err(self.error(ErrorKind::OrElse));
        }
        self.end_word();
        *self.cursor = ahead;
        self.masked.push(' ');
        Ok(true)
    }

    fn blank(&mut self) {
        self.end_word();
        self.cursor.step();
        self.masked.push(' ');
    }

    pub(super) fn character(&mut self) -> Result<(), CommandError> {
        self.begin_word();
        self.verbatim()
    }

    /// Takes one character as it is.
    pub(super) fn verbatim(&mut self) -> Result<(), CommandError> {
        let at = self.cursor.at();
        if let Some(c) = self.cursor.step() {
            self.masked.push(self.placeholders.plain(c, at)?);
        }
        Ok(())
    }

    /// `&&` ends the command; an `&` inside of a word belongs to the word.
    fn ampersand(&mut self) -> Result<bool, CommandError> {
        if self.word.is_none() && self.cursor.rest().starts_with("&>") {
            self.redirect("&>", Redirection::Both);
            return Ok(true);
        }
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

    pub(super) fn name_or_dollar(&mut self) -> Result<(), CommandError> {
        let rest = self.cursor.rest();
        if rest.starts_with("$(") {
            return self.command_in_word();
        }
        if rest.starts_with("${") {
            return if self.name()? { Ok(()) } else { Err(self.error(ErrorKind::Substitution)) };
        }
        if self.name()? { Ok(()) } else { self.character() }
    }

    /// Takes a `$(...)`, which becomes a placeholder for the answer of its command.
    fn command_in_word(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        self.begin_word();
        self.cursor.eat("$(");
        let name = (self.nested)(self.cursor)?;
        let span = start..self.cursor.at();
        self.masked.push(self.placeholders.name(name, NameForm::Shell, span)?);
        Ok(())
    }

    /// Takes a `{name}`, if there is one and the word so far is an address.
    pub(super) fn name_in_address(&mut self) -> Result<bool, CommandError> {
        let Some(start) = self.word else { return Ok(false) };
        if !self.cursor.text_from(start).contains(ADDRESS) {
            return Ok(false);
        }
        let Some((name, span)) = self.cursor.braced_name() else { return Ok(false) };
        self.masked.push(self.placeholders.name(name, NameForm::Guide, span)?);
        Ok(true)
    }

    /// Takes a name, if there is one.
    pub(super) fn name(&mut self) -> Result<bool, CommandError> {
        let start = self.cursor.at();
        let is_guide = self.cursor.peek() == Some('<');
        let form = if is_guide { NameForm::Guide } else { NameForm::Shell };
        let Some((name, span)) = self.cursor.name() else { return Ok(false) };
        self.word.get_or_insert(start);
        self.masked.push(self.placeholders.name(name, form, span)?);
        Ok(true)
    }

    /// Takes a backslash. Blanks between it and the end of a continued line come from copying.
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

    /// Skips the prompt `> ` of a shell at the beginning of a continued line.
    fn skip_second_prompt(&mut self) {
        let mut ahead = self.cursor.clone();
        ahead.skip_blanks();
        if self.word.is_none() && ahead.eat("> ") {
            *self.cursor = ahead;
        }
    }

    pub(super) fn begin_word(&mut self) {
        self.word.get_or_insert(self.cursor.at());
    }

    fn end_word(&mut self) {
        if let Some(start) = self.word.take() {
            self.spans.push(start..self.cursor.at());
        }
    }

    /// An error at the next character.
    pub(super) fn error(&self, kind: ErrorKind) -> CommandError {
        let at = self.cursor.at();
        CommandError::new(kind, at..at + self.cursor.peek().map_or(0, char::len_utf8))
    }
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
            ("\\$s \"\\$s\" $'\\$s' '$5' $", &["$s", "$s", "\\$s", "$5", "$"]),
            ("$'a\\0b'c $'\\x00'", &["ac", ""]),
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
            ("curl x 2> y", ErrorKind::Redirect, 10),
            ("curl x >&2", ErrorKind::Redirect, 7),
            ("curl x << ", ErrorKind::Redirect, 7),
            ("curl \u{2013}X PUT", ErrorKind::Dash, 5),
            ("curl <", ErrorKind::Redirect, 0),
            ("curl x || true y || z", ErrorKind::OrElse, 17),
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
