//! Lines of a Consul server's log, as text and as JSON (`-log-json`): those that say something
//! about sessions, keys, checks and leaders.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lictor_core::duration;
use serde_json::Value;

use crate::request::{ListRequest, decoded, parameter};
use crate::{old_log, time};

/// The longest gap between two files of one log, or between the lines about one event.
pub(crate) const NEXT_FILE: SignedDuration = SignedDuration::from_secs(1);

/// A line of a log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogLine {
    pub(crate) time: Timestamp,
    pub(crate) has_zone: bool,
    /// Whether its level is `debug` or a lower one, at which requests are written.
    pub(crate) is_debug: bool,
    /// `None` if the line has nothing that decides about a lock.
    pub(crate) event: Option<LogEvent>,
    /// The request that the line is about.
    pub(crate) request: Option<WrittenRequest>,
    /// Whether its end is missing, without which it says nothing but its time.
    pub(crate) is_cut: bool,
}

/// A request as a line of a log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenRequest {
    pub(crate) method: String,
    pub(crate) url: String,
    /// Whether the line says that it failed. Another line says that it is finished.
    pub(crate) has_failed: bool,
}

impl WrittenRequest {
    /// A parameter of its query, unless it is empty.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.url.split_once('?')?;
        parameter(query, name).filter(|value| !value.is_empty())
    }
}

/// The event of a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LogEvent {
    Request(Request),
    /// A request that the server answered with an error.
    Failed(Request),
    /// A request that names a datacenter or a namespace, and nothing says whether it is that of the
    /// lists.
    Unplaced(Request),
    /// A session ended by its TTL.
    Expired(String),
    /// An acquire was refused because of a lock-delay, which lasts until then.
    LockDelay {
        key: String,
        until: Timestamp,
    },
    /// A server became the leader: the TTL of each session begins anew.
    Elected,
    /// The node of this name became the leader, of this cluster or of another one.
    ElectedNode(String),
    /// An election of this term began. The first one of a new cluster has term 2.
    Candidate(u64),
    /// A check may have become critical or a node been removed, which ends the sessions that rest
    /// on it.
    EndsSome,
    /// A node failed: the sessions that rest on its check `serfHealth` end.
    NodeFailed(String),
    /// A node was removed: its sessions end.
    NodeRemoved(String),
    /// The configuration is read again, and with it the level of the log.
    Reload,
    /// A transaction: it can lock and release keys, and remove nodes and checks.
    Transaction,
    /// A node is a member of the cluster.
    Member(String),
}

impl LogEvent {
    /// The session that it is about.
    pub(crate) fn session(&self) -> Option<&str> {
        match self {
            Self::Expired(session) => Some(session),
            Self::Request(request) | Self::Failed(request) | Self::Unplaced(request) => {
                request.session()
            }
            _ => None,
        }
    }

    /// The key that it is about.
    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Self::LockDelay { key, .. } => Some(key),
            Self::Request(request) | Self::Failed(request) | Self::Unplaced(request) => {
                request.key()
            }
            _ => None,
        }
    }

    /// Whether it can change keys or end sessions that it does not name.
    pub(crate) const fn is_broad(&self) -> bool {
        matches!(
            self,
            Self::EndsSome
                | Self::NodeFailed(_)
                | Self::NodeRemoved(_)
                | Self::Transaction
                | Self::Request(Request::DeleteTree(_))
                | Self::Unplaced(Request::DeleteTree(_))
        )
    }
}

/// A request that the agent answered. The log does not say with which status, and writes "Request
/// finished" also after an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Request {
    Create,
    Renew(String),
    Destroy(String),
    Acquire {
        key: String,
        session: String,
    },
    Release {
        key: String,
        session: String,
    },
    Delete(String),
    /// A delete by check-and-set, which changes nothing if the key was changed.
    DeleteCas(String),
    /// All keys that begin with this.
    DeleteTree(String),
    List(ListRequest),
    Other,
}

