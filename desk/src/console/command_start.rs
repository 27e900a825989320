//! Whether a line of a text begins a command, and where: after a prompt, the mark of a list item,
//! or at once. www/guide.js has the same regular expression, because it finds the commands of a
//! page before the sandbox is loaded; a test compares them.

use std::sync::OnceLock;

use lictor_core::regexp::Regexp;

/// Commands of the consul program.
const CONSUL_COMMANDS: &str = "acl|agent|catalog|config|connect|debug|event|exec|force-leave|info|\
     intention|join|keygen|keyring|kv|leave|lock|login|logout|maint|members|monitor|operator|\
     peering|reload|resource|rtt|services|session|snapshot|tls|troubleshoot|validate|version|watch";
/// Other programs whose lines are commands if they have the signs of one, or call a client.
const SHELL_PROGRAMS: &str = "awk|base64|bash|cat|docker|echo|env|export|grep|jq|kubectl|nice|\
     nohup|nomad|podman|printf|python|python3|sed|sh|sleep|source|ssh|sudo|systemctl|tee|time|\
     timeout|trap|vault|watch|xargs";
/// A character of a word in a prompt.
const PROMPT_WORD: &str = r#"[^ \t'"\x60=|&;<>{}]"#;
/// The mark of a list item, such as `-` or `2.`, if there is one.
const ITEM: &str = r"(?:(?:[-*+•·]|\d+[.)])[ \t]+)?";

/// The text before a command: the mark of a list item, a prompt, the mark of code in Markdown.
fn prefix() -> String {
    let (words, word) = (format!(r"(?:{PROMPT_WORD}+[ \t]+)"), PROMPT_WORD);
    let shell = format!(r"{words}{{0,4}}{word}*[$#%>❯➜»][ \t]+");
    let arrow = format!(r"➜[ \t]+{words}{{0,3}}");
    let windows = r"(?:PS[ \t]+)?[A-Za-z]:\\[^>\x60]*>[ \t]*";
    format!(r"[ \t]*{ITEM}(?:{shell}|{arrow}|{windows})?\x60?")
}

/// The forms in which a command begins.
fn alternatives() -> Vec<String> {
    let path = r"(?:[\w.~\/\\-]*[\/\\])?";
    let http = "(?:GET|PUT|DELETE|POST|HEAD|PATCH|OPTIONS)[ \\t]+[^ \\t]*[\\/$<]";
    let quiet = "(?:get|put|delete|post|head|patch|options)[ \\t]+\\/?v1\\/";
    let curl =
        format!(r#"{path}(?:curl|wget)(?:\.exe)?[ \t](?:.*[ \t])?(?:[-–—$<"'\\@]|[^ \t]*\/)"#);
    let consul = format!(r"{path}consul(?:\.exe)?[ \t]+(?:-|(?:{CONSUL_COMMANDS})(?:[ \t]|$))");
    let httpie = r"(?:https?|xh)[ \t](?:.*[ \t])?(?::|[^ \t]*\/)";
    let client = format!("(?:{curl}|{consul}|{httpie})");
    let environment = r"(?:[A-Za-z_]\w*=[^ \t]*[ \t]+)*";
    let signs = r#".*(?:\$|<<|=")"#;
    let programs =
        format!(r"(?:{SHELL_PROGRAMS})[ \t](?:(?:.*[ \t])?(?:-|[|>][ \t]|{client})|{signs})");
    vec![
        http.to_owned(),
        quiet.to_owned(),
        format!("{environment}{client}"),
        r"sleep[ \t]+[\x22$\d]".into(),
        r"\[\[?[ \t].*[ \t]\]\]?(?:[ \t]*(?:;|&&|\|\|)|[ \t]*$)".into(),
        r"(?:\.\.?|~)?\/[\w.\/-]+\.sh(?:[ \t]|$)".into(),
        r"(?:function[ \t]+[\w-]+|[A-Za-z_][\w-]*[ \t]*\(\))[ \t]*(?:\(\))?[ \t]*(?:\{|$)".into(),
        r"@[A-Za-z_][\w-]*[ \t]*=[ \t]*[^ \t]".into(),
        r"(?:while|until)[ \t](?:.*; do(?:[ \t]|$)|[ \t]*(?:true|:|\[|sleep)(?:[ \t;]|$))".into(),
        r"(?:for|if)[ \t](?:.*;.*[ \t](?:do|then)(?:[ \t]|$)|.*[ \t](?:do|then)[ \t].*;)".into(),
        programs,
        format!(
            "{}{}",
            r"(?:(?:export|local|readonly|declare)[ \t]+)?[A-Za-z_][\w-]*=",
            r"(?:(?:\x22?(?:\$\(|\x60)|[\x22']).*|[^ \t]+[ \t]*)$"
        ),
        format!(r"[A-Za-z_][\w-]*[ \t]*<-[ \t]*(?:curl|{http})"),
    ]
}

/// The prompt `$` before the name of any program.
const PROMPTED: &str = r"\$[ \t]+[a-z]";

/// How many characters of a line are examined, here and in the script.
const EXAMINED: usize = 1_000;
/// The length in bytes of the longest text before a command.
const PREFIX_MAX: usize = 200;

struct Patterns {
    prefix: Regexp,
    command: Regexp,
    prompted: Regexp,
}

fn patterns() -> Option<&'static Patterns> {
    static PATTERNS: OnceLock<Option<Patterns>> = OnceLock::new();
    let read = || {
        let (prefix, alternatives) = (prefix(), alternatives().join("|"));
        Some(Patterns {
            prefix: Regexp::new(&format!("^{prefix}$")).ok()?,
            command: Regexp::new(&format!("^(?:{alternatives})")).ok()?,
            prompted: Regexp::new(&format!("^[ \\t]*{ITEM}\\x60?{PROMPTED}")).ok()?,
        })
    };
    PATTERNS.get_or_init(read).as_ref()
}

