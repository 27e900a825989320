//! The body of a prepared query.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::Refused;
use super::body::{parsed, undecodable};
use super::fields::{Fields, List, Misfit};
use super::route::Parts;
use crate::json::Json;
use crate::store::catalog::Pairs;
use crate::store::prepared_query::{Dns, Failover, QueryDefinition, ServiceQuery, Template};

/// A prepared query's definition, and the id that was sent with it. An empty body is an empty
/// definition.
pub(super) fn definition(parts: &Parts) -> Result<(String, Box<QueryDefinition>), Refused> {
    let value = if parts.request.body.is_empty() { Json::Null } else { parsed(parts)? };
    read(&value).map_err(undecodable)
}

fn read(value: &Json) -> Result<(String, Box<QueryDefinition>), Misfit> {
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
    let definition = QueryDefinition {
        name: text(&fields, "Name")?,
        session: text(&fields, "Session")?,
        token: text(&fields, "Token")?,
        template: template(part(&fields, "Template"))?,
        service: service(part(&fields, "Service"))?,
        dns: dns(part(&fields, "DNS"))?,
    };
    Ok((text(&fields, "ID")?, Box::new(definition)))
}

fn template(value: &Json) -> Result<Template, Misfit> {
    let known = ["Type", "Regexp", "RemoveEmptyTags"];
    let fields = Fields::strict(value, "structs.QueryTemplateOptions", &known)?;
    Ok(Template {
        kind: text(&fields, "Type")?,
        regexp: text(&fields, "Regexp")?,
        remove_empty_tags: fields.is_set("RemoveEmptyTags")?,
    })
}

fn service(value: &Json) -> Result<ServiceQuery, Misfit> {
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
    Ok(ServiceQuery {
        service: text(&fields, "Service")?,
        failover: failover(part(&fields, "Failover"))?,
        only_passing: fields.is_set("OnlyPassing")?,
        ignore_check_ids: texts(&fields, "IgnoreCheckIDs")?,
        near: text(&fields, "Near")?,
        tags: texts(&fields, "Tags")?,
        node_meta: fields.pairs("NodeMeta")?,
        service_meta: fields.pairs("ServiceMeta")?,
        connect: fields.is_set("Connect")?,
        peer_name: text(&fields, "PeerName")?,
    })
}

fn failover(value: &Json) -> Result<Failover, Misfit> {
    let known = ["NearestN", "Datacenters", "Targets"];
    let fields = Fields::strict(value, "structs.QueryFailoverOptions", &known)?;
    let targets: Result<Vec<Pairs>, Misfit> = fields.items("Targets")?.iter().map(target).collect();
    Ok(Failover {
        nearest_n: fields.signed("NearestN")?,
        datacenters: texts(&fields, "Datacenters")?,
        targets: Some(targets?).filter(|targets| !targets.is_empty()),
    })
}

fn target(value: &Json) -> Result<Pairs, Misfit> {
    let member = [(String::from("Target"), value.clone())];
    let object = Json::Object(Vec::from(member));
    Fields::lenient(&object, "structs.QueryFailoverTarget")?.pairs("Target")
}

fn dns(value: &Json) -> Result<Dns, Misfit> {
    let fields = Fields::strict(value, "structs.QueryDNSOptions", &["TTL"])?;
    Ok(Dns { ttl: text(&fields, "TTL")? })
}

/// A member that is an object; absent, it reads as an empty one.
fn part<'a>(fields: &Fields<'a>, name: &str) -> &'a Json {
    fields.get(name).unwrap_or(&Json::Null)
}

fn text(fields: &Fields, name: &str) -> Result<String, Misfit> {
    Ok(fields.text(name)?.unwrap_or_default().into())
}

fn texts(fields: &Fields, name: &str) -> Result<Option<Vec<String>>, Misfit> {
    Ok(match fields.list(name)? {
        List::Absent | List::Null => None,
        List::Given(texts) => Some(texts),
    })
}
