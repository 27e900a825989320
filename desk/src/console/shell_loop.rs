//! A loop of a shell that sends one request at intervals, as guides renew a session: it becomes a
//! program of the client. Any other loop is refused.
//!
//! ```text
//! while true; do curl -X PUT /v1/session/renew/$S; sleep 10; done
//! ```

use lictor_sim::trace::push_param;

use super::command::{CommandKind, RequestTemplate};
use super::error::{CommandError, ErrorKind, Unclosed};
use super::placeholders::Placeholders;
use super::program::{self, CommandLine};
use super::shell::{self, CommandEnd, CommandWords};
use super::text_cursor::{TextCursor, is_blank};
use super::token::Token;
use super::url;

/// The conditions that are always true.
const ALWAYS: [&str; 5] = ["true", ":", "[ 1 ]", "[ true ]", "1"];

/// A statement in the body of a loop.
enum Statement {
    Send(RequestTemplate),
    /// The span as Go writes it.
    Sleep(String),
}

/// Reads a loop up to its end. `None` if no loop begins here. Fails if it is unfinished or cannot
/// be a program.
pub(super) fn read(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
) -> Result<Option<CommandKind>, CommandError> {
    let start = cursor.at();
    let refused = || CommandError::new(ErrorKind::Loop, start..start + "while".len());
    let mut ahead = cursor.clone();
    if !word(&mut ahead, "while") {
        return Ok(None);
    }
    let unfinished =
        || CommandError::new(ErrorKind::Unfinished(Unclosed::Loop), start..start + "while".len());
    ahead.skip_blanks();
    let condition = ahead.take_while(|c| c != ';' && c != '\n').trim();
    let mut statements = Vec::new();
    match condition.strip_prefix("sleep ").and_then(span) {
        Some(span) => statements.push(Statement::Sleep(span)),
        None if ALWAYS.contains(&condition) => {}
        None => return Err(refused()),
    }
    skip_separators(&mut ahead);
    if ahead.rest().is_empty() {
        return Err(unfinished());
    }
    if !word(&mut ahead, "do") {
        return Err(refused());
    }
    loop {
        skip_separators(&mut ahead);
        if ahead.rest().is_empty() {
            return Err(unfinished());
        }
        if word(&mut ahead, "done") {
            break;
        }
        statements.push(statement(&mut ahead, placeholders)?.ok_or_else(refused)?);
    }
    ahead.skip_blanks();
    // With or without `&`, the program runs beside the commands after it.
    if ahead.rest().starts_with('&') && !ahead.rest().starts_with("&&") {
        ahead.step();
    }
    let words = program_words(&statements).ok_or_else(refused)?;
    *cursor = ahead;
    let span = start..cursor.at();
    Ok(Some(CommandKind::Start(Token { text: words, span })))
}

/// Consumes this word of the shell. Returns false if another one is here.
fn word(cursor: &mut TextCursor<'_>, word: &str) -> bool {
    let ends =
        |rest: &str| rest.is_empty() || rest.starts_with(|c| is_blank(c) || ";\n&".contains(c));
    let is_here = cursor.rest().strip_prefix(word).is_some_and(ends);
    is_here && cursor.eat(word)
}

fn skip_separators(cursor: &mut TextCursor<'_>) {
    cursor.take_while(|c| is_blank(c) || c == '\n' || c == ';');
    while cursor.peek() == Some('#') {
        cursor.skip_line();
        cursor.take_while(|c| is_blank(c) || c == '\n' || c == ';');
    }
}

