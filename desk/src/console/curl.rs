//! Reads a command line of curl as a request. An unknown option is an error that names the option,
//! since to ignore it could change the meaning of the command.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::{CommandError, ErrorKind};
use super::kv_output::ErrorStream;
use super::request::{
    AnswerParts, MethodSource, ProgramLine, ProgramOutput, Redirect, RequestTemplate, Sending,
};
use super::url::{self, escaped};
use super::word::Token;
use super::write_out::WriteOut;

/// The characters that `--data-urlencode` encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Reads a command line.
pub(super) fn read(line: ProgramLine<'_, '_, '_>) -> Result<RequestTemplate, CommandError> {
    let mut parser = CurlParser {
        words: line.words.iter(),
        line,
        method: None,
        url: None,
        headers: Vec::new(),
        bodies: Vec::new(),
        write_out: None,
        switches: Vec::new(),
    };
    while let Some(word) = parser.words.next() {
        parser.word(word)?;
    }
    parser.template()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurlOption {
    Method,
    /// A body that loses the line ends of a file.
    Body,
    /// A body that keeps the line ends of a file.
    BinaryBody,
    /// A body in which a leading `@` is text.
    RawBody,
    JsonBody,
    /// `--data-urlencode`.
    EncodedBody,
    Header,
    Address,
    BodyIsQuery,
    Head,
    ShowHeaders,
    /// Prints the headers to the error stream.
    Verbose,
    FollowRedirects,
    /// A redirected POST keeps its method and its body.
    KeepPost,
    /// The answer is written to a file.
    Output,
    WriteOut,
    /// A file is the body of a PUT.
    Upload,
    /// `-D -`; into a file it is not supported.
    DumpHeaders,
    /// Brackets and braces in an address are text.
    NoPatterns,
    /// The segments `.` and `..` of a path are sent.
    PathAsIs,
    /// An option that has no effect in the sandbox.
    Nothing,
    /// The same with a value.
    NothingWithValue,
}

/// The options in all their spellings.
const OPTIONS: [(&str, CurlOption); 22] = [
    ("-X --request", CurlOption::Method),
    ("-d --data --data-ascii", CurlOption::Body),
    ("--data-binary", CurlOption::BinaryBody),
    ("--data-raw", CurlOption::RawBody),
    ("--json", CurlOption::JsonBody),
    ("--data-urlencode", CurlOption::EncodedBody),
    ("-H --header", CurlOption::Header),
    ("--url", CurlOption::Address),
    ("-G --get", CurlOption::BodyIsQuery),
    ("-I --head", CurlOption::Head),
    ("-i --include --show-headers", CurlOption::ShowHeaders),
    ("-v --verbose", CurlOption::Verbose),
    ("-L --location", CurlOption::FollowRedirects),
    ("--post301", CurlOption::KeepPost),
    ("-o --output", CurlOption::Output),
    ("-w --write-out", CurlOption::WriteOut),
    ("-T --upload-file", CurlOption::Upload),
    ("-D --dump-header", CurlOption::DumpHeaders),
    ("-g --globoff", CurlOption::NoPatterns),
    ("--path-as-is", CurlOption::PathAsIs),
    (
        "-s --silent -S --show-error -f --fail --fail-with-body -k --insecure -N --no-buffer \
         -# --progress-bar --no-progress-meter --compressed -4 --ipv4 -6 --ipv6 -0 --http1.0 \
         --http1.1",
        CurlOption::Nothing,
    ),
    (
        "--cacert --capath --cert --key --connect-timeout --retry --retry-delay",
        CurlOption::NothingWithValue,
    ),
];

/// The meaning of an option with its hyphens; `None` for an unknown one.
fn meaning(option: &str) -> Option<CurlOption> {
    let is_its = |(names, _): &&(&str, CurlOption)| names.split(' ').any(|name| name == option);
    OPTIONS.iter().find(is_its).map(|(_, meaning)| *meaning)
}

/// The options with which curl sends a text that begins with `@` as it is, in place of an option
/// that would read the file of this name. `None` for an option that reads no file as a body.
pub(super) fn options_for_text(option: &str) -> Option<&'static str> {
    match meaning(option)? {
        CurlOption::Body | CurlOption::BinaryBody => Some("--data-raw"),
        CurlOption::JsonBody => Some("-H 'Content-Type: application/json' --data-raw"),
        _ => None,
    }
}

/// Options that are not supported and change nothing in a request.
const HARMLESS: [&str; 8] =
    ["-m", "--max-time", "-D", "--dump-header", "-O", "-J", "--trace", "--stderr"];

/// Whether the request is the same without an option that is not supported.
pub fn is_harmless_option(option: &str) -> bool {
    HARMLESS.contains(&option) || option.starts_with("-w ")
}

