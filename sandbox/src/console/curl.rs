//! curl's options, as far as a request has a use for them. The rest is refused by name: an option
//! that is taken and ignored would change what the command means.

use super::fault::{Fault, Trouble};
use super::{Draft, Origin, Shown, What, Word};

/// Reads the words of one command that starts at `start`: `curl`, or `help`.
pub(super) fn read(words: &[Word], start: usize) -> Result<What, Fault> {
    let Some((program, rest)) = words.split_first() else {
        return Err(Fault::new(Trouble::NoCommand, start..start));
    };
    match program.text.as_str() {
        "curl" | "curl.exe" => Reader::new(rest).draft(program).map(What::Ask),
        "help" | "?" if rest.is_empty() => Ok(What::Help),
        "consul" => Err(Fault::new(Trouble::ConsulProgram, program.span.clone())),
        other => Err(Fault::new(Trouble::UnknownProgram(other.into()), program.span.clone())),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Method,
    Body,
    /// A body in which a leading `@` is text.
    RawBody,
    JsonBody,
    Header,
    Address,
    BodyIsQuery,
    Head,
    ShowHeaders,
    /// It changes nothing that this page shows.
    Nothing,
}

fn short(option: char) -> Option<Meaning> {
    Some(match option {
        'X' => Meaning::Method,
        'd' => Meaning::Body,
        'H' => Meaning::Header,
        'G' => Meaning::BodyIsQuery,
        'I' => Meaning::Head,
        'i' | 'v' => Meaning::ShowHeaders,
        's' | 'S' | 'L' | 'f' | 'k' | 'g' | 'N' | '#' | '0' | '4' | '6' => Meaning::Nothing,
        _ => return None,
    })
}

fn long(option: &str) -> Option<Meaning> {
    Some(match option {
        "request" => Meaning::Method,
        "data" | "data-ascii" | "data-binary" => Meaning::Body,
        "data-raw" => Meaning::RawBody,
        "json" => Meaning::JsonBody,
        "header" => Meaning::Header,
        "url" => Meaning::Address,
        "get" => Meaning::BodyIsQuery,
        "head" => Meaning::Head,
        "include" | "show-headers" | "verbose" => Meaning::ShowHeaders,
        "silent" | "show-error" | "location" | "fail" | "fail-with-body" | "insecure"
        | "globoff" | "no-buffer" | "compressed" | "ipv4" | "ipv6" | "http1.0" | "http1.1"
        | "no-progress-meter" | "progress-bar" => Meaning::Nothing,
        _ => return None,
    })
}

/// Goes through the words and adds up what the options say.
struct Reader<'w> {
    words: core::slice::Iter<'w, Word>,
    method: Option<Word>,
    url: Option<Word>,
    headers: Vec<(String, String)>,
    bodies: Vec<String>,
    body_is_query: bool,
    wants_head: bool,
    shown: Shown,
}

impl<'w> Reader<'w> {
    fn new(words: &'w [Word]) -> Self {
        Self {
            words: words.iter(),
            method: None,
            url: None,
            headers: Vec::new(),
            bodies: Vec::new(),
            body_is_query: false,
            wants_head: false,
            shown: Shown::Body,
        }
    }

    fn draft(mut self, program: &Word) -> Result<Draft, Fault> {
        while let Some(word) = self.words.next() {
            self.word(word)?;
        }
        let (method, origin) = self.method()?;
        let Some(url) = self.url else {
            return Err(Fault::new(Trouble::NoAddress, program.span.clone()));
        };
        let (query, body) = if self.body_is_query {
            (self.bodies, String::new())
        } else {
            (Vec::new(), self.bodies.join("&"))
        };
        let (headers, shown) = (self.headers, self.shown);
        Ok(Draft { method, origin, url, query, headers, body, shown, awaits: None })
    }

    fn method(&self) -> Result<(String, Origin), Fault> {
        if let Some(word) = &self.method {
            let is_method = word.text.chars().all(|c| c.is_ascii_alphabetic() || !c.is_ascii());
            return if is_method {
                Ok((word.text.clone(), Origin::Written))
            } else {
                Err(Fault::new(Trouble::Method, word.span.clone()))
            };
        }
        Ok(match (self.wants_head, self.bodies.is_empty() || self.body_is_query) {
            (true, _) => ("HEAD".into(), Origin::Implied),
            (false, true) => ("GET".into(), Origin::Implied),
            (false, false) => ("POST".into(), Origin::FromBody),
        })
    }

    fn word(&mut self, word: &Word) -> Result<(), Fault> {
        match word.text.strip_prefix('-') {
            Some("-") => Ok(()),
            Some(option) if option.starts_with('-') => self.long(word),
            Some(letters) if !letters.is_empty() => self.short(word),
            _ => self.address(word.clone()),
        }
    }

