//! Requests under `/v1/query`: prepared queries, which Consul ties to sessions. They are stored,
//! listed, deleted, and executed over the catalog. Definitions are decoded here and checked by the
//! engine.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::bad_request::BadRequest;
use super::object::{self, Object};
use super::parts::{Decoded, RequestParts};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::error::Error;
use crate::id::query_id_fault;
use crate::json::Json;
use crate::message::{Consistency, Operation};
use crate::store::Query;
use crate::store::prepared_query::{Dns, Failover, QueryDefinition, ServiceQuery, Template};

const QUERY: GoType = GoType::Struct(&GoStruct {
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
        ("CreateIndex", GoType::Uint64),
        ("ModifyIndex", GoType::Uint64),
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
        ("Failover", GoType::Struct(&FAILOVER)),
        ("OnlyPassing", GoType::Bool),
        ("IgnoreCheckIDs", GoType::List("[]types.CheckID", &GoType::Text("types.CheckID"))),
        ("Near", STRING),
        ("Tags", STRINGS),
        ("NodeMeta", GoType::Pairs),
        ("ServiceMeta", GoType::Pairs),
        ("Connect", GoType::Bool),
        ("PeerName", STRING),
        ("Namespace", STRING),
        ("Partition", STRING),
    ],
};

const FAILOVER: GoStruct = GoStruct {
    go_type: "structs.QueryFailoverOptions",
    name: "QueryFailoverOptions",
    is_strict: true,
    fields: &[
        ("NearestN", GoType::Int),
        ("Datacenters", STRINGS),
        ("Targets", GoType::List("[]structs.QueryFailoverTarget", &GoType::Pairs)),
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
            _ => Query::PreparedQuery(name.into()),
        };
        return Ok((parts.read_operation(query, None), kind));
    }
    match parts.request.method.as_str() {
        "GET" => {
            let wait = parts.admit_read()?;
            if let Some(fault) = query_id_fault(rest) {
                return Err(BadRequest::FailedRead(Error::MalformedQueryId(fault).to_string()));
            }
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
    let limit = text.parse::<i64>().map_err(|_| BadRequest::bad("Bad limit"))?;
    Ok(u64::try_from(limit).unwrap_or_default())
}

/// The query that a path asks to execute or explain, by id or name; `None` for any other path.
pub(super) fn execution(rest: &str, asked: Consistency) -> Option<(&str, AnswerKind)> {
    let executed =
        rest.strip_suffix("/execute").map(|name| (name, AnswerKind::QueryExecution(asked)));
    executed.or_else(|| Some((rest.strip_suffix("/explain")?, AnswerKind::QueryExplanation(asked))))
}

/// A new query, which must not have an id yet (PQ-07).
fn new(parts: &RequestParts) -> Result<Box<QueryDefinition>, BadRequest> {
    let body = parts.body(&QUERY)?;
    if Object::new(&body).filled("ID").is_some() {
        return Err(BadRequest::Failed(Error::QueryIdSupplied.to_string()));
    }
    Ok(definition(&body))
}

/// A definition that replaces another; an id in the body is ignored, and no body is an empty one.
fn update(parts: &RequestParts) -> Result<Box<QueryDefinition>, BadRequest> {
    let is_empty = parts.request.body.is_empty();
    let body = if is_empty { Json::Null } else { parts.body(&QUERY)? };
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
        failover: failover(fields.object("Failover")),
        only_passing: fields.is_set("OnlyPassing"),
        ignore_check_ids: fields.texts("IgnoreCheckIDs"),
        near: fields.string("Near"),
        tags: fields.texts("Tags"),
        node_meta: fields.pairs("NodeMeta"),
        service_meta: fields.pairs("ServiceMeta"),
        connect: fields.is_set("Connect"),
        peer_name: fields.string("PeerName"),
    }
}

fn failover(fields: Object) -> Failover {
    let targets: Vec<_> = fields.items("Targets").iter().map(object::pairs).collect();
    Failover {
        nearest_n: fields.signed("NearestN"),
        datacenters: fields.texts("Datacenters"),
        targets: Some(targets).filter(|targets| !targets.is_empty()),
    }
}
