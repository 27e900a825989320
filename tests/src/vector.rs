//! Reads conformance vectors: requests to a Consul server and its answers. The format is in
//! vectors/README.md. Reading checks that the steps can be replayed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::{ConsulVersion, duration};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::json::RawJson;

/// The longest body that `body_parts` may spell out, in bytes.
const BODY_MAX: usize = 16 << 20;

/// A recorded exchange with a Consul server.
#[derive(Clone, Debug)]
pub struct Vector {
    pub name: String,
    pub title: String,
    /// A difference from an optional vector is shown but does not count.
    pub optional: bool,
    pub config: VectorConfig,
    pub steps: Vec<VectorStep>,
}

/// The configuration of the recorded server where it differs from the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorConfig {
    /// The version of the recorded server.
    pub version: ConsulVersion,
    pub session_ttl_min: Option<Duration>,
    pub disable_kv_key_validation: bool,
}

/// One step; times are milliseconds since the start of the vector.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum VectorStep {
    /// A request and its answer.
    Call { at: u64, req: RecordedRequest, done: u64, res: Recorded },
    /// A read that is expected to block is sent.
    Start { id: u64, at: u64, req: RecordedRequest },
    /// The read has not returned at this time.
    Blocked { id: u64, at: u64 },
    /// The read has returned.
    Finish { id: u64, done: u64, res: Recorded },
}

impl VectorStep {
    /// When the step is due, in milliseconds; `None` for a finish, which happens when its read
    /// returns.
    pub fn at(&self) -> Option<u64> {
        match self {
            Self::Call { at, .. } | Self::Start { at, .. } | Self::Blocked { at, .. } => Some(*at),
            Self::Finish { .. } => None,
        }
    }

    /// The request that the step sends, if it sends one.
    pub fn request(&self) -> Option<&RecordedRequest> {
        match self {
            Self::Call { req, .. } | Self::Start { req, .. } => Some(req),
            Self::Blocked { .. } | Self::Finish { .. } => None,
        }
    }

    /// The answer that the step expects, if it expects one.
    pub fn recorded(&self) -> Option<&Recorded> {
        match self {
            Self::Call { res, .. } | Self::Finish { res, .. } => Some(res),
            Self::Start { .. } | Self::Blocked { .. } => None,
        }
    }
}

/// A request as it is sent, once its symbols are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "WrittenRequest")]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Option<RecordedBody>,
}

impl RecordedRequest {
    /// Whether the body is sent in chunks, that is without its length.
    pub fn is_chunked(&self) -> bool {
        self.headers.get("Transfer-Encoding").is_some_and(|coding| coding.contains("chunked"))
    }

    fn describe(&self) -> String {
        let body: String = match &self.body {
            Some(RecordedBody::Text(text)) => text.chars().take(120).collect(),
            Some(RecordedBody::Bytes(bytes)) => format!("({} bytes)", bytes.len()),
            None => String::new(),
        };
        format!("{} {} {body}", self.method, self.path).trim_end().to_owned()
    }

    /// The texts in which symbols and `@n@` are filled in.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let body = match &self.body {
            Some(RecordedBody::Text(text)) => Some(text.as_str()),
            Some(RecordedBody::Bytes(_)) | None => None,
        };
        [self.path.as_str()].into_iter().chain(body)
    }
}

#[derive(Clone, Debug)]
pub enum RecordedBody {
    /// Symbols and `@n@` in it are filled in.
    Text(String),
    Bytes(Vec<u8>),
}

/// A recorded answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "WrittenAnswer")]
pub struct Recorded {
    pub status: u16,
    /// By lower-case name; only those that are compared.
    pub headers: BTreeMap<String, String>,
    pub content: BodyContent,
    /// The exact body beside `content`, where white space matters.
    pub text: Option<String>,
}

impl Recorded {
    /// The recorded `X-Consul-Index`, if the header is compared; reading has checked that it is a
    /// number.
    pub fn index(&self) -> Option<u64> {
        self.headers.get("x-consul-index")?.parse().ok()
    }
}

/// What a body must be.
#[derive(Clone, Debug)]
pub enum BodyContent {
    Json(RawJson),
    /// The body may have more members and elements than those recorded.
    JsonSubset(RawJson),
    Text(String),
    /// The body may continue after this text.
    Beginning(String),
    Bytes(Vec<u8>),
}

