//! The server decodes what the client encodes, and the client decodes what the server encodes.

use core::time::Duration;

use super::*;
use crate::config::Config;
use crate::http::{Agent, decode as understood, encode as rendered};
use crate::store::session::ServiceCheck;

fn agent() -> Agent {
    Agent::of(&Config::default())
}

fn write(value: &str, flags: u64) -> Write {
    Write { value: Arc::from(value.as_bytes()), flags }
}

fn session() -> SessionRef {
    SessionRef::from("adf4238a-882b-9ddc-4a9d-5b6758e4159e")
}

fn entry(value: &str) -> Arc<Entry> {
    Arc::new(Entry {
        key: Key::from("a&b"),
        value: Arc::from(value.as_bytes()),
        flags: u64::MAX,
        lock_index: 3,
        hold: Some(Hold { session: session(), since: Index(9) }),
        create_index: Index(7),
        modify_index: Index(9),
    })
}

fn drafts() -> [SessionDraft; 5] {
    let plain = SessionDraft::named("");
    [
        plain.clone(),
        SessionDraft {
            node: Some(NodeName::from("n2")),
            lock_delay: 0,
            behavior: "delete".into(),
            ttl: "15s".into(),
            ..SessionDraft::named("a \"name\"")
        },
        SessionDraft { lock_delay: 1_500_000_000, node_checks: None, ..plain.clone() },
        SessionDraft {
            node_checks: Some(Vec::new()),
            service_checks: Some(Vec::from([ServiceCheck {
                id: CheckId::from("web"),
                namespace: Arc::default(),
            }])),
            ..plain.clone()
        },
        SessionDraft { checks: Some(Vec::new()), node_checks: Some(Vec::new()), ..plain },
    ]
}

fn verbs() -> [KvVerb; 8] {
    [
        KvVerb::Set(write("x", 0)),
        KvVerb::Set(write("", u64::MAX)),
        KvVerb::Cas { write: write("\0\u{e9}", 7), expected: Index(0) },
        KvVerb::Acquire { write: write("x", 3_304_740_253_564_472_344), session: session() },
        KvVerb::Release { write: write("x", 1), session: session() },
        KvVerb::Delete,
        KvVerb::DeleteCas { expected: Index(42) },
        KvVerb::DeleteTree,
    ]
}

fn operations() -> Vec<Operation> {
    let key = Key::from("app/b \u{f6}/c?d&e=f+g%");
    let mut all: Vec<Operation> = drafts().map(|it| Operation::CreateSession(it.into())).into();
    all.push(Operation::DestroySession(session()));
    all.push(Operation::RenewSession(session()));
    all.extend(verbs().map(|verb| Operation::Kv { key: key.clone(), verb }));
    let queries = [
        Query::Key(key.clone()),
        Query::Tree(key.clone()),
        Query::Keys { prefix: key.clone(), separator: Some("/".into()) },
        Query::Keys { prefix: key.clone(), separator: None },
        Query::Session(session()),
        Query::Sessions,
        Query::SessionsOfNode(NodeName::from("n1")),
    ];
    let wait = Wait { min_index: Index(12), timeout: Duration::from_secs(15) };
    let default = Wait { timeout: Duration::from_secs(300), ..wait };
    for query in queries {
        let read = |wait, consistency| Operation::Read { query: query.clone(), wait, consistency };
        all.push(read(None, Consistency::Default));
        all.push(read(Some(wait), Consistency::Consistent));
        all.push(read(Some(default), Consistency::Default));
        all.push(read(None, Consistency::Stale));
    }
    let checks = [
        TxnVerb::Get,
        TxnVerb::GetTree,
        TxnVerb::CheckIndex(Index(4)),
        TxnVerb::CheckSession(session()),
        TxnVerb::CheckNotExists,
        TxnVerb::Unknown("odd".into()),
    ];
    let verbs = verbs().into_iter().map(TxnVerb::Write).chain(checks);
    all.push(Operation::Txn(verbs.map(|verb| TxnOp::Kv { key: key.clone(), verb }).collect()));
    all
}

#[test]
fn encoded_operations_are_decoded_to_the_same_operations() {
    for operation in operations() {
        let request = encode(&operation).expect("a program may send this");
        let call = understood(&agent(), &request).expect("an agent takes this");
        assert_eq!(call.request.operation, operation, "{request:?}");
    }
}

/// The request lines are those of the Go client.
#[test]
fn requests_equal_those_of_the_go_client() {
    let key = Key::from("test/lock");
    let acquire = KvVerb::Acquire { write: write("x", 7), session: session() };
    let wait = |index, seconds| {
        Some(Wait { min_index: Index(index), timeout: Duration::from_secs(seconds) })
    };
    let query = Query::Key(key.clone());
    let read = |wait, consistency| Operation::Read { query: query.clone(), wait, consistency };
    for (operation, line) in [
        (
            Operation::Kv { key: key.clone(), verb: acquire },
            "PUT /v1/kv/test/lock?acquire=adf4238a-882b-9ddc-4a9d-5b6758e4159e&flags=7",
        ),
        (
            read(wait(3, 15), Consistency::Consistent),
            "GET /v1/kv/test/lock?consistent=&index=3&wait=15000ms",
        ),
        // Its lock sends the wait also with a read that is answered at once, and its watch none.
        (read(wait(0, 15), Consistency::Default), "GET /v1/kv/test/lock?wait=15000ms"),
        (read(wait(3, 300), Consistency::Consistent), "GET /v1/kv/test/lock?consistent=&index=3"),
        (
            Operation::Kv { key: key.clone(), verb: KvVerb::DeleteCas { expected: Index(8) } },
            "DELETE /v1/kv/test/lock?cas=8",
        ),
    ] {
        let request = encode(&operation).expect("a program may send this");
        assert_eq!(format!("{} {}", request.method, request.target), line);
    }
}

