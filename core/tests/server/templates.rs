//! Templates of prepared queries (PQ-08), the order of the errors of definitions (PQ-09), and
//! queries of the mesh and of a peer. The rendered texts and the errors are those of Consul's
//! template language (HIL), of which operators are not implemented.

use lictor_core::Consul;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

fn define(consul: &mut Consul, body: &str) -> String {
    let answer = ask(consul, "POST", "/v1/query", body);
    format!("{} {}", answer.status, answer.text())
}

/// Defines a query and returns its id.
fn defined(consul: &mut Consul, body: &str) -> String {
    let answer = define(consul, body);
    let id = answer.strip_prefix(r#"200 {"ID":""#).and_then(|rest| rest.strip_suffix(r#""}"#));
    id.unwrap_or_else(|| panic!("{body}: {answer}")).to_owned()
}

fn template(name: &str, service: &str) -> String {
    let template = r#"{"Type":"name_prefix_match","Regexp":"^geo-(.*?)-([^\\-]+?)$"}"#;
    format!(r#"{{"Name":"{name}","Template":{template},"Service":{{"Service":{service}}}}}"#)
}

/// The service that is looked for under a name.
fn explained(consul: &mut Consul, name: &str) -> String {
    let answer = get(consul, &format!("/v1/query/{name}/explain"));
    let service = answer.split_once(r#""Service":{"Service":"#).map(|(_, rest)| rest);
    let end = service.and_then(|rest| rest.split_once(r#","SamenessGroup""#));
    end.map_or(answer.clone(), |(service, _)| service.to_owned())
}

#[test]
fn a_template_is_rendered_for_the_name_that_is_looked_for() {
    for (service, rendered) in [
        ("web", "web"),
        ("${name.full}", "geo-db-east-1a"),
        ("a-${name.suffix}-b", "a-db-east-1a-b"),
        ("${ name.prefix }${name.suffix}", "geo-db-east-1a"),
        ("${match(0)}|${match(1)}|${match(2)}|${match(9)}", "geo-db-east-1a|db-east|1a|"),
        ("$${x} $$ $ $a", "${x} $ $ $a"),
        (r#"${\"q\\\"${name.full}\"}"#, r#"q\"geo-db-east-1a"#),
        (r#"${match(\"1\")}"#, "db-east"),
        ("${1}${(match(2))}${match (1,)}", "11adb-east"),
        ("${agent.segment}x", "x"),
    ] {
        let mut consul = Consul::seeded(1);
        defined(&mut consul, &template("geo-", &format!(r#""{service}""#)));
        assert_eq!(explained(&mut consul, "geo-db-east-1a"), format!(r#""{rendered}""#));
    }
}

#[test]
fn a_text_that_is_no_template_is_refused_as_the_log_entry_is_applied() {
    let mut consul = Consul::seeded(1);
    for (service, fault) in [
        ("${", "parse error at 1:3: expected expression but found end of string"),
        ("${name.full", r#"parse error at 1:12: expected "}" but found end of string"#),
        ("${name.full x}", r#"parse error at 1:13: expected "}" but found "x""#),
        ("${match(1}", r#"parse error at 1:10: expected ")" but found "}""#),
        ("${}", r#"parse error at 1:3: expected expression but found "}""#),
        ("${;}", r#"parse error at 1:3: expected expression but found invalid sequence ";""#),
        ("${12ab}", r#"parse error at 1:5: expected "}" but found "ab""#),
        ("${1 + 2}", "parse error at 1:5: this server implements no operators in templates: +"),
        ("${match(-1)}", "parse error at 1:9: this server implements no operators in templates: -"),
    ] {
        let refused = format!(
            "500 raft apply failed: failed compiling template: Bad format '{service}' in \
             Service.Service: {fault}"
        );
        let body = template("geo-", &format!(r#""{service}""#));
        assert_eq!(define(&mut consul, &body), refused);
    }
    for (service, fault) in [
        ("${nope}", "1:3: unknown variable accessed: nope"),
        ("é${nope(1)}", "1:4: unknown function called: nope"),
        ("${match()}", "1:3: match: expected 1 arguments, got 0"),
        (
            "${match(name.full)}",
            r#"__builtin_StringToInt: strconv.ParseInt: parsing "geo-": invalid syntax"#,
        ),
    ] {
        let refused = format!(
            "500 raft apply failed: failed compiling template: Bad evaluation for '{service}' in \
             Service.Service: {fault}"
        );
        let body = template("geo-", &format!(r#""{service}""#));
        assert_eq!(define(&mut consul, &body), refused);
    }
    let tags = r#""web","Tags":["a","${"],"NodeMeta":{"k":"${"}"#;
    let refused = define(&mut consul, &template("geo-", tags));
    assert!(refused.contains("Bad format '${' in Service.Tags[1]: "), "{refused}");
    for (template, fault) in [
        (r#"{"Type":"bogus"}"#, "Bad Template.Type 'bogus'"),
        (
            r#"{"Type":"name_prefix_match","Regexp":"("}"#,
            "Bad Regexp: error parsing regexp: missing closing ): `(`",
        ),
    ] {
        let body = format!(r#"{{"Name":"q","Template":{template},"Service":{{"Service":"w"}}}}"#);
        let refused = format!("500 raft apply failed: failed compiling template: {fault}");
        assert_eq!(define(&mut consul, &body), refused);
    }
    let deep = format!("\"${{{}\"", "(".repeat(100_000));
    let refused = define(&mut consul, &template("geo-", &deep));
    assert!(refused.ends_with("the expression nests too deeply"), "{}", refused.len());
}

#[test]
fn a_query_is_found_by_its_id_or_name_or_else_by_the_longest_beginning_of_the_name() {
    let mut consul = Consul::seeded(1);
    let all = defined(&mut consul, &template("", r#""any-${name.full}""#));
    defined(&mut consul, &template("Geo-", r#""geo-${name.suffix}""#));
    defined(&mut consul, &template("geo-db-", r#""db-${name.suffix}""#));
    let own = defined(&mut consul, r#"{"Name":"geo-db-1","Service":{"Service":"own"}}"#);
    for (name, service) in [
        (own.as_str(), "own"),
        ("geo-db-1", "own"),
        ("geo-db-2", "db-2"),
        ("geo-web", "geo-geo-web"),
        ("Geo-web", "geo-web"),
        ("x", "any-x"),
    ] {
        assert_eq!(explained(&mut consul, name), format!(r#""{service}""#), "{name}");
    }
    let refused = "500 prepared query templates can only be resolved up by name, not by ID";
    for action in ["execute", "explain"] {
        assert_eq!(get(&mut consul, &format!("/v1/query/{all}/{action}")), refused);
    }
    let stored = get(&mut consul, &format!("/v1/query/{all}"));
    assert!(stored.contains(r#""Service":"any-${name.full}""#), "{stored}");
    let second = define(&mut consul, &template("", r#""w""#));
    let taken = "500 raft apply failed: a query template with an empty name already exists";
    assert_eq!(second, taken);
    assert_eq!(put(&mut consul, &format!("/v1/query/{all}"), &template("", r#""w""#)), "200 ");
}

#[test]
fn a_rendered_query_finds_the_instances_of_its_service() {
    let mut consul = Consul::seeded(1);
    let service = r#"{"Name":"db","Tags":["east"],"Port":1}"#;
    put(&mut consul, "/v1/agent/service/register", service);
    let looked_for = r#""${match(1)}","Tags":["${match(2)}",""]"#;
    let body = template("geo-", looked_for)
        .replace(r#""name_prefix_match""#, r#""name_prefix_match","RemoveEmptyTags":true"#);
    defined(&mut consul, &body);
    let found = get(&mut consul, "/v1/query/geo-db-east/execute");
    assert!(found.starts_with(r#"200 {"Service":"db","Nodes":[{"#), "{found}");
    let none = get(&mut consul, "/v1/query/geo-db-west/execute");
    assert!(none.starts_with(r#"200 {"Service":"db","Nodes":[],"#), "{none}");
    let explained = explained(&mut consul, "geo-db-");
    assert_eq!(explained, r#""""#);
}

/// The client python-consul2 sends a template with each query.
#[test]
fn a_query_with_a_template_that_has_only_a_type_is_stored() {
    let mut consul = Consul::seeded(1);
    for (name, template) in [
        ("q1", "{}"),
        ("q2", "null"),
        ("q3", r#"{"Type":"","Regexp":""}"#),
        ("q4", r#"{"Regexp":"^a"}"#),
        ("q5", r#"{"Type":"name_prefix_match"}"#),
    ] {
        let body =
            format!(r#"{{"Name":"{name}","Service":{{"Service":"w"}},"Template":{template}}}"#);
        defined(&mut consul, &body);
    }
}

#[test]
fn of_several_errors_in_a_definition_the_first_is_that_of_consul() {
    let mut consul = Consul::seeded(1);
    let invalid = |what: &str| format!("500 Invalid prepared query: {what}");
    let sameness = invalid("sameness-groups are an enterprise-only feature");
    let rest = r#""SamenessGroup":"g","NodeMeta":{"":"x"},"Failover":{"NearestN":-1}"#;
    for (body, refused) in [
        (format!(r#"{{"Token":"<hidden>","Service":{{{rest}}}}}"#), "Must be bound to a session"),
        (
            format!(r#"{{"Name":"q","Token":"<hidden>","Service":{{{rest}}}}}"#),
            "Bad Token '<hidden>', it looks like a query definition with a redacted token was \
             submitted",
        ),
        (format!(r#"{{"Name":"q","Service":{{{rest}}}}}"#), "Must provide a Service name to query"),
        (
            format!(r#"{{"Name":"q","Service":{{"Service":"s",{rest}}}}}"#),
            "Bad NearestN '-1', must be >= 0",
        ),
        (
            r#"{"Name":"q","Service":{"Service":"s","NodeMeta":{"":"x"},
                "Failover":{"NearestN":1,"Targets":[{"Datacenter":"dc2"}]}}}"#
                .into(),
            "Targets cannot be populated with NearestN or Datacenters",
        ),
        (
            r#"{"Name":"q","Service":{"Service":"s","SamenessGroup":"g","NodeMeta":{"":"x"}}}"#
                .into(),
            "Couldn't load metadata pair ('', 'x'): Key cannot be blank",
        ),
        (
            r#"{"Name":"q","Service":{"Service":"s","NodeMeta":{"consul-x":"y"}},
                "DNS":{"TTL":"x"}}"#
                .into(),
            r#"Bad DNS TTL 'x': time: invalid duration "x""#,
        ),
    ] {
        assert_eq!(define(&mut consul, &body), invalid(refused), "{body}");
    }
    let group = r#"{"Name":"q","Service":{"Service":"s","SamenessGroup":"g"},"DNS":{"TTL":"x"}}"#;
    assert_eq!(define(&mut consul, group), sameness);
    let unknown = "40e4a748-2192-161a-0510-9bf59fe950b5";
    let refused = format!("500 Cannot modify non-existent prepared query: '{unknown}'");
    assert_eq!(put(&mut consul, &format!("/v1/query/{unknown}"), group), refused);
}

#[test]
fn a_query_of_the_mesh_finds_proxies_and_one_of_a_peer_finds_nothing() {
    let mut consul = Consul::seeded(1);
    let proxy = r#"{"Name":"w-proxy","Kind":"connect-proxy","Port":5,
        "Proxy":{"DestinationServiceName":"w"}}"#;
    put(&mut consul, "/v1/agent/service/register", r#"{"Name":"w","Port":1}"#);
    put(&mut consul, "/v1/agent/service/register", proxy);
    for (name, member) in [("mesh", r#""Connect":true"#), ("peer", r#""Peer":"p""#)] {
        let body = format!(r#"{{"Name":"{name}","Service":{{"Service":"w",{member}}}}}"#);
        defined(&mut consul, &body);
    }
    let mesh = get(&mut consul, "/v1/query/mesh/execute");
    assert!(mesh.contains(r#""ID":"w-proxy""#) && !mesh.contains(r#""ID":"w","#), "{mesh}");
    let peer = get(&mut consul, "/v1/query/peer/execute");
    assert!(peer.contains(r#""Nodes":[],"#), "{peer}");
    assert!(peer.contains(r#""Datacenter":"","PeerName":"p""#), "{peer}");
}