/// What lines in other languages have that ask Consul.
const OTHER_CODE: [&str; 12] = [
    "Invoke-RestMethod",
    "Invoke-WebRequest",
    "requests.get(",
    "requests.put(",
    "requests.post(",
    "requests.delete(",
    "consul.Consul(",
    "http.NewRequest(",
    ".Session().",
    ".KV().",
    ".LockKey(",
    ".LockOpts(",
];

/// Whether a line asks Consul in a language that is not read here.
pub(super) fn is_other_code(line: &str) -> bool {
    !line.trim_start().starts_with(['#', '/']) && OTHER_CODE.iter().any(|it| line.contains(it))
}

/// The byte at which the command of a line begins; `None` for a line that begins no command.
pub(super) fn command_start(line: &str) -> Option<usize> {
    let patterns = patterns()?;
    let examined = line.char_indices().nth(EXAMINED).map_or(line, |(end, _)| &line[..end]);
    // A no-break space has two bytes, so two spaces keep the places of the line.
    let line = examined.replace('\u{a0}', "  ").replace('\r', " ");
    let first = line.len() - line.trim_start().len();
    let is_start =
        |start: &usize| *start == first || line[..*start].ends_with([' ', '\t', '>', '`']);
    let is_command = |start: &usize| patterns.command.is_match(&line[*start..]);
    let is_prefix = |start: &usize| patterns.prefix.is_match(&line[..*start]);
    let places = line.char_indices().map(|(start, _)| start).skip_while(|start| *start < first);
    let mut starts = places.take_while(|start| *start <= first + PREFIX_MAX).filter(is_start);
    let found = starts.find(|start| is_command(start) && is_prefix(start));
    if found.is_some() || !patterns.prompted.is_match(&line) {
        return found;
    }
    let prompt = line.find('$')?;
    Some(prompt + line[prompt..].find(|c: char| c.is_ascii_lowercase())?)
}

