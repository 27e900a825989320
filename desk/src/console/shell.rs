//! Splits one command of a shell into words, each a tree of texts and names. Handled here are
//! quotes, names with their defaults, commands in brackets, redirections, and continued lines: also
//! those of Windows, `^` and a backquote.
//!
//! Unlike in a shell, names are also filled inside single quotes, and `<name>` inside a word
//! belongs to it. In a quoted text with other angle brackets, which is markup, no `<name>` has to
//! be filled.

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::here_document::HereDocument;
use super::kv_output::ErrorStream;
use super::text_cursor::{TextCursor, is_blank, is_of_name};
use super::word::{ADDRESS, Name, NameForm, Part, Word};

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandEnd {
    Line,
    /// The closing bracket or backquote of a command within a word.
    Bracket(char),
}

/// Reads the command in a `$(...)` or in backquotes, over its end, and returns its place in the
/// word.
pub(super) type Nested<'n, 'a> =
    &'n mut dyn FnMut(&mut TextCursor<'a>, char) -> Result<Part, CommandError>;

/// The words of a command, and its redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// `<<END`: the lines that follow the command are its input.
    pub(super) here: Option<HereDocument>,
    pub(super) input: Option<Input>,
    /// `> file`.
    pub(super) output: Option<Word>,
    pub(super) errors: ErrorStream,
    /// The text after an unquoted `&` inside of a word, which a shell does not send.
    pub(super) cut_off: Option<(String, TextSpan)>,
}

/// The standard input of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Text(Word),
    File(Word),
}

/// What the next word is, if it is no argument of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Redirection {
    /// `>`.
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
/// The largest nesting of defaults.
const DEPTH_MAX: usize = 8;

/// Reads up to the end of the command, up to a pipe or `||`, or over its closing bracket.
pub(super) fn words<'a>(
    cursor: &mut TextCursor<'a>,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<Simple, CommandError> {
    let opened = cursor.at();
    let mut scan = Scanner {
        cursor,
        end,
        nested,
        opened,
        word: None,
        redirection: None,
        read: Simple::default(),
        depth: 0,
        is_in_quotes: false,
    };
    while scan.piece()? {}
    scan.closed()?;
    Ok(scan.read)
}

struct Scanner<'c, 'a> {
    cursor: &'c mut TextCursor<'a>,
    end: CommandEnd,
    nested: Nested<'c, 'a>,
    opened: usize,
    word: Option<Word>,
    redirection: Option<(Redirection, usize)>,
    read: Simple,
    depth: usize,
    is_in_quotes: bool,
}

