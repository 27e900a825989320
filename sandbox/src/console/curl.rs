//! Parses curl's options into a request. Unknown options are errors that name the option, since
//! ignoring one would change the meaning of the command. `program` calls it.

use super::command::{AnswerParts, MethodSource, RequestTemplate};
use super::error::{CommandError, ErrorKind};
use super::placeholders::{FileLines, Placeholders, has_slot};
use super::token::Token;
use super::variables::file_variable;

/// Reads the words after `curl`, with its input and the names of the command.
pub(super) fn read(
    program: &Token,
    rest: &[Token],
    (input, placeholders): (Option<Token>, &mut Placeholders),
) -> Result<RequestTemplate, CommandError> {
    CurlParser::new(rest, input, placeholders).draft(program)
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
    Header,
    Address,
    BodyIsQuery,
    Head,
    ShowHeaders,
    /// `-D -`; into a file it is not supported.
    DumpHeaders,
    /// It has no effect on this page.
    Nothing,
    /// It has a value and changes nothing in the request.
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
        'i' | 'v' => CurlOption::ShowHeaders,
        'o' => CurlOption::NothingWithValue,
        's' | 'S' | 'L' | 'f' | 'k' | 'g' | 'N' | '#' | '0' | '4' | '6' => CurlOption::Nothing,
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
        "header" => CurlOption::Header,
        "url" => CurlOption::Address,
        "get" => CurlOption::BodyIsQuery,
        "head" => CurlOption::Head,
        "include" | "show-headers" | "verbose" => CurlOption::ShowHeaders,
        "silent" | "show-error" | "location" | "fail" | "fail-with-body" | "insecure"
        | "globoff" | "no-buffer" | "compressed" | "ipv4" | "ipv6" | "http1.0" | "http1.1"
        | "no-progress-meter" | "progress-bar" => CurlOption::Nothing,
        "dump-header" => CurlOption::DumpHeaders,
        "output" | "cacert" | "capath" | "cert" | "key" | "connect-timeout" | "retry"
        | "retry-delay" => CurlOption::NothingWithValue,
        _ => return None,
    })
}

/// Options that are not supported and change nothing in a request.
const HARMLESS: [&str; 10] = [
    "-w",
    "--write-out",
    "-m",
    "--max-time",
    "-D",
    "--dump-header",
    "-O",
    "-J",
    "--trace",
    "--stderr",
];

/// Whether a request is the same without an option that is not supported.
pub fn is_harmless_option(option: &str) -> bool {
    HARMLESS.contains(&option)
}

/// Parses the words one by one and collects the options.
struct CurlParser<'w, 'p> {
    input: Option<Token>,
    placeholders: &'p mut Placeholders,
    words: core::slice::Iter<'w, Token>,
    method: Option<Token>,
    url: Option<Token>,
    headers: Vec<(String, String)>,
    bodies: Vec<String>,
    body_is_query: bool,
    wants_head: bool,
    shown: AnswerParts,
}

impl<'w, 'p> CurlParser<'w, 'p> {
    fn new(words: &'w [Token], input: Option<Token>, placeholders: &'p mut Placeholders) -> Self {
        Self {
            input,
            placeholders,
            words: words.iter(),
            method: None,
            url: None,
            headers: Vec::new(),
            bodies: Vec::new(),
            body_is_query: false,
            wants_head: false,
            shown: AnswerParts::Body,
        }
    }

    fn draft(mut self, program: &Token) -> Result<RequestTemplate, CommandError> {
        while let Some(word) = self.words.next() {
            self.word(word)?;
        }
        let (method, origin) = self.method()?;
        let Some(url) = self.url else {
            return Err(CommandError::new(ErrorKind::NoAddress, program.span.clone()));
        };
        let (query, body) = if self.body_is_query {
            (self.bodies, String::new())
        } else {
            (Vec::new(), self.bodies.join("&"))
        };
        let (headers, shown) = (self.headers, self.shown);
        Ok(RequestTemplate {
            method,
            origin,
            url,
            query,
            headers,
            body,
            shown,
            awaits: None,
            output: None,
        })
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
        Ok(match (self.wants_head, self.bodies.is_empty() || self.body_is_query) {
            (true, _) => ("HEAD".into(), MethodSource::Implied),
            (false, true) => ("GET".into(), MethodSource::Implied),
            (false, false) => ("POST".into(), MethodSource::FromBody),
        })
    }

    fn word(&mut self, word: &Token) -> Result<(), CommandError> {
        match word.text.strip_prefix('-') {
            Some("-") => Ok(()),
            Some(option) if option.starts_with('-') => self.long(word),
            Some(letters) if !letters.is_empty() => self.short(word),
            _ => self.address(word.clone()),
        }
    }

