//! Reads a command line of curl as requests. An unknown option is an error that names the option,
//! since to ignore it could change the meaning of the command.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::{CommandError, ErrorKind};
use super::kv_output::ErrorStream;
use super::redirect::Redirect;
use super::request::{AnswerParts, MethodSource, ProgramOutput, RequestTemplate, Sending};
use super::url::escaped;
use super::url_pattern;
use super::word::{Expansion, Token, has_slot};
use super::write_out::WriteOut;

/// The characters that `--data-urlencode` encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A command line of curl: its words, its input and where its errors go.
pub(super) struct CurlLine<'w, 'e, 'v> {
    /// The word `curl`.
    pub(super) program: &'w Token,
    /// The words after it.
    pub(super) words: &'w [Token],
    /// The text of its standard input, if the command redirects it.
    pub(super) input: Option<String>,
    pub(super) errors: ErrorStream,
    pub(super) expansion: &'e mut Expansion<'v>,
}

/// Whether the line ends of a file are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileLines {
    /// curl's `-d` drops them.
    Joined,
    Kept,
}

/// Reads a command line: one request, or several if the address has patterns.
pub(super) fn read(line: CurlLine<'_, '_, '_>) -> Result<Vec<RequestTemplate>, CommandError> {
    let program = line.program;
    let mut parser = CurlParser::new(line);
    while let Some(word) = parser.words.next() {
        parser.word(word)?;
    }
    let takes_patterns = !parser.has(CurlOption::NoPatterns);
    let template = parser.template(program)?;
    if !takes_patterns {
        return Ok(vec![template]);
    }
    let addresses = url_pattern::expanded(&template.url.text)
        .map_err(|kind| CommandError::new(kind, template.url.span.clone()))?;
    let with = |text: String| {
        let url = Token { text, span: template.url.span.clone() };
        RequestTemplate { url, ..template.clone() }
    };
    Ok(addresses.into_iter().map(with).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurlOption {
    Method,
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
    /// `-L`.
    FollowRedirects,
    /// A redirected POST keeps its method and its body.
    KeepPost,
    /// The answer is written to a file.
    Output,
    WriteOut,
    /// `-T`: a file is the body of a PUT.
    Upload,
    /// `-D -`; into a file it is not supported.
    DumpHeaders,
    /// `-g`: brackets and braces in an address are text.
    NoPatterns,
    /// The segments `.` and `..` of a path are sent.
    PathAsIs,
    /// An option that has no effect in the sandbox.
    Nothing,
    /// The same with a value.
    NothingWithValue,
}

fn short(option: char) -> Option<CurlOption> {
    Some(match option {
        'X' => CurlOption::Method,
        'd' => CurlOption::Body,
        'H' => CurlOption::Header,
        'G' => CurlOption::BodyIsQuery,
        'I' => CurlOption::Head,
        'D' => CurlOption::DumpHeaders,
        'i' => CurlOption::ShowHeaders,
        'v' => CurlOption::Verbose,
        'L' => CurlOption::FollowRedirects,
        'o' => CurlOption::Output,
        'w' => CurlOption::WriteOut,
        'T' => CurlOption::Upload,
        'g' => CurlOption::NoPatterns,
        's' | 'S' | 'f' | 'k' | 'N' | '#' | '0' | '4' | '6' => CurlOption::Nothing,
        _ => return None,
    })
}

fn long(option: &str) -> Option<CurlOption> {
    Some(match option {
        "request" => CurlOption::Method,
        "data" | "data-ascii" => CurlOption::Body,
        "data-binary" => CurlOption::BinaryBody,
        "data-raw" => CurlOption::RawBody,
        "json" => CurlOption::JsonBody,
        "data-urlencode" => CurlOption::EncodedBody,
        "header" => CurlOption::Header,
        "url" => CurlOption::Address,
        "get" => CurlOption::BodyIsQuery,
        "head" => CurlOption::Head,
        "include" | "show-headers" => CurlOption::ShowHeaders,
        "verbose" => CurlOption::Verbose,
        "location" => CurlOption::FollowRedirects,
        "post301" => CurlOption::KeepPost,
        "output" => CurlOption::Output,
        "write-out" => CurlOption::WriteOut,
        "upload-file" => CurlOption::Upload,
        "globoff" => CurlOption::NoPatterns,
        "path-as-is" => CurlOption::PathAsIs,
        "silent" | "show-error" | "fail" | "fail-with-body" | "insecure" | "no-buffer"
        | "compressed" | "ipv4" | "ipv6" | "http1.0" | "http1.1" | "no-progress-meter"
        | "progress-bar" => CurlOption::Nothing,
        "dump-header" => CurlOption::DumpHeaders,
        "cacert" | "capath" | "cert" | "key" | "connect-timeout" | "retry" | "retry-delay" => {
            CurlOption::NothingWithValue
        }
        _ => return None,
    })
}

/// The options with which curl sends a text that begins with `@` as it is, in place of an option
/// that would read the file of this name. `None` for an option that reads no file as a body.
pub(super) fn options_for_text(option: &str) -> Option<&'static str> {
    let meaning = match option.strip_prefix("--") {
        Some(name) => long(name),
        None => option.strip_prefix('-').and_then(|letter| short(letter.parse().ok()?)),
    };
    match meaning? {
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
    input: Option<String>,
    errors: ErrorStream,
    expansion: &'e mut Expansion<'v>,
    words: core::slice::Iter<'w, Token>,
    method: Option<Token>,
    url: Option<Token>,
    headers: Vec<(String, String)>,
    bodies: Vec<String>,
    write_out: Option<Token>,
    /// The options of which no value is kept.
    switches: Vec<CurlOption>,
}

impl<'w, 'e, 'v> CurlParser<'w, 'e, 'v> {
    fn new(line: CurlLine<'w, 'e, 'v>) -> Self {
        Self {
            input: line.input,
            errors: line.errors,
            expansion: line.expansion,
            words: line.words.iter(),
            method: None,
            url: None,
            headers: Vec::new(),
            bodies: Vec::new(),
            write_out: None,
            switches: Vec::new(),
        }
    }

    fn has(&self, switch: CurlOption) -> bool {
        self.switches.contains(&switch)
    }

    /// The request of the words that were read.
    fn template(mut self, program: &Token) -> Result<RequestTemplate, CommandError> {
        if self.has(CurlOption::Head) && self.sends_body() {
            return Err(CommandError::new(ErrorKind::HeadWithBody, program.span.clone()));
        }
        let (method, origin) = self.method()?;
        let Some(url) = self.url.take() else {
            return Err(CommandError::new(ErrorKind::NoAddress, program.span.clone()));
        };
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
        let is_shown = [CurlOption::Head, CurlOption::ShowHeaders].map(|it| self.has(it));
        let is_verbose = self.has(CurlOption::Verbose) && self.errors != ErrorStream::Dropped;
        if is_verbose || is_shown.contains(&true) {
            AnswerParts::Headers
        } else {
            AnswerParts::Body
        }
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
        let meaning = long(&option[2..]);
        self.option(word, option, meaning, glued)
    }

    /// Reads the short options of a word; the last one may have its value after it: `-sXPUT`.
    fn short(&mut self, word: &Token) -> Result<(), CommandError> {
        for (place, letter) in word.text.char_indices().skip(1) {
            let meaning = short(letter);
            let rest = &word.text[place + letter.len_utf8()..];
            let glued = Some(rest).filter(|rest| !rest.is_empty());
            self.option(word, &format!("-{letter}"), meaning, glued)?;
            if meaning.is_some_and(CurlOption::takes_a_value) {
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
        meaning: Option<CurlOption>,
        glued: Option<&str>,
    ) -> Result<(), CommandError> {
        let Some(meaning) = meaning else {
            return Err(CommandError::new(
                ErrorKind::UnknownOption(option.into()),
                word.span.clone(),
            ));
        };
        if !meaning.takes_a_value() {
            self.switches.push(meaning);
            return Ok(());
        }
        let value = match glued {
            Some(text) => Some(Token { text: text.into(), span: word.span.clone() }),
            None => self.words.next().cloned(),
        };
        match value {
            Some(value) => self.value(meaning, value),
            None => {
                Err(CommandError::new(ErrorKind::ValueMissing(option.into()), word.span.clone()))
            }
        }
    }

    fn value(&mut self, meaning: CurlOption, value: Token) -> Result<(), CommandError> {
        match meaning {
            CurlOption::Method => self.method = Some(value),
            CurlOption::Address => self.address(value)?,
            CurlOption::NothingWithValue => {}
            CurlOption::Output => self.switches.push(meaning),
            CurlOption::WriteOut => self.write_out = Some(value),
            CurlOption::Upload => {
                self.switches.push(meaning);
                let is_input = matches!(value.text.as_str(), "-" | ".");
                let text = format!("@{}", if is_input { "-" } else { &value.text });
                let body = self.body(Token { text, ..value }, FileLines::Kept)?;
                self.bodies.push(body);
            }
            CurlOption::DumpHeaders if value.text == "-" => {
                self.switches.push(CurlOption::ShowHeaders);
            }
            CurlOption::DumpHeaders => {
                let kind = ErrorKind::UnknownOption("-D".into());
                return Err(CommandError::new(kind, value.span));
            }
            CurlOption::Header if value.text.starts_with('@') => {
                return Err(CommandError::new(ErrorKind::File, value.span));
            }
            CurlOption::Header => self.header(&value)?,
            CurlOption::RawBody => self.bodies.push(value.text),
            CurlOption::EncodedBody => {
                let body = self.encoded_body(value)?;
                self.bodies.push(body);
            }
            CurlOption::JsonBody => {
                self.headers.push(("Content-Type".into(), "application/json".into()));
                let body = self.body(value, FileLines::Kept)?;
                self.bodies.push(body);
            }
            CurlOption::BinaryBody => {
                let body = self.body(value, FileLines::Kept)?;
                self.bodies.push(body);
            }
            _ => {
                let body = self.body(value, FileLines::Joined)?;
                self.bodies.push(body);
            }
        }
        Ok(())
    }

    /// The body of an option's value: the text, the content of the file after `@`, or the input of
    /// the command for `@-`.
    fn body(&mut self, value: Token, lines: FileLines) -> Result<String, CommandError> {
        let Some(file) = value.text.strip_prefix('@') else { return Ok(value.text) };
        let content = if file == "-" {
            self.input.clone().ok_or(CommandError::new(ErrorKind::File, value.span))?
        } else if file.is_empty() || has_slot(file) {
            return Err(CommandError::new(ErrorKind::File, value.span));
        } else {
            self.expansion.file(file, &value.span)
        };
        Ok(match lines {
            FileLines::Joined => content.replace(['\r', '\n'], ""),
            FileLines::Kept => content,
        })
    }

    /// The body of `--data-urlencode`: `content`, `name=content`, `@file` or `name@file`.
    fn encoded_body(&mut self, value: Token) -> Result<String, CommandError> {
        let encode = |text: &str| escaped(text, |c| utf8_percent_encode(c, ENCODED).to_string());
        Ok(match value.text.find(['=', '@']) {
            Some(0) if value.text.starts_with('=') => encode(&value.text[1..]),
            Some(0) => encode(&self.body(value, FileLines::Kept)?),
            Some(place) if value.text[place..].starts_with('@') => {
                let (name, file) = value.text.split_at(place);
                let file = Token { text: file.to_owned(), span: value.span.clone() };
                format!("{name}={}", encode(&self.body(file, FileLines::Kept)?))
            }
            Some(place) => {
                let (name, content) = value.text.split_at(place + 1);
                format!("{name}{}", encode(content))
            }
            None => encode(&value.text),
        })
    }

    /// Reads a header: `Name: value`, or `Name;` for one without a value.
    fn header(&mut self, header: &Token) -> Result<(), CommandError> {
        let text = header.text.as_str();
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
            ("curl /a/{b", ErrorKind::Pattern("unmatched brace".into())),
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