/// The options that were read so far, and the words that follow.
struct CurlParser<'w, 'e, 'v> {
    line: ProgramLine<'w, 'e, 'v>,
    words: core::slice::Iter<'w, Token>,
    method: Option<Token>,
    url: Option<Token>,
    headers: Vec<(String, String)>,
    bodies: Vec<String>,
    write_out: Option<Token>,
    /// The options of which no value is kept.
    switches: Vec<CurlOption>,
}

impl CurlParser<'_, '_, '_> {
    fn has(&self, switch: CurlOption) -> bool {
        self.switches.contains(&switch)
    }

    /// The request of the words that were read.
    fn template(mut self) -> Result<RequestTemplate, CommandError> {
        let refused = |kind| CommandError::new(kind, self.line.program.span.clone());
        if self.has(CurlOption::Head) && self.sends_body() {
            return Err(refused(ErrorKind::HeadWithBody));
        }
        let (method, origin) = self.method()?;
        let Some(url) = self.url.take() else { return Err(refused(ErrorKind::NoAddress)) };
        if !self.has(CurlOption::NoPatterns) && url::has_patterns(&url.text) {
            return Err(CommandError::new(ErrorKind::Pattern, url.span));
        }
        let output = self.output()?;
        let (shown, redirect) = (self.shown(), self.redirect());
        let removes_dots = !self.has(CurlOption::PathAsIs);
        let (query, body) = if self.has(CurlOption::BodyIsQuery) {
            (self.bodies, String::new())
        } else {
            (Vec::new(), self.bodies.join("&"))
        };
        let headers = self.headers;
        let sending = Sending { shown, origin, output, redirect };
        let template = RequestTemplate::new(&method, url);
        Ok(RequestTemplate { removes_dots, query, headers, body, sending, ..template })
    }

    fn shown(&self) -> AnswerParts {
        let is_verbose = self.has(CurlOption::Verbose) && self.line.errors != ErrorStream::Dropped;
        let is_shown = self.has(CurlOption::Head) || self.has(CurlOption::ShowHeaders);
        if is_verbose || is_shown { AnswerParts::Headers } else { AnswerParts::Body }
    }

    fn output(&self) -> Result<Option<ProgramOutput>, CommandError> {
        let Some(format) = &self.write_out else { return Ok(None) };
        let unknown = |name: String| {
            CommandError::new(ErrorKind::UnknownOption(format!("-w {name}")), format.span.clone())
        };
        if format.text.starts_with('@') {
            return Err(unknown(format.text.clone()));
        }
        let write_out = WriteOut::read(&format.text, !self.has(CurlOption::Output));
        write_out.map(|it| Some(ProgramOutput::Curl(it))).map_err(unknown)
    }

    /// How curl follows a redirect; `None` without `-L`. After a 301, curl keeps the method of
    /// `-X`, and drops the body of `-d`.
    fn redirect(&self) -> Option<Redirect> {
        let keeps_post = self.has(CurlOption::KeepPost) || self.has(CurlOption::Upload);
        let keeps_method = self.method.is_some() || keeps_post;
        let redirect = Redirect { keeps_method, keeps_body: keeps_post };
        self.has(CurlOption::FollowRedirects).then_some(redirect)
    }

    fn sends_body(&self) -> bool {
        !self.bodies.is_empty() && !self.has(CurlOption::BodyIsQuery)
    }

    fn method(&self) -> Result<(String, MethodSource), CommandError> {
        if let Some(word) = &self.method {
            let is_method = word.text.chars().all(|c| c.is_ascii_alphabetic() || !c.is_ascii());
            return if is_method {
                Ok((word.text.clone(), MethodSource::Written))
            } else {
                Err(CommandError::new(ErrorKind::Method, word.span.clone()))
            };
        }
        let (method, source) = if self.has(CurlOption::Upload) {
            ("PUT", MethodSource::Implied)
        } else if self.has(CurlOption::Head) {
            ("HEAD", MethodSource::Implied)
        } else if self.sends_body() {
            ("POST", MethodSource::FromBody)
        } else {
            ("GET", MethodSource::Implied)
        };
        Ok((method.into(), source))
    }

    fn word(&mut self, word: &Token) -> Result<(), CommandError> {
        match word.text.strip_prefix('-') {
            Some("-") => Ok(()),
            Some(option) if option.starts_with('-') => self.long(word),
            Some(letters) if !letters.is_empty() => self.short(word),
            _ => self.address(word.clone()),
        }
    }

    /// Reads a long option. curl requires a blank before its value; `=`, which people write, is
    /// accepted, too.
    fn long(&mut self, word: &Token) -> Result<(), CommandError> {
        let (option, glued) = match word.text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.text.as_str(), None),
        };
        self.option(word, option, glued).map(drop)
    }

    /// Reads the short options of a word; the last one may have its value after it: `-sXPUT`.
    fn short(&mut self, word: &Token) -> Result<(), CommandError> {
        for (place, letter) in word.text.char_indices().skip(1) {
            let rest = &word.text[place + letter.len_utf8()..];
            let glued = Some(rest).filter(|rest| !rest.is_empty());
            if self.option(word, &format!("-{letter}"), glued)?.takes_a_value() {
                break;
            }
        }
        Ok(())
    }

    /// Reads one option. `glued` is the value in the same word, if there is one.
    fn option(
        &mut self,
        word: &Token,
        option: &str,
        glued: Option<&str>,
    ) -> Result<CurlOption, CommandError> {
        let refused = |kind| CommandError::new(kind, word.span.clone());
        let meaning =
            meaning(option).ok_or_else(|| refused(ErrorKind::UnknownOption(option.into())))?;
        if !meaning.takes_a_value() {
            self.switches.push(meaning);
            return Ok(meaning);
        }
        let value = match glued {
            Some(text) => Some(Token { text: text.into(), span: word.span.clone() }),
            None => self.words.next().cloned(),
        };
        let value = value.ok_or_else(|| refused(ErrorKind::ValueMissing(option.into())))?;
        self.value(meaning, value)?;
        Ok(meaning)
    }

    fn value(&mut self, meaning: CurlOption, value: Token) -> Result<(), CommandError> {
        match meaning {
            CurlOption::Method => self.method = Some(value),
            CurlOption::WriteOut => self.write_out = Some(value),
            CurlOption::Output => self.switches.push(meaning),
            CurlOption::NothingWithValue => {}
            CurlOption::Address => self.address(value)?,
            CurlOption::Header => self.header(&value)?,
            CurlOption::DumpHeaders if value.text == "-" => {
                self.switches.push(CurlOption::ShowHeaders);
            }
            CurlOption::DumpHeaders => {
                let kind = ErrorKind::UnknownOption("-D".into());
                return Err(CommandError::new(kind, value.span));
            }
            CurlOption::Upload => {
                self.switches.push(meaning);
                let file = if value.text == "." { "-" } else { &value.text };
                self.bodies.push(self.line.content(file, &value.span)?);
            }
            CurlOption::RawBody => self.bodies.push(value.text),
            CurlOption::EncodedBody => {
                let body = self.encoded_body(&value)?;
                self.bodies.push(body);
            }
            CurlOption::JsonBody => {
                self.headers.push(("Content-Type".into(), "application/json".into()));
                self.body(meaning, value)?;
            }
            _ => self.body(meaning, value)?,
        }
        Ok(())
    }

    /// Adds the body of an option's value: the text, the content of the file after `@`, or the
    /// input of the command for `@-`.
    fn body(&mut self, meaning: CurlOption, value: Token) -> Result<(), CommandError> {
        let body = match value.text.strip_prefix('@') {
            None => value.text,
            Some(file) => {
                let content = self.line.content(file, &value.span)?;
                let is_joined = meaning == CurlOption::Body;
                if is_joined { content.replace(['\r', '\n'], "") } else { content }
            }
        };
        self.bodies.push(body);
        Ok(())
    }

    /// The body of `--data-urlencode`: `content`, `name=content`, `@file` or `name@file`.
    fn encoded_body(&mut self, value: &Token) -> Result<String, CommandError> {
        let encode = |text: &str| escaped(text, |c| utf8_percent_encode(c, ENCODED).to_string());
        let Some(place) = value.text.find(['=', '@']) else { return Ok(encode(&value.text)) };
        let (name, content) = (&value.text[..place], &value.text[place + 1..]);
        let content = match &value.text[place..=place] {
            "@" => encode(&self.line.content(content, &value.span)?),
            _ => encode(content),
        };
        Ok(if name.is_empty() { content } else { format!("{name}={content}") })
    }

    /// Reads a header: `Name: value`, or `Name;` for one without a value.
    fn header(&mut self, header: &Token) -> Result<(), CommandError> {
        let text = header.text.as_str();
        if text.starts_with('@') {
            return Err(CommandError::new(ErrorKind::File, header.span.clone()));
        }
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, value.trim()),
            None => (text.strip_suffix(';').unwrap_or_default(), ""),
        };
        if name.trim().is_empty() || text.contains(['\n', '\r']) {
            return Err(CommandError::new(ErrorKind::Header, header.span.clone()));
        }
        // curl sends no header whose value is empty, such as that of a token that is not set.
        if !value.is_empty() || !text.contains(':') {
            self.headers.push((name.trim().into(), value.into()));
        }
        Ok(())
    }

    fn address(&mut self, word: Token) -> Result<(), CommandError> {
        if self.url.is_some() {
            return Err(CommandError::new(ErrorKind::SecondAddress(word.text), word.span));
        }
        self.url = Some(word);
        Ok(())
    }
}

