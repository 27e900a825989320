//! The `consul` program: `kv get`, `kv put` and `kv delete` are requests, `lock` is a program of
//! the client, and `version` is printed. Wrong usage is refused in the program's own words. `parse`
//! calls it; `kv_output` prints the answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::command::{AnswerParts, CommandKind, MethodSource, RequestTemplate};
use super::error::{CommandError, ErrorKind};
use super::kv_output::{KeyOutput, KvOutput};
use super::placeholders::{FileLines, Placeholders, has_slot};
use super::token::Token;
use super::variables::file_variable;
use crate::request_text::quoted_word as quoted;

/// Options with a value that have no effect here: there is one server, which requires no token.
const IGNORED: [&str; 9] = [
    "http-addr",
    "token",
    "token-file",
    "ca-file",
    "ca-path",
    "client-cert",
    "client-key",
    "tls-server-name",
    "datacenter",
];

/// Reads the words after `consul`, with its input and the names of the command.
pub(super) fn read(
    program: &Token,
    rest: &[Token],
    io: (Option<Token>, &mut Placeholders),
) -> Result<CommandKind, CommandError> {
    let words: Vec<&str> = rest.iter().map(|token| token.text.as_str()).collect();
    match words.as_slice() {
        ["version" | "-v" | "-version" | "--version"] => Ok(CommandKind::Version),
        ["lock", ..] => lock(program, &rest[1..]).map(CommandKind::Start),
        ["kv", "get", ..] => get(program, &rest[2..]).map(CommandKind::Ask),
        ["kv", "put", ..] => put(program, &rest[2..], io).map(CommandKind::Ask),
        ["kv", "delete", ..] => delete(program, &rest[2..]).map(CommandKind::Ask),
        ["watch", ..] => Err(CommandError::new(ErrorKind::ConsulWatch, program.span.clone())),
        _ => Err(CommandError::new(ErrorKind::ConsulProgram, program.span.clone())),
    }
}

/// The options of a command and its arguments, read as Go's `flag` package reads them.
struct CommandOptions<'w> {
    program: &'w Token,
    set: Vec<(&'w str, String)>,
    arguments: Vec<&'w Token>,
}

impl<'w> CommandOptions<'w> {
    fn read(
        program: &'w Token,
        words: &'w [Token],
        switches: &[&str],
        valued: &[&str],
    ) -> Result<Self, CommandError> {
        let mut options = Self { program, set: Vec::new(), arguments: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.text.strip_prefix('-').filter(|it| !it.is_empty()) else {
                options.arguments.push(word);
                break;
            };
            if option == "-" {
                break;
            }
            let option = option.strip_prefix('-').unwrap_or(option);
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            let takes_value = valued.contains(&name) || IGNORED.contains(&name);
            if !takes_value && !switches.contains(&name) {
                let error =
                    ErrorKind::ConsulUsage(format!("flag provided but not defined: -{name}"));
                return Err(CommandError::new(error, word.span.clone()));
            }
            let mut next = || words.next().map(|token| token.text.clone());
            let value = match (value, takes_value) {
                (Some(value), _) => value,
                (None, false) => "true".to_owned(),
                (None, true) => next().ok_or_else(|| {
                    let needed = format!("flag needs an argument: -{name}");
                    CommandError::new(ErrorKind::ConsulUsage(needed), word.span.clone())
                })?,
            };
            options.set.push((name, value));
        }
        options.arguments.extend(words);
        Ok(options)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.set.iter().rev().find(|(of, _)| *of == name).map(|(_, value)| value.as_str())
    }

    fn is_on(&self, name: &str) -> bool {
        matches!(self.value(name), Some("true" | "1" | "t" | "T" | "TRUE" | "True"))
    }

    /// A number that is not zero, or a placeholder for one.
    fn number(&self, name: &str) -> Option<&str> {
        self.value(name).filter(|value| *value != "0")
    }

    fn wrong<T>(&self, text: impl Into<String>) -> Result<T, CommandError> {
        Err(CommandError::new(ErrorKind::ConsulUsage(text.into()), self.program.span.clone()))
    }

    /// The request about a key, with its parameters.
    fn request(
        &self,
        method: &str,
        key: &str,
        parameters: &[String],
        (body, output): (String, KvOutput),
    ) -> RequestTemplate {
        let mut url = format!("/v1/kv/{}", escaped(key));
        for (index, parameter) in parameters.iter().enumerate() {
            url.push(if index == 0 { '?' } else { '&' });
            url.push_str(parameter);
        }
        let span = self.arguments.first().map_or(&self.program.span, |token| &token.span);
        RequestTemplate {
            method: method.into(),
            origin: MethodSource::Written,
            url: Token { text: url, span: span.clone() },
            query: Vec::new(),
            headers: Vec::new(),
            body,
            shown: AnswerParts::Body,
            awaits: None,
            output: Some(KeyOutput { key: key.into(), form: output }),
        }
    }