impl Request {
    fn session(&self) -> Option<&str> {
        match self {
            Self::Renew(session)
            | Self::Destroy(session)
            | Self::Acquire { session, .. }
            | Self::Release { session, .. } => Some(session),
            _ => None,
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::Acquire { key, .. }
            | Self::Release { key, .. }
            | Self::Delete(key)
            | Self::DeleteCas(key) => Some(key),
            _ => None,
        }
    }
}

/// The event of a message, from its fields.
type ReadEvent = fn(&Fields) -> Option<LogEvent>;

/// The messages that are read, each with the function for its fields. Consul 1.7 to 1.22 write them
/// alike; in text the fields follow the message as `: name=value`.
const MESSAGES: [(&str, ReadEvent); 14] = [
    ("Request finished", request),
    ("Request error", request),
    ("Session TTL expired", |fields| fields.get("session").map(LogEvent::Expired)),
    ("Rejecting lock of key due to lock-delay", lock_delay),
    ("cluster leadership acquired", |_| Some(LogEvent::Elected)),
    ("New leader elected", |fields| {
        Some(fields.get("payload").map_or(LogEvent::Elected, LogEvent::ElectedNode))
    }),
    ("entering candidate state", |fields| {
        fields.get("term")?.parse().ok().map(LogEvent::Candidate)
    }),
    ("member failed, marking health critical", |fields| {
        Some(fields.get("member").map_or(LogEvent::EndsSome, LogEvent::NodeFailed))
    }),
    ("deregistering member", |fields| {
        Some(fields.get("member").map_or(LogEvent::EndsSome, LogEvent::NodeRemoved))
    }),
    ("Reloading configuration", |_| Some(LogEvent::Reload)),
    ("Check is now critical", |_| Some(LogEvent::EndsSome)),
    ("Check missed TTL, is now critical", |_| Some(LogEvent::EndsSome)),
    ("member joined, marking health alive", |fields| fields.get("member").map(LogEvent::Member)),
    ("serf: EventMemberJoin", |fields| fields.get("").map(LogEvent::Member)),
];

/// The fields of a line.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn get(&self, name: &str) -> Option<String> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone())
    }

    fn ends_with(&self, name: &str) -> bool {
        self.0.last().is_some_and(|(field, _)| field == name)
    }
}

/// Parses a line of a log as text: a time, a level in brackets, a module and a message. What a
/// container or a service manager writes before the time is skipped.
pub(crate) fn parse_text(line: &str) -> Option<LogLine> {
    let level = LEVELS.iter().find_map(|level| line.find(level).map(|place| (place, *level)));
    let (place, level) = level?;
    let (before, after) = (&line[..place], &line[place + level.len()..]);
    // In quotes it is a part of another program's line, from a library that Consul uses too.
    if before.matches('"').count() % 2 == 1 {
        return None;
    }
    let written = own_time(before)?;
    let is_debug = matches!(level, "[DEBUG]" | "[TRACE]");
    let of_event = |event, request, is_cut| LogLine {
        time: written.time,
        has_zone: written.has_zone,
        is_debug,
        event,
        request,
        is_cut,
    };
    let after = after.trim_start();
    let Some((module, message)) = after.split_once(": ") else {
        return is_cut_module(after).then(|| of_event(None, None, true));
    };
    if !is_of_consul(module) {
        return None;
    }
    // A gossip pool of several datacenters has members of other clusters.
    let is_wan = module.ends_with(".wan");
    let modern = old_log::modern(message);
    let message = modern.as_deref().unwrap_or(message);
    let found = MESSAGES.iter().filter(|_| !is_wan).find_map(|(text, event)| {
        let fields = message.strip_prefix(text)?;
        let fields = text_fields(fields.strip_prefix(':').unwrap_or(fields));
        // Consul writes other fields after a URL.
        let event = event(&fields).filter(|_| !fields.ends_with("url"));
        Some((event, written_request(text, &fields)))
    });
    Some(match found {
        Some((None, _)) => of_event(None, None, true),
        Some((event, request)) => of_event(event, request, false),
        None => of_event(None, None, !is_wan && is_cut_message(message)),
    })
}