    /// curl wants a blank before the value of a long option; `=` is how people write it all the
    /// same.
    fn long(&mut self, word: &Word) -> Result<(), Fault> {
        let (option, glued) = match word.text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.text.as_str(), None),
        };
        let meaning = long(&option[2..]);
        self.option(word, option, meaning, glued)
    }

    /// Several letters may share a word, and the last may have its value behind it: `-sXPUT`.
    fn short(&mut self, word: &Word) -> Result<(), Fault> {
        for (at, letter) in word.text.char_indices().skip(1) {
            let meaning = short(letter);
            let rest = &word.text[at + letter.len_utf8()..];
            let glued = Some(rest).filter(|rest| !rest.is_empty());
            self.option(word, &format!("-{letter}"), meaning, glued)?;
            if meaning.is_some_and(Meaning::takes_a_value) {
                break;
            }
        }
        Ok(())
    }

    fn option(
        &mut self,
        word: &Word,
        option: &str,
        meaning: Option<Meaning>,
        glued: Option<&str>,
    ) -> Result<(), Fault> {
        let Some(meaning) = meaning else {
            return Err(Fault::new(Trouble::UnknownOption(option.into()), word.span.clone()));
        };
        if !meaning.takes_a_value() {
            self.switch(meaning);
            return Ok(());
        }
        let value = match glued {
            Some(text) => Some(Word { text: text.into(), span: word.span.clone() }),
            None => self.words.next().cloned(),
        };
        match value {
            Some(value) => self.value(meaning, value),
            None => Err(Fault::new(Trouble::ValueMissing(option.into()), word.span.clone())),
        }
    }

    fn switch(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::BodyIsQuery => self.body_is_query = true,
            Meaning::Head => {
                self.wants_head = true;
                self.shown = Shown::Headers;
            }
            Meaning::ShowHeaders => self.shown = Shown::Headers,
            Meaning::Nothing => {}
            Meaning::Method
            | Meaning::Body
            | Meaning::RawBody
            | Meaning::JsonBody
            | Meaning::Header
            | Meaning::Address => debug_assert!(false, "these take a value"),
        }
    }

    fn value(&mut self, meaning: Meaning, value: Word) -> Result<(), Fault> {
        let is_file = value.text.starts_with('@') && meaning != Meaning::RawBody;
        match meaning {
            Meaning::Method => self.method = Some(value),
            Meaning::Address => self.address(value)?,
            _ if is_file => return Err(Fault::new(Trouble::File, value.span)),
            Meaning::Header => self.header(&value)?,
            Meaning::JsonBody => {
                self.headers.push(("Content-Type".into(), "application/json".into()));
                self.bodies.push(value.text);
            }
            _ => self.bodies.push(value.text),
        }
        Ok(())
    }

    /// `Name: value`, or `Name;` for one without a value.
    fn header(&mut self, header: &Word) -> Result<(), Fault> {
        let text = header.text.as_str();
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, value.trim()),
            None => (text.strip_suffix(';').unwrap_or_default(), ""),
        };
        if name.trim().is_empty() || text.contains(['\n', '\r']) {
            return Err(Fault::new(Trouble::Header, header.span.clone()));
        }
        self.headers.push((name.trim().into(), value.into()));
        Ok(())
    }

    fn address(&mut self, word: Word) -> Result<(), Fault> {
        if self.url.is_some() {
            return Err(Fault::new(Trouble::SecondAddress(word.text), word.span));
        }
        self.url = Some(word);
        Ok(())
    }
}

impl Meaning {
    fn takes_a_value(self) -> bool {
        !matches!(self, Self::BodyIsQuery | Self::Head | Self::ShowHeaders | Self::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(line: &str) -> Result<Draft, Trouble> {
        let words: Vec<Word> = shell_words::split(line)
            .expect("quotes are closed")
            .into_iter()
            .map(|text| Word { text, span: 0..0 })
            .collect();
        match read(&words, 0) {
            Ok(What::Ask(draft)) => Ok(draft),
            Ok(other) => panic!("{other:?}"),
            Err(fault) => Err(fault.trouble),
        }
    }

    #[test]
    fn the_forms_of_the_guides_make_requests() {
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
            let draft = draft(line).unwrap_or_else(|trouble| panic!("{line}: {trouble:?}"));
            let read = (draft.method.as_str(), draft.url.text.as_str(), draft.body.as_str());
            assert_eq!(read, (method, url, body), "{line}");
        }
    }

    #[test]
    fn headers_queries_and_shown_headers_are_kept() {
        let draft =
            draft("curl -v -G -d recurse -H 'X-Consul-Token: a:b' -H 'X;' /a").expect("fine");
        assert_eq!((draft.method.as_str(), draft.shown), ("GET", Shown::Headers));
        assert_eq!(draft.query, ["recurse"]);
        let headers = [("X-Consul-Token".into(), "a:b".into()), ("X".into(), String::new())];
        assert_eq!(draft.headers, headers);
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        for (line, trouble) in [
            ("curl", Trouble::NoAddress),
            ("curl -X", Trouble::ValueMissing("-X".into())),
            ("curl --data", Trouble::ValueMissing("--data".into())),
            ("curl -so x /a", Trouble::UnknownOption("-o".into())),
            ("curl --max-time 3 /a", Trouble::UnknownOption("--max-time".into())),
            ("curl -d @x.json /a", Trouble::File),
            ("curl -d {Name: x} /a", Trouble::SecondAddress("/a".into())),
            ("curl -H nonsense /a", Trouble::Header),
            ("curl -X 'P T' /a", Trouble::Method),
            ("wget /a", Trouble::UnknownProgram("wget".into())),
            ("consul kv get a", Trouble::ConsulProgram),
        ] {
            assert_eq!(draft(line), Err(trouble), "{line}");
        }
    }
}
