//! Tests of the console as a whole: commands as people paste them, and random inputs.

use lictor_core::http::HttpRequest;
use lictor_view::request_text;

use super::*;

/// Values for placeholders: each name has itself as its value, in capitals.
fn capitals(name: &str) -> Option<String> {
    Some(name.to_uppercase())
}

fn requests(text: &str) -> Vec<HttpRequest> {
    let commands = read(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    commands
        .iter()
        .map(|command| match command.fill(&capitals) {
            Ok(FilledCommand::Send { request, .. }) => request,
            other => panic!("{text}: {other:?}"),
        })
        .collect()
}

fn line(request: &HttpRequest) -> String {
    let body = String::from_utf8_lossy(&request.body);
    format!("{} {} {body}", request.method, request.target).trim_end().to_owned()
}

fn kind(text: &str) -> (ErrorKind, TextPosition) {
    let error = read(text).expect_err(text);
    (error.kind, position_of(text, error.span.start))
}

#[test]
fn the_commands_of_the_guides_are_read_as_they_are_pasted() {
    for (pasted, expected) in [
        (
            "curl  -X PUT -d '{\"Name\": \"db-semaphore\"}' \\\n  \
             http://localhost:8500/v1/session/create",
            "PUT /v1/session/create {\"Name\": \"db-semaphore\"}",
        ),
        (
            "curl -X PUT -d <body> \
             http://localhost:8500/v1/kv/<prefix>/<session>?acquire=<session>",
            "PUT /v1/kv/PREFIX/SESSION?acquire=SESSION BODY",
        ),
        (
            "curl -X PUT -d <body> http://localhost:8500/v1/kv/<lock>?cas=0",
            "PUT /v1/kv/LOCK?cas=0 BODY",
        ),
        ("$ curl http://localhost:8500/v1/kv/<prefix>?recurse", "GET /v1/kv/PREFIX?recurse"),
        (
            "$ curl -X PUT -d <Updated Lock Body> \
             http://localhost:8500/v1/kv/<lock>?cas=<lock-modify-index>",
            "PUT /v1/kv/LOCK?cas=LOCK-MODIFY-INDEX UPDATED LOCK BODY",
        ),
        ("curl \"http://localhost:8500/v1/kv/a?recurse&index=1\"", "GET /v1/kv/a?recurse&index=1"),
        ("$ curl $CONSUL_HTTP_ADDR/v1/session/list", "GET /v1/session/list"),
        ("PUT /v1/session/renew/$s1", "PUT /v1/session/renew/S1"),
        ("curl -d x /v1/kv/a/../b?x=/../", "POST /v1/kv/b?x=/../ x"),
        ("curl --path-as-is /v1/kv/a/../b", "GET /v1/kv/a/../b"),
        ("GET /v1/kv/a/../b", "GET /v1/kv/a/../b"),
        ("DELETE v1/kv/service/db/<session>", "DELETE /v1/kv/service/db/SESSION"),
    ] {
        assert_eq!(requests(pasted).iter().map(line).collect::<Vec<_>>(), [expected], "{pasted}");
    }
}

/// The requests of `consul kv`, as Go's client sends them.
#[test]
fn the_consul_program_sends_what_its_client_sends() {
    for (pasted, expected) in [
        ("consul kv put -cas -modify-index=0 a x", "PUT /v1/kv/a?cas=0 x"),
        ("consul kv put -cas a x", "PUT /v1/kv/a?cas=0 x"),
        ("consul kv put -cas -modify-index=0x10 a x", "PUT /v1/kv/a?cas=16 x"),
        ("consul kv put -flags=0x10 a x", "PUT /v1/kv/a?flags=16 x"),
        ("consul kv put -flags=0 a x", "PUT /v1/kv/a x"),
        ("consul kv put -flags 010 a x", "PUT /v1/kv/a?flags=8 x"),
        ("consul kv put -release -session=<s> -flags=1_0 a x", "PUT /v1/kv/a?flags=10&release=S x"),
        ("consul kv get -keys a", "GET /v1/kv/a?keys=&separator=%2F"),
        ("consul kv get -keys -separator='& ?' a", "GET /v1/kv/a?keys=&separator=%26+%3F"),
        ("consul kv get -keys -separator= a", "GET /v1/kv/a?keys="),
        ("consul kv get -keys -recurse a", "GET /v1/kv/a?recurse="),
        ("consul kv get -datacenter=dc2 -stale a", "GET /v1/kv/a?dc=dc2&stale="),
        ("consul kv delete -recurse -datacenter dc1 a/", "DELETE /v1/kv/a/?dc=dc1&recurse="),
        ("consul kv get '/a b/ü?#%'", "GET /v1/kv/a%20b/%C3%BC%3F%23%25"),
        ("consul kv get \"a'(b)\"", "GET /v1/kv/a%27%28b%29"),
        ("consul kv delete //a", "DELETE /v1/kv/a"),
        ("/usr/local/bin/consul kv get a", "GET /v1/kv/a"),
        ("./consul kv get a", "GET /v1/kv/a"),
    ] {
        assert_eq!(requests(pasted).iter().map(line).collect::<Vec<_>>(), [expected], "{pasted}");
    }
}

/// In the words of Consul 1.22.
#[test]
fn the_consul_program_refuses_what_the_real_one_refuses() {
    let slash = "Invalid key. Key must not begin with a '/': /lead";
    for (text, expected) in [
        ("consul kv put /lead x", format!("Error! Failed writing data: {slash}")),
        ("consul kv put -cas /lead x", format!("Error! Did not write to /lead: {slash}")),
        ("K=1; consul kv put $slashed x", format!("Error! Failed writing data: {slash}")),
        ("consul kv put -release -session=1 /lead", "Error! Failed writing data: /lead".into()),
        ("consul kv put -flags=x a", "invalid value \"x\" for flag -flags: parse error".into()),
        (
            "consul kv put -cas -modify-index=-1 a",
            "invalid value \"-1\" for flag -modify-index: parse error".into(),
        ),
        (
            "consul kv put -cas -modify-index=$text a",
            "invalid value \"TEXT\" for flag -modify-index: parse error".into(),
        ),
        (
            "consul kv get -keys=yes a",
            "invalid boolean value \"yes\" for -keys: parse error".into(),
        ),
        ("consul kv put -base64 a 'not!'", "Error! Cannot base 64 decode data".into()),
        (
            "consul kv delete -cas -modify-index=0 a",
            "Cannot delete a key that does not exist. Provide a -modify-index greater than \
             than 0."
                .into(),
        ),
        ("consul kv get a b", "Too many arguments (expected 1, got 2)".into()),
    ] {
        let value = |name: &str| match name {
            "slashed" => Some("/lead".to_owned()),
            name => capitals(name),
        };
        let refused = match read(text) {
            Err(error) => error.kind,
            Ok(commands) => {
                let filled = commands.last().expect("a command").fill(&value);
                filled.expect_err(text).remove(0).kind
            }
        };
        assert_eq!(refused, ErrorKind::ConsulUsage(expected), "{text}");
    }
}

#[test]
fn redirections_pipes_and_prefixes_of_a_shell_do_not_change_a_request() {
    for (pasted, expected) in [
        ("curl /v1/a 2>/dev/null", "GET /v1/a"),
        ("curl /v1/a > /dev/null 2>&1", "GET /v1/a"),
        ("curl /v1/a &>/dev/null", "GET /v1/a"),
        ("curl /v1/a 1>/dev/null 2> /dev/null || true", "GET /v1/a"),
        ("curl /v1/a || :", "GET /v1/a"),
        ("curl -XPUT -d 2 /v1/kv/a2>/dev/null", "PUT /v1/kv/a2 2"),
        ("curl -X PUT -d @- /v1/kv/a <<< 'x y'", "PUT /v1/kv/a x y"),
        ("consul kv put a - <<<\"x\"", "PUT /v1/kv/a x"),
        ("consul kv put a - < config.json", "PUT /v1/kv/a @CONFIG.JSON"),
        ("echo x | consul kv put a -", "PUT /v1/kv/a x"),
        ("printf 'x' | curl -X PUT -T - /v1/kv/a", "PUT /v1/kv/a x"),
        ("cat <<END | curl -X PUT -d @- /v1/kv/a\nx\nEND", "PUT /v1/kv/a x"),
        ("CONSUL_HTTP_ADDR=10.0.0.1:8500 consul kv get a", "GET /v1/kv/a"),
        ("A=1 B=2 curl /v1/a", "GET /v1/a"),
        ("sudo curl /v1/a", "GET /v1/a"),
        ("sudo -u consul -E consul kv get a", "GET /v1/kv/a"),
        ("time -p curl -s /v1/a", "GET /v1/a"),
        ("kubectl exec -it consul-0 -n consul -- curl -s /v1/a", "GET /v1/a"),
        ("docker exec -t dev-consul consul kv get a", "GET /v1/kv/a"),
        ("docker compose exec -T consul curl /v1/a", "GET /v1/a"),
        ("curl.exe -s /v1/a &", "GET /v1/a"),
        ("curl /v1/a | grep x | awk '{print $2}'", "GET /v1/a"),
        (
            "curl --get /v1/a --data-urlencode 'filter=Node == \"w\"'",
            "GET /v1/a?filter=Node%20%3D%3D%20%22w%22",
        ),
        ("sudo env A=1 nice -n 5 /usr/bin/curl /v1/a", "GET /v1/a"),
        ("curl /v1/a | jq", "GET /v1/a"),
        ("curl -s -o /dev/null -w '%{http_code}\\n' /v1/a", "GET /v1/a"),
    ] {
        assert_eq!(requests(pasted).iter().map(line).collect::<Vec<_>>(), [expected], "{pasted}");
    }
    for (text, kind) in [
        ("curl /a || echo failed", ErrorKind::OrElse),
        ("curl /a 2> errors.txt", ErrorKind::Redirect),
        ("timeout 10 curl /a", ErrorKind::UnknownProgram("timeout".into())),
        ("A=1 make", ErrorKind::SeveralValues),
        ("sudo -u root", ErrorKind::NoCommand),
        ("ls | curl -d @- /a", ErrorKind::UnknownProgram("ls".into())),
        ("if true; then curl /a; fi", ErrorKind::If),
        ("f() { curl /a; }", ErrorKind::Function),
        ("[ -n \"$S\" ]", ErrorKind::Test),
        ("for i in 1 2; do curl /a; done", ErrorKind::Loop),
        ("while 1; do curl /a; sleep 1; done", ErrorKind::Loop),
        ("docker ps", ErrorKind::UnknownProgram("docker".into())),
        (
            "consul session renew <session_id>",
            ErrorKind::ConsulSession(
                "curl -X PUT http://localhost:8500/v1/session/renew/<session>".into(),
            ),
        ),
    ] {
        assert_eq!(read(text).map_err(|error| error.kind), Err(kind), "{text}");
    }
}

#[test]
fn an_unquoted_ampersand_ends_the_command_as_in_a_shell() {
    let text = "curl -X PUT -d x /v1/kv/a?cas=1&acquire=7 -s\ncurl /v1/kv/a?cas=1&acquire=7";
    let commands = read(text).expect("three commands");
    let note = |rest: &str| vec![Note::CutOff(rest.to_owned())];
    assert_eq!(commands[0].notes, note("acquire=7 -s"), "-s would be another command");
    assert_eq!(commands[1].notes, note("acquire=7"));
    let targets: Vec<_> = commands.iter().map(|command| command.fill(&capitals)).collect();
    let Ok(FilledCommand::Send { request, .. }) = &targets[0] else { panic!("{targets:?}") };
    assert_eq!(request.target, "/v1/kv/a?cas=1");
    let kept = FilledCommand::Keep { name: "acquire".into(), value: "7".into() };
    assert_eq!(targets[2], Ok(kept));
}

#[test]
fn what_echo_writes_has_a_line_end_that_a_file_keeps() {
    let kept = |text: &str| read(text).expect(text).remove(0).fill(&|_| None);
    for (text, value) in [("echo x > f", "x\n"), ("echo -n x > f", "x")] {
        let expected = FilledCommand::Keep { name: "@f".into(), value: value.into() };
        assert_eq!(kept(text), Ok(expected), "{text}");
    }
    let file = |name: &str| (name == "@f").then(|| "x\ny\n".to_owned());
    for (option, body) in [("-d @f", "xy"), ("--data-binary @f", "x\ny\n")] {
        let command = read(&format!("curl {option} /v1/kv/a")).expect("a command").remove(0);
        let Ok(FilledCommand::Send { request, .. }) = command.fill(&file) else {
            panic!("{option}")
        };
        assert_eq!(String::from_utf8_lossy(&request.body), body);
    }
}

#[test]
fn braces_of_an_address_are_names_or_with_an_option_text() {
    for (pasted, expected) in [
        ("curl -g '/v1/kv/{a,b}[1-2]'", "GET /v1/kv/{a,b}[1-2]"),
        ("curl /v1/kv/{key}", "GET /v1/kv/KEY"),
    ] {
        assert_eq!(requests(pasted).iter().map(line).collect::<Vec<_>>(), [expected]);
    }
    for letter_of_a_value in ["-dgreen", "-olog", "-d '-g'", "-d --globoff", "-Hage:1"] {
        let text = format!("curl {letter_of_a_value} '/v1/kv/{{a,b}}'");
        assert_eq!(read(&text).map_err(|it| it.kind), Err(ErrorKind::Pattern), "{text}");
    }
}

#[test]
fn several_commands_run_in_order_and_keep_their_text() {
    let text = "# a story\n$ s1=$(curl -sXPUT /v1/session/create) && curl /a; GET /b\n\
                PUT /c\n{\"x\":\n\n 1}\ns2 <- PUT /d\n\nlock=a/.lock\n";
    let commands = read(text).expect("a story");
    let texts: Vec<&str> = commands.iter().map(|command| command.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "s1=$(curl -sXPUT /v1/session/create)",
            "curl /a",
            "GET /b",
            "PUT /c\n{\"x\":\n\n 1}",
            "s2 <- PUT /d",
            "lock=a/.lock",
        ]
    );
    for command in &commands {
        assert_eq!(&text[command.span.clone()], command.text);
    }
    let assigned: Vec<Option<&str>> = commands.iter().map(|it| it.assign.as_deref()).collect();
    assert_eq!(assigned, [Some("s1"), None, None, None, Some("s2"), Some("lock")]);
    let kept = FilledCommand::Keep { name: "lock".into(), value: "a/.lock".into() };
    assert_eq!(commands[5].fill(&capitals), Ok(kept));
}

