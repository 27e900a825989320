//! Completions of the word before the caret: endpoints, their parameters, and existing keys,
//! sessions, nodes, checks and variables.

use core::ops::ControlFlow;

use lictor_core::http::endpoints;

use crate::direction::Direction;

/// The largest number of completions.
const COMPLETIONS_MAX: usize = 8;

/// The completions of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text before the completed part.
    before: String,
    /// The beginning that the completions continue.
    begun: String,
    pub texts: Vec<String>,
    /// The index of the selected completion in `texts`.
    pub chosen: Option<usize>,
}

/// The kind of a name that can complete a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Key,
    Session,
    Node,
    Check,
    /// The names of variables.
    Variable,
}

/// A function that calls a callback with the names of a kind, at least those that begin with the
/// text, until the callback returns `Break`.
pub(super) type Known<'a> = &'a dyn Fn(NameKind, &str, &mut dyn FnMut(&str) -> ControlFlow<()>);

/// The beginnings of commands.
const COMMANDS: &[&str] =
    &["curl ", "consul kv ", "GET /v1/", "PUT /v1/", "DELETE /v1/", "session=", "help"];
const METHODS: [&str; 3] = ["GET", "PUT", "DELETE"];

/// The parameters of reads.
const READ_PARAMETERS: &[&str] = &["index=", "wait=", "consistent", "stale", "pretty"];
/// The further parameters of requests about keys.
const KEY_PARAMETERS: &[&str] =
    &["acquire=", "release=", "cas=", "flags=", "recurse", "keys", "separator=", "raw"];

const STATES: &[&str] = &["any", "passing", "warning", "critical"];