/// Why a text is not a vector that can be replayed.
#[derive(Debug, Error)]
pub enum Malformed {
    #[error("not a vector: {0}")]
    Json(#[from] serde_json::Error),
    #[error("unknown server configuration {0:?}")]
    Config(String),
    #[error("recorded from an unknown server {0:?}")]
    RecordedFrom(String),
    #[error("step {step}: {what}")]
    Step { step: usize, what: String },
    #[error("it has no steps")]
    Empty,
}

impl Vector {
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let written: WrittenVector = serde_json::from_str(text)?;
        check_steps(&written.steps)?;
        Ok(Self {
            name: written.name,
            title: written.title,
            optional: written.optional,
            config: VectorConfig {
                version: version(&written.recorded_from)?,
                ..VectorConfig::parse(&written.config)?
            },
            steps: written.steps,
        })
    }
}

impl Vector {
    /// A step in one line, for a person.
    pub fn describe(&self, step: usize) -> String {
        match self.steps.get(step) {
            Some(VectorStep::Call { req, .. }) => req.describe(),
            Some(VectorStep::Start { id, req, .. }) => format!("read {id}: {}", req.describe()),
            Some(VectorStep::Blocked { id, at }) => format!("read {id} still blocked at {at} ms"),
            Some(VectorStep::Finish { id, done, .. }) => format!("read {id} finished at {done} ms"),
            None => String::new(),
        }
    }
}

impl VectorConfig {
    /// Reads the server's HCL. Fails if it has anything but two known settings and comments.
    fn parse(hcl: &str) -> Result<Self, Malformed> {
        let mut config = Self::default();
        for line in hcl.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if line == "disable_kv_key_validation = true" {
                config.disable_kv_key_validation = true;
            } else {
                let ttl = session_ttl_min(line);
                config.session_ttl_min =
                    Some(ttl.ok_or_else(|| Malformed::Config(line.to_owned()))?);
            }
        }
        Ok(config)
    }
}

/// The version of the server that `Consul 1.22.7, one server, ...` describes.
fn version(recorded_from: &str) -> Result<ConsulVersion, Malformed> {
    let release = recorded_from.strip_prefix("Consul ").and_then(|rest| rest.split(',').next());
    let version = release.and_then(|release| release.parse().ok());
    version.ok_or_else(|| Malformed::RecordedFrom(recorded_from.to_owned()))
}

fn session_ttl_min(line: &str) -> Option<Duration> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let nanos = u64::try_from(duration::parse(value).ok()?).ok()?;
    (name.trim() == "session_ttl_min").then(|| Duration::from_nanos(nanos))
}

/// Each read is started once, before it is waited for, and finished at most once.
fn check_steps(steps: &[VectorStep]) -> Result<(), Malformed> {
    let (mut started, mut open) = (BTreeSet::new(), BTreeSet::new());
    for (number, step) in steps.iter().enumerate() {
        let fine = match step {
            VectorStep::Call { .. } => true,
            VectorStep::Start { id, .. } => started.insert(id) && open.insert(id),
            VectorStep::Blocked { id, .. } => open.contains(id),
            VectorStep::Finish { id, .. } => open.remove(id),
        };
        if !fine {
            let what = "its read was started twice, or is not under way".to_owned();
            return Err(Malformed::Step { step: number, what });
        }
    }
    if steps.is_empty() { Err(Malformed::Empty) } else { Ok(()) }
}

// --- Members of the JSON as they are written, before they are checked ----------------------------

#[derive(Deserialize)]
struct WrittenVector {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    optional: bool,
    recorded_from: String,
    #[serde(default)]
    config: String,
    steps: Vec<VectorStep>,
}

#[derive(Deserialize)]
struct WrittenRequest {
    method: String,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    body_b64: Option<String>,
    body_parts: Option<Vec<BodyPart>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BodyPart {
    Text(String),
    Repeated(String, usize),
}

impl TryFrom<WrittenRequest> for RecordedRequest {
    type Error = String;

    fn try_from(written: WrittenRequest) -> Result<Self, String> {
        let body = match (written.body, written.body_b64, written.body_parts) {
            (None, None, None) => None,
            (Some(text), None, None) => Some(RecordedBody::Text(text)),
            (None, Some(base64), None) => Some(RecordedBody::Bytes(bytes(&base64)?)),
            (None, None, Some(parts)) => Some(RecordedBody::Text(join(&parts)?)),
            _ => return Err("a request has one body at most".to_owned()),
        };
        let WrittenRequest { method, path, headers, .. } = written;
        Ok(Self { method, path, headers, body })
    }
}

fn join(parts: &[BodyPart]) -> Result<String, String> {
    let mut text = String::new();
    for part in parts {
        let (piece, times) = match part {
            BodyPart::Text(piece) => (piece, 1),
            BodyPart::Repeated(piece, times) => (piece, *times),
        };
        if piece.len().saturating_mul(times).saturating_add(text.len()) > BODY_MAX {
            return Err(format!("body_parts spell out more than {BODY_MAX} bytes"));
        }
        text.push_str(&piece.repeat(times));
    }
    Ok(text)
}

fn bytes(base64: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(base64).map_err(|problem| format!("body_b64: {problem}"))
}

#[derive(Deserialize)]
struct WrittenAnswer {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "present")]
    json: Option<RawJson>,
    #[serde(rename = "match")]
    matching: Option<Match>,
    body: Option<String>,
    body_starts: Option<String>,
    body_b64: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Match {
    Subset,
}

