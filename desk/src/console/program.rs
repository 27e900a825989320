//! Reads the words of a command line with their values: `curl`, `consul`, `echo`, `sleep`, `cat`
//! for files, or the console's own `help`; also after programs that only run it, such as
//! `sudo` or `kubectl exec`. Any other program is an error with its own sentence.

use super::error::{CommandError, ErrorKind};
use super::request::{Draft, ProgramLine};
use super::shell::{Input, NULL, Simple};
use super::text_cursor::{is_of_name, starts_a_name};
use super::variables::file_variable;
use super::word::{Expansion, Token, Word};
use super::{consul, curl};

/// The names that a misspelt one is compared with.
const PROGRAMS: [&str; 3] = ["curl", "consul", "help"];
/// The largest number of wrong, additional, missing or swapped letters in a misspelt name.
const TYPOS_MAX: usize = 1;

/// The programs that run the rest of their words as a command, with their options that take a
/// value.
const WRAPPERS: [(&str, &str); 7] = [
    ("sudo", "-u -g -h -p -C -r -t -D"),
    ("time", "-f -o"),
    ("env", "-u -C -S"),
    ("command", ""),
    ("exec", "-a"),
    ("nohup", ""),
    ("nice", "-n"),
];
/// The programs that run a command elsewhere: `kubectl exec pod -- command`.
const REMOTE: &str = "kubectl oc docker podman docker-compose nomad";
/// Their options that take a value.
const REMOTE_OPTIONS: &str = "-n -c -u -e -w -f -p --namespace --container --context --user --env \
                              --workdir -task";
/// Programs and words that send HTTP in another language than this console reads.
const OTHER_CLIENTS: &str = "wget http https xh httpie Invoke-RestMethod Invoke-WebRequest iwr irm \
                             python python3 go";

/// Whether a list has a word.
fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

impl Simple {
    /// All its words, its input and its output.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &Word> {
        let input = self.input.iter().map(|input| match input {
            Input::Text(word) | Input::File(word) => word,
        });
        self.words.iter().chain(input).chain(&self.output)
    }
}

/// The name of a program without the folder in which it is.
pub(super) fn program_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    if name.is_empty() { program } else { name }
}

/// The words of a command without what only runs it: `sudo`, `kubectl exec pod --`, `NAME=value`.
pub(super) fn unwrapped(words: &[Token]) -> &[Token] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let name = program_name(&first.text);
        let wrapper = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name);
        rest = match wrapper {
            Some((_, valued)) if !after.is_empty() => without_options(after, valued),
            None if has_word(REMOTE, name) => match remote_command(after) {
                Some(command) => command,
                None => break,
            },
            _ if is_assignment(&first.text) && !after.is_empty() => after,
            _ => break,
        };
    }
    rest
}

/// The command that `kubectl exec` and the like run elsewhere; `None` for their other uses.
fn remote_command(words: &[Token]) -> Option<&[Token]> {
    let exec = words.iter().position(|word| word.text == "exec")?;
    let after = &words[exec + 1..];
    let command = match after.iter().position(|word| word.text == "--") {
        Some(end) => &after[end + 1..],
        None => without_options(after, REMOTE_OPTIONS).get(1..)?,
    };
    (!command.is_empty()).then_some(command)
}

fn without_options<'w>(words: &'w [Token], valued: &str) -> &'w [Token] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first().filter(|it| it.0.text.starts_with('-')) {
        let skipped = usize::from(has_word(valued, &first.text)).min(after.len());
        rest = &after[skipped..];
    }
    rest
}

/// Whether a word sets a variable of the environment of the command that follows.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    starts_a_name(name) && name.chars().all(is_of_name)
}

/// Whether a command calls a program that runs here.
pub(super) fn is_known(words: &[Token]) -> bool {
    let program = words.first().map_or("", |program| program_name(&program.text));
    matches!(program, "curl" | "consul" | "echo" | "sleep")
}

/// Reads the words of a command.
pub(super) fn read(line: &Simple, expansion: &mut Expansion<'_>) -> Result<Draft, CommandError> {
    let all = expansion.tokens(&line.words);
    let Some((program, words)) = unwrapped(&all).split_first() else {
        let end = line.words.last().map_or(0, |word| word.span.end);
        return Err(CommandError::new(ErrorKind::NoCommand, end..end));
    };
    let output = line.output.as_ref().map(|word| expansion.token(word));
    let input = line.input.as_ref().map(|input| match input {
        Input::Text(word) => expansion.token(word).text,
        Input::File(word) => {
            let file = expansion.token(word);
            expansion.file(&file.text, &file.span)
        }
    });
    let name = program_name(&program.text);
    if let Some(file) = output.filter(|file| file.text != NULL) {
        let text = match name {
            "cat" if words.is_empty() => input,
            "echo" => Some(echoed(words)),
            _ => None,
        };
        let refused = CommandError::new(ErrorKind::Redirect, file.span);
        return Ok(Draft::Write { file: file_variable(&file.text), text: text.ok_or(refused)? });
    }
    let errors = line.errors;
    let kind = match name {
        "curl" | "consul" => {
            let line = ProgramLine { program, words, input, errors, expansion };
            return if name == "curl" {
                curl::read(line).map(Draft::Request)
            } else {
                consul::read(line)
            };
        }
        "echo" => {
            let text = echoed(words);
            return Ok(Draft::Echo(text.strip_suffix('\n').unwrap_or(&text).to_owned()));
        }
        "sleep" if words.len() == 1 => return Ok(Draft::Pass(words[0].text.clone())),
        "sleep" => ErrorKind::Sleep,
        "help" | "?" if words.is_empty() => return Ok(Draft::Help),
        "[" | "[[" | "test" => ErrorKind::Test,
        name if has_word(OTHER_CLIENTS, name) => ErrorKind::OtherClient(joined(&all)),
        _ => unknown(&program.text),
    };
    Err(CommandError::new(kind, program.span.clone()))
}

/// Words with a blank between them.
fn joined(words: &[Token]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The text that a program prints into a pipe before a command; `None` for a program or for options
/// that are not supported.
pub(super) fn piped_input(line: &Simple) -> Option<Input> {
    let (program, rest) = line.words.split_first()?;
    match (program.literal()?, rest) {
        ("echo", rest) => {
            let (rest, end) = match rest.split_first() {
                Some((option, rest)) if option.literal() == Some("-n") => (rest, ""),
                _ => (rest, "\n"),
            };
            let mut text = Word { parts: Vec::new(), span: program.span.clone() };
            for (number, word) in rest.iter().enumerate() {
                if number > 0 {
                    text.push(' ');
                }
                text.parts.extend(word.parts.iter().cloned());
            }
            text.push_text(end);
            Some(Input::Text(text))
        }
        ("printf", [text]) if text.literal().is_some_and(|text| !text.contains('%')) => {
            let printed = text.literal()?.replace("\\n", "\n");
            Some(Input::Text(Word::text(&printed, text.span.clone())))
        }
        ("printf", [format, text]) if matches!(format.literal(), Some("%s" | "%s\\n")) => {
            let mut text = text.clone();
            if format.literal() == Some("%s\\n") {
                text.push('\n');
            }
            Some(Input::Text(text))
        }
        ("cat", []) => line.input.clone(),
        ("cat", [file]) => Some(Input::File(file.clone())),
        _ => None,
    }
}

/// The text that `echo` prints, with the line end unless there is `-n`.
fn echoed(words: &[Token]) -> String {
    let (words, end) = match words.split_first() {
        Some((option, rest)) if option.text == "-n" => (rest, ""),
        _ => (words, "\n"),
    };
    joined(words) + end
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
