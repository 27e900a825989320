//! A loop of a shell that sends one request at intervals, as guides renew a session: it becomes a
//! program of the client. Any other loop is refused.
//!
//! ```text
//! while true; do curl -X PUT /v1/session/renew/$S; sleep 10; done
//! ```

use lictor_sim::trace::push_param;

use super::arithmetic::seconds;
use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::program;
use super::request::{Draft, RequestTemplate};
use super::shell::{self, CommandEnd, Simple};
use super::text_cursor::{TextCursor, is_blank};
use super::word::{Expansion, Part, Word};

/// The conditions that are always true.
const ALWAYS: [&str; 4] = ["true", ":", "[ 1 ]", "[ true ]"];

/// A loop that sends a request and sleeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellLoop {
    /// Whether it sleeps before the first request, too.
    sleeps_first: bool,
    pause: Word,
    command: Simple,
    span: TextSpan,
}

/// Reads a loop up to its end. `None` if no loop begins here. Fails if it is unfinished or cannot
/// be a program.
pub(super) fn read(cursor: &mut TextCursor<'_>) -> Result<Option<ShellLoop>, CommandError> {
    let start = cursor.at();
    let head = start..start + "while".len();
    let refused = || CommandError::new(ErrorKind::Loop, head.clone());
    let unfinished = || CommandError::new(ErrorKind::Unfinished(Unclosed::Loop), head.clone());
    let mut ahead = cursor.clone();
    if !word(&mut ahead, "while") {
        return Ok(None);
    }
    ahead.skip_blanks();
    let mut statements = Vec::new();
    let condition = ahead.line().split(';').next().unwrap_or_default().trim();
    if condition.starts_with("sleep ") {
        statements.push(statement(&mut ahead)?);
    } else if ALWAYS.contains(&condition) {
        ahead.take_while(|c| c != ';' && c != '\n');
    } else {
        return Err(refused());
    }
    if !ahead.skip_between() {
        return Err(unfinished());
    }
    if !word(&mut ahead, "do") {
        return Err(refused());
    }
    loop {
        if !ahead.skip_between() {
            return Err(unfinished());
        }
        if word(&mut ahead, "done") {
            break;
        }
        statements.push(statement(&mut ahead)?);
    }
    ahead.skip_blanks();
    // With or without `&`, the program runs beside the commands after it.
    if ahead.rest().starts_with('&') && !ahead.rest().starts_with("&&") {
        ahead.step();
    }
    let [first, second] = <[Simple; 2]>::try_from(statements).map_err(|_| refused())?;
    let sleeps_first = is_sleep(&first);
    let (pause, command) = if sleeps_first { (first, second) } else { (second, first) };
    if !is_sleep(&pause) || is_sleep(&command) {
        return Err(refused());
    }
    let [_, pause] = <[Word; 2]>::try_from(pause.words).map_err(|_| refused())?;
    let read = ShellLoop { sleeps_first, pause, command, span: start..ahead.at() };
    let mut expansion = Expansion::new(&|_| None);
    if let Err(error) = read.words(&mut expansion)
        && let Some(error) = expansion.certain(error)
    {
        return Err(CommandError::new(ErrorKind::Loop, error.span));
    }
    *cursor = ahead;
    Ok(Some(read))
}

fn is_sleep(line: &Simple) -> bool {
    line.words.first().and_then(Word::literal) == Some("sleep")
}

/// Consumes this word of the shell. Returns false if another one is here.
fn word(cursor: &mut TextCursor<'_>, word: &str) -> bool {
    let ends =
        |rest: &str| rest.is_empty() || rest.starts_with(|c| is_blank(c) || ";\n&".contains(c));
    let is_here = cursor.rest().strip_prefix(word).is_some_and(ends);
    is_here && cursor.eat(word)
}

/// Reads a statement of the body. Fails for one that a loop cannot have here.
fn statement(cursor: &mut TextCursor<'_>) -> Result<Simple, CommandError> {
    // A command substitution would have to run in each round, which a program cannot do.
    let mut nested = |cursor: &mut TextCursor<'_>, _| -> Result<Part, CommandError> {
        let end = cursor.at();
        Err(CommandError::new(ErrorKind::Loop, end.saturating_sub(2)..end))
    };
    let start = cursor.at();
    let read = shell::words(cursor, CommandEnd::Line, &mut nested)?;
    let is_piped = cursor.peek() == Some('|');
    if read.here.is_some() || read.input.is_some() || read.cut_off.is_some() || is_piped {
        return Err(CommandError::new(ErrorKind::Loop, start..cursor.at()));
    }
    Ok(read)
}