/// A member that is present, even if it is `null`; an `Option` alone would treat this as absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}

impl TryFrom<WrittenAnswer> for Recorded {
    type Error = String;

    fn try_from(written: WrittenAnswer) -> Result<Self, String> {
        let index = written.headers.get("x-consul-index");
        if index.is_some_and(|index| index.parse::<u64>().is_err()) {
            return Err("x-consul-index is not a number".to_owned());
        }
        let content = match (written.body_b64, written.json, written.body_starts, written.body) {
            (Some(base64), ..) => BodyContent::Bytes(bytes(&base64)?),
            (_, Some(json), ..) => match written.matching {
                None => BodyContent::Json(json),
                Some(Match::Subset) => BodyContent::JsonSubset(json),
            },
            (_, _, Some(beginning), _) => BodyContent::Beginning(beginning),
            (.., Some(body)) => BodyContent::Text(body),
            (None, None, None, None) => return Err("an answer without a body".to_owned()),
        };
        let WrittenAnswer { status, headers, text, .. } = written;
        Ok(Self { status, headers, content, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector_of(steps: &str) -> Result<Vector, Malformed> {
        Vector::parse(&format!(
            r#"{{"name": "a", "recorded_from": "Consul 1.22.7", "steps": [{steps}]}}"#
        ))
    }

    fn call(request: &str, answer: &str) -> String {
        format!(
            r#"{{"op": "call", "at": 0, "done": 1, "note": "why",
                "req": {{"method": "PUT", "path": "/v1/kv/a"{request}}},
                "res": {{"status": 200, "headers": {{}}{answer}}}}}"#
        )
    }

    #[test]
    fn the_forms_of_a_body_are_distinguished() -> Result<(), Malformed> {
        for (written, kind) in [
            (r#""json": null"#, "Json(Null)"),
            (r#""json": {"A": 1}, "match": "subset""#, "JsonSubset"),
            (
                r#""body": "RecordedRequest decode failed: EOF", "body_starts": "RecordedRequest""#,
                "Beginning",
            ),
            (r#""body": """#, "Text"),
            (r#""body_b64": "AP8=""#, "Bytes([0, 255])"),
        ] {
            let vector = vector_of(&call("", &format!(", {written}")))?;
            let content = vector.steps[0].recorded().map(|answer| format!("{:?}", answer.content));
            assert!(content.as_ref().is_some_and(|it| it.starts_with(kind)), "{content:?}");
        }
        Ok(())
    }

    #[test]
    fn the_parts_of_a_body_are_spelled_out() -> Result<(), Malformed> {
        let parts = r#", "body_parts": ["[", ["ab", 3], "]"]"#;
        let vector = vector_of(&call(parts, r#", "body": """#))?;
        let request = vector.steps[0].request();
        let texts: Vec<_> = request.into_iter().flat_map(RecordedRequest::texts).collect();
        assert_eq!(texts, ["/v1/kv/a", "[ababab]"]);
        Ok(())
    }

    #[test]
    fn vectors_that_cannot_be_replayed_are_refused() {
        let blocked = r#"{"op": "blocked", "id": 1, "at": 3}"#;
        for (steps, why) in [
            ("", "no steps"),
            (blocked, "step 0"),
            (r#"{"op": "wait", "at": 3}"#, "unknown variant"),
            (&call(r#", "body_b64": "?""#, r#", "body": """#), "body_b64"),
            (&call(r#", "body_parts": [["x", 99999999999]]"#, r#", "body": """#), "more than"),
            (&call(r#", "body": "", "body_b64": """#, r#", "body": """#), "one body"),
            (&call("", ""), "without a body"),
        ] {
            let problem = vector_of(steps).err().map(|problem| problem.to_string());
            assert!(problem.as_ref().is_some_and(|it| it.contains(why)), "{why}: {problem:?}");
        }
    }

    #[test]
    fn the_configuration_is_one_setting_and_comments() -> Result<(), Malformed> {
        let config = VectorConfig::parse("# lower\nsession_ttl_min = \"1s\" # than usual\n")?;
        assert_eq!(config.session_ttl_min, Some(Duration::from_secs(1)));
        assert_eq!(VectorConfig::parse("")?, VectorConfig::default());
        assert!(VectorConfig::parse("acl { enabled = true }").is_err());
        Ok(())
    }
}
