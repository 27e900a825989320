//! Reads the program of a command line: `curl`, `consul`, `echo`, `cat` and `tee` for files, or the
//! console's own `help`; also after programs that only run it, such as `sudo`, and the text of an
//! `echo`, `printf` or `cat` before a pipe. Any other program is an error, with a suggestion if the
//! name is misspelt.

use super::command::CommandKind;
use super::consul::ConsulLine;
use super::curl::CurlLine;
use super::error::{CommandError, ErrorKind};
use super::kv_output::ErrorStream;
use super::placeholders::{Placeholders, has_slot};
use super::shell::NULL;
use super::text_cursor::{is_of_name, starts_a_name};
use super::token::Token;
use super::variables::file_variable;
use super::{consul, curl};

/// The names that a misspelt one is compared with.
const PROGRAMS: [&str; 3] = ["curl", "consul", "help"];
/// The largest number of wrong, additional, missing or swapped letters in a misspelt name.
const TYPOS_MAX: usize = 1;

/// The words of constructs of a shell.
const CONSTRUCTS: [&str; 7] = ["while", "until", "for", "do", "done", "if", "case"];

/// The programs that run the rest of their words as a command, with their options that take a
/// value.
const WRAPPERS: [(&str, &[&str]); 7] = [
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-D"]),
    ("time", &["-f", "-o"]),
    ("env", &["-u", "-C", "-S"]),
    ("command", &[]),
    ("exec", &["-a"]),
    ("nohup", &[]),
    ("nice", &["-n"]),
];

/// The words of one command with its input, the file for its output, and its error stream.
pub(super) struct CommandLine<'w> {
    pub(super) words: &'w [Token],
    pub(super) input: Option<Token>,
    pub(super) output: Option<Token>,
    pub(super) errors: ErrorStream,
}

/// The name of a program without the folder in which it is.
pub(super) fn program_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() { program } else { name }
}

/// The words of a command without the programs that only run it: `sudo`, `time`, `NAME=value`.
pub(super) fn unwrapped(words: &[Token]) -> &[Token] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let wrapper = WRAPPERS.iter().find(|(name, _)| *name == program_name(&first.text));
        rest = match wrapper {
            Some((_, valued)) if !after.is_empty() => without_options(after, valued),
            _ if is_assignment(&first.text) && !after.is_empty() => after,
            _ => break,
        };
    }
    rest
}

fn without_options<'w>(words: &'w [Token], valued: &[&str]) -> &'w [Token] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first().filter(|it| it.0.text.starts_with('-')) {
        let skipped = usize::from(valued.contains(&first.text.as_str())).min(after.len());
        rest = &after[skipped..];
    }
    rest
}

/// Whether a word sets a variable of the environment of the command that follows.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    starts_a_name(name) && name.chars().all(is_of_name)
}

/// Whether a command calls a program that can have a variable of the environment before it.
pub(super) fn is_known(words: &[Token]) -> bool {
    let program = words.first().map_or("", |program| program_name(&program.text));
    matches!(program, "curl" | "curl.exe" | "consul" | "consul.exe" | "echo")
}

/// Reads the words of a command that starts at `start`. An address of curl with patterns makes
/// several requests of it.
pub(super) fn read(
    line: CommandLine<'_>,
    placeholders: &mut Placeholders,
    start: usize,
) -> Result<Vec<CommandKind>, CommandError> {
    let Some((program, words)) = unwrapped(line.words).split_first() else {
        return Err(CommandError::new(ErrorKind::NoCommand, start..start));
    };
    let output = line.output.filter(|file| file.text != NULL);
    if let Some(file) = output.as_ref().filter(|file| has_slot(&file.text)) {
        return Err(CommandError::new(ErrorKind::Redirect, file.span.clone()));
    }
    let (input, errors) = (line.input, line.errors);
    let kind = match (program_name(&program.text), output) {
        ("cat" | "tee", output) => written_file(program, words, input, output)?,
        ("echo", Some(file)) => CommandKind::Write {
            file: file_variable(&file.text),
            text: Token { text: echoed(words).text + "\n", span: program.span.clone() },
        },
        ("echo", None) => CommandKind::Echo(echoed(words)),
        (_, Some(file)) => return Err(CommandError::new(ErrorKind::Redirect, file.span)),
        ("curl" | "curl.exe", None) => {
            let line = CurlLine { program, words, input, errors, placeholders };
            return Ok(curl::read(line)?.into_iter().map(CommandKind::Request).collect());
        }
        ("consul" | "consul.exe", None) => {
            consul::read(ConsulLine { program, words, input, errors, placeholders })?
        }
        ("help" | "?", None) if words.is_empty() => CommandKind::Help,
        (word, None) if CONSTRUCTS.contains(&word) => {
            return Err(CommandError::new(ErrorKind::Loop, program.span.clone()));
        }
        (_, None) => {
            return Err(CommandError::new(unknown(&program.text), program.span.clone()));
        }
    };
    Ok(vec![kind])
}

/// The text that a program prints into a pipe before a command; `None` for a program or for options
/// that are not supported.
pub(super) fn piped_text(words: &[Token], input: Option<Token>) -> Option<Token> {
    let (program, rest) = words.split_first()?;
    match program.text.as_str() {
        "echo" => {
            let end = if rest.first().is_some_and(|word| word.text == "-n") { "" } else { "\n" };
            let Token { text, span } = echoed(rest);
            Some(Token { text: text + end, span })
        }
        "printf" if rest.len() == 1 && !rest[0].text.contains('%') => {
            let text = rest[0].text.replace("\\n", "\n");
            Some(Token { text, span: rest[0].span.clone() })
        }
        "cat" if rest.is_empty() => input,
        _ => None,
    }
}

/// Reads `cat > file <<END`, `cat <<END > file` and `tee file <<END`. Fails for any other use.
fn written_file(
    program: &Token,
    rest: &[Token],
    input: Option<Token>,
    output: Option<Token>,
) -> Result<CommandKind, CommandError> {
    let file = match (program_name(&program.text), rest, output) {
        ("cat", [], Some(file)) => file,
        ("tee", [file], None) => file.clone(),
        _ => {
            let kind = ErrorKind::UnknownProgram(program.text.clone());
            return Err(CommandError::new(kind, program.span.clone()));
        }
    };
    match input {
        Some(text) => Ok(CommandKind::Write { file: file_variable(&file.text), text }),
        None => Err(CommandError::new(ErrorKind::Redirect, file.span)),
    }
}

/// The text that `echo` prints, without the line end.
fn echoed(words: &[Token]) -> Token {
    let words = match words.split_first() {
        Some((option, rest)) if option.text == "-n" || option.text == "-e" => rest,
        _ => words,
    };
    let span = match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => 0..0,
    };
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Token { text, span }
}

/// The error for an unknown program.
fn unknown(written: &str) -> ErrorKind {
    let is_close = |meant: &&&str| strsim::damerau_levenshtein(written, meant) <= TYPOS_MAX;
    match PROGRAMS.iter().find(is_close) {
        Some(meant) if *meant != written => {
            ErrorKind::DidYouMean { written: written.to_owned(), meant }
        }
        _ => ErrorKind::UnknownProgram(written.to_owned()),
    }
}
