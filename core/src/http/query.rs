//! Requests under `/v1/query`: prepared queries, which Consul ties to sessions. They are stored,
//! listed, deleted, and executed over the catalog. Definitions are decoded here and checked by the
//! engine.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::num::IntErrorKind;

use super::bad_request::BadRequest;
use super::object::Object;
use super::parts::{Decoded, RequestParts};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::error::Error;
use crate::id::{check_query_id, go_quoted};
use crate::json::Json;
use crate::message::{Consistency, Operation};
use crate::store::Query;
use crate::store::prepared_query::{
    Dns, Failover, QueryDefinition, ServiceQuery, Target, Template,
};
use crate::version::ConsulVersion::V1_22;

pub(super) const QUERY: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.PreparedQuery",
    name: "PreparedQuery",
    is_strict: true,
    fields: &[
        ("ID", STRING),
        ("Name", STRING),
        ("Session", STRING),
        ("Token", STRING),
        ("Template", GoType::Struct(&TEMPLATE)),
        ("Service", GoType::Struct(&SERVICE)),
        ("DNS", GoType::Struct(&DNS)),
        ("CreateIndex", GoType::RaftIndex),
        ("ModifyIndex", GoType::RaftIndex),
    ],
});

const TEMPLATE: GoStruct = GoStruct {
    go_type: "structs.QueryTemplateOptions",
    name: "QueryTemplateOptions",
    is_strict: true,
    fields: &[("Type", STRING), ("Regexp", STRING), ("RemoveEmptyTags", GoType::Bool)],
};

const SERVICE: GoStruct = GoStruct {
    go_type: "structs.ServiceQuery",
    name: "ServiceQuery",
    is_strict: true,
    fields: &[
        ("Service", STRING),
        ("SamenessGroup", GoType::Since(V1_22, &STRING)),
        ("Failover", GoType::Struct(&FAILOVER)),
        ("OnlyPassing", GoType::Bool),
        ("IgnoreCheckIDs", GoType::List("[]types.CheckID", &GoType::Text("types.CheckID"))),
        ("Near", STRING),
        ("Tags", STRINGS),
        ("NodeMeta", GoType::Pairs),
        ("ServiceMeta", GoType::Pairs),
        ("Connect", GoType::Bool),
        ("PeerName", GoType::Before(V1_22, &STRING)),
        ("Peer", GoType::Since(V1_22, &STRING)),
    ],
};

const FAILOVER: GoStruct = GoStruct {
    go_type: "structs.QueryFailoverOptions",
    name: "QueryFailoverOptions",
    is_strict: true,
    fields: &[
        ("NearestN", GoType::Int),
        ("Datacenters", STRINGS),
        ("Targets", GoType::List("[]structs.QueryFailoverTarget", &GoType::Struct(&TARGET))),
    ],
};

const TARGET: GoStruct = GoStruct {
    go_type: "structs.QueryFailoverTarget",
    name: "QueryFailoverTarget",
    is_strict: true,
    fields: &[
        ("PeerName", GoType::Before(V1_22, &STRING)),
        ("Peer", GoType::Since(V1_22, &STRING)),
        ("Datacenter", STRING),
    ],
};

const DNS: GoStruct = GoStruct {
    go_type: "structs.QueryDNSOptions",
    name: "QueryDNSOptions",
    is_strict: true,
    fields: &[("TTL", STRING)],
};

/// `/v1/query`: lists all queries, or creates one.
pub(super) fn decode_all(parts: &RequestParts) -> Decoded {
    if parts.request.method == "GET" {
        return parts.read(Query::PreparedQueries);
    }
    Ok((Operation::CreateQuery(new(parts)?), AnswerKind::Json))
}

/// `/v1/query/<id>`, and what executes or explains a query, which never waits (PQ-07).
pub(super) fn decode_one(parts: &RequestParts) -> Decoded {
    let rest = parts.rest.as_str();
    let id = || String::from(rest);
    if let Some((name, kind)) = execution(rest, parts.consistency()) {
        parts.admit_read()?;
        let query = match kind {
            AnswerKind::QueryExecution(_) => {
                Query::Execute { query: name.into(), limit: limit(parts)? }
            }
            _ => Query::Explain(name.into()),
        };
        return Ok((parts.read_operation(query, None), kind));
    }
    match parts.request.method.as_str() {
        "GET" => {
            let wait = parts.admit_read()?;
            if parts.is_for_another_datacenter() {
                return Err(BadRequest::UnknownDatacenter { has_read_headers: true });
            }
            check_query_id(rest).map_err(|error| {
                BadRequest::FailedRead(Error::MalformedQueryId(error.to_string()).to_string())
            })?;
            Ok((parts.read_operation(Query::PreparedQuery(id()), wait), AnswerKind::Json))
        }
        "PUT" => {
            let definition = update(parts)?;
            Ok((Operation::UpdateQuery { id: id(), definition }, AnswerKind::Json))
        }
        _ => Ok((Operation::DeleteQuery(id()), AnswerKind::Json)),
    }
}

