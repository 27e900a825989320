//! The filter after the pipe of a request: jq with a path, or the programs with which guides take
//! X-Consul-Index from the headers (`| awk '/X-Consul-Index/ {print $2}'`). Its output replaces the
//! answer where that is shown or assigned.

use lictor_core::http::HttpResponse;
use serde::{Deserialize, Serialize};

use super::jq::JqFilter;
use super::known_keys::header;
use super::token::Token;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AnswerFilter {
    Jq(JqFilter),
    /// The value of X-Consul-Index in the headers, which the request prints.
    Index,
}

/// The programs that take a value from lines of text.
const LINE_PROGRAMS: [&str; 8] = ["grep", "egrep", "awk", "sed", "cut", "tr", "head", "tail"];
/// Those of them that print a part of a line.
const CUTTERS: [&str; 3] = ["awk", "sed", "cut"];

impl AnswerFilter {
    /// Whether programs after a pipe print the value of X-Consul-Index if their input are headers.
    /// Their scripts are not interpreted: it suffices that one names the index and one cuts a line.
    pub(super) fn takes_index(programs: &[Vec<Token>]) -> bool {
        let name = |words: &Vec<Token>| words.first().map(|word| word.text.clone());
        let is_one_of = |words: &Vec<Token>, names: &[&str]| {
            name(words).is_some_and(|name| names.contains(&name.as_str()))
        };
        let mut words = programs.iter().flatten().map(|word| word.text.to_ascii_lowercase());
        programs.iter().all(|words| is_one_of(words, &LINE_PROGRAMS))
            && programs.iter().any(|words| is_one_of(words, &CUTTERS))
            && words.any(|word| word.contains("index"))
    }

    /// The output for the text that a program has printed, which contains no headers.
    pub(super) fn applied(&self, text: &str) -> String {
        match self {
            Self::Jq(filter) => filter.apply(text.as_bytes()),
            Self::Index => String::new(),
        }
    }

    /// The output for an answer.
    pub(super) fn printed(&self, response: &HttpResponse) -> String {
        match self {
            Self::Jq(filter) => filter.apply(&response.body),
            Self::Index => header(response, "X-Consul-Index").unwrap_or_default().to_owned(),
        }
    }
}
