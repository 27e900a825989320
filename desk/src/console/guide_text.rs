//! Finds the steps in the text of a guide: the commands that the console reads, and the requests of
//! the semaphore guide that only its prose describes. A command that lost the address of a
//! session's creation gets it. Each command that the console refuses is listed with the reason.

use super::command::{CommandKind, ConsoleCommand};
use super::command_start::command_start;
use super::error::{ErrorKind, Unclosed};
use super::guide::{Guide, GuideStep, LeftOut, StepOrigin, StepRole};
use super::http_line;
use super::parse::read;
use super::text_cursor::TextCursor;

/// The most lines of one command.
const COMMAND_LINES_MAX: usize = 60;
/// The address that creates a session, for a guide in whose text it is missing.
const CREATE: &str = "/v1/session/create";
/// The members of a body that creates a session.
const SESSION_MEMBERS: [&str; 7] = [
    "\"Name\"",
    "\"TTL\"",
    "\"LockDelay\"",
    "\"Behavior\"",
    "\"Node\"",
    "\"NodeChecks\"",
    "\"Checks\"",
];
/// The end of a block of an HTML page, after its last line.
const BLOCK_END: char = '\u{c}';
/// The beginnings of the lines around a block of code in Markdown.
const FENCES: [&str; 2] = ["```", "~~~"];

impl Guide {
    /// Finds the commands in a text; everything else is prose. A command ends with its block, at a
    /// form feed or at a fence of Markdown.
    pub fn read(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut guide = Self { lines: lines.len(), ..Self::default() };
        let (mut index, mut is_sample) = (0, false);
        while let Some(line) = lines.get(index) {
            let was_sample = is_sample;
            let start = command_start(line);
            is_sample = start.is_none() && is_json(line, was_sample);
            guide.samples += usize::from(is_sample && !was_sample);
            index += match start.map(|start| commands_at(&block_at(&lines[index..], start))) {
                Some(Ok((commands, origin, used))) => {
                    guide.add(commands, origin, (index + 1, used));
                    used
                }
                Some(Err((kind, used))) => {
                    let text = lines[index..index + used].join("\n").replace(BLOCK_END, "");
                    guide.left_out.push(LeftOut { line: index + 1, lines: used, text, kind });
                    used
                }
                None => {
                    guide.add(described(line), StepOrigin::Described, (index + 1, 1));
                    1
                }
            };
        }
        guide
    }

    fn add(
        &mut self,
        commands: Vec<ConsoleCommand>,
        origin: StepOrigin,
        (line, lines): (usize, usize),
    ) {
        self.steps.extend(commands.into_iter().filter_map(|command| {
            let role = role_of(&command, origin)?;
            Some(GuideStep { line, lines, role, origin, command })
        }));
    }
}

/// Whether a line is part of a sample of JSON, whose brackets a copied page may have lost.
fn is_json(line: &str, is_in_sample: bool) -> bool {
    let line = line.trim();
    let inner = line.trim_start_matches(['{', '[', ' ']);
    let opens =
        inner.len() < line.len() && (inner.is_empty() || inner.starts_with(['"', '}', ']']));
    let is_member = line.starts_with('"') && line.contains("\":");
    opens || is_member || is_in_sample && line.starts_with(['"', '{', '}', '[', ']'])
}

/// The lines up to the end of the block, the first one without what precedes its command.
fn block_at<'a>(lines: &[&'a str], start: usize) -> Vec<&'a str> {
    let is_fence = |line: &&&str| FENCES.iter().any(|fence| line.trim_start().starts_with(fence));
    let mut block: Vec<&str> = Vec::new();
    for line in lines.iter().take_while(|line| !is_fence(line)) {
        let text = line.trim_end_matches(BLOCK_END);
        let is_last = text.len() < line.len();
        block.push(text);
        if is_last {
            break;
        }
    }
    if let Some(first) = block.first_mut() {
        let (before, command) = first.split_at(start.min(first.len()));
        // In Markdown, a command between backticks has one at its end as well.
        let closed = command.trim_end().strip_suffix('`').filter(|_| before.ends_with('`'));
        *first = closed.unwrap_or(command);
    }
    block
}

fn starts_a_command(line: &str) -> bool {
    command_start(line).is_some()
}

/// Whether a line begins with a method and an address. A method in lower case may be a word of a
/// sentence, so its address must be one of Consul's.
fn is_http_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default();
    let is_upper = method == method.to_uppercase();
    let mut is_address =
        || words.next().is_some_and(|it| it.starts_with("/v1/") || it.starts_with("v1/"));
    http_line::is_here(&TextCursor::new(line)) && (is_upper || is_address())
}

