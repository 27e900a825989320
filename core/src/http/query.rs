//! The body of a prepared query.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::BadRequest;
use super::body::{parsed, undecodable};
use super::fields::{DecodeError, Fields, List};
use super::route::Parts;
use crate::error::Error;
use crate::json::Json;
use crate::store::catalog::Pairs;
use crate::store::prepared_query::{Dns, Failover, QueryDefinition, ServiceQuery, Template};

/// PQ-07: a new prepared query has no id yet.
pub(super) fn new(parts: &Parts) -> Result<Box<QueryDefinition>, BadRequest> {
    match read(&parsed(parts)?).map_err(undecodable)? {
        (id, definition) if id.is_empty() => Ok(definition),
        _ => Err(BadRequest::Failed(Error::QueryIdSupplied.to_string())),
    }
}

/// A definition in place of another, whatever id is sent with it; no body is an empty one.
pub(super) fn update(parts: &Parts) -> Result<Box<QueryDefinition>, BadRequest> {
    let value = if parts.request.body.is_empty() { Json::Null } else { parsed(parts)? };
    read(&value).map(|(_, definition)| definition).map_err(undecodable)
}

fn read(value: &Json) -> Result<(String, Box<QueryDefinition>), DecodeError> {
    const KNOWN: &[&str] = &[
        "ID",
        "Name",
        "Session",
        "Token",
        "Template",
        "Service",
        "DNS",
        "CreateIndex",
        "ModifyIndex",
    ];
    let fields = Fields::strict(value, "structs.PreparedQuery", KNOWN)?;
    let mut definition = Box::<QueryDefinition>::default();
    definition.name = text(&fields, "Name")?;
    definition.session = text(&fields, "Session")?;
    definition.token = text(&fields, "Token")?;
    template(part(&fields, "Template"), &mut definition.template)?;
    service(part(&fields, "Service"), &mut definition.service)?;
    dns(part(&fields, "DNS"), &mut definition.dns)?;
    Ok((text(&fields, "ID")?, definition))
}

fn template(value: &Json, read: &mut Template) -> Result<(), DecodeError> {
    let known = ["Type", "Regexp", "RemoveEmptyTags"];
    let fields = Fields::strict(value, "structs.QueryTemplateOptions", &known)?;
    read.kind = text(&fields, "Type")?;
    read.regexp = text(&fields, "Regexp")?;
    read.remove_empty_tags = fields.is_set("RemoveEmptyTags")?;
    Ok(())
}

fn service(value: &Json, read: &mut ServiceQuery) -> Result<(), DecodeError> {
    const KNOWN: &[&str] = &[
        "Service",
        "Failover",
        "OnlyPassing",
        "IgnoreCheckIDs",
        "Near",
        "Tags",
        "NodeMeta",
        "ServiceMeta",
        "Connect",
        "PeerName",
        "Namespace",
        "Partition",
    ];
    let fields = Fields::strict(value, "structs.ServiceQuery", KNOWN)?;
    read.service = text(&fields, "Service")?;
    failover(part(&fields, "Failover"), &mut read.failover)?;
    read.only_passing = fields.is_set("OnlyPassing")?;
    read.ignore_check_ids = texts(&fields, "IgnoreCheckIDs")?;
    read.near = text(&fields, "Near")?;
    read.tags = texts(&fields, "Tags")?;
    read.node_meta = fields.pairs("NodeMeta")?;
    read.service_meta = fields.pairs("ServiceMeta")?;
    read.connect = fields.is_set("Connect")?;
    read.peer_name = text(&fields, "PeerName")?;
    Ok(())
}

fn failover(value: &Json, read: &mut Failover) -> Result<(), DecodeError> {
    let known = ["NearestN", "Datacenters", "Targets"];
    let fields = Fields::strict(value, "structs.QueryFailoverOptions", &known)?;
    let targets = fields.items("Targets")?.iter().map(target).collect::<Result<Vec<_>, _>>();
    read.nearest_n = fields.signed("NearestN")?;
    read.datacenters = texts(&fields, "Datacenters")?;
    read.targets = Some(targets?).filter(|targets| !targets.is_empty());
    Ok(())
}

fn target(value: &Json) -> Result<Pairs, DecodeError> {
    let member = [(String::from("Target"), value.clone())];
    let object = Json::Object(Vec::from(member));
    Fields::lenient(&object, "structs.QueryFailoverTarget")?.pairs("Target")
}

fn dns(value: &Json, read: &mut Dns) -> Result<(), DecodeError> {
    let fields = Fields::strict(value, "structs.QueryDNSOptions", &["TTL"])?;
    read.ttl = text(&fields, "TTL")?;
    Ok(())
}

/// A member that is an object; absent, it reads as an empty one.
fn part<'a>(fields: &Fields<'a>, name: &str) -> &'a Json {
    fields.get(name).unwrap_or(&Json::Null)
}

fn text(fields: &Fields, name: &str) -> Result<String, DecodeError> {
    Ok(fields.text(name)?.unwrap_or_default().into())
}

fn texts(fields: &Fields, name: &str) -> Result<Option<Vec<String>>, DecodeError> {
    Ok(match fields.list(name, &[])? {
        List::Absent | List::Null => None,
        List::Given(texts) => Some(texts),
    })
}
