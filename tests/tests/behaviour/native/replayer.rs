//! The replayer accepts a server that returns the recorded answers of a vector with ids and indexes
//! of its own, and finds each changed answer at its step.

use std::time::Duration;

use lictor_tests::VECTORS;
use lictor_tests::replay::{AnswerDifference, replay};
use lictor_tests::vector::{Malformed, Vector};

use super::recorded_server::{RecordedServer, Returns};

#[test]
fn recorded_answers_pass() -> Result<(), Malformed> {
    for (name, text) in VECTORS {
        let vector = Vector::parse(text)?;
        assert_eq!(vector.name, *name);
        let mut server = RecordedServer::new(&vector);
        assert_eq!(replay(&vector, &mut server), [], "{name}");
        assert!(server.unexpected.is_empty(), "{name}: {:?}", server.unexpected);
    }
    Ok(())
}

#[test]
fn a_wrong_answer_is_found_at_its_step() -> Result<(), Malformed> {
    for (exchange, from, to) in [
        (0, "{", " { \"Name\": \"\", "),
        (1, "0000-4000", "0000-400"),
        (2, "true", "false"),
        (2, "true", "\"true\""),
        (3, "\"LockIndex\":1", "\"LockIndex\":1.0"),
        (3, "\"LockIndex\":1,\"Key\":\"a\"", "\"Key\":\"a\",\"LockIndex\":1"),
        (3, "MQ==", "Mg=="),
        (3, "\"ModifyIndex\":30", "\"ModifyIndex\":31"),
        (3, ",\"CreateIndex\":30", ""),
        (4, "[", "[{},"),
    ] {
        let found = against(|server| {
            let body = &mut server.exchanges[exchange].response.body;
            let text = String::from_utf8_lossy(body).replacen(from, to, 1);
            *body = text.into_bytes();
        })?;
        assert_eq!(steps(&found).first(), Some(&exchange), "{from} as {to}: {found:?}");
    }
    Ok(())
}

#[test]
fn a_wrong_status_or_header_is_found() -> Result<(), Malformed> {
    let status = against(|server| server.exchanges[2].response.status = 201)?;
    assert_eq!(steps(&status), [2]);
    let lost = against(|server| server.exchanges[4].response.headers.clear())?;
    assert_eq!(steps(&lost), [4, 4, 4, 4]);
    let added = ("Allow".to_owned(), "GET".to_owned());
    let more = against(|server| server.exchanges[4].response.headers.push(added))?;
    assert_eq!(steps(&more), [4]);
    let lower = ("X-Consul-Index".to_owned(), "29".to_owned());
    let index = against(|server| server.exchanges[3].response.headers.push(lower))?;
    assert_eq!(steps(&index)[0], 3);
    Ok(())
}

#[test]
fn ids_are_one_to_one_and_in_byte_order() -> Result<(), Malformed> {
    let same = against(|server| {
        server.exchanges[1].response = server.exchanges[0].response.clone();
    })?;
    assert_eq!(steps(&same)[0], 1);
    let turned = against(|server| {
        let body = &mut server.exchanges[4].response.body;
        let text = String::from_utf8_lossy(body).into_owned();
        let items: Vec<_> = text.trim_matches(['[', ']']).split("},{").collect();
        *body =
            format!("[{}}},{{{}]", &items[1][..items[1].len() - 1], &items[0][1..]).into_bytes();
    })?;
    assert_eq!(steps(&turned), [4], "{turned:?}");
    Ok(())
}

#[test]
fn a_read_that_returns_early_or_late_is_found() -> Result<(), Malformed> {
    let read = |returns| against(|server| server.exchanges[5].returns = returns);
    let after = |millis| read(Returns::After(Duration::from_millis(millis)));
    assert_eq!(steps(&read(Returns::AtOnce)?), [6, 7]);
    assert_eq!(steps(&after(9_900)?), [7]);
    assert_eq!(after(10_000)?, []);
    assert_eq!(after(10_625)?, []);
    assert_eq!(steps(&after(10_626)?), [7]);
    assert_eq!(steps(&after(100_000)?), [7]);
    Ok(())
}

/// The differences that a replay finds after `change` has changed the recorded answers.
fn against(change: impl FnOnce(&mut RecordedServer)) -> Result<Vec<AnswerDifference>, Malformed> {
    let vector = Vector::parse(VECTOR)?;
    let mut server = RecordedServer::new(&vector);
    change(&mut server);
    Ok(replay(&vector, &mut server))
}

fn steps(differences: &[AnswerDifference]) -> Vec<usize> {
    differences.iter().map(|difference| difference.step).collect()
}

/// Steps 0 to 5 are exchanges 0 to 5.
const VECTOR: &str = r#"{"name": "example", "recorded_from": "Consul 1.22.7", "steps": [
    {"op": "call", "at": 0, "req": {"method": "PUT", "path": "/v1/session/create"}, "done": 1,
     "res": {"status": 200, "headers": {"content-type": "application/json"},
             "json": {"ID": "{S1}"}}},
    {"op": "call", "at": 1, "req": {"method": "PUT", "path": "/v1/session/create"}, "done": 2,
     "res": {"status": 200, "headers": {"content-type": "application/json"},
             "json": {"ID": "{S2}"}}},
    {"op": "call", "at": 2, "req": {"method": "PUT", "path": "/v1/kv/a?acquire={S1}", "body": "1"},
     "done": 3, "res": {"status": 200, "headers": {}, "json": true}},
    {"op": "call", "at": 3, "req": {"method": "GET", "path": "/v1/kv/a"}, "done": 4,
     "res": {"status": 200, "headers": {"x-consul-index": "10"},
             "json": [{"LockIndex": 1, "Key": "a", "Flags": 0, "Value": "MQ==",
                       "Session": "{S1}", "CreateIndex": 10, "ModifyIndex": 10}]}},
    {"op": "call", "at": 4, "req": {"method": "GET", "path": "/v1/session/list"}, "done": 5,
     "res": {"status": 200,
             "headers": {"content-type": "application/json", "x-consul-index": "9",
                         "x-consul-knownleader": "true", "x-consul-lastcontact": "0"},
             "json": [{"ID": "{S1}", "LockDelay": 0, "CreateIndex": 8, "ModifyIndex": 8},
                      {"ID": "{S2}", "LockDelay": 0, "CreateIndex": 9, "ModifyIndex": 9}]}},
    {"op": "start", "id": 1, "at": 5,
     "req": {"method": "GET", "path": "/v1/kv/a?raw&index=@10@&wait=10s"}},
    {"op": "blocked", "id": 1, "at": 9000},
    {"op": "finish", "id": 1, "done": 10205,
     "res": {"status": 200, "headers": {"x-consul-index": "10"}, "body_b64": "MQ=="}}
]}"#;