impl ShellLoop {
    pub(super) fn words_of_command(&self) -> impl Iterator<Item = &Word> {
        self.command.words.iter().chain([&self.pause])
    }

    /// The program of the client in the words of the line language. Names without values are slots.
    pub(super) fn words(&self, expansion: &mut Expansion<'_>) -> Result<String, CommandError> {
        let Draft::Request(template) = program::read(&self.command, expansion)? else {
            return Err(CommandError::new(ErrorKind::Loop, self.span.clone()));
        };
        let pause = expansion.token(&self.pause);
        let is_span = seconds(&pause.text).is_some_and(|seconds| seconds > 0.0);
        if !is_span {
            return Err(CommandError::new(ErrorKind::Loop, pause.span));
        }
        let unit = if pause.text.ends_with(|c: char| c.is_ascii_digit()) { "s" } else { "" };
        let pause = pause.text + unit;
        let before = if self.sleeps_first { pause.as_str() } else { "0s" };
        let mut words = String::from("script");
        push_param(&mut words, "step", &format!("{before} {}", request_words(&template)?));
        push_param(&mut words, "step", &format!("{pause} repeats"));
        Ok(words)
    }
}

fn request_words(template: &RequestTemplate) -> Result<String, CommandError> {
    let mut request = format!("{} {}", template.method, template.target()?);
    for (name, value) in &template.headers {
        push_param(&mut request, "header", &format!("{name}: {value}"));
    }
    if !template.body.is_empty() {
        push_param(&mut request, "body", &template.body);
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Result<Option<String>, ErrorKind> {
        let mut cursor = TextCursor::new(text);
        let value = |name: &str| (name == "V").then(|| "{\"a\":1}".to_owned());
        let read = read(&mut cursor).map_err(|it| it.kind)?;
        Ok(read.map(|it| it.words(&mut Expansion::new(&value)).expect("a program")))
    }

    #[test]
    fn a_loop_that_renews_a_session_is_a_program() {
        for (text, step) in [
            ("while true; do curl -s -X PUT /v1/session/renew/1 > /dev/null; sleep 10; done", "0s"),
            (
                "while :\ndo\n  curl -XPUT localhost:8500/v1/session/renew/1\n  sleep 10s\ndone &",
                "0s",
            ),
            ("while sleep 10; do curl -X PUT /v1/session/renew/1; done", "10s"),
        ] {
            let expected =
                format!("script step=\"{step} PUT /v1/session/renew/1\" step=\"10s repeats\"");
            assert_eq!(program(text), Ok(Some(expected)), "{text}");
        }
    }

    #[test]
    fn a_value_with_quotes_is_sent_as_it_is() {
        let text = "while true; do curl -X PUT -d \"$V\" /v1/kv/a; sleep 1; done";
        let mut expected = String::from("script");
        let mut request = String::from("0s PUT /v1/kv/a");
        push_param(&mut request, "body", "{\"a\":1}");
        push_param(&mut expected, "step", &request);
        push_param(&mut expected, "step", "1s repeats");
        assert_eq!(program(text), Ok(Some(expected)));
    }

    #[test]
    fn other_loops_are_refused_and_open_ones_are_unfinished() {
        for (text, kind) in [
            ("while true; do echo x; sleep 1; done", ErrorKind::Loop),
            ("while true; do curl /a; done", ErrorKind::Loop),
            ("while 1; do curl /a; sleep 1; done", ErrorKind::Loop),
            ("while read x; do curl /a; sleep 1; done", ErrorKind::Loop),
            ("while true; do curl /a; sleep 1", ErrorKind::Unfinished(Unclosed::Loop)),
            ("while true", ErrorKind::Unfinished(Unclosed::Loop)),
        ] {
            assert_eq!(program(text), Err(kind), "{text}");
        }
        assert_eq!(program("whiletrue"), Ok(None));
        assert_eq!(program("curl /a"), Ok(None));
    }
}