#[test]
fn names_without_a_value_are_marked_and_nothing_is_sent() {
    let text = "curl /a\ncurl -d '{\"<x>\": \"$y\"}' http://$HOST/v1/kv/<x>";
    let commands = read(text).expect("two commands");
    let errors = commands[1].fill(&|_| None).expect_err("open names");
    let marked: Vec<&str> = errors.iter().map(|error| &text[error.span.clone()]).collect();
    assert_eq!(marked, ["<x>", "$y", "<x>"], "quotes make no difference");
    assert_eq!(&commands[1].text[commands[1].span_in_command(&errors[2].span)], "<x>");
}

#[test]
fn a_value_stays_one_word_whatever_it_contains() {
    let value = |_: &str| Some("a'b \"c\" $d <e>\n|".to_owned());
    let commands = read("curl -X PUT -d $x /v1/kv/<x>").expect("one command");
    let Ok(FilledCommand::Send { request, .. }) = commands[0].fill(&value) else {
        panic!("all names have values")
    };
    assert_eq!(request.body, b"a'b \"c\" $d <e>\n|");
    assert_eq!(request.target, "/v1/kv/a%27b%20%22c%22%20%24d%20%3Ce%3E%0A%7C");
}

/// Requests that curl or the console would change if they were written carelessly.
#[test]
fn the_curl_command_of_a_request_sends_the_same_request() {
    let name = |text: &str| (text.to_owned(), String::new());
    let bodies =
        ["", "web-1", "@home", "two\nlines\n", "it's \\ \"$a ${b}\" <c>", "v1/{d} # -d '-g'"];
    let targets = [
        "/v1/kv/a?cas=0&flags=1",
        "/v1/kv/{a}/[1-2]/$b",
        "/v1/kv/'a'?x={{<c>",
        "/v1/kv/a/../.?x=/../",
    ];
    for method in ["GET", "PUT", "DELETE", "POST", "HEAD"] {
        for (body, target) in bodies.iter().flat_map(|body| targets.map(|target| (body, target))) {
            let mut request = HttpRequest::new(method, target, body.as_bytes());
            request.headers = vec![("X-A".into(), "$b; c: <d>".into()), name("X-Empty")];
            let command = request_text::curl(&request);
            assert_eq!(requests(&command), [request], "{command}");
        }
    }
}