/// The length in bytes of the prompt before a command that was pasted into the console. A line that
/// begins with a word or a comment has no prompt: the length is 0.
pub(super) fn prompt_length(line: &str) -> usize {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_word = first.chars().all(|c| c.is_ascii_alphanumeric()) && first != "PS";
    if is_word || first.starts_with('#') {
        return 0;
    }
    command_start(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const COMMAND: &str = "curl -X PUT http://localhost:8500/v1/session/create";

    #[test]
    fn a_command_begins_after_any_prompt() {
        const PROMPTS: &str = "|  |$ |# |% |> |- |* |1. |2) $ |• |- `|3. `$ |❯ |➜ |➜  ~ |/ # |\
                               root@vm:~# |[root@vm ~]# |user@host:~$ |user@host ~ % |vm:/opt# |\
                               ➜  consul git:(main) ✗ |~/consul ❯ |PS C:\\> |C:\\>|bash-5.1$ |\
                               PS C:\\Users\\me> |MacBook-Pro:~ me$ |(venv) user@host:~/a$ ";
        for prompt in PROMPTS.split('|') {
            let command = format!("{prompt}{COMMAND}");
            assert_eq!(command_start(&command), Some(prompt.len()), "{command}");
        }
    }

    #[test]
    fn programs_are_known_by_their_name_in_any_folder() {
        for command in [
            "./consul kv get a",
            "/usr/local/bin/consul kv get a",
            "~/bin/curl -s /v1/kv/a",
            ".\\consul.exe kv get a",
            "CONSUL_HTTP_TOKEN=x consul kv get a",
            "consul -version",
            "consul tls ca create",
            "consul validate /etc/consul.d",
            "consul troubleshoot upstreams",
            "consul resource list",
            "sudo curl -s /v1/kv/a",
            "PUT /v1/kv/a",
            "get /v1/kv/a",
            "S=$(curl -s /v1/kv/a)",
            "export S=\"a b\"",
            "lock=a/.lock",
            "s1 <- PUT /v1/session/create",
            "while true; do",
            "for i in 1 2; do",
            "cat > a.json <<END",
            "http PUT :8500/v1/kv/a",
            "sleep 20",
            "sleep \"$WAIT\"",
            "[ -n \"$S\" ] || exit 1",
            "./deploy.sh",
            "trap \"curl -X PUT $A/v1/session/destroy/$S\" EXIT",
            "function log() {",
            "get_name() { curl -s /v1/agent/self; }",
            "@host = http://localhost:8500",
            "consul session list",
        ] {
            assert_eq!(command_start(command), Some(0), "{command}");
        }
        assert_eq!(command_start("$ ls -l"), Some(2), "another program after a prompt");
        // A comment after a command is no prompt.
        assert_eq!(command_start("consul kv get a # curl -s /v1/kv/a"), Some(0));
    }

    #[test]
    fn sentences_are_no_commands() {
        for line in [
            "curl is a program.",
            "GET on the prefix",
            "- curl and consul",
            "# Consul sessions",
            "while it waits, watch /kv. echo of a",
            "for each client in the list",
            "docker and consul are programs.",
            "name = value",
            "sleep well",
            "[1]: a link",
            "[ ] a task to do",
            "the function() call",
            "> a quote",
            "",
            "{\"ID\": \"x\"}",
            "1. Create a session.",
            "# A comment about the lock",
        ] {
            assert_eq!(command_start(line), None, "{line}");
        }
    }

    #[test]
    fn the_console_skips_prompts_but_no_comments_and_no_commands() {
        for (line, length) in [
            ("user@host:~$ curl -s /a", 13),
            ("[root@vm ~]# consul kv get a", 13),
            ("PS C:\\> curl -s /a", 8),
            ("# curl -s /a", 0),
            ("echo /a > curl -s", 0),
            ("curl -s /a", 0),
        ] {
            assert_eq!(prompt_length(line), length, "{line}");
        }
    }

    /// The lines of the expression in www/guide.js.
    fn script_lines() -> String {
        let alternatives = alternatives();
        let mut lines = vec![format!("^(?:{}(?:", prefix())];
        for (at, alternative) in alternatives.iter().enumerate() {
            let separator = if at + 1 < alternatives.len() { "|" } else { ")|" };
            lines.push(format!("{alternative}{separator}"));
        }
        lines.push(format!(r"[ \t]*{ITEM}\x60?{PROMPTED})"));
        lines.iter().map(|line| format!("      String.raw`{line}`,\n")).collect()
    }

    /// With `LICTOR_TYPES=write` in the environment, this test writes the expression.
    #[test]
    fn the_script_for_other_pages_has_the_same_expression() {
        const BEGIN: &str = "new RegExp(\n    [\n";
        const END: &str = "    ].join(\"\"),";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/guide.js");
        let file = std::fs::read_to_string(&path).expect("the file is there");
        let (before, rest) = file.split_once(BEGIN).expect("the expression begins");
        let (committed, after) = rest.split_once(END).expect("the expression ends");
        let lines = script_lines();
        if std::env::var_os("LICTOR_TYPES").is_some_and(|value| value == "write") {
            let written = format!("{before}{BEGIN}{lines}{END}{after}");
            std::fs::write(&path, written).expect("the file can be written");
        } else {
            assert_eq!(committed, lines);
        }
    }
}