/// Reads a statement of the body; `None` for one that a loop cannot have here.
fn statement(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
) -> Result<Option<Statement>, CommandError> {
    if word(cursor, "sleep") {
        let line = cursor.take_while(|c| c != ';' && c != '\n');
        return Ok(span(line.trim()).map(Statement::Sleep));
    }
    let start = cursor.at();
    // A command substitution would have to run in each round, which a program cannot do.
    let mut nested = |cursor: &mut TextCursor<'_>| {
        let end = cursor.at();
        Err(CommandError::new(ErrorKind::Loop, end.saturating_sub(2)..end))
    };
    let read = shell::words(cursor, placeholders, CommandEnd::Line, &mut nested)?;
    if read.here.is_some() || read.input.is_some() || cursor.peek() == Some('|') {
        return Ok(None);
    }
    let CommandWords { words, output, errors, .. } = read;
    let line = CommandLine { words: &words, input: None, output, errors };
    let mut kinds = program::read(line, placeholders, start)?.into_iter();
    Ok(match (kinds.next(), kinds.next()) {
        (Some(CommandKind::Request(template)), None) => Some(Statement::Send(template)),
        _ => None,
    })
}

/// The span of `sleep 10`, `sleep 0.5` or `sleep 1m`, as Go writes it. `None` if it is not above 0.
fn span(text: &str) -> Option<String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let is_span = number.parse::<f64>().is_ok_and(|seconds| seconds.is_finite() && seconds > 0.0);
    is_span.then(|| format!("{number}{unit}"))
}

/// The program of the client in the words of the line language. `None` if the loop does not send
/// one request at intervals.
fn program_words(statements: &[Statement]) -> Option<String> {
    let (before, template, pause) = match statements {
        [Statement::Send(template), Statement::Sleep(pause)] => ("0s", template, pause),
        [Statement::Sleep(pause), Statement::Send(template)] => (pause.as_str(), template, pause),
        _ => return None,
    };
    let target = template.sent_target(url::target(&template.url.text).ok()?);
    let mut request = format!("{} {target}", template.method);
    for piece in &template.query {
        request.push(if request.contains('?') { '&' } else { '?' });
        request.push_str(piece);
    }
    for (name, value) in &template.headers {
        push_param(&mut request, "header", &format!("{name}: {value}"));
    }
    if !template.body.is_empty() {
        push_param(&mut request, "body", &template.body);
    }
    let mut words = String::from("script");
    push_param(&mut words, "step", &format!("{before} {request}"));
    push_param(&mut words, "step", &format!("{pause} repeats"));
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Result<Option<CommandKind>, ErrorKind> {
        let mut cursor = TextCursor::new(text);
        read(&mut cursor, &mut Placeholders::default()).map_err(|it| it.kind)
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
            let Ok(Some(CommandKind::Start(words))) = program(text) else { panic!("{text}") };
            let expected =
                format!("script step=\"{step} PUT /v1/session/renew/1\" step=\"10s repeats\"");
            assert_eq!(words.text, expected, "{text}");
        }
    }

    #[test]
    fn a_loop_sends_the_path_that_curl_sends() {
        for (option, path) in [("", "/v1/kv/b"), ("--path-as-is", "/v1/kv/a/../b")] {
            let text = format!("while true; do curl {option} /v1/kv/a/../b; sleep 1; done");
            let Ok(Some(CommandKind::Start(words))) = program(&text) else { panic!("{text}") };
            assert!(words.text.contains(&format!("GET {path}\"")), "{}", words.text);
        }
    }

    #[test]
    fn other_loops_are_refused_and_open_ones_are_unfinished() {
        for (text, kind) in [
            ("while true; do echo x; sleep 1; done", ErrorKind::Loop),
            ("while true; do curl /a; done", ErrorKind::Loop),
            ("while read x; do curl /a; sleep 1; done", ErrorKind::Loop),
            ("while true; do curl /a; sleep 1", ErrorKind::Unfinished(Unclosed::Loop)),
            ("while true", ErrorKind::Unfinished(Unclosed::Loop)),
        ] {
            assert_eq!(program(text).err(), Some(kind), "{text}");
        }
        assert_eq!(program("whiletrue"), Ok(None));
        assert_eq!(program("curl /a"), Ok(None));
    }
}
