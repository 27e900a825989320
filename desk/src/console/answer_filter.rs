//! The filter after the pipe of a request: jq with a path, and perhaps `base64 -d` after it. Its
//! output replaces the answer where that is shown or assigned.

use lictor_core::http::HttpResponse;
use serde::{Deserialize, Serialize};

use super::base64_text::coreutils_decoded;
use super::jq::{JqFilter, JqOutput};
use super::kv_output::ErrorStream;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AnswerFilter {
    Jq(JqFilter),
    /// jq, and `base64 -d` after another pipe.
    Decoded(JqFilter),
}

impl AnswerFilter {
    /// The output for the text that a program has printed, which contains no headers. `errors` is
    /// where the lines go that the programs after the pipe print to their error streams.
    pub(super) fn applied(&self, text: &str, errors: ErrorStream) -> String {
        match self {
            Self::Jq(filter) => filter.apply(text.as_bytes()).printed(errors),
            Self::Decoded(filter) => decoded(filter.apply(text.as_bytes()), errors),
        }
    }

    /// The output for an answer.
    pub(super) fn printed(&self, response: &HttpResponse, errors: ErrorStream) -> String {
        match self {
            Self::Jq(filter) => filter.apply(&response.body).printed(errors),
            Self::Decoded(filter) => decoded(filter.apply(&response.body), errors),
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
    use super::super::parse::read;
    use super::ErrorStream;

    /// The output of a pipe for an answer.
    fn printed(pipe: &str, answer: &str) -> String {
        let commands = read(&format!("curl /v1/kv/a | {pipe}")).expect("it is supported");
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
