//! Requests under `/v1/session/`: creating, destroying, renewing and reading sessions. Only the
//! shape of a body is checked here; the engine checks behavior, TTL, node and health checks.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bad_request::BadRequest;
use super::limits::content_length;
use super::object::{Object, TextList};
use super::parts::{Decoded, RequestParts};
use super::schema::{DecodeError, GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::duration;
use crate::id::{CheckId, NodeName, SessionRef};
use crate::json::Json;
use crate::message::{LOCK_DELAY_DEFAULT, Operation, SERF_HEALTH, SessionDraft};
use crate::store::Query;
use crate::store::session::ServiceCheck;

/// A smaller LockDelay counts as seconds, not as nanoseconds (SES-17).
const LOCK_DELAY_MIN: i64 = 1_000;
const NANOS_PER_SECOND: i64 = 1_000_000_000;

pub(super) const SERVICE_CHECKS: GoType =
    GoType::List("[]structs.ServiceCheck", &GoType::Struct(&SERVICE_CHECK));

const SERVICE_CHECK: GoStruct = GoStruct {
    go_type: "structs.ServiceCheck",
    name: "ServiceCheck",
    is_strict: false,
    fields: &[("ID", STRING), ("Namespace", STRING)],
};

/// Members that Consul overwrites (SES-05) still must have the right type.
pub(super) const SESSION: GoType = GoType::Struct(&GoStruct {
    go_type: "struct { LockDelay interface {}; *structs.Alias }",
    name: "",
    is_strict: false,
    fields: &[
        ("LockDelay", GoType::Any),
        (
            "Alias",
            GoType::Embedded(&[
                ("ID", STRING),
                ("Name", STRING),
                ("Node", STRING),
                ("Behavior", GoType::Text("structs.SessionBehavior")),
                ("TTL", STRING),
                ("NodeChecks", STRINGS),
                ("ServiceChecks", SERVICE_CHECKS),
                ("Checks", GoType::List("[]types.CheckID", &GoType::Text("types.CheckID"))),
                ("CreateIndex", GoType::RaftIndex),
                ("ModifyIndex", GoType::RaftIndex),
            ]),
        ),
    ],
});

pub(super) fn create(parts: &RequestParts) -> Decoded {
    Ok((Operation::CreateSession(draft(parts)?), AnswerKind::Json))
}

pub(super) fn destroy(parts: &RequestParts) -> Decoded {
    let session = SessionRef::from(parts.name("Missing session")?);
    Ok((Operation::DestroySession(session), AnswerKind::Json))
}

pub(super) fn renew(parts: &RequestParts) -> Decoded {
    parts.admit_read()?;
    let session = SessionRef::from(parts.name("Missing session")?);
    Ok((Operation::RenewSession(session), AnswerKind::Json))
}

pub(super) fn info(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing session", |id| Query::Session(SessionRef::from(id)))
}

pub(super) fn on_node(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing node name", |node| Query::SessionsOfNode(NodeName::from(node)))
}

/// The session that a body asks for (SES-01 to SES-05). A body counts only when its length is known
/// and not zero (SES-02).
fn draft(parts: &RequestParts) -> Result<Box<SessionDraft>, BadRequest> {
    let has_body = content_length(parts.request).is_some_and(|length| length > 0);
    let body = if has_body { parts.body(&SESSION)? } else { Json::Null };
    let fields = Object::new(&body);
    let list = |name| fields.text_list(name, &[SERF_HEALTH]);
    let (checks, node_checks) = checks_of(list("Checks"), list("NodeChecks"));
    Ok(Box::new(SessionDraft {
        node: fields.text("Node").map(NodeName::from),
        name: fields.shared("Name"),
        lock_delay: lock_delay(fields.get("LockDelay"))?,
        behavior: Arc::from(fields.text("Behavior").unwrap_or("release")),
        ttl: fields.shared("TTL"),
        node_checks,
        service_checks: service_checks(fields),
        checks,
    }))
}

/// The lists `Checks` and `NodeChecks` (SES-21 to SES-23). Each is `["serfHealth"]` if the body has
/// none. Then an empty `Checks` empties `NodeChecks` as well; otherwise a `Checks` is dropped that
/// is the default or comes with an empty `NodeChecks`.
fn checks_of(
    checks: TextList,
    node_checks: TextList,
) -> (Option<Vec<CheckId>>, Option<Vec<CheckId>>) {
    let default = || Some(Vec::from([CheckId::from(SERF_HEALTH)]));
    let overlaid = |list| match list {
        TextList::Absent => default(),
        TextList::Null => None,
        TextList::Given(texts) => Some(check_ids(texts)),
    };
    let (checks, node_checks) = (overlaid(checks), overlaid(node_checks));
    if checks.as_ref().is_none_or(Vec::is_empty) {
        return (checks, Some(Vec::new()));
    }
    if node_checks.as_ref().is_none_or(Vec::is_empty) || checks == default() {
        return (None, node_checks);
    }
    (checks, node_checks)
}

fn check_ids(texts: Vec<String>) -> Vec<CheckId> {
    texts.into_iter().map(CheckId::from).collect()
}

/// The service checks of a session; `None` if they are absent or `null`.
pub(super) fn service_checks(fields: Object) -> Option<Vec<ServiceCheck>> {
    fields.get("ServiceChecks")?;
    let check = |item| {
        let fields = Object::new(item);
        ServiceCheck {
            id: CheckId::from(fields.string("ID")),
            namespace: fields.shared("Namespace"),
        }
    };
    Some(fields.items("ServiceChecks").iter().map(check).collect())
}

/// The LockDelay in nanoseconds (SES-17 to SES-20). A smaller value than [`LOCK_DELAY_MIN`] counts
/// as seconds, also that of a text such as `5ns`.
fn lock_delay(value: Option<&Json>) -> Result<i64, DecodeError> {
    let Some(value) = value else { return Ok(LOCK_DELAY_DEFAULT) };
    let nanos = nanos(value)?;
    Ok(if nanos < LOCK_DELAY_MIN { nanos.wrapping_mul(NANOS_PER_SECOND) } else { nanos })
}

/// A time in nanoseconds that a body gives as a Go duration or as a number. Any other value counts
/// as 0.
pub(super) fn nanos(value: &Json) -> Result<i64, DecodeError> {
    match value {
        Json::Text(text) => Ok(duration::parse(text)?),
        number => Ok(number.as_f64().map_or(0, truncated)),
    }
}

/// Go's conversion of a float to an `i64` on amd64: one that does not fit becomes `i64::MIN`.
fn truncated(number: f64) -> i64 {
    let fits = number >= i64::MIN as f64 && number < i64::MAX as f64;
    if fits { number as i64 } else { i64::MIN }
}