    /// The one key or prefix of a command; a slash at its beginning is dropped.
    fn key(&self, is_optional: bool) -> Result<&'w str, CommandError> {
        let key = match self.arguments.as_slice() {
            [] => "",
            [key] => key.text.strip_prefix('/').unwrap_or(&key.text),
            more => {
                return self.wrong(format!("Too many arguments (expected 1, got {})", more.len()));
            }
        };
        if key.is_empty() && !is_optional {
            self.wrong("Error! Missing KEY argument")
        } else {
            Ok(key)
        }
    }
}

fn get(program: &Token, words: &[Token]) -> Result<RequestTemplate, CommandError> {
    let switches = ["base64", "detailed", "keys", "recurse", "stale"];
    let options = CommandOptions::read(program, words, &switches, &["separator"])?;
    let (is_keys, is_recurse) = (options.is_on("keys"), options.is_on("recurse"));
    let key = options.key(is_keys || is_recurse)?;
    let (is_detailed, is_base64) = (options.is_on("detailed"), options.is_on("base64"));
    let (mut parameters, output) = match (is_keys, is_recurse) {
        (true, _) => {
            let separator = options.value("separator").unwrap_or("/");
            (vec!["keys".to_owned(), format!("separator={separator}")], KvOutput::Keys)
        }
        (false, true) => (vec!["recurse".to_owned()], KvOutput::Recurse { is_detailed, is_base64 }),
        (false, false) => (Vec::new(), KvOutput::Get { is_detailed, is_base64 }),
    };
    if options.is_on("stale") {
        parameters.push("stale".into());
    }
    Ok(options.request("GET", key, &parameters, (String::new(), output)))
}

fn put(
    program: &Token,
    words: &[Token],
    io: (Option<Token>, &mut Placeholders),
) -> Result<RequestTemplate, CommandError> {
    let switches = ["cas", "base64", "acquire", "release", "stale"];
    let options =
        CommandOptions::read(program, words, &switches, &["flags", "modify-index", "session"])?;
    let (key, data) = match options.arguments.as_slice() {
        [] => return options.wrong("Error! Missing KEY argument"),
        [key] => (*key, None),
        [key, data] => (*key, Some(*data)),
        more => {
            let count = more.len();
            return options
                .wrong(format!("Error! Too many arguments (expected 1 or 2, got {count})"));
        }
    };
    let session = options.value("session").filter(|session| !session.is_empty());
    let (is_acquire, is_release) = (options.is_on("acquire"), options.is_on("release"));
    if (is_acquire || is_release) && session.is_none() {
        return options.wrong("Error! Missing -session (required with -acquire and -release)");
    }
    let index = options.number("modify-index");
    if options.is_on("cas") && index.is_none() {
        return options.wrong("Must specify -modify-index with -cas!");
    }
    let session = session.unwrap_or_default();
    let (parameter, output) = match (options.is_on("cas"), is_acquire, is_release) {
        (true, ..) => (format!("cas={}", index.unwrap_or_default()), KvOutput::Cas),
        (_, true, _) => (format!("acquire={session}"), KvOutput::Acquire),
        (_, _, true) => (format!("release={session}"), KvOutput::Release),
        _ => (String::new(), KvOutput::Put),
    };
    let flags = options.number("flags").map(|flags| format!("flags={flags}"));
    let mut parameters: Vec<String> = flags.into_iter().collect();
    parameters.extend(Some(parameter).filter(|parameter| !parameter.is_empty()));
    let body = body(data, io, options.is_on("base64"))?;
    Ok(options.request("PUT", &key.text, &parameters, (body, output)))
}

fn body(
    data: Option<&Token>,
    (input, placeholders): (Option<Token>, &mut Placeholders),
    is_base64: bool,
) -> Result<String, CommandError> {
    let Some(data) = data else { return Ok(String::new()) };
    let no_file = || CommandError::new(ErrorKind::File, data.span.clone());
    if data.text == "-" && !is_base64 {
        return input.map(|input| input.text).ok_or_else(no_file);
    }
    if let Some(file) = data.text.strip_prefix('@').filter(|_| !is_base64) {
        if file.is_empty() || has_slot(file) {
            return Err(no_file());
        }
        let slot = placeholders.file(file_variable(file), FileLines::Kept, data.span.clone())?;
        return Ok(slot.to_string());
    }
    if data.text.starts_with('@') || data.text == "-" {
        return Err(no_file());
    }
    if !is_base64 {
        return Ok(data.text.clone());
    }
    let bytes = STANDARD.decode(&data.text).map_err(|error| {
        let text = format!("Error! Cannot base 64 decode data: {error}");
        CommandError::new(ErrorKind::ConsulUsage(text), data.span.clone())
    })?;
    String::from_utf8(bytes).map_err(|_| CommandError::new(ErrorKind::NotText, data.span.clone()))
}