/// The text of a file makes a command of curl of a line of HTTP.
#[test]
fn a_line_of_http_keeps_its_address_when_it_gets_a_file() {
    for target in ["/v1/kv/a", "/v1/kv/a/../b", "/v1/kv/.?x=[1-2]", "/v1/kv/x{a,b}"] {
        let command = with_file(&format!("PUT {target}"), "text");
        let expected = format!("PUT {target} text");
        assert_eq!(requests(&command).iter().map(line).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn an_error_has_its_position() {
    let at = |line, column| TextPosition { line, column };
    for (text, expected) in [
        ("curl /a\ncurl -m 3 /b", (ErrorKind::UnknownOption("-m".into()), at(2, 6))),
        ("GET /a\n\nhello world", (ErrorKind::UnknownProgram("hello".into()), at(3, 1))),
        ("curl '你好' > x", (ErrorKind::Redirect, at(1, 13))),
        ("s1=$(curl /a", (ErrorKind::Unfinished(Unclosed::Bracket), at(1, 5))),
        ("s1=$()", (ErrorKind::NoCommand, at(1, 6))),
        ("x=a b", (ErrorKind::SeveralValues, at(1, 5))),
        ("curl -d {\"a\": \"<n>\"} /x", (ErrorKind::SecondAddress("/x".into()), at(1, 22))),
        ("curl -X PUT -d '{}' \\\n\nThis returns", (ErrorKind::NoAddress, at(1, 1))),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
    assert_eq!(kind("curl x | "), (ErrorKind::Pipe, at(1, 8)));
    let commands = read("curl /a ftp://x/y").expect_err("two addresses");
    assert_eq!(commands.kind, ErrorKind::SecondAddress("ftp://x/y".into()));
}

#[test]
fn enter_sends_only_what_is_complete() {
    for open in
        ["curl '", "curl \"a", "curl \\", "curl \\\n", "s=$(curl /a", "PUT /a {", "PUT /a \\"]
    {
        assert!(is_unfinished(open), "{open}");
    }
    for complete in ["", "curl /a", "PUT /a", "PUT /a {}", "nonsense", "curl /a | x"] {
        assert!(!is_unfinished(complete), "{complete}");
    }
}

#[test]
fn the_largest_inputs_are_parsed_quickly() {
    let lines = format!("PUT /a [\n{}1]", "\"line\",\n".repeat(100_000));
    assert_eq!(requests(&lines)[0].body.len(), lines.len() - "PUT /a ".len());
    let names = format!("GET /{}", "<a>".repeat(60_000));
    let commands = read(&names).expect("one command");
    assert_eq!(commands[0].fill(&|_| None).expect_err("no values").len(), 60_000);
    for too_much in ["help\n".repeat(1_001), "<a>".repeat(70_000), "x".repeat(2 << 20)] {
        assert_eq!(read(&too_much).expect_err("too much").kind, ErrorKind::TooLong);
    }
}

/// The pieces of random inputs.
pub(crate) const FRAGMENTS: [&str; 63] = [
    "curl", "curl ", " ", "\n", "\r\n", "\t", "'", "\"", "\\", "\\\n", "`", "$", "$(", "${", "}",
    ")", "$'", "<", ">", "<s>", "$s1", "${s1}", "&", "&&", "|", "||", ";", "#", "(", "{", "[", "]",
    "-X", " -d ", "--data", "--data=", "-H", "-", "--", "-G", "-sXPUT", "@f", "PUT ", "GET /",
    "/v1/kv/a", "http://", "://", "?a&b", "s1=", "s1 <- ", "export ", "= ", "help", "| jq .",
    "\\x", "\\777", "\u{a0}", "“", "键", "2>", "<<< ", "|| true", "sudo ",
];
/// The longer ones.
const PHRASES: [&str; 9] = [
    "<Updated Lock Body>",
    "consul kv",
    "\\uFFFFFFFF",
    "\u{f0000}",
    "\u{10ffff}",
    "/dev/null",
    "/v1/kv/{a,b}[1-3]",
    "echo x | ",
    "consul kv put -cas ",
];

/// A small random generator (xorshift), so that the inputs are the same on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn fragments(&mut self) -> String {
        let count = self.below(14);
        (0..count).map(|_| self.fragment()).collect()
    }

    fn fragment(&mut self) -> &'static str {
        let index = self.below(FRAGMENTS.len() + PHRASES.len());
        FRAGMENTS.iter().chain(&PHRASES).nth(index).copied().unwrap_or_default()
    }

    /// A good input without its beginning, and with a few characters removed, doubled or replaced.
    fn mutated(&mut self) -> String {
        let mut chars: Vec<char> = GOOD.chars().collect();
        for _ in 0..self.below(6) {
            let index = self.below(chars.len());
            match self.below(3) {
                0 => drop(chars.remove(index)),
                1 => chars.insert(index, chars[index]),
                _ => {
                    chars[index] = self.fragment().chars().next().unwrap_or('x');
                }
            }
        }
        chars.into_iter().skip(self.below(40)).collect()
    }
}

const GOOD: &str = "$ s1=$(curl -X PUT -d '{\"Name\": \"a\"}' \\\n http://host/v1/session/create)\n\
                    curl -XPUT -d $'x\\n' \"/v1/kv/a?acquire=<s1>&flags=1\" && curl /a?raw # done\n\
                    PUT /v1/kv/b\n{\"a\": [\n1]}\n\ns2 <- PUT /v1/session/create\n";

/// Inputs made at random, the same in every run.
pub(crate) fn odd_inputs() -> impl Iterator<Item = String> {
    let mut chance = Chance(0x5eed);
    let input = move |round| if round % 2 == 0 { chance.fragments() } else { chance.mutated() };
    (0..20_000).map(input)
}

#[test]
fn random_inputs_never_panic() {
    let mut complete = 0;
    for input in odd_inputs() {
        match read(&input) {
            Err(error) => {
                assert!(input.get(error.span.clone()).is_some(), "{input:?}: {error:?}");
                position_of(&input, error.span.start);
            }
            Ok(commands) => {
                complete += commands.len();
                for command in commands {
                    // A command in brackets has the span of the one around it.
                    assert!(input[command.span.clone()].contains(&command.text), "{input:?}");
                    check_filled(&input, &command);
                }
            }
        }
    }
    assert!(complete > 2_000, "only {complete} commands were complete");
}

fn check_filled(input: &str, command: &ConsoleCommand) {
    for value in [&capitals as PlaceholderValues<'_>, &|_: &str| None] {
        match command.fill(value) {
            Ok(FilledCommand::Send { request, .. }) => {
                assert!(request.target.starts_with('/'), "{input:?}: {request:?}");
                assert!(request.target.bytes().all(|byte| byte.is_ascii_graphic()), "{request:?}");
            }
            Ok(_) => {}
            Err(errors) => {
                for error in errors {
                    assert!(input.get(error.span.clone()).is_some(), "{input:?}: {error:?}");
                }
            }
        }
    }
}
