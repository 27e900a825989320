//! Finds the steps in the text of a guide: the commands that the console reads, and the requests of
//! the semaphore guide that only its prose describes. A command that lost the address of a
//! session's creation gets it. Each command that the console refuses is listed with the reason.

use super::command::ConsoleCommand;
use super::command_start::{command_start, is_other_code};
use super::error::{CommandError, ErrorKind, Unclosed};
use super::guide::{Guide, GuideStep, LeftOut, Setting, StepOrigin, StepRole};
use super::guide_sessions::ids_in;
use super::guide_values::is_document;
use super::http_line;
use super::parse::{Functions, Parsed, read, read_all};
use super::request::Draft;
use super::text_cursor::{TextCursor, is_trace_of_curl};
use super::variables::INNER_NAME;

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

/// The most lines between two lines of a program in another language, which are left out together.
const GAP_MAX: usize = 12;

/// Commands that were found at a line, and how many lines they take.
struct Found {
    parsed: Vec<Parsed>,
    origin: StepOrigin,
    text: String,
    lines: usize,
}

impl Guide {
    /// Finds the commands in a text; everything else is prose. A command ends with its block, at a
    /// form feed or at a fence of Markdown.
    pub fn read(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut guide = Self { lines: lines.len(), ..Self::default() };
        let is_http_file = lines.iter().any(|line| line.starts_with("###"))
            && lines.iter().any(|line| is_http_line(line) || line.starts_with('@'));
        let mut functions = Functions::of_text(is_http_file);
        let (mut index, mut is_sample) = (0, false);
        while let Some(line) = lines.get(index) {
            let was_sample = is_sample;
            let interrupted = line.trim_end().strip_suffix("^C");
            let start = command_start(interrupted.unwrap_or(line));
            let start = start.filter(|_| !is_trace_of_curl(line.trim_start()));
            is_sample = start.is_none() && is_json(line, was_sample);
            guide.samples += usize::from(is_sample && !was_sample);
            index += match start {
                Some(_) if interrupted.is_some() => {
                    guide.leave_out((index + 1, 1), line, ErrorKind::Interrupted);
                    1
                }
                None if is_other_code(line) => {
                    let kind = ErrorKind::OtherClient(line.trim().to_owned());
                    guide.leave_out((index + 1, 1), line, kind);
                    1
                }
                Some(start) => {
                    let block = block_at(&lines[index..], start);
                    let found = commands_at(&block, &mut functions);
                    let used = found.lines;
                    guide.add(found, index + 1);
                    used
                }
                None => {
                    guide.bind_sample_id(line);
                    let (text, parsed) = described(line);
                    let origin = StepOrigin::Described;
                    guide.add(Found { parsed, origin, text, lines: 1 }, index + 1);
                    1
                }
            };
        }
        guide
    }

    fn add(&mut self, found: Found, first: usize) {
        let Found { parsed, origin, text, lines } = found;
        let mut left_out: Option<usize> = None;
        for Parsed { span, result, is_part } in parsed {
            let before = text.get(..span.start).unwrap_or_default();
            let line = first + before.matches('\n').count().min(lines.saturating_sub(1));
            let count = 1 + text.get(span.clone()).unwrap_or_default().matches('\n').count();
            match result {
                Ok(command) => self.add_command(command, origin, (line, count)),
                // Words around commands, and all but the first error of a line, have no sentence.
                Err(_) if is_part || left_out == Some(line) => {}
                Err(error) => {
                    left_out = Some(line);
                    let is_open = matches!(error.kind, ErrorKind::Unfinished(_));
                    let (line, count) = if is_open { (first, lines) } else { (line, count) };
                    let lines = text.lines().skip(line - first).take(count).collect::<Vec<_>>();
                    self.leave_out((line, count), &lines.join("\n"), error.kind);
                }
            }
        }
    }

    fn leave_out(&mut self, (line, lines): (usize, usize), text: &str, kind: ErrorKind) {
        if let (ErrorKind::OtherClient(_), Some(last)) = (&kind, self.left_out.last_mut())
            && matches!(last.kind, ErrorKind::OtherClient(_))
            && last.line + last.lines + GAP_MAX > line
            && self.steps.last().is_none_or(|step| step.line < last.line)
        {
            last.lines = line + lines - last.line;
            last.text = format!("{}\n{text}", last.text);
            return;
        }
        self.left_out.push(LeftOut { line, lines, text: text.to_owned(), kind });
    }