/// The most instances that an execution is to return; 0 for all.
fn limit(parts: &RequestParts) -> Result<u64, BadRequest> {
    let Some(text) = parts.params.filled("limit") else { return Ok(0) };
    let limit = text.parse::<i64>().map_err(|error| {
        let what = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        let quoted = go_quoted(text);
        BadRequest::Failed(format!("Bad limit: strconv.Atoi: parsing {quoted}: {what}"))
    })?;
    Ok(u64::try_from(limit).unwrap_or_default())
}

/// The query that a path asks to execute or explain, by id or name; `None` for any other path. The
/// path `/v1/query/execute` asks for a query of this name.
pub(super) fn execution(rest: &str, asked: Consistency) -> Option<(&str, AnswerKind)> {
    let (name, action) = rest.rsplit_once('/').unwrap_or((rest, rest));
    match action {
        "execute" => Some((name, AnswerKind::QueryExecution(asked))),
        "explain" => Some((name, AnswerKind::QueryExplanation(asked))),
        _ => None,
    }
}

/// A new query, which must not have an id yet (PQ-07).
fn new(parts: &RequestParts) -> Result<Box<QueryDefinition>, BadRequest> {
    let body = parts.body(&QUERY)?;
    if Object::new(&body).filled("ID").is_some() {
        return Err(BadRequest::Failed(Error::QueryIdSupplied.to_string()));
    }
    Ok(definition(&body))
}

/// A definition that replaces another; an id in the body is ignored. A body that is empty, or is
/// sent without its length, counts as an empty definition.
fn update(parts: &RequestParts) -> Result<Box<QueryDefinition>, BadRequest> {
    let is_unread = parts.request.body.is_empty() || parts.request.is_chunked();
    let body = if is_unread { Json::Null } else { parts.body(&QUERY)? };
    Ok(definition(&body))
}

fn definition(body: &Json) -> Box<QueryDefinition> {
    let fields = Object::new(body);
    Box::new(QueryDefinition {
        name: fields.string("Name"),
        session: fields.string("Session"),
        token: fields.string("Token"),
        template: template(fields.object("Template")),
        service: service(fields.object("Service")),
        dns: Dns { ttl: fields.object("DNS").string("TTL") },
    })
}

fn template(fields: Object) -> Template {
    Template {
        kind: fields.string("Type"),
        regexp: fields.string("Regexp"),
        remove_empty_tags: fields.is_set("RemoveEmptyTags"),
    }
}

fn service(fields: Object) -> ServiceQuery {
    ServiceQuery {
        service: fields.string("Service"),
        sameness_group: fields.string("SamenessGroup"),
        failover: failover(fields.object("Failover")),
        only_passing: fields.is_set("OnlyPassing"),
        ignore_check_ids: fields.texts("IgnoreCheckIDs"),
        near: fields.string("Near"),
        tags: fields.texts("Tags"),
        node_meta: fields.pairs("NodeMeta"),
        service_meta: fields.pairs("ServiceMeta"),
        connect: fields.is_set("Connect"),
        peer: peer(fields),
    }
}

/// The name of another cluster, under the name that the version has for it.
fn peer(fields: Object) -> String {
    fields.text("Peer").or(fields.text("PeerName")).unwrap_or_default().into()
}

fn failover(fields: Object) -> Failover {
    let target = |value| {
        let fields = Object::new(value);
        Target { peer: peer(fields), datacenter: fields.string("Datacenter") }
    };
    let targets: Vec<_> = fields.items("Targets").iter().map(target).collect();
    Failover {
        nearest_n: fields.signed("NearestN"),
        datacenters: fields.texts("Datacenters"),
        targets: Some(targets).filter(|targets| !targets.is_empty()),
    }
}
