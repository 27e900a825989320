//! Decoding of requests where several rules interact: paths, texts and bodies as Go's server and
//! its JSON decoder read them.

use lictor_core::engine::Config;
use lictor_core::http::{Agent, HttpRequest, HttpResponse, decode};
use lictor_core::message::Operation;

fn agent() -> Agent {
    Agent::of(&Config::default())
}

fn refused(method: &str, target: &str, body: &str) -> HttpResponse {
    let refused = decode(&agent(), &HttpRequest::new(method, target, body.as_bytes()));
    refused.expect_err("it is refused").response(&agent(), method)
}

fn location(target: &str) -> String {
    refused("GET", target, "").header("Location").unwrap_or_default().to_owned()
}

/// Name, node checks and lock-delay of a request to create a session; `None` if it is refused.
fn session(body: &str) -> Option<(String, Option<Vec<String>>, i64)> {
    let request = HttpRequest::new("PUT", "/v1/session/create", body.as_bytes());
    let call = decode(&agent(), &request).ok()?;
    let Operation::CreateSession(draft) = call.request.operation else { panic!("another call") };
    let checks = draft.node_checks.map(|ids| ids.iter().map(|id| id.as_str().into()).collect());
    Some((draft.name.to_string(), checks, draft.lock_delay))
}

#[test]
fn a_path_is_cleaned_and_gets_its_slash_in_one_step() {
    for (target, clean) in [
        ("/v1/kv/.?x=1", "/v1/kv/?x=1"),
        ("/v1/kv/a/..", "/v1/kv/"),
        ("//v1/kv", "/v1/kv/"),
        ("/v1/session//info", "/v1/session/info/"),
        ("/v1/kv/..", "/v1"),
        ("/v1/kv//a?", "/v1/kv/a"),
        ("/v1/kv??", "/v1/kv/??"),
        ("/v1//query", "/v1/query"),
    ] {
        assert_eq!(location(target), clean, "{target}");
    }
}

#[test]
fn a_redirect_of_head_has_a_content_type_and_no_body() {
    let moved = refused("HEAD", "/v1/kv//x", "");
    assert_eq!((moved.status, moved.body.len()), (301, 0));
    assert_eq!(moved.header("Content-Type"), Some("text/html; charset=utf-8"));
    assert_eq!(moved.header("Content-Length"), None);
    assert_eq!(refused("PUT", "/v1/kv//x", "").header("Content-Type"), None);
}

#[test]
fn a_malformed_escape_in_a_path_is_refused_before_routing() {
    for target in ["/v1/kv/%zz", "/v1/kv/%", "/v1/nope%4"] {
        let answer = refused("GET", target, "");
        assert_eq!((answer.status, answer.text().as_str()), (400, "400 Bad Request"), "{target}");
    }
}