    /// Adds a command as a step, or as what the text sets without a request. What a script prints
    /// is neither, and nor is a variable that begins empty.
    fn add_command(
        &mut self,
        command: ConsoleCommand,
        origin: StepOrigin,
        (line, lines): (usize, usize),
    ) {
        let steps_before = self.steps.len();
        let place = self.place_of(steps_before);
        let value = |name: &str| self.set_value(place, name, 0);
        let draft = command.known_draft(&value);
        let set = match (&draft, &command.assign) {
            (Some(Draft::Assign(value)), _) if value.is_empty() => return,
            (Some(Draft::Assign(_) | Draft::Echo(_)), Some(name)) => Some(name.clone()),
            (Some(Draft::Write { file, .. }), _) => Some(file.clone()),
            (Some(Draft::Echo(_)), None) => return,
            _ => None,
        };
        if let Some(name) = set {
            self.settings.push(Setting { steps_before, name, command });
            return;
        }
        let request = command.written_request(&value);
        let address = request.as_ref().map(|(_, address)| address.clone());
        let has_document = command.required_names().iter().any(|name| is_document(name));
        let role =
            role_of(draft.as_ref(), request, has_document && origin != StepOrigin::Described);
        let role = match role {
            StepRole::TakeSlot | StepRole::CheckAndSet if origin == StepOrigin::Described => {
                StepRole::ReleaseSlot
            }
            role => role,
        };
        self.steps.push(GuideStep { line, lines, role, origin, command, address });
    }

