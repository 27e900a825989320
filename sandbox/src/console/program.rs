//! The program of a command line: `curl`, `consul`, `echo`, `cat` for files, or the console's own
//! `help`. A misspelt name gets a suggestion. `parse` passes it the words of a command.

use super::command::CommandKind;
use super::error::{CommandError, ErrorKind};
use super::placeholders::{Placeholders, has_slot};
use super::token::Token;
use super::variables::file_variable;
use super::{consul, curl};

/// The names that a misspelt one is compared with.
const PROGRAMS: [&str; 3] = ["curl", "consul", "help"];
/// The largest number of wrong, missing or swapped letters in a misspelt name.
const TYPOS_MAX: usize = 1;

/// The words that begin a construct of a shell.
const CONSTRUCTS: [&str; 7] = ["while", "until", "for", "do", "done", "if", "case"];
/// The file that takes what nobody reads.
const NULL: &str = "/dev/null";

/// The words of one command with its input and the file for its output.
pub(super) struct CommandLine<'w> {
    pub(super) words: &'w [Token],
    pub(super) input: Option<Token>,
    pub(super) output: Option<Token>,
}

/// Reads the words of one command that starts at `start`.
pub(super) fn read(
    line: CommandLine<'_>,
    placeholders: &mut Placeholders,
    start: usize,
) -> Result<CommandKind, CommandError> {
    let Some((program, rest)) = line.words.split_first() else {
        return Err(CommandError::new(ErrorKind::NoCommand, start..start));
    };
    let output = line.output.filter(|file| file.text != NULL);
    if let Some(file) = output.as_ref().filter(|file| has_slot(&file.text)) {
        return Err(CommandError::new(ErrorKind::Redirect, file.span.clone()));
    }
    match (program.text.as_str(), output) {
        ("cat" | "tee", output) => written_file(program, rest, line.input, output),
        ("echo", Some(file)) => Ok(CommandKind::Write {
            file: file_variable(&file.text),
            text: Token { text: echoed(rest).text + "\n", span: program.span.clone() },
        }),
        ("echo", None) => Ok(CommandKind::Echo(echoed(rest))),
        (_, Some(file)) => Err(CommandError::new(ErrorKind::Redirect, file.span)),
        ("curl" | "curl.exe", None) => {
            curl::read(program, rest, (line.input, placeholders)).map(CommandKind::Ask)
        }
        ("consul" | "consul.exe", None) => consul::read(program, rest, (line.input, placeholders)),
        ("help" | "?", None) if rest.is_empty() => Ok(CommandKind::Help),
        (word, None) if CONSTRUCTS.contains(&word) => {
            Err(CommandError::new(ErrorKind::Loop, program.span.clone()))
        }
        (other, None) => Err(CommandError::new(unknown(other), program.span.clone())),
    }
}

/// `cat > file <<END`, `cat <<END > file` and `tee file <<END`.
fn written_file(
    program: &Token,
    rest: &[Token],
    input: Option<Token>,
    output: Option<Token>,
) -> Result<CommandKind, CommandError> {
    let file = match (program.text.as_str(), rest, output) {
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

/// What `echo` prints.
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

fn unknown(written: &str) -> ErrorKind {
    let is_close = |meant: &&&str| strsim::damerau_levenshtein(written, meant) <= TYPOS_MAX;
    match PROGRAMS.iter().find(is_close) {
        Some(meant) if *meant != written => {
            ErrorKind::DidYouMean { written: written.to_owned(), meant }
        }
        _ => ErrorKind::UnknownProgram(written.to_owned()),
    }
}
