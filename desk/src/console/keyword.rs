//! The words of a shell around its commands: loops, conditions and functions. None of them runs
//! here.

use super::error::ErrorKind;
use super::text_cursor::{TextCursor, is_blank, is_of_name, starts_a_name};

/// A word of a shell at the place of a command.
pub(super) struct Keyword {
    /// The error that it is in an input of the console.
    pub(super) kind: ErrorKind,
    /// The length of the word in bytes.
    pub(super) length: usize,
    /// Whether it only continues or ends what another word has begun.
    pub(super) is_part: bool,
    /// The name of the function that begins.
    pub(super) function: Option<String>,
}

/// The words after which a command can follow, with what they belong to, and whether they begin it.
const WORDS: [(&str, ErrorKind, bool); 14] = [
    ("if", ErrorKind::If, true),
    ("elif", ErrorKind::If, false),
    ("then", ErrorKind::If, false),
    ("else", ErrorKind::If, false),
    ("fi", ErrorKind::If, false),
    ("esac", ErrorKind::If, false),
    ("while", ErrorKind::Loop, true),
    ("until", ErrorKind::Loop, true),
    ("do", ErrorKind::Loop, false),
    ("done", ErrorKind::Loop, false),
    ("{", ErrorKind::Function, false),
    ("}", ErrorKind::Function, false),
    ("!", ErrorKind::If, false),
    (")", ErrorKind::Function, false),
];

/// Consumes a word of the shell. `None` if a command is here.
pub(super) fn keyword(cursor: &mut TextCursor<'_>) -> Option<Keyword> {
    let start = cursor.at();
    if let Some(function) = function(cursor) {
        let length = cursor.at() - start;
        let (kind, function) = (ErrorKind::Function, Some(function));
        return Some(Keyword { kind, length, is_part: true, function });
    }
    let mut ahead = cursor.clone();
    let word = ahead.take_while(|c| !is_blank(c) && c != '\n' && c != ';' && c != '&').to_owned();
    let length = word.len();
    if matches!(word.as_str(), "for" | "select" | "case") && ahead.peek().is_some_and(is_blank) {
        // The names and patterns after these words are no commands.
        let is_loop = word != "case";
        ahead.take_while(|c| c != '\n' && !(is_loop && c == ';'));
        *cursor = ahead;
        let kind = if is_loop { ErrorKind::Loop } else { ErrorKind::If };
        return Some(Keyword { kind, length, is_part: false, function: None });
    }
    let (_, kind, begins) = WORDS.into_iter().find(|(known, ..)| *known == word)?;
    *cursor = ahead;
    Some(Keyword { kind, length, is_part: !begins, function: None })
}

/// Consumes `name() {` or `function name {`, and returns the name.
fn function(cursor: &mut TextCursor<'_>) -> Option<String> {
    let mut ahead = cursor.clone();
    let has_word = ahead.rest().strip_prefix("function").is_some_and(|rest| rest.starts_with(' '));
    if has_word {
        ahead.eat("function");
        ahead.skip_blanks();
    }
    let name = ahead.take_while(|c| is_of_name(c) || c == '-').to_owned();
    ahead.skip_blanks();
    let has_brackets = ahead.eat("()");
    if !starts_a_name(&name) || !has_brackets && !has_word {
        return None;
    }
    ahead.take_while(|c| is_blank(c) || c == '\n');
    ahead.eat("{");
    *cursor = ahead;
    Some(name)
}