/// Options with the server's defaults are not sent (RCL-21).
#[test]
fn a_new_session_is_sent_without_default_options() {
    let ttl = SessionDraft { ttl: "15s".into(), ..SessionDraft::named("mine") };
    let short = SessionDraft { lock_delay: 1, ..SessionDraft::named("") };
    let long = SessionDraft { lock_delay: 20_000_000_000, ..SessionDraft::named("") };
    for (draft, body) in [
        (ttl, r#"{"Name":"mine","TTL":"15s"}"#),
        (short, r#"{"LockDelay":"1ms"}"#),
        (long, r#"{"LockDelay":"20000ms"}"#),
    ] {
        let request = encode(&Operation::CreateSession(draft.into())).expect("it can be sent");
        assert_eq!(String::from_utf8_lossy(&request.body), body);
    }
}

/// The Go client does the same (RCL-23).
#[test]
fn a_leading_slash_is_refused_in_writes_and_stripped_elsewhere() {
    let key = Key::from("/a");
    let put = Operation::Kv { key: key.clone(), verb: KvVerb::Set(write("", 0)) };
    let refused = "Invalid key. Key must not begin with a '/': /a";
    assert_eq!(encode(&put).map_err(|failure| failure.to_string()), Err(refused.into()));
    let delete = Operation::Kv { key: key.clone(), verb: KvVerb::Delete };
    let get =
        Operation::Read { query: Query::Key(key), wait: None, consistency: Consistency::Default };
    for operation in [delete, get] {
        assert_eq!(encode(&operation).map(|request| request.target), Ok("/v1/kv/a".into()));
    }
}

#[test]
fn encoded_answers_are_decoded_to_the_same_answers() {
    let live = Session {
        id: SessionId::from_bytes([7; 16]),
        name: Arc::from("a"),
        node: NodeName::from("n1"),
        lock_delay: 15_000_000_000,
        behavior: Behavior::Delete,
        ttl: SessionTtl::parse("15s".into()).expect("a duration"),
        node_checks: Some(Vec::from([CheckId::from(SERF_HEALTH)])),
        service_checks: None,
        checks: None,
        create_index: Index(5),
    };
    let read = |query| Operation::Read { query, wait: None, consistency: Consistency::Default };
    let key = Key::from("a&b");
    let found = |found| (Index(9), Answer::Found(found));
    let txn = |verb| Operation::Txn(Vec::from([TxnOp::Kv { key: key.clone(), verb }]));
    let error = TxnError { position: 1, what: "no".into(), reason: None };
    for (operation, (index, answer)) in [
        (read(Query::Key(key.clone())), found(Found::Entry(Some(entry("1"))))),
        (read(Query::Key(key.clone())), found(Found::Entry(None))),
        (read(Query::Tree(key.clone())), found(Found::Entries(Vec::from([entry("")])))),
        (read(Query::Tree(key.clone())), found(Found::Entries(Vec::new()))),
        (read(Query::Session(session())), found(Found::Session(Some(Arc::new(live.clone()))))),
        (read(Query::Session(session())), found(Found::Session(None))),
        (
            Operation::CreateSession(SessionDraft::named("").into()),
            (Index(0), Answer::Created(live.id)),
        ),
        (Operation::RenewSession(session()), (Index(0), Answer::Renewed(Arc::new(live)))),
        (Operation::DestroySession(session()), (Index(0), Answer::Flag(true))),
        (Operation::Kv { key: key.clone(), verb: KvVerb::Delete }, (Index(0), Answer::Flag(false))),
        (
            txn(TxnVerb::Get),
            (
                Index(0),
                Answer::Txn {
                    outcome: Ok(Vec::from([TxnResult::Read(entry("1"))])),
                    kind: TxnKind::Read,
                },
            ),
        ),
        (
            txn(TxnVerb::Write(KvVerb::Delete)),
            (Index(0), Answer::Txn { outcome: Err(Vec::from([error])), kind: TxnKind::Write }),
        ),
    ] {
        let request = encode(&operation).expect("a program may send this");
        let format = understood(&agent(), &request).expect("an agent takes this").format;
        let response = Response { index, answer, reason: None };
        let wire = rendered(&agent(), &format, &Ok(response.clone()));
        assert_eq!(decode(&operation, &wire), Ok(response), "{wire:?}");
    }
}

#[test]
fn a_refusal_is_the_status_and_text_of_its_answer() {
    let operation = Operation::RenewSession(session());
    let answer = |status, text: &str| HttpResponse {
        status,
        headers: Vec::new(),
        body: text.as_bytes().to_vec(),
    };
    let refused = decode(&operation, &answer(404, "gone"));
    assert_eq!(refused, Err(Failure::Status { code: 404, text: "gone".into() }));
    assert!(refused.is_err_and(|failure| failure.is_not_found()));
    for nonsense in ["", "{", "[]", "[1]", "{\"ID\": 4}"] {
        let read = decode(&operation, &answer(200, nonsense));
        assert!(matches!(read, Err(Failure::Unreadable(_))), "{nonsense}: {read:?}");
    }
}
