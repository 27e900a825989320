//! The filter after the pipe of a request: jq with a path, or the programs with which guides take
//! X-Consul-Index from the headers (`| awk '/X-Consul-Index/ {print $2}'`). Its output replaces the
//! answer where that is shown or assigned.

use lictor_core::http::HttpResponse;
use serde::{Deserialize, Serialize};

use super::base64_text::coreutils_decoded;
use super::jq::{JqFilter, JqOutput};
use super::known_keys::header;
use super::kv_output::ErrorStream;
use super::token::Token;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AnswerFilter {
    Jq(JqFilter),
    /// jq, and `base64 -d` after another pipe.
    Decoded(JqFilter),
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

    /// The output for the text that a program has printed, which contains no headers. `errors` is
    /// where the lines go that the programs after the pipe print to their error streams.
    pub(super) fn applied(&self, text: &str, errors: ErrorStream) -> String {
        match self {
            Self::Jq(filter) => filter.apply(text.as_bytes()).printed(errors),
            Self::Decoded(filter) => decoded(filter.apply(text.as_bytes()), errors),
            Self::Index => String::new(),
        }
    }

    /// The output for an answer.
    pub(super) fn printed(&self, response: &HttpResponse, errors: ErrorStream) -> String {
        match self {
            Self::Jq(filter) => filter.apply(&response.body).printed(errors),
            Self::Decoded(filter) => decoded(filter.apply(&response.body), errors),
            Self::Index => header(response, "X-Consul-Index").unwrap_or_default().to_owned(),
        }
    }
}

/// The output of `base64 -d` after jq, whose error does not go through the pipe.
fn decoded(output: JqOutput, errors: ErrorStream) -> String {
    let (decoded, error) = coreutils_decoded(&output.results.join("\n"));
    if errors == ErrorStream::Dropped {
        return decoded;
    }
    let decoded = decoded + error;
    match output.error {
        Some(error) if decoded.is_empty() => error,
        Some(error) => format!("{error}\n{decoded}"),
        None => decoded,
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::CommandKind;
    use super::super::parse::read;
    use super::ErrorStream;

    /// The output of a pipe for an answer.
    fn printed(pipe: &str, answer: &str) -> String {
        let commands = read(&format!("curl /v1/kv/a | {pipe}")).expect("it is supported");
        assert!(matches!(commands[0].kind, CommandKind::Request(_)));
        commands[0].filter.as_ref().expect("a filter").applied(answer, ErrorStream::Shown)
    }

    /// Observed with jq 1.6 and coreutils 9.1.
    #[test]
    fn base64_decodes_all_that_jq_prints() {
        for (pipe, answer, expected) in [
            ("jq -r .[] | base64 -d", r#"["d2ViLTE=", "Cg==", "YQ=="]"#, "web-1\na"),
            ("jq -r .[] | base64 --decode", r#"["d2Vi", "LTE="]"#, "web-1"),
            ("jq .[] | base64 -d", r#"["YQ=="]"#, "base64: invalid input"),
            ("jq -r .[] | base64 -d", r#"["d2ViLTE"]"#, "web-1base64: invalid input"),
            (
                "jq -r .[].V | base64 -d",
                r#"[{"V": "YQ=="}, 5]"#,
                "jq: error (at <stdin>:0): Cannot index number with string \"V\"\na",
            ),
        ] {
            assert_eq!(printed(pipe, answer), expected, "{pipe} {answer}");
        }
    }
}