impl CurlOption {
    fn takes_a_value(self) -> bool {
        !matches!(
            self,
            Self::BodyIsQuery
                | Self::Head
                | Self::ShowHeaders
                | Self::Verbose
                | Self::FollowRedirects
                | Self::KeepPost
                | Self::NoPatterns
                | Self::PathAsIs
                | Self::Nothing
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::Source;
    use super::super::parse;
    use super::super::request::Draft;
    use super::super::word::Expansion;
    use super::*;

    fn draft(line: &str) -> Result<RequestTemplate, ErrorKind> {
        let command = parse::read(line).map_err(|error| error.kind)?.remove(0);
        assert!(matches!(command.source, Source::Line(_)), "{line}");
        match command.draft(&mut Expansion::new(&|_| None)) {
            Ok(Draft::Request(draft)) => Ok(draft),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_of_the_guides_become_requests() {
        for (line, method, url, body) in [
            ("curl -X PUT -d x /a", "PUT", "/a", "x"),
            ("curl --request PUT --data x /a", "PUT", "/a", "x"),
            ("curl --request=PUT --data-raw=@x --url=/a", "PUT", "/a", "@x"),
            ("curl -sXPUT -dx /a", "PUT", "/a", "x"),
            ("curl -si /a", "GET", "/a", ""),
            ("curl -d a=1 -d b=2 /a", "POST", "/a", "a=1&b=2"),
            ("curl -X DELETE -- /a", "DELETE", "/a", ""),
            (
                "curl -X PUT --data-urlencode 'a=b c&d' --data-urlencode '=é' /a",
                "PUT",
                "/a",
                "a=b%20c%26d&%C3%A9",
            ),
            ("curl -I /a", "HEAD", "/a", ""),
            ("curl -I -G -d recurse /a", "HEAD", "/a", ""),
            ("curl -X PUT --data-binary '' /a", "PUT", "/a", ""),
            ("curl /a -L --silent -XPUT", "PUT", "/a", ""),
        ] {
            let draft = draft(line).unwrap_or_else(|kind| panic!("{line}: {kind:?}"));
            let read = (draft.method.as_str(), draft.url.text.as_str(), draft.body.as_str());
            assert_eq!(read, (method, url, body), "{line}");
        }
    }

    #[test]
    fn headers_queries_and_shown_headers_are_kept() {
        let draft = draft("curl -v -G -d recurse -H 'X-Consul-Token: a:b' -H 'X;' -H 'Y:' /a")
            .expect("fine");
        assert_eq!((draft.method.as_str(), draft.sending.shown), ("GET", AnswerParts::Headers));
        assert_eq!(draft.query, ["recurse"]);
        let headers = [("X-Consul-Token".into(), "a:b".into()), ("X".into(), String::new())];
        assert_eq!(draft.headers, headers);
    }

    #[test]
    fn unknown_options_are_refused_by_name() {
        for (line, kind) in [
            ("curl", ErrorKind::NoAddress),
            ("curl -X", ErrorKind::ValueMissing("-X".into())),
            ("curl --data", ErrorKind::ValueMissing("--data".into())),
            ("curl -sw '%{time_total}' /a", ErrorKind::UnknownOption("-w %{time_total}".into())),
            ("curl -w @format /a", ErrorKind::UnknownOption("-w @format".into())),
            ("curl /a/{b,c}", ErrorKind::Pattern),
            ("curl '/a?b=[1-2]'", ErrorKind::Pattern),
            ("curl --max-time 3 /a", ErrorKind::UnknownOption("--max-time".into())),
            ("curl -d @- /a", ErrorKind::File),
            ("curl -H @x /a", ErrorKind::File),
            ("curl -d {Name: x} /a", ErrorKind::SecondAddress("/a".into())),
            ("curl -H nonsense /a", ErrorKind::Header),
            ("curl -X 'P T' /a", ErrorKind::Method),
            ("curl -X PUT -d x -I /a", ErrorKind::HeadWithBody),
            ("wget /a", ErrorKind::OtherClient("wget /a".into())),
            ("consul members", ErrorKind::ConsulProgram),
            ("crul /a", ErrorKind::DidYouMean { written: "crul".into(), meant: "curl" }),
        ] {
            assert_eq!(draft(line), Err(kind), "{line}");
        }
    }
}