#[test]
fn null_keeps_the_earlier_value_and_a_wrong_type_is_refused() {
    let name = |body| session(body).map(|(name, ..)| name);
    assert_eq!(name(r#"{"Name":"x","NAME":null}"#).as_deref(), Some("x"));
    assert_eq!(name(r#"{"NAME":[1],"Name":"a"}"#), None);
    assert_eq!(name(r#"{"NodeChecks":"x","NodeChecks":[]}"#), None);
    let checks = |body| session(body).and_then(|(_, checks, _)| checks);
    for (body, expected) in [
        (r#"{"NodeChecks":[null]}"#, &["serfHealth"][..]),
        (r#"{"NodeChecks":[null,"a"]}"#, &["serfHealth", "a"]),
        (r#"{"NodeChecks":["a",null]}"#, &["a", ""]),
    ] {
        let expected = expected.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(checks(body), Some(expected), "{body}");
    }
}

#[test]
fn a_number_beyond_all_floats_is_refused_only_in_fields_that_are_read() {
    assert!(session(r#"{"Foo":{"b":[1e999]},"Name":"x"}"#).is_some());
    let answer = refused("PUT", "/v1/session/create", r#"{"LockDelay" : 1e999}"#);
    let says = "Request decode failed: json: cannot unmarshal number 1e999 \
                into Go struct field .LockDelay of type float64";
    assert_eq!(answer.text(), says);
}

/// The text has the struct without its package, the path of fields to the value, and the number
/// only where a number is expected. Of several errors, the first in the body counts.
#[test]
fn a_value_of_a_wrong_type_is_refused_with_the_path_of_its_field() {
    for (body, value, field) in [
        (r#"{"ServiceChecks":[1]}"#, "number", ".Alias.ServiceChecks of type structs.ServiceCheck"),
        (r#"{"ServiceChecks":1}"#, "number", ".Alias.ServiceChecks of type []structs.ServiceCheck"),
        (
            r#"{"ServiceChecks":[{"ID":[]}],"Name":1}"#,
            "array",
            "ServiceCheck.Alias.ServiceChecks.ID of type string",
        ),
        (r#"{"NodeChecks":{},"TTL":1}"#, "object", ".Alias.NodeChecks of type []string"),
        (r#"{"lockdelay":[1e999]}"#, "number 1e999", ".LockDelay of type float64"),
    ] {
        let answer = refused("PUT", "/v1/session/create", body);
        let says = format!(
            "Request decode failed: json: cannot unmarshal {value} into Go struct field {field}"
        );
        assert_eq!((answer.status, answer.text()), (400, says), "{body}");
    }
    for (member, value, field) in [
        (r#""Flags":-1"#, "number -1", "Flags of type uint64"),
        (r#""Flags":1.5"#, "number 1.5", "Flags of type uint64"),
        (r#""Index":"1""#, "string", "Index of type uint64"),
        (r#""Value":1"#, "number", "Value of type []uint8"),
        (r#""Key":1,"Bogus":2"#, "number", "Key of type string"),
    ] {
        let answer = refused("PUT", "/v1/txn", &format!(r#"[{{"KV":{{{member}}}}}]"#));
        let says = format!(
            "Failed to parse body: json: cannot unmarshal {value} \
             into Go struct field KVTxnOp.KV.{field}"
        );
        assert_eq!(answer.text(), says, "{member}");
    }
}

#[test]
fn texts_are_quoted_as_go_quotes_them() {
    for (target, says) in [
        ("/v1/kv/k?cas=%c2%a0", r#"strconv.ParseUint: parsing "\u00a0": invalid syntax"#),
        ("/v1/kv/k?flags=%e2%80%8b", r#"strconv.ParseUint: parsing "\u200b": invalid syntax"#),
    ] {
        assert_eq!(refused("PUT", target, "").text(), says);
    }
    let stale = refused("GET", "/v1/session/list?max_stale=a%22b", "").text();
    assert_eq!(stale, r#"Invalid max_stale value "a\"b""#);
    let delay = refused("PUT", "/v1/session/create", r#"{"LockDelay":"1\u00b5"}"#).text();
    let says = r#"time: unknown unit "\xc2\xb5" in duration "1\xc2\xb5""#;
    assert_eq!(delay, format!("Request decode failed: {says}"));
}

#[test]
fn each_kind_of_a_transaction_operation_is_decoded_and_none_may_be_null() {
    let kv = r#""KV":{"Verb":"get","Key":"a"}"#;
    let answer = refused("PUT", "/v1/txn", &format!(r#"[{{{kv},"Node":{{"Bogus":1}}}}]"#));
    assert_eq!(answer.text(), r#"Failed to parse body: json: unknown field "Bogus""#);
    assert_eq!(refused("PUT", "/v1/txn", "[null]").status, 400);
    let checks = r#"{"Node":"n","Address":"a","Checks":[null]}"#;
    assert_eq!(refused("PUT", "/v1/catalog/register", checks).status, 400);
    let value = |text: &str| {
        let op = format!(r#"[{{"KV":{{"Verb":"set","Key":"a","Value":"{text}"}}}}]"#);
        decode(&agent(), &HttpRequest::new("PUT", "/v1/txn", op.as_bytes())).is_ok()
    };
    assert!(value("YR==") && value("YQ=\\n=") && !value("YQ=x") && !value("YQ"));
}
