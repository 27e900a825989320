//! Holds the types of bodies against docs/en/reference/compatibility.md: of each member of each
//! body, either the decoded request or its refusal depends on it, or the document lists it among
//! those without effect.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::schema::{GoStruct, GoType};
use super::types::{Agent, HttpRequest};
use super::{agent_schema, catalog, decode, query, session, txn};
use crate::config::Config;
use crate::json::{Json, only_value, to_text};
use crate::message::Operation;
use crate::version::ConsulVersion;

const DOCUMENT: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/en/reference/compatibility.md"));

/// A body: its endpoint after `/v1/`, its type, what is around it, and requests with it.
struct Body {
    method: &'static str,
    endpoint: &'static str,
    go_type: &'static GoType,
    /// What a transaction has around the operation, whose kind is the beginning of its members.
    kind: Option<&'static str>,
    bases: &'static [&'static str],
}

const BODIES: &[Body] = &[
    body("PUT", "agent/check/register", &agent_schema::CHECK, &[r#"{"Name":"c","TTL":"1s"}"#]),
    body("PUT", "agent/check/update/c", &agent_schema::CHECK_UPDATE, &[r#"{"Status":"passing"}"#]),
    body(
        "PUT",
        "agent/service/register",
        &agent_schema::SERVICE,
        &[r#"{"Name":"s","Check":{"TTL":"1s"}}"#],
    ),
    body(
        "PUT",
        "catalog/register",
        &catalog::REGISTER,
        &[concat!(
            r#"{"Node":"n","Address":"a","Check":{"Name":"c"},"#,
            r#""Service":{"Service":"s","Weights":{"Passing":2}}}"#,
        )],
    ),
    body("PUT", "catalog/deregister", &catalog::DEREGISTER, &[r#"{"Node":"n"}"#]),
    body("POST", "query", &query::QUERY, &[r#"{"Name":"q","Service":{"Service":"s"}}"#]),
    body("PUT", "session/create", &session::SESSION, &["{}"]),
    operation(
        "KV",
        &GoType::Struct(&txn::KV_OP),
        &[r#"{"Verb":"cas","Key":"a"}"#, r#"{"Verb":"lock","Key":"a"}"#],
    ),
    operation("Node", &GoType::Struct(&txn::NODE_OP), &[r#"{"Verb":"cas","Node":{"Node":"n"}}"#]),
    operation(
        "Service",
        &GoType::Struct(&txn::SERVICE_OP),
        &[r#"{"Verb":"cas","Service":{"Service":"s","Weights":{"Passing":2}}}"#],
    ),
    operation(
        "Check",
        &GoType::Struct(&txn::CHECK_OP),
        &[r#"{"Verb":"cas","Check":{"Name":"c"}}"#],
    ),
];

const fn body(
    method: &'static str,
    endpoint: &'static str,
    go_type: &'static GoType,
    bases: &'static [&'static str],
) -> Body {
    Body { method, endpoint, go_type, kind: None, bases }
}

const fn operation(
    kind: &'static str,
    go_type: &'static GoType,
    bases: &'static [&'static str],
) -> Body {
    Body { method: "PUT", endpoint: "txn", go_type, kind: Some(kind), bases }
}

/// A member on the path to another one, and whether it is a list of objects.
type Step = (&'static str, bool);

impl Body {
    /// What the body is decoded to; `None` if it is refused.
    fn decoded(&self, body: &Json, version: ConsulVersion) -> Option<Operation> {
        let text = match self.kind {
            None => to_text(body),
            Some(kind) => format!(r#"[{{"{kind}":{}}}]"#, to_text(body)),
        };
        let target = format!("/v1/{}", self.endpoint);
        let request = HttpRequest::new(self.method, &target, text.as_bytes());
        let agent = Agent::of(&Config::of(version));
        decode(&agent, &request).ok().map(|call| call.request.operation)
    }

    /// Whether a member with this value is accepted and makes no difference.
    fn is_dropped(&self, path: &[Step], value: &Json, version: ConsulVersion) -> bool {
        self.bases.iter().all(|base| {
            let base = only_value(base).expect("it is JSON");
            let without = self.decoded(&base, version).expect("it is accepted");
            let with = self.decoded(&with_member(Some(&base), path, value), version);
            with == Some(without)
        })
    }

    /// Adds the members of an object that are dropped. One whose members are all dropped is named
    /// alone, and a type that occurs again is looked at once.
    fn look(
        &self,
        go_struct: &'static GoStruct,
        path: &[Step],
        version: ConsulVersion,
        seen: &mut BTreeSet<&'static str>,
        dropped: &mut BTreeSet<String>,
    ) {
        for (name, go_type) in members(go_struct) {
            let Some(go_type) = of_version(go_type, version) else { continue };
            let inner = match go_type {
                GoType::Struct(inner) | GoType::Pointer(inner) => Some((*inner, false)),
                GoType::List(_, item) => match of_version(item, version) {
                    Some(GoType::Struct(inner) | GoType::Pointer(inner)) => Some((*inner, true)),
                    _ => None,
                },
                _ => None,
            };
            let path: Vec<Step> = [path, &[(name, inner.is_some_and(|it| it.1))]].concat();
            if self.is_dropped(&path, &sample(go_type, version, false), version) {
                let names: Vec<_> = path.iter().map(|step| step.0).collect();
                dropped.insert(self.kind.into_iter().chain(names).collect::<Vec<_>>().join("."));
            } else if let Some((inner, _)) = inner
                && (inner.go_type.starts_with("struct {") || seen.insert(inner.go_type))
            {
                self.look(inner, &path, version, seen, dropped);
            }
        }
    }
}

/// A value with a member inside.
fn with_member(base: Option<&Json>, path: &[Step], value: &Json) -> Json {
    let Some(((name, is_list), rest)) = path.split_first() else { return value.clone() };
    let mut members = match base {
        Some(Json::Object(members)) => members.clone(),
        _ => Vec::new(),
    };
    let old = members.iter().position(|(known, _)| known == name).map(|at| members.remove(at).1);
    let old = if let Some(Json::Array(items)) = &old { items.first().cloned() } else { old };
    let new = with_member(old.as_ref(), rest, value);
    let is_item = *is_list && !rest.is_empty();
    members.push(((*name).into(), if is_item { Json::Array(Vec::from([new])) } else { new }));
    Json::Object(members)
}

/// All members, with those of the embedded struct.
fn members(go_struct: &'static GoStruct) -> Vec<(&'static str, &'static GoType)> {
    let inside = |(name, go_type): &'static (&'static str, GoType)| match go_type {
        GoType::Embedded(fields) => fields.iter().map(|(name, it)| (*name, it)).collect(),
        go_type => Vec::from([(*name, go_type)]),
    };
    go_struct.fields.iter().flat_map(inside).collect()
}

/// The type in a version, if it is there.
fn of_version(go_type: &'static GoType, version: ConsulVersion) -> Option<&'static GoType> {
    match go_type {
        GoType::Since(first, go_type) if version >= *first => of_version(go_type, version),
        GoType::Before(first, go_type) if version < *first => of_version(go_type, version),
        GoType::Since(..) | GoType::Before(..) => None,
        GoType::Changed(first, before, since) => {
            of_version(if version < *first { before } else { since }, version)
        }
        GoType::Shown(go_type) => of_version(go_type, version),
        go_type => Some(go_type),
    }
}

/// A value of a type that is not its zero value; of an object one with each member.
fn sample(go_type: &'static GoType, version: ConsulVersion, is_item: bool) -> Json {
    let text = || Json::Text("x".into());
    let map = |value| Json::Object(Vec::from([(String::from("x"), value)]));
    match go_type {
        GoType::Int | GoType::Uint | GoType::Uint8 | GoType::Uint16 => Json::Unsigned(7),
        GoType::Uint64 | GoType::RaftIndex => Json::Unsigned(7),
        GoType::Bool => Json::Bool(true),
        GoType::Bytes => Json::Text("eA==".into()),
        GoType::Duration => Json::Text("7s".into()),
        GoType::Any => Json::Text(if is_item { "x" } else { "7s" }.into()),
        GoType::Unchecked | GoType::Pairs => map(text()),
        GoType::Map(_, value) => map(sample(value, version, true)),
        GoType::List(_, item) => match of_version(item, version) {
            Some(item) => Json::Array(Vec::from([sample(item, version, true)])),
            None => Json::Null,
        },
        GoType::Struct(of) | GoType::Pointer(of) => {
            let member = |(name, go_type): (&str, _)| {
                Some((name.to_string(), sample(of_version(go_type, version)?, version, true)))
            };
            Json::Object(members(of).into_iter().filter_map(member).collect())
        }
        _ => text(),
    }
}

/// The members that the document lists, by endpoint.
fn listed() -> BTreeMap<String, BTreeSet<String>> {
    let (_, rows) = DOCUMENT.split_once("## Members of bodies without effect").expect("a list");
    let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows.lines().filter(|row| row.starts_with("| `")) {
        let cells: Vec<_> = row.split(" | ").collect();
        let names = |cell: &str| -> Vec<String> {
            cell.split('`').skip(1).step_by(2).map(String::from).collect()
        };
        let endpoint = names(cells[0]).concat();
        listed.entry(endpoint).or_default().extend(names(cells[1]));
    }
    listed
}

#[test]
fn no_member_of_a_body_is_dropped_in_silence() {
    let mut dropped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for version in ConsulVersion::ALL {
        for body in BODIES {
            let go_struct = match of_version(body.go_type, version) {
                Some(GoType::Struct(go_struct)) => *go_struct,
                _ => panic!("the body of {} is an object", body.endpoint),
            };
            let mut found = BTreeSet::new();
            body.look(go_struct, &[], version, &mut BTreeSet::new(), &mut found);
            if !found.is_empty() {
                let endpoint = body.endpoint.trim_end_matches("update/c").into();
                dropped.entry(endpoint).or_default().extend(found);
            }
        }
    }
    assert_eq!(dropped, listed());
}