/// The commands that begin at the first of these lines, and how many lines they take; or the error
/// with which the console refuses them, and how many lines the refused command takes.
fn commands_at(
    lines: &[&str],
) -> Result<(Vec<ConsoleCommand>, StepOrigin, usize), (ErrorKind, usize)> {
    // A line that begins a command can be a fence, too; its block is empty.
    let Some(first) = lines.first() else { return Err((ErrorKind::NoCommand, 1)) };
    let paragraph = lines.iter().skip(1).position(|line| ends_a_command(line));
    let paragraph = paragraph.map_or(lines.len(), |length| length + 1);
    if is_http_line(first) {
        return match read(&lines[..paragraph].join("\n")) {
            Ok(commands) => Ok((commands, StepOrigin::Written, paragraph)),
            Err(error) => Err((error.kind, 1)),
        };
    }
    let mut unfinished = ErrorKind::NoCommand;
    for count in 1..=lines.len().min(COMMAND_LINES_MAX) {
        let mut text = lines[..count].join("\n");
        let is_over = lines.get(count).is_none_or(|next| ends_a_command(next));
        if is_over && text.trim_end().ends_with('\\') {
            text.truncate(text.trim_end().len() - 1);
        }
        match read(&text) {
            Ok(commands) => return Ok((commands, StepOrigin::Written, count)),
            Err(error) => match error.kind {
                ErrorKind::Unfinished(Unclosed::SingleQuote | Unclosed::DoubleQuote)
                    if is_over && !is_json_in_quotes(&text, error.span.start) =>
                {
                    return completed(&lines[..paragraph]).ok_or((error.kind, count));
                }
                kind @ ErrorKind::Unfinished(_) => unfinished = kind,
                ErrorKind::NoAddress => {
                    return completed(&lines[..paragraph]).ok_or((ErrorKind::NoAddress, paragraph));
                }
                kind => return Err((kind.clone(), extent(lines, &kind).max(count))),
            },
        }
    }
    let is_loop = unfinished == ErrorKind::Unfinished(Unclosed::Loop);
    completed(&lines[..paragraph]).ok_or((unfinished, if is_loop { 1 } else { paragraph }))
}

/// Whether a command ends before this line, unless the line is part of a text in quotes.
fn ends_a_command(line: &str) -> bool {
    line.trim().is_empty() || starts_a_command(line)
}

/// Whether an open quote encloses JSON, which may have empty lines. Any other open quote is
/// probably an apostrophe.
fn is_json_in_quotes(text: &str, quote: usize) -> bool {
    let inside = text.get(quote + 1..).unwrap_or_default();
    inside.trim_start().starts_with(['{', '['])
}

/// How many lines a refused command has.
fn extent(lines: &[&str], kind: &ErrorKind) -> usize {
    let is_loop = *kind == ErrorKind::Loop || lines[0].starts_with("if ");
    let end = |line: &&str| {
        let word = line.split([' ', ';', '&', '|']).find(|word| !word.is_empty());
        is_loop && matches!(word, Some("done" | "fi")) || line.trim_end().ends_with("; done")
    };
    let is_continued = |line: &&&str| line.trim_end().ends_with('\\');
    let continued = 1 + lines.iter().take_while(is_continued).count();
    let loop_end = lines.iter().take(COMMAND_LINES_MAX).position(end);
    if is_loop { loop_end.map_or(1, |last| last + 1) } else { continued.min(lines.len()) }
}

/// The command of a session's creation whose address was lost when the guide was copied, with its
/// address. `None` if the lines have no member of such a body, or if the console refuses them even
/// with the address.
fn completed(lines: &[&str]) -> Option<(Vec<ConsoleCommand>, StepOrigin, usize)> {
    let text = lines.join("\n");
    let text = text.trim_end().trim_end_matches('\\').trim_end();
    let creates = SESSION_MEMBERS.iter().any(|member| text.contains(member));
    if !creates {
        return None;
    }
    let commands = read(&format!("{text} {CREATE}")).ok()?;
    Some((commands, StepOrigin::Completed, lines.len()))
}

/// The requests that the semaphore guide describes without a command: the watch of the prefix, and
/// how a holder releases its slot.
fn described(line: &str) -> Vec<ConsoleCommand> {
    let text = line.replace('`', "");
    let mut commands = String::new();
    if text.contains("blocking query against") && text.contains("/kv/<prefix>?recurse") {
        commands += "GET /v1/kv/<prefix>?recurse&index=<index>\n";
    }
    if text.contains("release its slot") && text.contains("against <lock>") {
        commands += "PUT /v1/kv/<lock>?cas=<lock-modify-index> <Updated Lock Body>\n\
                     DELETE /v1/kv/<prefix>/<session>\nPUT /v1/session/destroy/<session>\n";
    }
    read(&commands).unwrap_or_default()
}

/// The purpose of a command; `None` for one that is no step.
fn role_of(command: &ConsoleCommand, origin: StepOrigin) -> Option<StepRole> {
    let template = match &command.kind {
        CommandKind::Request(template) => template,
        CommandKind::Assign(_) => return Some(StepRole::Assign),
        CommandKind::Write { .. } => return Some(StepRole::Write),
        CommandKind::Start(_) => return Some(StepRole::Start),
        CommandKind::Echo(_) | CommandKind::Version => return Some(StepRole::Print),
        CommandKind::Help => return None,
    };
    let url = command.source_url().unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let is_lock = path.ends_with("/.lock") || path.ends_with("<lock>");
    Some(match template.method.as_str() {
        "GET" if query.contains("index=") => StepRole::Watch,
        "GET" => StepRole::Read,
        "DELETE" => StepRole::Delete,
        "PUT" if path.ends_with("/session/create") => StepRole::CreateSession,
        "PUT" if path.contains("/session/renew/") => StepRole::RenewSession,
        "PUT" if path.contains("/session/destroy/") => StepRole::DestroySession,
        "PUT" if query.contains("acquire=") => StepRole::Acquire,
        "PUT" if query.contains("release=") => StepRole::Release,
        "PUT" if is_lock && query == "cas=0" => StepRole::CreateLock,
        "PUT" if is_lock && origin == StepOrigin::Described => StepRole::ReleaseSlot,
        "PUT" if is_lock && query.contains("cas=") => StepRole::TakeSlot,
        _ => StepRole::Other,
    })
}
