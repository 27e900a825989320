//! The types of the values that the functions of `window.lictor` and of `<lictor-sandbox>` return,
//! and the codes of their errors (docs/en/use/scripting.md). Names are written as in Consul's
//! answers. The TypeScript types in `www/lictor.d.ts` are generated from these, with their
//! comments.

use std::collections::BTreeMap;

use lictor_core::http::HttpResponse;
use serde::Serialize;

use crate::console::StepResult;

/// One event of the world, in the line language (docs/en/reference/formats.md).
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(rename_all = "PascalCase")]
pub struct TraceLine {
    /// Virtual time in milliseconds.
    pub at: u64,
    /// The index of Consul's log at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The client, or `server`.
    pub actor: String,
    /// What happened: `put db/leader acquire=S1`.
    pub what: String,
    /// The result, if it is known: `true lock=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// An answer of the server.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields, concrete(Body = ())))]
#[serde(rename_all = "PascalCase")]
pub struct HttpAnswer<Body> {
    /// The HTTP status.
    pub status: u16,
    /// `X-Consul-Index`, for reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The headers by their names, such as `X-Consul-Index`.
    #[cfg_attr(test, ts(type = "Record<string, string>"))]
    pub headers: BTreeMap<String, String>,
    /// The decoded JSON body with Consul's field names, or the text of a body that is no JSON.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub body: Body,
}

/// The commands of a text. Lines are counted from 1.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "PascalCase")]
pub struct Guide {
    pub steps: Vec<GuideStep>,
    /// The values that only the reader can choose, with what they are now.
    pub questions: Vec<GuideQuestion>,
    /// Commands that the console refuses, and why.
    pub left_out: Vec<GuideLeftOut>,
}

/// A command of a guide.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "PascalCase")]
pub struct GuideStep {
    /// Its first line.
    pub line: usize,
    /// How many lines it has.
    pub lines: usize,
    pub command: String,
}

/// A value that only the reader of a guide can choose.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "PascalCase")]
pub struct GuideQuestion {
    pub name: String,
    pub value: String,
    pub label: String,
    /// Whether the value is the name of a client: its session takes the place of an id that the
    /// author has written.
    pub is_client: bool,
}

/// A command of a guide that is no step.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "PascalCase")]
pub struct GuideLeftOut {
    /// Its first line.
    pub line: usize,
    /// How many lines it has.
    pub lines: usize,
    pub reason: String,
}

/// What became of a step of a guide.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(rename_all = "PascalCase")]
pub struct GuideStepReport {
    /// The command with its values.
    pub command: String,
    pub result: StepResult,
    pub answer: String,
    /// What the answer means, in the language of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why a call failed; every error of these functions has a `code`. The package for JavaScript has
/// the same codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    Closed,
    InvalidArgument,
    NotUnderstood,
    NotPossible,
    Unreadable,
}

impl From<lictor_sim::trace::TraceLine> for TraceLine {
    fn from(line: lictor_sim::trace::TraceLine) -> Self {
        Self {
            at: line.at.as_millis(),
            index: line.index.map(|index| index.0),
            actor: line.actor,
            what: line.what,
            outcome: line.outcome,
        }
    }
}

impl<Body> HttpAnswer<Body> {
    /// An answer with its body, which the caller has decoded.
    pub fn new(response: &HttpResponse, body: Body) -> Self {
        Self {
            status: response.status,
            index: response.header("X-Consul-Index").and_then(|index| index.parse().ok()),
            headers: response.headers.iter().cloned().collect(),
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_view::test_world::TestWorld;
    use std::path::Path;
    use ts_rs::{Config, TS};

    const HEAD: &str = "\
// The types of `window.lictor` (docs/en/use/scripting.md) and of the element in embed.js
// (docs/en/use/embedding.md), which has the same functions; there each returns a promise.
//
// The types of values are generated from desk/src/scripting.rs; a test compares both.
";
    const FUNCTIONS: &str =
        "// The functions and the element, which embed.js and web/src/script define.\n";

    /// `LICTOR_TYPES=write cargo test -p lictor-desk typescript` writes the types to the file.
    #[test]
    fn the_typescript_types_of_scripts_are_those_of_the_rust_types() {
        fn declaration<T: TS>() -> String {
            let config = Config::default().with_large_int("number");
            format!("{}export {}\n\n", T::docs().unwrap_or_default(), T::decl(&config))
        }
        let types = [
            declaration::<TraceLine>(),
            declaration::<HttpAnswer<()>>(),
            declaration::<Guide>(),
            declaration::<GuideStep>(),
            declaration::<GuideQuestion>(),
            declaration::<GuideLeftOut>(),
            declaration::<GuideStepReport>(),
            declaration::<StepResult>(),
            declaration::<ErrorCode>(),
        ];
        let generated = format!("{HEAD}\n{}", types.concat());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/lictor.d.ts");
        let file = std::fs::read_to_string(&path).expect("the file is there");
        let (committed, functions) = file.split_once(FUNCTIONS).expect("the functions");
        if std::env::var_os("LICTOR_TYPES").is_some_and(|value| value == "write") {
            let written = format!("{generated}{FUNCTIONS}{functions}");
            std::fs::write(&path, written).expect("the file can be written");
        } else {
            assert_eq!(committed, generated);
        }
    }

    #[test]
    fn every_error_code_is_explained_and_is_one_of_the_package() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |path| std::fs::read_to_string(root.join(path)).expect("the file is there");
        let (document, package) = (read("docs/en/use/scripting.md"), read("js/npm/types.d.ts"));
        let of_package = package.lines().find(|line| line.starts_with("export type ErrorCode"));
        let codes = ErrorCode::inline(&Config::default());
        for code in codes.split('"').skip(1).step_by(2) {
            assert!(document.contains(&format!("| `{code}` |")), "{code} is not explained");
            assert!(of_package.is_some_and(|line| line.contains(&format!("\"{code}\""))), "{code}");
        }
    }

    #[test]
    fn an_answer_has_consuls_names_and_the_index_of_a_read() {
        let mut sandbox = TestWorld::of_three();
        sandbox.call("web-1", "PUT", "/v1/kv/a", "x");
        let read = sandbox.world.read_now("/v1/kv/a").expect("it is a read");
        let answer = serde_json::to_value(HttpAnswer::new(&read, "text")).expect("it is JSON");
        assert_eq!(answer["Status"], 200);
        assert!(answer["Index"].is_u64(), "{answer}");
        assert_eq!(answer["Headers"]["X-Consul-Index"], answer["Index"].to_string());
        assert_eq!(answer["Body"], "text");
        let unknown = sandbox.world.read_now("/v1/nothing").expect("it has an answer");
        assert_eq!(HttpAnswer::new(&unknown, ()).index, None);
    }
}