/// The marks of programs that cut lines to the width of a screen.
const CUT_MARKS: [char; 3] = ['.', '>', '…'];

/// Whether the text after a level is a module whose message is missing.
fn is_cut_module(text: &str) -> bool {
    let module = text.trim_end_matches(CUT_MARKS).trim_end_matches(':');
    !module.contains(char::is_whitespace) && is_of_consul(module)
}

/// Whether a text is the beginning of a message that is read.
fn is_cut_message(message: &str) -> bool {
    let begin = message.trim_end_matches(CUT_MARKS);
    let is_begin = |text: &str| text.starts_with(begin) && text.len() > begin.len();
    !begin.is_empty() && MESSAGES.iter().any(|(text, _)| is_begin(text))
}

/// The time that Consul has written before the level: the last one, as other programs write theirs
/// before it, in whole seconds or later. One without a zone counts only if none has a zone.
fn own_time(before: &str) -> Option<time::Written<'_>> {
    let times = || starts(before).filter_map(time::leading);
    times().filter(|time| time.has_zone).last().or_else(|| times().last())
}

fn written_request(message: &str, fields: &Fields) -> Option<WrittenRequest> {
    let has_failed = message == "Request error";
    let is_request = has_failed || message == "Request finished";
    let (method, url) = (fields.get("method")?, fields.get("url")?);
    is_request.then_some(WrittenRequest { method, url, has_failed })
}

/// Whether a module is one of Consul. Nomad, Vault and others write lines of the same form.
pub(crate) fn is_of_consul(module: &str) -> bool {
    let first = module.split('.').next().unwrap_or(module);
    ["agent", "consul", "raft", "serf", "memberlist"].contains(&first)
}

pub(crate) const LEVELS: [&str; 6] = ["[DEBUG]", "[INFO]", "[WARN]", "[ERROR]", "[TRACE]", "[ERR]"];

/// The places of a text at which a year may begin.
fn starts(text: &str) -> impl Iterator<Item = &str> {
    let is_digit = |place: usize| text.as_bytes()[place].is_ascii_digit();
    let begins = move |place: &usize| is_digit(*place) && (*place == 0 || !is_digit(*place - 1));
    (0..text.len()).filter(begins).map(|place| &text[place..])
}

/// Parses a line of `-log-json`.
pub(crate) fn parse_json(value: &Value) -> Option<LogLine> {
    let text = |name: &str| value.get(name)?.as_str();
    let written = time::leading(text("@timestamp")?)?;
    let message = text("@message").filter(|_| text("@module").is_some_and(is_of_consul))?;
    let fields = || {
        let members = value.as_object().into_iter().flatten();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        Fields(members.map(|(name, value)| (name.clone(), text(value))).collect())
    };
    let is_wan = text("@module").is_some_and(|module| module.ends_with(".wan"));
    let mut request = None;
    let event = MESSAGES.iter().filter(|_| !is_wan).find_map(|(text, event)| {
        let rest = message.strip_prefix(text)?;
        let fields = match rest.strip_prefix(": ") {
            Some(rest) => text_fields(rest),
            None => fields(),
        };
        request = written_request(text, &fields);
        event(&fields)
    });
    let is_debug = matches!(text("@level"), Some("debug" | "trace"));
    let (time, has_zone) = (written.time, written.has_zone);
    Some(LogLine { time, has_zone, is_debug, event, request, is_cut: false })
}

/// `name=value name="a value"`; a word without a name has the name "".
fn text_fields(text: &str) -> Fields {
    let mut fields = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (name, after) = match rest[..end].split_once('=') {
            Some((name, _)) => (name, &rest[name.len() + 1..]),
            None => ("", rest),
        };
        let (value, after) = value(after);
        fields.push((name.into(), value.into_owned()));
        rest = after.trim_start();
    }
    Fields(fields)
}