impl Scanner<'_, '_> {
    /// Takes one piece. False at the end of the command.
    fn piece(&mut self) -> Result<bool, CommandError> {
        let Some(c) = self.cursor.peek() else { return Ok(false) };
        match c {
            c if self.end == CommandEnd::Bracket(c) => return Ok(false),
            '\n' | ';' if self.end == CommandEnd::Line => return Ok(false),
            ';' => return Err(self.error(ErrorKind::AfterBracket)),
            '\n' => self.blank()?,
            '#' if self.word.is_none() => drop(self.cursor.take_while(|c| c != '\n')),
            '&' => return self.ampersand(),
            '|' => return Ok(false),
            '<' if self.cursor.rest().starts_with("<<<") => {
                self.redirect("<<<", Redirection::Text)?;
            }
            '<' if self.cursor.rest().starts_with("<<") => self.here()?,
            '<' if self.name() => {}
            '<' => self.redirect("<", Redirection::File)?,
            '>' => self.output()?,
            '\u{2013}' | '\u{2014}' | '\u{2212}' if self.word.is_none() => {
                return Err(self.error(ErrorKind::Dash));
            }
            '$' => self.dollar()?,
            '\\' => self.backslash()?,
            '^' | '`' if self.continues_in_windows()? => {}
            '\'' => self.quoted('\'', Unclosed::SingleQuote)?,
            '"' => self.quoted('"', Unclosed::DoubleQuote)?,
            '{' if self.name() => {}
            '`' => self.substitution("`", '`')?,
            '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
                return Err(self.error(ErrorKind::CurlyQuote));
            }
            c if is_blank(c) => self.blank()?,
            _ => self.character(),
        }
        Ok(true)
    }

    /// Checks the end of the command after its last piece.
    fn closed(&mut self) -> Result<(), CommandError> {
        self.end_word()?;
        if let Some((_, at)) = self.redirection {
            return Err(CommandError::new(ErrorKind::Redirect, at..self.cursor.at()));
        }
        let CommandEnd::Bracket(close) = self.end else { return Ok(()) };
        if self.cursor.peek() == Some('|') {
            return Ok(());
        }
        if self.cursor.step() == Some(close) {
            return Ok(());
        }
        let open = self.opened.saturating_sub(1)..self.opened;
        Err(CommandError::new(ErrorKind::Unfinished(Unclosed::Bracket), open))
    }

    /// Takes `<<END`: the lines up to a line `END` are the input of the command.
    fn here(&mut self) -> Result<(), CommandError> {
        if self.end != CommandEnd::Line || self.read.here.is_some() {
            return Err(self.error(ErrorKind::Redirect));
        }
        self.end_word()?;
        let start = self.cursor.at();
        self.read.here = HereDocument::begin(self.cursor);
        if self.read.here.is_none() {
            let end = self.cursor.at().max(start + 2);
            return Err(CommandError::new(ErrorKind::Redirect, start..end));
        }
        Ok(())
    }

    /// Takes `>`, after which the next word is a file. `2>` redirects the error stream; `2>&1` and
    /// `>&2` have no file.
    fn output(&mut self) -> Result<(), CommandError> {
        let stream = self.word.as_ref().and_then(|word| word.literal()).map(str::to_owned);
        let is_errors = stream.as_deref() == Some("2");
        if matches!(stream.as_deref(), Some("1" | "2")) {
            self.word = None;
        }
        if self.cursor.eat(">&1") || self.cursor.eat(">&2") {
            if is_errors {
                self.read.errors = ErrorStream::Merged;
            }
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
        self.redirect(sign, if is_errors { Redirection::Errors } else { Redirection::Output })
    }

    /// Takes the sign of a redirection: the next word is no argument.
    fn redirect(&mut self, sign: &str, redirection: Redirection) -> Result<(), CommandError> {
        self.end_word()?;
        if self.redirection.is_some() {
            return Err(self.error(ErrorKind::Redirect));
        }
        self.redirection = Some((redirection, self.cursor.at()));
        self.cursor.eat(sign);
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), CommandError> {
        let Some(mut word) = self.word.take() else { return Ok(()) };
        word.span.end = self.cursor.at();
        let Some((redirection, _)) = self.redirection.take() else {
            self.read.words.push(word);
            return Ok(());
        };
        let refused = CommandError::new(ErrorKind::Redirect, word.span.clone());
        let is_null = word.literal() == Some(NULL);
        match redirection {
            Redirection::Output if self.read.output.is_none() => self.read.output = Some(word),
            Redirection::Errors | Redirection::Both if is_null => {
                self.read.errors = ErrorStream::Dropped;
            }
            Redirection::Text if self.read.input.is_none() => {
                word.push('\n');
                self.read.input = Some(Input::Text(word));
            }
            Redirection::File if is_null => {}
            Redirection::File if self.read.input.is_none() => {
                self.read.input = Some(Input::File(word));
            }
            _ => return Err(refused),
        }
        Ok(())
    }

    fn blank(&mut self) -> Result<(), CommandError> {
        self.end_word()?;
        self.cursor.step();
        Ok(())
    }

    fn word(&mut self) -> &mut Word {
        let at = self.cursor.at();
        self.word.get_or_insert_with(|| Word { parts: Vec::new(), span: at..at })
    }

    /// Takes one character as it is.
    fn character(&mut self) {
        self.word();
        if let (Some(c), Some(word)) = (self.cursor.step(), &mut self.word) {
            word.push(c);
        }
    }

    /// `&&` and `&` end the command. An `&` inside of an address does so too: what follows it is
    /// kept, to be shown.
    fn ampersand(&mut self) -> Result<bool, CommandError> {
        if self.word.is_none() && self.cursor.rest().starts_with("&>") {
            self.redirect("&>", Redirection::Both)?;
            return Ok(true);
        }
        let mut ahead = self.cursor.clone();
        ahead.step();
        let is_bracket = |c| self.end == CommandEnd::Bracket(c);
        match ahead.peek() {
            Some('&') if self.end == CommandEnd::Line => return Ok(false),
            Some('&') => return Err(self.error(ErrorKind::AfterBracket)),
            Some(c) if self.word.is_some() && !is_blank(c) && c != '\n' && !is_bracket(c) => {
                let start = ahead.at();
                let mut line = ahead.clone();
                let rest = line.take_while(|c| !matches!(c, '\n' | ';') && !is_bracket(c));
                let length = rest.find("&&").unwrap_or(rest.len());
                ahead.move_to(start + length);
                let rest = rest[..length].trim_end().to_owned();
                self.end_word()?;
                self.read.cut_off = Some((rest.clone(), start..start + rest.len()));
            }
            _ if self.end == CommandEnd::Line => self.end_word()?,
            _ => return Err(self.error(ErrorKind::AfterBracket)),
        }
        *self.cursor = ahead;
        Ok(false)
    }

    fn dollar(&mut self) -> Result<(), CommandError> {
        let rest = self.cursor.rest();
        if rest.starts_with("$'") {
            return self.escaped();
        }
        if rest.starts_with("$\"") {
            self.word();
            self.cursor.step();
            return self.quoted('"', Unclosed::DoubleQuote);
        }
        self.name_or_dollar()
    }

    /// Takes what a `$` begins outside of single quotes; a `$` before other text is text.
    fn name_or_dollar(&mut self) -> Result<(), CommandError> {
        let rest = self.cursor.rest();
        if rest.starts_with("$((")
            && let Some(end) = rest.find("))")
        {
            self.sum(&rest[..end + 2]);
            return Ok(());
        }
        if rest.starts_with("$(") {
            return self.substitution("$(", ')');
        }
        if rest.starts_with("${") {
            return self.braces();
        }
        let special =
            rest[1..].chars().next().filter(|c| c.is_ascii_digit() || "@*?#!".contains(*c));
        if let Some(c) = special {
            let start = self.cursor.at();
            self.push_name(format!("${c}"), NameForm::Shell, None, start..start + 2);
            self.cursor.eat("$");
            self.cursor.step();
            return Ok(());
        }
        if !self.name() {
            self.character();
        }
        Ok(())
    }

    /// Takes `$((...))`. One with an argument of a script is asked for as a whole.
    fn sum(&mut self, source: &str) {
        let (start, word) = (self.cursor.at(), self.word());
        let has_argument = source.split('$').any(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        let expression = source[3..source.len() - 2].replace(['$', '{', '}'], "");
        let expression = if has_argument { String::new() } else { expression };
        let span = start..start + source.len();
        word.parts.push(Part::Sum { expression, source: source.to_owned(), span });
        self.cursor.eat(source);
    }

    /// Takes a command in brackets or backquotes.
    fn substitution(&mut self, open: &str, close: char) -> Result<(), CommandError> {
        self.word();
        self.cursor.eat(open);
        let part = (self.nested)(self.cursor, close)?;
        self.word().parts.push(part);
        Ok(())
    }

    /// Takes `${name}` or `${name:-default}`. The result of any other form is asked for.
    fn braces(&mut self) -> Result<(), CommandError> {
        if self.name() {
            return Ok(());
        }
        let start = self.cursor.at();
        self.word();
        self.cursor.eat("${");
        let argument = self.cursor.peek().filter(char::is_ascii_digit);
        let name = self.cursor.take_while(is_of_name).to_owned();
        let name = if argument.is_some() { format!("${name}") } else { name };
        let has_default = !name.is_empty()
            && (self.cursor.eat(":-")
                || self.cursor.eat("-")
                || self.cursor.eat(":=")
                || self.cursor.eat("="));
        self.depth += 1;
        let mut default = None;
        if has_default && self.depth <= DEPTH_MAX {
            let outer = self.word.replace(Word { parts: Vec::new(), span: start..start });
            while self.cursor.peek().is_some_and(|c| c != '}') {
                self.default_piece()?;
            }
            default = std::mem::replace(&mut self.word, outer);
        } else {
            let mut open = 1;
            while let Some(c) = self.cursor.peek().filter(|c| *c != '\n') {
                open += i32::from(c == '{') - i32::from(c == '}');
                if open == 0 {
                    break;
                }
                self.cursor.step();
            }
        }
        self.depth -= 1;
        if !self.cursor.eat("}") {
            return Err(unfinished(Unclosed::Bracket, start));
        }
        let is_plain = has_default || argument.is_some() && default.is_none();
        let source = self.cursor.text_from(start);
        let name = if is_plain && !name.is_empty() { name } else { source.to_owned() };
        self.push_name(name, NameForm::Shell, default, start..self.cursor.at());
        Ok(())
    }

    fn default_piece(&mut self) -> Result<(), CommandError> {
        match self.cursor.peek() {
            Some('"') => self.quoted('"', Unclosed::DoubleQuote),
            Some('\'') if !self.is_in_quotes => self.quoted('\'', Unclosed::SingleQuote),
            Some('$') => self.name_or_dollar(),
            Some('\\') => {
                self.cursor.step();
                self.character();
                Ok(())
            }
            _ => {
                self.character();
                Ok(())
            }
        }
    }

    /// Takes a name, if there is one: also `{{name}}`, and the `{name}` of an address.
    fn name(&mut self) -> bool {
        let (at, was_in_word) = (self.cursor.at(), self.word.is_some());
        let word = self.word.get_or_insert_with(|| Word { parts: Vec::new(), span: at..at });
        let has_address = |part: &Part| matches!(part, Part::Text(text) if text.contains(ADDRESS));
        let is_in_address = self.cursor.peek() == Some('{') && word.parts.iter().any(has_address);
        let is_name = word.take_name(self.cursor, is_in_address);
        if !is_name && !was_in_word {
            self.word = None;
        }
        is_name
    }

    fn push_name(&mut self, name: String, form: NameForm, default: Option<Word>, span: TextSpan) {
        self.word().parts.push(Part::Name(Name { name, form, default, span }));
    }

    /// Takes a backslash. Blanks between it and the end of a continued line come from copying.
    fn backslash(&mut self) -> Result<(), CommandError> {
        if self.continues()? {
            return Ok(());
        }
        self.word();
        self.cursor.step();
        self.character();
        Ok(())
    }

    /// Takes `^` or a backquote at the end of a line, with which Windows continues it.
    fn continues_in_windows(&mut self) -> Result<bool, CommandError> {
        let is_end = self.cursor.line()[1..].chars().all(is_blank);
        if is_end && self.end == CommandEnd::Line && self.word.is_none() {
            self.continues()
        } else {
            Ok(false)
        }
    }

    /// Takes the sign that continues a line and the end of that line, if it is there. Fails at the
    /// end of the input.
    fn continues(&mut self) -> Result<bool, CommandError> {
        let mut ahead = self.cursor.clone();
        ahead.step();
        ahead.skip_blanks();
        let is_continued = ahead.eat("\n");
        if ahead.rest().chars().all(is_blank) {
            return Err(self.error(ErrorKind::Unfinished(Unclosed::Line)));
        }
        if is_continued {
            *self.cursor = ahead;
            // The prompt of a shell at the beginning of a continued line.
            let mut ahead = self.cursor.clone();
            ahead.skip_blanks();
            if self.word.is_none() && ahead.eat("> ") {
                *self.cursor = ahead;
            }
        }
        Ok(is_continued)
    }

    /// Takes a text in quotation marks. Names are filled in both kinds; in double ones a backslash
    /// and a command in brackets have a meaning too.
    fn quoted(&mut self, mark: char, unclosed: Unclosed) -> Result<(), CommandError> {
        let start = self.cursor.at();
        let (first, is_double) = (self.word().parts.len(), mark == '"');
        self.word().push_text("");
        self.cursor.step();
        let was_in_quotes = std::mem::replace(&mut self.is_in_quotes, is_double);
        let mut is_markup = false;
        loop {
            match self.cursor.peek() {
                None => return Err(unfinished(unclosed, start)),
                Some(c) if c == mark => break,
                Some('\\') if is_double => {
                    self.cursor.step();
                    match self.cursor.peek() {
                        Some('\n') => drop(self.cursor.step()),
                        Some('$' | '"' | '\\' | '`') => self.character(),
                        _ => self.word().push('\\'),
                    }
                }
                Some('`') if is_double => self.substitution("`", '`')?,
                Some('$') if is_double => self.name_or_dollar()?,
                Some('$' | '<') if self.name() => {}
                Some('{') if self.name() => {}
                Some(c) => {
                    is_markup |= matches!(c, '<' | '>');
                    self.character();
                }
            }
        }
        self.is_in_quotes = was_in_quotes;
        if is_markup {
            self.word().mark_as_markup(first);
        }
        self.cursor.step();
        Ok(())
    }

    /// Takes a `$'...'`.
    fn escaped(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        self.word().push_text("");
        self.cursor.eat("$'");
        loop {
            match self.cursor.peek() {
                None => return Err(unfinished(Unclosed::SingleQuote, start)),
                Some('\'') => break,
                Some('\\') => {
                    let Some(c) = self.cursor.escape() else {
                        let span = start..self.cursor.at();
                        return Err(CommandError::new(ErrorKind::NotText, span));
                    };
                    self.word().push(c);
                }
                Some('$' | '<') if self.name() => {}
                Some(_) => self.character(),
            }
        }
        self.cursor.step();
        Ok(())
    }

    /// An error at the next character.
    fn error(&self, kind: ErrorKind) -> CommandError {
        let at = self.cursor.at();
        CommandError::new(kind, at..at + self.cursor.peek().map_or(0, char::len_utf8))
    }
}

fn unfinished(open: Unclosed, at: usize) -> CommandError {
    CommandError::new(ErrorKind::Unfinished(open), at..at + 1)
}
