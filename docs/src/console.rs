//! Answers the commands of a page with the engine: a code block `console` has commands after `$`,
//! and below each the body of its answer. A line `# 20 s later` lets time pass. All blocks of a
//! page use one server.
//!
//! `<session>` in a command is the session that was created last, `<index>` the index of the last
//! answer that had one.

use core::ops::Range;
use core::time::Duration;

use lictor_core::Consul;
use lictor_desk::console::{ConsoleCommand, FilledCommand, read};
use serde_json::Value;

const BEGIN: &str = "```console";
const END: &str = "```";
const PROMPT: &str = "$ ";

/// Why the commands of a page cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ConsoleError {
    #[error("line {line}: {command}: this is no command that the console reads")]
    NoCommand { line: usize, command: String },
    #[error("line {line}: {comment}: a comment says how many seconds pass, as `# 20 s later`")]
    NoTime { line: usize, comment: String },
    #[error("no commands with {value} follow")]
    NoValue { value: String },
    #[error("line {line}: a block of commands does not end")]
    NoEnd { line: usize },
}

/// The server of a page, and the values of its answers that later commands use.
struct Server {
    consul: Consul,
    session: Option<String>,
    index: Option<String>,
}

/// The page with the engine's answers to its commands, in place of those that it had. Fails if a
/// line after `$` is no command with an immediate answer.
pub fn with_answers(page: &str) -> Result<String, ConsoleError> {
    let mut server = Server { consul: Consul::seeded(1), session: None, index: None };
    let mut text = String::new();
    let mut lines = (1..).zip(page.lines());
    while let Some((number, line)) = lines.next() {
        text += &format!("{line}\n");
        if line != BEGIN {
            continue;
        }
        loop {
            let (number, line) = lines.next().ok_or(ConsoleError::NoEnd { line: number })?;
            if line == END {
                break;
            }
            if let Some(comment) = line.strip_prefix("# ") {
                let (line, comment) = (number, comment.to_owned());
                let span = seconds(&comment).ok_or(ConsoleError::NoTime { line, comment })?;
                server.consul.advance(span);
            } else if let Some(command) = line.strip_prefix(PROMPT) {
                let answer = server.answer(command).ok_or_else(|| {
                    let command = command.to_owned();
                    ConsoleError::NoCommand { line: number, command }
                })?;
                text += &format!("{line}\n{answer}\n");
                continue;
            } else {
                // A line of an earlier answer, which is replaced.
                continue;
            }
            text += &format!("{line}\n");
        }
        text += &format!("{END}\n");
    }
    Ok(text)
}

/// The bytes of the first block of commands after a place of the page; and that block with its
/// answers, once for each of these values. The block has the first of the values.
pub(crate) fn with_values(
    page: &str,
    after: usize,
    values: &[String],
) -> Result<(Range<usize>, Vec<String>), ConsoleError> {
    let first = values.first().map_or("", String::as_str);
    let missing = || ConsoleError::NoValue { value: first.to_owned() };
    let block = block(page, after).ok_or_else(missing)?;
    let start = block.start + page[block.clone()].find(first).ok_or_else(missing)?;
    let (before, rest) = (&page[..start], &page[start + first.len()..]);
    let answered = values.iter().map(|value| {
        let page = with_answers(&format!("{before}{value}{rest}"))?;
        // Blocks before it have their answers already, so it begins where it began.
        let block = self::block(&page, after).ok_or_else(missing)?;
        Ok(page[block].to_owned())
    });
    let answered = answered.collect::<Result<Vec<_>, ConsoleError>>()?;
    Ok((block, answered))
}

/// The bytes of the first block of commands after a place. `None` if there is none, or if it has no
/// end.
fn block(page: &str, after: usize) -> Option<Range<usize>> {
    let begin = after + page[after..].find(BEGIN)?;
    let end = format!("\n{END}\n");
    let length = page[begin..].find(&end)? + end.len();
    Some(begin..begin + length)
}

/// Reads `20 s later`.
fn seconds(comment: &str) -> Option<Duration> {
    let seconds = comment.strip_suffix(" s later")?;
    seconds.parse().ok().map(Duration::from_secs)
}

impl Server {
    /// The body of the answer to a command. `None` if it is no command, or if its answer waits.
    fn answer(&mut self, command: &str) -> Option<String> {
        let [command] = <[ConsoleCommand; 1]>::try_from(read(command).ok()?).ok()?;
        let (session, index) = (self.session.clone(), self.index.clone());
        let value = |name: &str| match name {
            "session" => session.clone(),
            "index" => index.clone(),
            _ => None,
        };
        let Ok(FilledCommand::Send { request, .. }) = command.fill(&value) else { return None };
        let handle = self.consul.request(&request);
        let response = self.consul.poll(handle)?;
        let body = String::from_utf8_lossy(&response.body).trim_end().to_owned();
        if request.target.starts_with("/v1/session/create") {
            let created = serde_json::from_str::<Value>(&body).unwrap_or_default();
            self.session = created["ID"].as_str().map(str::to_owned).or(session);
        }
        let mut headers = response.headers.into_iter();
        let sent = headers.find(|(name, _)| name.eq_ignore_ascii_case("X-Consul-Index"));
        self.index = sent.map(|(_, value)| value).or(index);
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_the_engine_and_time_passes() {
        let page = "A TTL:\n\n```console\n\
            $ curl -X PUT -d '{\"TTL\": \"5s\"}' http://localhost:8500/v1/session/create\n\
            an old answer\n\
            $ curl -X PUT -d '{\"TTL\": \"10s\"}' http://localhost:8500/v1/session/create\n\
            # 20 s later\n\
            $ curl -X PUT http://localhost:8500/v1/session/renew/<session>\n```\n";
        let filled = with_answers(page).expect("it can be read");
        assert!(filled.contains("Invalid Session TTL '5000000000'"), "{filled}");
        assert!(filled.contains("# 20 s later\n"), "{filled}");
        assert!(filled.contains("not found\n```\n"), "it has ended: {filled}");
        assert!(!filled.contains("an old answer"));
        assert_eq!(with_answers(&filled).expect("it can be read"), filled);
    }

    #[test]
    fn the_next_commands_are_answered_for_each_value() {
        let page = "Try 5 s:\n\n```console\n\
            $ curl -X PUT -d '{\"TTL\": \"5s\"}' http://localhost:8500/v1/session/create\n```\n";
        let values = ["5s", "10s"].map(str::to_owned);
        let (place, blocks) = with_values(page, 3, &values).expect("it can be read");
        assert!(page[place].starts_with("```console\n$ curl"));
        assert!(blocks[0].contains("\"5s\"") && blocks[0].contains("Invalid Session TTL"));
        assert!(blocks[1].contains("\"10s\"") && blocks[1].contains("{\"ID\":"), "{blocks:?}");
        let error = with_values(page, 3, &["7s".to_owned()]).expect_err("there is no 7s");
        assert_eq!(error.to_string(), "no commands with 7s follow");
    }

    #[test]
    fn what_is_no_command_is_reported_with_its_line() {
        let error = with_answers("```console\n$ rm -r x\n```\n").expect_err("no command");
        assert_eq!(error.to_string(), "line 2: rm -r x: this is no command that the console reads");
        assert!(matches!(with_answers("```console\n"), Err(ConsoleError::NoEnd { line: 1 })));
        let later = with_answers("```console\n# soon\n```\n");
        assert!(matches!(later, Err(ConsoleError::NoTime { line: 2, .. })));
    }
}
