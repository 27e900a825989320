//! Reads the command lines of the `consul` program: `kv get`, `kv put` and `kv delete` become
//! requests, `lock` becomes a program of the client, and `version` prints a text. Wrong usage is
//! refused in the words of the real program.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::{path_escaped, query_escaped};
use lictor_core::strconv::{Base, parse_bool, parse_uint};
use lictor_sim::trace::{push_operand, push_param};

use super::arithmetic::seconds;
use super::error::{CommandError, ErrorKind};
use super::kv_output::{ErrorStream, KeyOutput, KvOutput};
use super::request::{Draft, ProgramLine, ProgramOutput, Redirect, RequestTemplate};
use super::url::escaped;
use super::word::{Token, has_slot};

/// Options with a value that have no effect here: there is one server, which requires no token.
const IGNORED: [&str; 8] = [
    "http-addr",
    "token",
    "token-file",
    "ca-file",
    "ca-path",
    "client-cert",
    "client-key",
    "tls-server-name",
];
/// Options that become parameters of each request.
const PARAMETERS: [(&str, &str); 3] =
    [("datacenter", "dc"), ("namespace", "ns"), ("partition", "partition")];

/// Reads a command line. Fails if its usage is wrong, or if the sandbox does not have the command.
pub(super) fn read(line: ProgramLine<'_, '_, '_>) -> Result<Draft, CommandError> {
    let (program, rest, errors) = (line.program, line.words, line.errors);
    let words: Vec<&str> = rest.iter().map(|token| token.text.as_str()).collect();
    let options = |switches: &[&str], valued: &[&str]| {
        let mut options = CommandOptions::read(program, &rest[2..], switches, valued)?;
        options.errors = errors;
        Ok(options)
    };
    match words.as_slice() {
        ["version" | "-v" | "-version" | "--version"] => Ok(Draft::Version),
        ["lock", ..] => lock(program, &rest[1..]).map(Draft::Start),
        ["kv", "get", ..] => {
            let switches = ["base64", "detailed", "keys", "recurse", "stale"];
            get(&options(&switches, &["separator"])?).map(Draft::Request)
        }
        ["kv", "put", ..] => {
            let switches = ["cas", "base64", "acquire", "release", "stale"];
            let options = options(&switches, &["flags", "modify-index", "session"])?;
            put(&options, line).map(Draft::Request)
        }
        ["kv", "delete", ..] => {
            let options = options(&["cas", "recurse", "stale"], &["modify-index"])?;
            delete(&options).map(Draft::Request)
        }
        ["session", verb, ..] => {
            let kind = ErrorKind::ConsulSession(session_curl(program, verb, &rest[2..]));
            Err(CommandError::new(kind, program.span.clone()))
        }
        ["watch", ..] => Err(CommandError::new(ErrorKind::ConsulWatch, program.span.clone())),
        _ => Err(CommandError::new(ErrorKind::ConsulProgram, program.span.clone())),
    }
}

/// The options of a command and its arguments, read as Go's `flag` package reads them.
struct CommandOptions<'w> {
    program: &'w Token,
    set: Vec<(&'w str, String)>,
    arguments: Vec<&'w Token>,
    errors: ErrorStream,
}