/// The completions of a text. `None` if nothing can be added.
pub fn complete(text: &str, known: Known) -> Option<Completion> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`');
    let start = text.char_indices().rfind(|(_, c)| is_end(*c));
    let start = start.map_or(0, |(place, c)| place + c.len_utf8());
    let (before, word) = text.split_at(start);
    let sign = word.rfind(['$', '<', '?', '&', '=']);
    let mut complete = match sign {
        Some(place) => Completion::new(text, &word[place + 1..]),
        None => Completion::new(text, word),
    };
    match sign {
        Some(place) => complete.add_after(&word[..place], word.as_bytes()[place], known),
        None if word.contains("/v1") => complete.add_path(word, known),
        None if before.is_empty() || before.ends_with('\n') => complete.add(COMMANDS),
        None => {}
    }
    let adds_text = complete.texts.iter().any(|text| *text != complete.begun);
    (adds_text && !word.is_empty()).then_some(complete)
}

impl Completion {
    /// No completions so far of a text that ends with this beginning.
    fn new(text: &str, begun: &str) -> Self {
        let before = text[..text.len() - begun.len()].to_owned();
        Self { before, begun: begun.to_owned(), texts: Vec::new(), chosen: None }
    }

    /// Selects the next or previous completion, cyclically.
    pub fn choose(&mut self, direction: Direction) {
        let last = self.texts.len().saturating_sub(1);
        self.chosen = Some(match (direction, self.chosen) {
            (Direction::Forward, Some(chosen)) if chosen < last => chosen + 1,
            (Direction::Forward, _) => 0,
            (Direction::Back, Some(chosen)) if chosen > 0 => chosen - 1,
            (Direction::Back, _) => last,
        });
    }

    /// The whole text with a completion at its end.
    pub fn taken(&self, index: usize) -> String {
        self.before.clone() + self.texts.get(index).map_or("", String::as_str)
    }

    fn add(&mut self, texts: &[&str]) {
        for text in texts {
            let _ = self.add_one(text);
        }
    }

    fn add_one(&mut self, text: &str) -> ControlFlow<()> {
        if text.starts_with(&self.begun) && self.texts.len() < COMPLETIONS_MAX {
            self.texts.push(text.to_owned());
        }
        if self.texts.len() < COMPLETIONS_MAX {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn add_known(&mut self, kind: NameKind, known: Known, end: &str) {
        let begun = self.begun.clone();
        known(kind, &begun, &mut |name| match (kind, end) {
            // In the form `$name`, a shell allows no hyphen.
            (NameKind::Variable, "") => self.add_one(&name.replace('-', "_")),
            _ => self.add_one(&(name.to_owned() + end)),
        });
    }

    /// Completions after a sign: the name of a variable, a parameter, or its value.
    fn add_after(&mut self, before: &str, sign: u8, known: Known) {
        match sign {
            b'$' => self.add_known(NameKind::Variable, known, ""),
            b'<' => self.add_known(NameKind::Variable, known, ">"),
            b'=' if before.ends_with("acquire") || before.ends_with("release") => {
                self.add_known(NameKind::Session, known, "");
            }
            b'=' => {}
            _ => {
                if before.contains("/v1/kv/") {
                    self.add(KEY_PARAMETERS);
                }
                self.add(READ_PARAMETERS);
            }
        }
    }

    /// Completions of a path: the endpoints that have the method of the command, or the names after
    /// an endpoint.
    fn add_path(&mut self, word: &str, known: Known) {
        let begun = &word[word.find("/v1").unwrap_or_default()..];
        for pattern in endpoints().map(|endpoint| endpoint.pattern) {
            if let (true, Some(rest)) = (pattern.ends_with('/'), begun.strip_prefix(pattern)) {
                self.before = self.before.clone() + &word[..word.len() - rest.len()];
                self.begun = rest.to_owned();
                return self.add_subject(pattern, known);
            }
        }
        self.before += &word[..word.len() - begun.len()];
        self.begun = begun.to_owned();
        let command = self.before.rsplit('\n').next().unwrap_or_default().to_owned();
        let method = METHODS.iter().find(|method| command.split(' ').any(|word| word == **method));
        for endpoint in endpoints() {
            if method.is_none_or(|method| endpoint.methods.contains(method)) {
                let _ = self.add_one(endpoint.pattern);
            }
        }
    }

    /// The names that may follow an endpoint.
    fn add_subject(&mut self, pattern: &str, known: Known) {
        let kind = match pattern {
            "/v1/kv/" => NameKind::Key,
            "/v1/session/node/" | "/v1/catalog/node/" | "/v1/health/node/" => NameKind::Node,
            "/v1/health/state/" => return self.add(STATES),
            _ if pattern.starts_with("/v1/session/") => NameKind::Session,
            _ if pattern.starts_with("/v1/agent/check/") => NameKind::Check,
            _ => return,
        };
        self.add_known(kind, known, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(kind: NameKind, _: &str, callback: &mut dyn FnMut(&str) -> ControlFlow<()>) {
        let names: &[&str] = match kind {
            NameKind::Key => &["db/leader", "db/leader2", "jobs/.lock"],
            NameKind::Session => &["adf4238a-882b-9ddc-4a9d-5b6758e4159e"],
            NameKind::Node => &["web-1", "web-2"],
            NameKind::Check => &["serfHealth"],
            NameKind::Variable => &["session", "index", "lock-index"],
        };
        let _ = names.iter().any(|name| callback(name).is_break());
    }

    /// The text with each of its completions.
    fn completed(text: &str) -> Vec<String> {
        let Some(complete) = complete(text, &known) else { return Vec::new() };
        (0..complete.texts.len()).map(|index| complete.taken(index)).collect()
    }

    #[test]
    fn a_command_begins_with_a_program_or_a_method() {
        assert_eq!(completed("cu"), ["curl "]);
        assert_eq!(completed("help"), [""; 0]);
        assert_eq!(completed("GET /v1/kv/a\nP"), ["GET /v1/kv/a\nPUT /v1/"]);
        assert_eq!(completed("curl -"), [""; 0]);
        assert_eq!(completed(""), [""; 0]);
    }

    #[test]
    fn a_path_is_completed_to_endpoints_that_have_the_method() {
        assert_eq!(completed("PUT /v1/session/d"), ["PUT /v1/session/destroy/"]);
        let read = completed("GET /v1/session/");
        assert!(read.contains(&"GET /v1/session/list".to_owned()), "{read:?}");
        assert!(!read.contains(&"GET /v1/session/create".to_owned()), "{read:?}");
        let any = completed("curl 'http://localhost:8500/v1/tx");
        assert_eq!(any, ["curl 'http://localhost:8500/v1/txn"]);
        assert!(completed("curl -X PUT http://localhost:8500/v1/").len() <= COMPLETIONS_MAX);
    }

    #[test]
    fn existing_names_complete_the_path_of_an_endpoint() {
        assert_eq!(completed("GET /v1/kv/j"), ["GET /v1/kv/jobs/.lock"]);
        assert_eq!(completed("GET /v1/kv/db/leader").len(), 2, "one is longer");
        assert_eq!(completed("GET /v1/kv/nothing"), [""; 0]);
        assert_eq!(completed("GET /v1/session/node/").len(), 2);
        assert_eq!(completed("GET /v1/health/state/c"), ["GET /v1/health/state/critical"]);
        assert_eq!(
            completed("PUT /v1/agent/check/pass/s"),
            ["PUT /v1/agent/check/pass/serfHealth"]
        );
        let renewed = completed("PUT /v1/session/renew/");
        assert_eq!(renewed, ["PUT /v1/session/renew/adf4238a-882b-9ddc-4a9d-5b6758e4159e"]);
    }

    #[test]
    fn parameters_and_their_values_are_completed() {
        assert_eq!(completed("PUT /v1/kv/a?ac"), ["PUT /v1/kv/a?acquire="]);
        assert_eq!(
            completed("PUT /v1/kv/a?flags=1&c"),
            ["PUT /v1/kv/a?flags=1&cas=", "PUT /v1/kv/a?flags=1&consistent"]
        );
        assert_eq!(completed("PUT /v1/kv/a?acquire=adf")[0].len(), 57);
        assert_eq!(completed("GET /v1/session/list?w"), ["GET /v1/session/list?wait="]);
        assert_eq!(completed("GET /v1/kv/a?wait="), [""; 0]);
    }

    #[test]
    fn names_are_completed_in_both_forms() {
        assert_eq!(completed("PUT /v1/kv/a?acquire=$s"), ["PUT /v1/kv/a?acquire=$session"]);
        assert_eq!(completed("curl -d '<i"), ["curl -d '<index>"]);
        assert_eq!(completed("GET /v1/kv/a?index=$l"), ["GET /v1/kv/a?index=$lock_index"]);
        assert_eq!(completed("GET /v1/kv/a?index=<l"), ["GET /v1/kv/a?index=<lock-index>"]);
        assert_eq!(
            completed("PUT /v1/session/renew/<session"),
            ["PUT /v1/session/renew/<session>"]
        );
    }

    #[test]
    fn the_selection_is_cyclic() {
        let mut complete = complete("GET /v1/session/node/", &known).expect("two nodes");
        for chosen in [1, 0, 1] {
            complete.choose(Direction::Back);
            assert_eq!(complete.chosen, Some(chosen));
        }
        complete.choose(Direction::Forward);
        assert_eq!(complete.chosen, Some(0));
    }

    #[test]
    fn texts_are_only_cut_between_characters() {
        for text in ["键", "/v1/kv/键", "键?", "?键=$", "\u{2028}/v1", "'é", "=é&"] {
            completed(text);
        }
    }
}