fn delete(program: &Token, words: &[Token]) -> Result<RequestTemplate, CommandError> {
    let options =
        CommandOptions::read(program, words, &["cas", "recurse", "stale"], &["modify-index"])?;
    let (is_cas, is_recurse) = (options.is_on("cas"), options.is_on("recurse"));
    let key = options.key(is_recurse)?;
    let index = options.number("modify-index");
    let (parameters, output) = match (is_cas, is_recurse, index) {
        (true, _, None) => {
            return options.wrong(
                "Cannot delete a key that does not exist. Provide a -modify-index greater than \
                 than 0.",
            );
        }
        (false, _, Some(_)) => return options.wrong("Cannot specify -modify-index without -cas!"),
        (true, true, _) => return options.wrong("Cannot specify both -cas and -recurse!"),
        (true, false, Some(index)) => (vec![format!("cas={index}")], KvOutput::DeleteCas),
        (false, true, None) => (vec!["recurse".to_owned()], KvOutput::DeleteTree),
        (false, false, None) => (Vec::new(), KvOutput::Delete),
    };
    Ok(options.request("DELETE", key, &parameters, (String::new(), output)))
}

/// `consul lock` as a program of the client. Its child is simulated: `sleep 30` runs for 30 s, a
/// command such as `echo` ends at once, and any other runs until it is stopped.
fn lock(program: &Token, words: &[Token]) -> Result<Token, CommandError> {
    let switches = ["child-exit-code", "pass-stdin", "shell", "verbose"];
    let valued = ["n", "name", "timeout", "try", "monitor-retry"];
    let options = CommandOptions::read(program, words, &switches, &valued)?;
    let [prefix, child @ ..] = options.arguments.as_slice() else {
        return options.wrong(NO_CHILD);
    };
    let child: Vec<&str> = child.iter().map(|word| word.text.as_str()).collect();
    if child.is_empty() {
        return options.wrong(NO_CHILD);
    }
    let mut text = format!("consul-lock {}", quoted(&prefix.text));
    let mut add = |word: &str, value: &str| text += &format!(" {word}={}", quoted(value));
    let named = [
        ("n", "holders"),
        ("name", "name"),
        ("timeout", "timeout"),
        ("try", "timeout"),
        ("monitor-retry", "monitor-retry"),
    ];
    for (option, word) in named {
        if let Some(value) = options.value(option) {
            add(word, value);
        }
    }
    if options.is_on("child-exit-code") {
        add("exit-code", "child");
    }
    let command = child.join(" ");
    add("command", &command);
    if let Some(ChildRun { seconds, is_success }) = run_of(&command) {
        add("runs", &format!("{seconds}s"));
        if !is_success {
            add("ends", "failure");
        }
    }
    Ok(Token { text, span: prefix.span.clone() })
}

/// How a child process ends by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ChildRun {
    seconds: f64,
    is_success: bool,
}

/// Programs that end at once.
const QUICK: [&str; 13] = [
    "cat", "curl", "date", "echo", "env", "hostname", "id", "ls", "printf", "pwd", "true", "uname",
    "whoami",
];

/// How long commands of a shell run; none if one of them runs until it is stopped.
fn run_of(commands: &str) -> Option<ChildRun> {
    let mut run = ChildRun { seconds: 0.0, is_success: true };
    for command in commands.split([';', '&']).map(str::trim).filter(|it| !it.is_empty()) {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["sleep", span] => run.seconds += seconds(span)?,
            ["false"] => run.is_success = false,
            ["exit", code] => {
                run.is_success = code == "0";
                break;
            }
            [program, ..] if QUICK.contains(&program) => run.is_success = true,
            _ => return None,
        }
    }
    Some(run)
}

/// The span of `sleep`; a number without a unit is in seconds.
fn seconds(span: &str) -> Option<f64> {
    let (number, unit) = match span.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, &span[number.len()..]),
        None => (span, "s"),
    };
    let factor = match unit {
        "m" => 60.0,
        "h" => 3_600.0,
        _ => 1.0,
    };
    number.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0).map(|it| it * factor)
}

/// In the words of the consul program.
const NO_CHILD: &str = "Key prefix and child command must be specified";

/// A key as the path of a request has it; placeholders stay as they are.
fn escaped(key: &str) -> String {
    key.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_ends_by_itself_ends() {
        let run = |seconds, is_success| Some(ChildRun { seconds, is_success });
        for (command, expected) in [
            ("echo hi", run(0.0, true)),
            ("sleep 30", run(30.0, true)),
            ("sleep 1m && echo done", run(60.0, true)),
            ("echo a; sleep 0.5; false", run(0.5, false)),
            ("exit 3", run(0.0, false)),
            ("./worker.sh", None),
            ("sleep forever", None),
        ] {
            assert_eq!(run_of(command), expected, "{command}");
        }
    }
}