impl<'w> CommandOptions<'w> {
    fn read(
        program: &'w Token,
        words: &'w [Token],
        switches: &[&str],
        valued: &[&str],
    ) -> Result<Self, CommandError> {
        let (set, arguments, errors) = (Vec::new(), Vec::new(), ErrorStream::Shown);
        let mut options = Self { program, set, arguments, errors };
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
            let is_parameter = PARAMETERS.iter().any(|(option, _)| *option == name);
            let takes_value = valued.contains(&name) || IGNORED.contains(&name) || is_parameter;
            let wrong = |text: String| {
                Err(CommandError::new(ErrorKind::ConsulUsage(text), word.span.clone()))
            };
            if !takes_value && !switches.contains(&name) {
                return wrong(format!("flag provided but not defined: -{name}"));
            }
            let value = match (value, takes_value) {
                (Some(value), false) if parse_bool(&value).is_err() && !has_slot(&value) => {
                    let text = format!("invalid boolean value \"{value}\" for -{name}");
                    return wrong(format!("{text}: parse error"));
                }
                (Some(value), _) => value,
                (None, false) => "true".to_owned(),
                (None, true) => match words.next() {
                    Some(token) => token.text.clone(),
                    None => return wrong(format!("flag needs an argument: -{name}")),
                },
            };
            if matches!(name, "flags" | "modify-index")
                && !has_slot(&value)
                && parse_uint(&value, Base::OfPrefix, 64).is_err()
            {
                return wrong(format!("invalid value \"{value}\" for flag -{name}: parse error"));
            }
            options.set.push((name, value));
        }
        options.arguments.extend(words);
        Ok(options)
    }

    /// The last value of an option.
    fn value(&self, name: &str) -> Option<&str> {
        self.set.iter().rev().find(|(option, _)| *option == name).map(|(_, value)| value.as_str())
    }

    fn is_on(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| parse_bool(value) == Ok(true))
    }

    /// The number of an option as it is sent, or a placeholder for one; 0 without the option.
    fn number(&self, name: &str) -> String {
        let value = self.value(name).unwrap_or("0");
        let number = parse_uint(value, Base::OfPrefix, 64);
        number.map_or_else(|_| value.to_owned(), |number| number.to_string())
    }

    fn wrong<T>(&self, text: impl Into<String>) -> Result<T, CommandError> {
        Err(CommandError::new(ErrorKind::ConsulUsage(text.into()), self.program.span.clone()))
    }

    /// The request about a key, with its parameters in the order in which Go's client sends them.
    fn request(
        &self,
        method: &str,
        key: &str,
        parameters: &[(&str, &str)],
        (body, form): (String, KvOutput),
    ) -> RequestTemplate {
        let common = PARAMETERS.iter().filter_map(|(option, name)| {
            Some((*name, self.value(option).filter(|value| !value.is_empty())?))
        });
        let stale = self.is_on("stale") && method == "GET";
        let stale = stale.then_some(("stale", ""));
        let mut all: Vec<(&str, &str)> =
            parameters.iter().copied().chain(common).chain(stale).collect();
        all.sort_by_key(|(name, _)| *name);
        let query = all
            .into_iter()
            .map(|(name, value)| format!("{name}={}", escaped(value, query_escaped)));
        let span = self.arguments.first().map_or(&self.program.span, |token| &token.span);
        let url = format!("/v1/kv/{}", escaped(key, path_escaped));
        let output = KeyOutput { key: key.into(), form, errors: self.errors };
        let url = Token { text: url, span: span.clone() };
        let mut template = RequestTemplate::new(method, url);
        template.sending.output = Some(ProgramOutput::Kv(output));
        template.sending.redirect = Some(Redirect::of_go());
        RequestTemplate { query: query.collect(), body, ..template }
    }

    /// The one key or prefix of a command; empty if it is optional and missing.
    fn key(&self, is_optional: bool) -> Result<&'w str, CommandError> {
        let key = match self.arguments.as_slice() {
            [] => "",
            [key] => key.text.as_str(),
            more => {
                return self.wrong(format!("Too many arguments (expected 1, got {})", more.len()));
            }
        };
        if matches!(key, "" | "/") && !is_optional {
            self.wrong("Error! Missing KEY argument")
        } else {
            Ok(key)
        }
    }
}

fn get(options: &CommandOptions<'_>) -> Result<RequestTemplate, CommandError> {
    let (is_keys, is_recurse) = (options.is_on("keys"), options.is_on("recurse"));
    let key = options.key(is_keys || is_recurse)?;
    let (is_detailed, is_base64) = (options.is_on("detailed"), options.is_on("base64"));
    let separator = options.value("separator").unwrap_or("/");
    let separated = [("keys", ""), ("separator", separator)];
    let (parameters, output): (&[(&str, &str)], KvOutput) = match (is_keys, is_recurse) {
        (true, true) => (&[("recurse", "")], KvOutput::RecurseKeys { is_detailed }),
        (true, false) if separator.is_empty() => (&separated[..1], KvOutput::Keys),
        (true, false) => (&separated, KvOutput::Keys),
        (false, true) => (&[("recurse", "")], KvOutput::Recurse { is_detailed, is_base64 }),
        (false, false) => (&[], KvOutput::Get { is_detailed, is_base64 }),
    };
    Ok(options.request("GET", key, parameters, (String::new(), output)))
}

fn put(
    options: &CommandOptions<'_>,
    line: ProgramLine<'_, '_, '_>,
) -> Result<RequestTemplate, CommandError> {
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
    let (session, index) = (session.unwrap_or_default(), options.number("modify-index"));
    let (parameter, output) = match (options.is_on("cas"), is_acquire, is_release) {
        (true, ..) => (Some(("cas", index.as_str())), KvOutput::Cas),
        (_, true, _) => (Some(("acquire", session)), KvOutput::Acquire),
        (_, _, true) => (Some(("release", session)), KvOutput::Release),
        _ => (None, KvOutput::Put),
    };
    let flags = options.number("flags");
    let flags = Some(("flags", flags.as_str())).filter(|(_, flags)| *flags != "0");
    let parameters: Vec<(&str, &str)> = parameter.into_iter().chain(flags).collect();
    let body = data.map(|data| body(data, line, options.is_on("base64"))).transpose()?;
    let body = body.unwrap_or_default();
    Ok(options.request("PUT", &key.text, &parameters, (body, output)))
}