    /// curl requires a blank before the value of a long option; people also write `=`.
    fn long(&mut self, word: &Token) -> Result<(), CommandError> {
        let (option, glued) = match word.text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.text.as_str(), None),
        };
        let meaning = long(&option[2..]);
        self.option(word, option, meaning, glued)
    }

    /// Several letters may share a word, and the last may have its value behind it: `-sXPUT`.
    fn short(&mut self, word: &Token) -> Result<(), CommandError> {
        for (at, letter) in word.text.char_indices().skip(1) {
            let meaning = short(letter);
            let rest = &word.text[at + letter.len_utf8()..];
            let glued = Some(rest).filter(|rest| !rest.is_empty());
            self.option(word, &format!("-{letter}"), meaning, glued)?;
            if meaning.is_some_and(CurlOption::takes_a_value) {
                break;
            }
        }
        Ok(())
    }

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
            self.switch(meaning);
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

    fn switch(&mut self, meaning: CurlOption) {
        match meaning {
            CurlOption::BodyIsQuery => self.body_is_query = true,
            CurlOption::Head => {
                self.wants_head = true;
                self.shown = AnswerParts::Headers;
            }
            CurlOption::ShowHeaders => self.shown = AnswerParts::Headers,
            CurlOption::Nothing => {}
            CurlOption::Method
            | CurlOption::DumpHeaders
            | CurlOption::Body
            | CurlOption::BinaryBody
            | CurlOption::NothingWithValue
            | CurlOption::RawBody
            | CurlOption::JsonBody
            | CurlOption::Header
            | CurlOption::Address => debug_assert!(false, "these take a value"),
        }
    }

    fn value(&mut self, meaning: CurlOption, value: Token) -> Result<(), CommandError> {
        match meaning {
            CurlOption::Method => self.method = Some(value),
            CurlOption::Address => self.address(value)?,
            CurlOption::NothingWithValue => {}
            CurlOption::DumpHeaders if value.text == "-" => self.shown = AnswerParts::Headers,
            CurlOption::DumpHeaders => {
                let kind = ErrorKind::UnknownOption("-D".into());
                return Err(CommandError::new(kind, value.span));
            }
            CurlOption::Header if value.text.starts_with('@') => {
                return Err(CommandError::new(ErrorKind::File, value.span));
            }
            CurlOption::Header => self.header(&value)?,
            CurlOption::RawBody => self.bodies.push(value.text),
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

    /// A body; one that begins with `@` names a file, or with `@-` the input of the command.
    fn body(&mut self, value: Token, lines: FileLines) -> Result<String, CommandError> {
        let Some(file) = value.text.strip_prefix('@') else { return Ok(value.text) };
        if file == "-" {
            let input = self.input.as_ref().map(|input| input.text.clone());
            let input = input.ok_or(CommandError::new(ErrorKind::File, value.span))?;
            return Ok(match lines {
                FileLines::Joined => input.replace(['\r', '\n'], ""),
                FileLines::Kept => input,
            });
        }
        if file.is_empty() || has_slot(file) {
            return Err(CommandError::new(ErrorKind::File, value.span));
        }
        Ok(self.placeholders.file(file_variable(file), lines, value.span)?.to_string())
    }

    /// `Name: value`, or `Name;` for one without a value.
    fn header(&mut self, header: &Token) -> Result<(), CommandError> {
        let text = header.text.as_str();
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, value.trim()),
            None => (text.strip_suffix(';').unwrap_or_default(), ""),
        };
        if name.trim().is_empty() || text.contains(['\n', '\r']) {
            return Err(CommandError::new(ErrorKind::Header, header.span.clone()));
        }
        self.headers.push((name.trim().into(), value.into()));
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
        !matches!(self, Self::BodyIsQuery | Self::Head | Self::ShowHeaders | Self::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::CommandKind;
    use super::super::program;
    use super::*;

    fn draft(line: &str) -> Result<RequestTemplate, ErrorKind> {
        let mut placeholders = Placeholders::default();
        let words: Vec<Token> = shell_words::split(line)
            .expect("quotes are closed")
            .into_iter()
            .map(|text| Token { text, span: 0..0 })
            .collect();
        let line = program::CommandLine { words: &words, input: None, output: None };
        match program::read(line, &mut placeholders, 0) {
            Ok(CommandKind::Ask(draft)) => Ok(draft),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.kind),
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
            ("curl -I /a", "HEAD", "/a", ""),
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
        let draft =
            draft("curl -v -G -d recurse -H 'X-Consul-Token: a:b' -H 'X;' /a").expect("fine");
        assert_eq!((draft.method.as_str(), draft.shown), ("GET", AnswerParts::Headers));
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
            ("curl -sw x /a", ErrorKind::UnknownOption("-w".into())),
            ("curl --max-time 3 /a", ErrorKind::UnknownOption("--max-time".into())),
            ("curl -d @- /a", ErrorKind::File),
            ("curl -H @x /a", ErrorKind::File),
            ("curl -d {Name: x} /a", ErrorKind::SecondAddress("/a".into())),
            ("curl -H nonsense /a", ErrorKind::Header),
            ("curl -X 'P T' /a", ErrorKind::Method),
            ("wget /a", ErrorKind::UnknownProgram("wget".into())),
            ("consul members", ErrorKind::ConsulProgram),
            ("crul /a", ErrorKind::DidYouMean { written: "crul".into(), meant: "curl" }),
        ] {
            assert_eq!(draft(line), Err(kind), "{line}");
        }
    }
}