/// A value up to a space, or in quotes as Go writes them.
fn value(text: &str) -> (Cow<'_, str>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].into(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((place, char)) = chars.next() {
        match char {
            '"' => return (value.into(), &quoted[place + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(char),
        }
    }
    (value.into(), "")
}

/// How long a request took, by the line that says that it is finished.
pub(crate) fn latency(line: &str) -> Option<Duration> {
    let (_, after) = line.rsplit_once("latency")?;
    let after = after.trim_start_matches(['=', ':', '"', ' ']);
    let end = after.find(['"', ' ', ',', '}']).unwrap_or(after.len());
    let nanos = duration::parse(&after[..end]).ok()?;
    Some(Duration::from_nanos(nanos.try_into().ok()?))
}

fn lock_delay(fields: &Fields) -> Option<LogEvent> {
    let until = time::leading(&fields.get("expire_time")?)?.time;
    Some(LogEvent::LockDelay { key: fields.get("key")?, until })
}

/// Requests after which sessions may have ended, because a check is critical or a node is gone.
const ENDS_SOME: [&str; 9] = [
    "agent/check/deregister",
    "agent/check/fail",
    "agent/check/update",
    "agent/force-leave",
    "agent/leave",
    "agent/service/deregister",
    "agent/service/maintenance",
    "catalog/deregister",
    "catalog/register",
];

fn request(fields: &Fields) -> Option<LogEvent> {
    let (method, url) = (fields.get("method")?, fields.get("url")?);
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let Some(path) = path.strip_prefix("/v1/") else {
        return Some(LogEvent::Request(Request::Other));
    };
    let parameter = |name: &str| parameter(query, name);
    let is = |expected: &str| method == expected;
    let session = |route: &str| path.strip_prefix(route).filter(|_| is("PUT")).map(decoded);
    let removes_checks = path == "agent/service/register"
        && matches!(parameter("replace-existing-checks").as_deref(), Some("" | "true"));
    if is("PUT") && (removes_checks || ENDS_SOME.iter().any(|route| path.starts_with(route))) {
        return Some(LogEvent::EndsSome);
    }
    if path == "txn" && is("PUT") {
        return Some(LogEvent::Transaction);
    }
    let request = if let Some(id) = session("session/renew/") {
        Request::Renew(id)
    } else if let Some(id) = session("session/destroy/") {
        Request::Destroy(id)
    } else if path == "session/create" && is("PUT") {
        Request::Create
    } else if let Some(list) = ListRequest::of_url(&url).filter(|_| is("GET")) {
        Request::List(list)
    } else if let Some(key) = path.strip_prefix("kv/") {
        let key = decoded(key);
        match (parameter("acquire"), parameter("release")) {
            (Some(session), _) if is("PUT") => Request::Acquire { key, session },
            (_, Some(session)) if is("PUT") => Request::Release { key, session },
            _ if is("DELETE") && parameter("recurse").is_some() => Request::DeleteTree(key),
            _ if is("DELETE") && parameter("cas").is_some() => Request::DeleteCas(key),
            _ if is("DELETE") => Request::Delete(key),
            _ => Request::Other,
        }
    } else {
        Request::Other
    };
    Some(LogEvent::Request(request))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    const EXPIRED: &str = "agent.server: Session TTL expired: session=78052b1c";

    fn event(line: &str) -> Option<LogEvent> {
        parse_text(line).expect("a line of a log").event
    }

    #[test]
    fn what_a_container_writes_before_the_time_is_skipped() {
        for before in ["", "Nov 26 10:13:27 host consul[123]: ", "consul-1  | ", "    "] {
            let line = format!("{before}2026-11-26T09:13:27.907Z [DEBUG] {EXPIRED}");
            assert_eq!(event(&line), Some(LogEvent::Expired("78052b1c".into())), "{line}");
        }
    }

    #[test]
    fn a_line_in_json_says_the_same_as_one_in_text() {
        let json = serde_json::json!({
            "@level": "warn", "@message": "Rejecting lock of key due to lock-delay",
            "@module": "agent.server.kvs", "@timestamp": "2026-11-26T09:11:46.690000Z",
            "expire_time": "2026-11-26 09:12:05.689167558 +0000 UTC m=+24.42", "key": "a b",
        });
        let text = "2026-11-26T09:11:46.690Z [WARN]  agent.server.kvs: Rejecting lock of key due \
                    to lock-delay: key=\"a b\" expire_time=\"2026-11-26 09:12:05.689167558 +0000 \
                    UTC m=+24.42\"";
        assert_eq!(parse_json(&json), parse_text(text));
        assert!(matches!(event(text), Some(LogEvent::LockDelay { key, .. }) if key == "a b"));
    }

    #[test]
    fn requests_are_read_from_their_url() {
        let request = |method: &str, url: &str| {
            let line = format!(
                "2026-11-26T09:11:46.690Z [DEBUG] agent.http: Request finished: method={method} \
                 url={url} from=127.0.0.1:1 latency=\"1µs\""
            );
            match event(&line) {
                Some(LogEvent::Request(request)) => request,
                other => panic!("{other:?}"),
            }
        };
        let acquire = Request::Acquire { key: "a b/c".into(), session: "s".into() };
        assert_eq!(request("PUT", "/v1/kv/a%20b/c?dc=dc1&acquire=s"), acquire);
        let release = Request::Release { key: "k".into(), session: "s".into() };
        assert_eq!(request("PUT", "/v1/kv/k?release=s"), release);
        assert_eq!(request("PUT", "/v1/session/renew/s?dc=dc1"), Request::Renew("s".into()));
        assert!(matches!(request("GET", "/v1/kv/?recurse"), Request::List(_)));
        assert_eq!(request("DELETE", "/v1/kv/a%20b"), Request::Delete("a b".into()));
        assert_eq!(request("DELETE", "/v1/kv/a?recurse"), Request::DeleteTree("a".into()));
        assert_eq!(request("DELETE", "/v1/kv/a?cas=3"), Request::DeleteCas("a".into()));
        assert_eq!(request("GET", "/v1/agent/self"), Request::Other);
    }

    #[test]
    fn requests_that_can_end_sessions_or_lock_keys_unseen_are_recognized() {
        for (url, expected) in [
            ("/v1/txn?dc=dc1", LogEvent::Transaction),
            ("/v1/agent/check/fail/web", LogEvent::EndsSome),
            ("/v1/catalog/deregister", LogEvent::EndsSome),
            ("/v1/agent/check/pass/web", LogEvent::Request(Request::Other)),
            ("/v1/agent/service/register?replace-existing-checks", LogEvent::EndsSome),
            ("/v1/agent/service/register?replace-existing-checks=true", LogEvent::EndsSome),
            (
                "/v1/agent/service/register?replace-existing-checks=false",
                LogEvent::Request(Request::Other),
            ),
            ("/v1/agent/service/register", LogEvent::Request(Request::Other)),
        ] {
            let line = format!(
                "2026-11-26T09:11:46.690Z [DEBUG] agent.http: Request finished: method=PUT \
                 url={url} from=127.0.0.1:1 latency=1ms"
            );
            assert_eq!(event(&line), Some(expected), "{url}");
        }
    }

    #[test]
    fn lines_of_other_programs_are_none_of_consul() {
        for line in [
            "",
            "[WARN] no time",
            "2026-11-26T09:13:27.907Z no level",
            "$ consul monitor",
            "2026-11-26T09:13:27.907Z [INFO]  nomad: cluster leadership acquired",
            "2026-11-26T09:13:27.907Z [INFO]  core: acquired lock, enabling active operation",
            "2026-11-26T09:13:27.907Z [INFO]  (dedup) acquired lock 'a/b'",
            "time=\"2026-11-26T09:13:27Z\" msg=\"2026-11-26T09:13:27Z [INFO]  raft: election won\"",
        ] {
            assert_eq!(parse_text(line), None, "{line}");
        }
    }
}
