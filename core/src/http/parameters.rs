//! The query parameters that Consul's endpoints read, and what each one does here. A parameter that
//! would change an answer and is not implemented is refused by name, never ignored in silence.
//! docs/en/reference/compatibility.md is written from the same lists.

use alloc::format;

use super::bad_request::BadRequest;
use super::path::Params;
use super::types::HttpRequest;

/// A query parameter of an endpoint of Consul's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in a query string.
    pub name: &'static str,
    /// What it does here.
    pub support: Support,
    /// When it is refused.
    refused_when: RefusedWhen,
}

/// When a parameter is refused, as the first error of a request is its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusedWhen {
    /// Before all else.
    First,
    /// After the parameters of a read were checked.
    AfterRead,
    /// After the endpoint has checked the rest.
    Last,
}

/// What a parameter does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// The same as in Consul.
    Yes,
    /// A request with it is refused, for this reason.
    Refused(&'static str),
    /// Accepted without effect, which this text explains.
    NoEffect(&'static str),
}

pub(super) const NAMESPACES: &str = "Namespaces are a Consul Enterprise feature";
const PARTITIONS: &str = "Partitions are a Consul Enterprise feature";
pub(super) const ABSENT: &str = "this server does not implement it";

const FORM_ONLY: &str = "only the form is checked";

/// What every endpoint takes.
pub(super) const COMMON: &[Parameter] =
    &[yes("pretty"), no_effect("token", "there are no ACLs; any token may do anything")];
/// What the free Consul refuses too.
pub(super) const ENTERPRISE: &[Parameter] =
    &[refused("ns", NAMESPACES), refused("partition", PARTITIONS)];
pub(super) const ENTERPRISE_AFTER_READ: &[Parameter] = &[
    refused("ns", NAMESPACES).when(RefusedWhen::AfterRead),
    refused("partition", PARTITIONS).when(RefusedWhen::AfterRead),
];
pub(super) const ENTERPRISE_LAST: &[Parameter] = &[
    refused("ns", NAMESPACES).when(RefusedWhen::Last),
    refused("partition", PARTITIONS).when(RefusedWhen::Last),
];
pub(super) const PARTITION: &[Parameter] = &[refused("partition", PARTITIONS)];
pub(super) const STALE: &[Parameter] = &[yes("stale")];
pub(super) const DC: &[Parameter] = &[yes("dc")];
/// Consistency (HTTP-13).
pub(super) const CONSISTENCY: &[Parameter] = &[
    yes("dc"),
    yes("consistent"),
    yes("stale"),
    yes("max_stale"),
    no_effect("cached", "every answer is fresh, and there is no `X-Cache` header"),
];
pub(super) const CONSISTENT: &[Parameter] = &[
    no_effect("consistent", FORM_ONLY),
    no_effect("max_stale", FORM_ONLY),
    no_effect("cached", FORM_ONLY),
];
/// What a read takes whose answer does not depend on it (HTTP-13).
pub(super) const CHECKED: &[Parameter] =
    &[no_effect("index", FORM_ONLY), no_effect("wait", FORM_ONLY)];
/// Blocking queries (BLK-01).
pub(super) const BLOCKING: &[Parameter] = &[yes("index"), yes("wait")];
pub(super) const NODE_META: &[Parameter] = &[yes("node-meta")];
pub(super) const NEAR: &[Parameter] = &[refused("near", ABSENT)];
pub(super) const FILTER: &[Parameter] = &[yes("filter")];
pub(super) const PEER: &[Parameter] = &[refused("peer", ABSENT)];
pub(super) const TAG: &[Parameter] = &[yes("tag")];
pub(super) const PASSING: &[Parameter] = &[yes("passing")];
pub(super) const MERGE: &[Parameter] = &[refused("merge-central-config", ABSENT)];
pub(super) const KV: &[Parameter] = &[
    yes("recurse"),
    yes("raw"),
    yes("keys"),
    yes("separator"),
    yes("flags"),
    yes("cas"),
    yes("acquire"),
    yes("release"),
];
pub(super) const NOTE: &[Parameter] = &[yes("note")];
pub(super) const MAINTENANCE: &[Parameter] = &[yes("enable"), yes("reason")];
pub(super) const REPLACE: &[Parameter] = &[yes("replace-existing-checks")];
pub(super) const FORMAT: &[Parameter] = &[yes("format")];
pub(super) const HASH: &[Parameter] = &[yes("hash"), yes("wait")];
pub(super) const MEMBERS: &[Parameter] = &[yes("wan"), yes("segment")];
pub(super) const MONITOR: &[Parameter] = &[yes("loglevel"), yes("logjson")];
pub(super) const EVENT: &[Parameter] = &[yes("node"), yes("service"), yes("tag")];
pub(super) const NAME: &[Parameter] = &[yes("name")];
pub(super) const PEM: &[Parameter] = &[yes("pem")];
pub(super) const EXECUTION: &[Parameter] =
    &[yes("limit"), refused("near", ABSENT), refused("connect", ABSENT)];

const fn yes(name: &'static str) -> Parameter {
    with_support(name, Support::Yes)
}

const fn refused(name: &'static str, why: &'static str) -> Parameter {
    with_support(name, Support::Refused(why))
}

const fn no_effect(name: &'static str, why: &'static str) -> Parameter {
    with_support(name, Support::NoEffect(why))
}

const fn with_support(name: &'static str, support: Support) -> Parameter {
    Parameter { name, support, refused_when: RefusedWhen::First }
}

impl Parameter {
    const fn when(self, refused_when: RefusedWhen) -> Self {
        Self { refused_when, ..self }
    }

    /// Whether it is refused after the parameters of a read.
    pub(super) fn is_refused_after_read(&self) -> bool {
        self.refused_when == RefusedWhen::AfterRead
    }
}

/// Refuses a request with a parameter, or the header of one, that its endpoint does not implement;
/// called once for each [`RefusedWhen`].
pub(super) fn admit(
    groups: &[&[Parameter]],
    params: &Params,
    request: &HttpRequest,
    now: RefusedWhen,
) -> Result<(), BadRequest> {
    let due = groups.iter().copied().flatten().filter(|it| it.refused_when == now);
    for Parameter { name, support, .. } in due {
        let Support::Refused(why) = support else { continue };
        let header = match *name {
            "ns" => "X-Consul-Namespace",
            "partition" => "X-Consul-Partition",
            _ => "",
        };
        if request.header(header).is_some_and(|value| !value.is_empty()) {
            return Err(BadRequest::Invalid(format!("Invalid header: \"{header}\" - {why}")));
        }
        // Without a value only a switch has an effect in Consul.
        if params.filled(name).is_some() || (*name == "merge-central-config" && params.has(name)) {
            return Err(BadRequest::Invalid(format!(
                "Invalid query parameter: \"{name}\" - {why}"
            )));
        }
    }
    Ok(())
}