/// The value that a command writes: the text, the content of the file after `@`, or for `-` the
/// input of the command.
fn body(
    data: &Token,
    mut line: ProgramLine<'_, '_, '_>,
    is_base64: bool,
) -> Result<String, CommandError> {
    let refused = |kind| CommandError::new(kind, data.span.clone());
    let text = match data.text.strip_prefix('@') {
        Some(file) => line.content(file, &data.span)?,
        None if data.text == "-" => line.content("-", &data.span)?,
        None => data.text.clone(),
    };
    if !is_base64 {
        return Ok(text);
    }
    let bytes = STANDARD.decode(text).map_err(|_| {
        refused(ErrorKind::ConsulUsage("Error! Cannot base 64 decode data".to_owned()))
    })?;
    String::from_utf8(bytes).map_err(|_| refused(ErrorKind::NotText))
}

fn delete(options: &CommandOptions<'_>) -> Result<RequestTemplate, CommandError> {
    let (is_cas, is_recurse) = (options.is_on("cas"), options.is_on("recurse"));
    let key = options.key(is_recurse)?;
    let index = options.number("modify-index");
    let (parameter, output) = match (is_cas, is_recurse, index.as_str()) {
        (true, _, "0") => {
            return options.wrong(
                // The real program has the word "than" twice.
                "Cannot delete a key that does not exist. Provide a -modify-index greater than \
                 than 0.",
            );
        }
        (true, true, _) => return options.wrong("Cannot specify both -cas and -recurse!"),
        (true, false, index) => (Some(("cas", index)), KvOutput::DeleteCas),
        (false, true, "0") => (Some(("recurse", "")), KvOutput::DeleteTree),
        (false, false, "0") => (None, KvOutput::Delete),
        (false, ..) => return options.wrong("Cannot specify -modify-index without -cas!"),
    };
    let parameters: Vec<(&str, &str)> = parameter.into_iter().collect();
    Ok(options.request("DELETE", key, &parameters, (String::new(), output)))
}

/// `consul lock` as a program of the client, in the words of the line language. Its child is
/// simulated: `sleep 30` runs for 30 s, a command such as `echo` ends at once, and any other runs
/// until it is stopped.
fn lock(program: &Token, words: &[Token]) -> Result<String, CommandError> {
    let switches = ["child-exit-code", "pass-stdin", "shell", "verbose"];
    let valued = ["n", "name", "timeout", "try", "monitor-retry"];
    let options = CommandOptions::read(program, words, &switches, &valued)?;
    let arguments: Vec<&str> = options.arguments.iter().map(|word| word.text.as_str()).collect();
    let (prefix, command) = match arguments.as_slice() {
        [prefix, child @ ..] if !child.is_empty() => (*prefix, child.join(" ")),
        _ => return options.wrong("Key prefix and child command must be specified"),
    };
    let mut text = String::from("consul-lock");
    push_operand(&mut text, prefix);
    let mut add = |word: &str, value: &str| push_param(&mut text, word, value);
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
    add("command", &command);
    if let Some(ChildRun { seconds, is_success }) = run_of(&command) {
        add("runs", &format!("{seconds}s"));
        if !is_success {
            add("ends", "failure");
        }
    }
    Ok(text)
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

/// How commands of a shell run together. `None` if one of them runs until it is stopped.
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

/// The members of a session, with the options for them that people write.
const SESSION_MEMBERS: [(&str, &str); 5] = [
    ("Name", "name"),
    ("TTL", "ttl"),
    ("LockDelay", "lock-delay"),
    ("Behavior", "behavior"),
    ("Node", "node"),
];

/// The curl command for `consul session ..`, which does not exist.
fn session_curl(program: &Token, verb: &str, words: &[Token]) -> String {
    const API: &str = "http://localhost:8500/v1/session";
    let options = CommandOptions::read(program, words, &[], &SESSION_MEMBERS.map(|it| it.1)).ok();
    let id = options.iter().flat_map(|it| &it.arguments).next().map(|id| id.text.as_str());
    let id = id.filter(|id| !has_slot(id)).unwrap_or("<session>");
    match verb {
        "create" => {
            let members = SESSION_MEMBERS.iter().filter_map(|(member, option)| {
                let value = options.as_ref()?.value(option)?;
                Some(format!("\"{member}\": {}", serde_json::to_string(value).ok()?))
            });
            let members = members.collect::<Vec<_>>().join(", ");
            format!("curl -X PUT -d '{{{members}}}' {API}/create")
        }
        "renew" => format!("curl -X PUT {API}/renew/{id}"),
        "destroy" | "delete" => format!("curl -X PUT {API}/destroy/{id}"),
        "info" | "read" => format!("curl {API}/info/{id}"),
        "node" => format!("curl {API}/node/{id}"),
        _ => format!("curl {API}/list"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_runs_for_the_sum_of_its_sleeps_and_others_until_they_are_stopped() {
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
