//! The program of a command line: `curl`, `consul`, or the console's own `help`. A misspelt name
//! gets a suggestion. `parse` passes it the words of a command.

use super::command::CommandKind;
use super::error::{CommandError, ErrorKind};
use super::token::Token;
use super::{consul, curl};

/// The names that a misspelt one is compared with.
const PROGRAMS: [&str; 3] = ["curl", "consul", "help"];
/// The largest number of wrong, missing or swapped letters in a misspelt name.
const TYPOS_MAX: usize = 1;

/// Reads the words of one command that starts at `start`.
pub(super) fn read(words: &[Token], start: usize) -> Result<CommandKind, CommandError> {
    let Some((program, rest)) = words.split_first() else {
        return Err(CommandError::new(ErrorKind::NoCommand, start..start));
    };
    match program.text.as_str() {
        "curl" | "curl.exe" => curl::read(program, rest).map(CommandKind::Ask),
        "consul" | "consul.exe" => consul::read(program, rest),
        "help" | "?" if rest.is_empty() => Ok(CommandKind::Help),
        other => Err(CommandError::new(unknown(other), program.span.clone())),
    }
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