    /// Binds an id in a sample of an answer to the step above it that creates a session.
    fn bind_sample_id(&mut self, line: &str) {
        let number = self.steps.len().saturating_sub(1);
        let Some(step) = self.steps.last_mut() else { return };
        let is_known = |(_, known): &(String, usize)| *known == number;
        let is_other = line.contains("\":") && !line.contains("\"ID\"");
        if step.role != StepRole::CreateSession || self.sample_ids.iter().any(is_known) || is_other
        {
            return;
        }
        let [id] = ids_in(line)[..] else { return };
        if step.command.assign.is_none() {
            step.command.assign = Some(format!("{INNER_NAME}{id}"));
        }
        self.sample_ids.push((id.to_owned(), number));
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

/// The commands that begin at the first of these lines, and the errors with which the console
/// refuses the others.
fn commands_at(lines: &[&str], functions: &mut Functions) -> Found {
    let error = |kind: ErrorKind, text: &str, lines: usize| {
        let (span, is_part) = (0..text.len(), false);
        let result = Err(CommandError::new(kind, span.clone()));
        let (parsed, origin) = (vec![Parsed { span, result, is_part }], StepOrigin::Written);
        Found { parsed, origin, text: text.to_owned(), lines }
    };
    // A line that begins a command can be a fence, too; its block is empty.
    let Some(first) = lines.first() else { return error(ErrorKind::NoCommand, "", 1) };
    let paragraph = lines.iter().skip(1).position(|line| ends_a_command(line));
    let paragraph = paragraph.map_or(lines.len(), |length| length + 1);
    if is_http_line(first) {
        return http_request_at(lines, functions);
    }
    let mut unfinished = ErrorKind::NoCommand;
    for count in 1..=lines.len().min(COMMAND_LINES_MAX) {
        let mut text = lines[..count].join("\n");
        let is_over = lines.get(count).is_none_or(|next| ends_a_command(next));
        if is_over && text.trim_end().ends_with(['\\', '^', '`']) {
            text.truncate(text.trim_end().len() - 1);
        }
        let mut ahead = functions.clone();
        let parsed = match read_all(&text, &mut ahead) {
            Ok(parsed) => parsed,
            Err(refused) => return error(refused.kind, &text, count),
        };
        let problem = parsed.iter().find_map(|it| match &it.result {
            Err(error) if matches!(error.kind, ErrorKind::Unfinished(_) | ErrorKind::NoAddress) => {
                Some((error.kind.clone(), error.span.start))
            }
            _ => None,
        });
        match problem {
            None => {
                *functions = ahead;
                return Found { parsed, origin: StepOrigin::Written, text, lines: count };
            }
            Some((
                kind @ ErrorKind::Unfinished(Unclosed::SingleQuote | Unclosed::DoubleQuote),
                quote,
            )) if is_over && !is_json_in_quotes(&text, quote) => {
                return completed(&lines[..paragraph]).unwrap_or_else(|| error(kind, &text, count));
            }
            Some((ErrorKind::NoAddress, _)) => {
                return completed(&lines[..paragraph]).unwrap_or_else(|| {
                    error(ErrorKind::NoAddress, &lines[..paragraph].join("\n"), paragraph)
                });
            }
            Some((kind, _)) => unfinished = kind,
        }
    }
    let is_loop = unfinished == ErrorKind::Unfinished(Unclosed::Loop);
    let used = if is_loop { 1 } else { paragraph };
    let text = lines[..used].join("\n");
    completed(&lines[..paragraph]).unwrap_or_else(|| error(unfinished, &text, used))
}

/// The request that begins at the first of these lines, and the lines that belong to it.
fn http_request_at(lines: &[&str], functions: &mut Functions) -> Found {
    let text = lines.join("\n");
    let mut cursor = TextCursor::new(&text);
    let used = match http_line::read(&mut cursor, functions.is_http_file) {
        Ok(_) => cursor.at(),
        Err(error) => error.span.end.max(lines[0].len()),
    };
    let text = text.get(..used).unwrap_or_default().trim_end().to_owned();
    let parsed = match read_all(&text, functions) {
        Ok(parsed) => parsed,
        Err(error) => vec![Parsed { span: 0..text.len(), result: Err(error), is_part: false }],
    };
    let lines = text.matches('\n').count() + 1;
    Found { parsed, origin: StepOrigin::Written, text, lines }
}

/// Whether a command ends before this line, unless the line is part of a text in quotes.
fn ends_a_command(line: &str) -> bool {
    line.trim().is_empty() || command_start(line).is_some()
}

/// Whether an open quote encloses JSON, which may have empty lines. Any other open quote is
/// probably an apostrophe.
fn is_json_in_quotes(text: &str, quote: usize) -> bool {
    let inside = text.get(quote + 1..).unwrap_or_default();
    inside.trim_start().starts_with(['{', '['])
}

/// The command of a session's creation whose address was lost when the guide was copied, with its
/// address. `None` if the lines have no member of such a body, or if the console refuses them even
/// with the address.
fn completed(lines: &[&str]) -> Option<Found> {
    let text = lines.join("\n");
    let text = text.trim_end().trim_end_matches('\\').trim_end();
    let creates = SESSION_MEMBERS.iter().any(|member| text.contains(member));
    if !creates {
        return None;
    }
    let text = format!("{text} {CREATE}");
    read(&text).ok()?;
    let parsed = read_all(&text, &mut Functions::default()).ok()?;
    Some(Found { parsed, origin: StepOrigin::Completed, text, lines: lines.len() })
}

/// The requests that the semaphore guide describes without a command: the watch of the prefix, and
/// how a holder releases its slot.
fn described(line: &str) -> (String, Vec<Parsed>) {
    let text = line.replace('`', "");
    let mut commands = String::new();
    if text.contains("blocking query against") && text.contains("/kv/<prefix>?recurse") {
        commands += "GET /v1/kv/<prefix>?recurse&index=<index>\n";
    }
    if text.contains("release its slot") && text.contains("against <lock>") {
        commands += "PUT /v1/kv/<lock>?cas=<lock-modify-index> <Updated Lock Body>\n\
                     DELETE /v1/kv/<prefix>/<session>\nPUT /v1/session/destroy/<session>\n";
    }
    let parsed = read_all(&commands, &mut Functions::default()).unwrap_or_default();
    (commands, parsed)
}

/// The purpose of a command, by what is known of it. `is_composed` is whether its body is composed
/// of what the sender has read.
fn role_of(
    draft: Option<&Draft>,
    request: Option<(String, String)>,
    is_composed: bool,
) -> StepRole {
    match draft {
        Some(Draft::Start(_)) => return StepRole::Start,
        Some(Draft::Pass(_)) => return StepRole::Pass,
        _ => {}
    }
    let Some((method, url)) = request else { return StepRole::Other };
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let has = |name: &str| query.split('&').any(|it| it.split('=').next() == Some(name));
    let is_lock = path.ends_with("/.lock") || path.ends_with("<lock>");
    let is_key = path.contains("/v1/kv/") || path.starts_with("v1/kv/");
    match method.as_str() {
        "GET" if has("index") => StepRole::Watch,
        "GET" => StepRole::Read,
        "DELETE" => StepRole::Delete,
        "PUT" if path.ends_with("/session/create") => StepRole::CreateSession,
        "PUT" if path.contains("/session/renew/") => StepRole::RenewSession,
        "PUT" if path.contains("/session/destroy/") => StepRole::DestroySession,
        "PUT" if is_key && has("acquire") && !has("cas") => StepRole::Acquire,
        "PUT" if is_key && has("release") && !has("cas") => StepRole::Release,
        "PUT" if is_lock && query == "cas=0" => StepRole::CreateLock,
        "PUT" if is_lock && has("cas") && is_composed => StepRole::TakeSlot,
        "PUT" if is_key && has("cas") => StepRole::CheckAndSet,
        "PUT" if is_key => StepRole::WriteKey,
        _ => StepRole::Other,
    }
}
