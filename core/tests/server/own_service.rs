//! A service of an agent, read alone (`/v1/agent/service/`): its content hash, which is the one
//! that real agents of both versions gave, and reads that wait for a change of it.

use core::time::Duration;

use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

const REGISTER: &str = "/v1/agent/service/register";
const SERVICE: &str = "/v1/agent/service/h";

#[test]
fn the_content_hash_of_a_service_is_that_of_a_real_agent() {
    for (rest, by_version) in [
        ("", ["f03f6b82006ebcac", "ab123814cafa6d4"]),
        (r#","Tags":["a"]"#, ["b89a0a43853fc43b", "42144240c9fede43"]),
        (r#","Tags":["a","b"]"#, ["7a11f835080574c6", "809fb03644c46ebe"]),
        (r#","Tags":["b","a"]"#, ["3ca4c2f5c661f6a5", "c62a8af68aa0ecdd"]),
        (r#","Meta":{"a":"b"}"#, ["20d8d762ab721178", "da569f61e7b30b00"]),
        (r#","Meta":{"a":"b","c":"d"}"#, ["70bf519aa4828eb0", "8a311999e84394c8"]),
        (r#","Port":8080"#, ["15115221e9d95cc1", "ef9f1a22a51846b9"]),
        (r#","Port":-1"#, ["b7ea6f200dc295fa", "4d64272341038f82"]),
        (r#","Address":"x""#, ["9d987146709213f7", "671639453c53098f"]),
        (r#","Address":"1.2.3.4""#, ["78ab0c4bee7aaf1e", "82254448a2bbb566"]),
        (r#","Weights":{"Passing":3,"Warning":2}"#, ["6ae262dbf20cd9d4", "906c2ad8becdc3ac"]),
        (r#","EnableTagOverride":true"#, ["e13ff717130ed8c7", "1bb1bf145fcfc2bf"]),
        (
            r#","TaggedAddresses":{"lan":{"Address":"1.1.1.1","Port":5},
                "wan":{"Address":"2.2.2.2"}}"#,
            ["f5a47d5920f1bfec", "f2a355a6c30a594"],
        ),
    ] {
        for (version, expected) in ConsulVersion::ALL.into_iter().zip(by_version) {
            let mut consul = Consul::with_config(Config::of(version), 1);
            put(&mut consul, REGISTER, &format!(r#"{{"Name":"h"{rest}}}"#));
            let answer = ask(&mut consul, "GET", SERVICE, "");
            assert_eq!(answer.header("X-Consul-ContentHash"), Some(expected), "{version}: {rest}");
            let in_body = format!(r#""ContentHash":"{expected}""#);
            assert!(answer.text().contains(&in_body), "{}", answer.text());
        }
    }
}

#[test]
fn a_read_with_the_hash_of_a_service_waits_for_a_change_of_its_content() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER, r#"{"Name":"h","Port":1}"#);
    let hash = hash(&mut consul);
    let target = format!("{SERVICE}?hash={hash}&wait=60s");
    let handle = consul.request(&HttpRequest::new("GET", &target, b""));
    put(&mut consul, REGISTER, r#"{"Name":"other"}"#);
    put(&mut consul, REGISTER, r#"{"Name":"h","Port":1,"Check":{"TTL":"90s"}}"#);
    put(&mut consul, "/v1/agent/check/pass/service:h", "");
    assert!(consul.poll(handle).is_none(), "its content is the same");
    put(&mut consul, REGISTER, r#"{"Name":"h","Port":2}"#);
    let answer = consul.poll(handle).expect("it has changed");
    assert!(answer.text().contains(r#""Port":2"#), "{}", answer.text());
    assert_ne!(answer.header("X-Consul-ContentHash"), Some(&*hash));
    assert_eq!(answer.header("X-Consul-Index"), None);
}

#[test]
fn a_read_that_waits_for_a_service_ends_after_its_time_or_with_the_service() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER, r#"{"Name":"h"}"#);
    let hash = hash(&mut consul);
    let target = format!("{SERVICE}?hash={hash}&wait=1s");
    let handle = consul.request(&HttpRequest::new("GET", &target, b""));
    consul.advance(Duration::from_secs(2));
    let answer = consul.poll(handle).expect("its time is over");
    assert_eq!(answer.header("X-Consul-ContentHash"), Some(&*hash));
    let handle = consul.request(&HttpRequest::new("GET", &target, b""));
    put(&mut consul, "/v1/agent/service/deregister/h", "");
    let answer = consul.poll(handle).expect("the service is gone");
    assert_eq!((answer.status, &*answer.text()), (404, "unknown service ID: h"));
    assert_eq!(answer.header("X-Consul-ContentHash"), None);
}

#[test]
fn a_read_with_another_hash_or_of_an_unknown_service_is_answered_at_once() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER, r#"{"Name":"h"}"#);
    let hash = hash(&mut consul);
    for other in ["", "x", "0", "1", &*format!("0{hash}"), &*hash.to_uppercase()] {
        let target = format!("{SERVICE}?hash={other}&wait=60s&dc=dc9");
        let answer = get(&mut consul, &target);
        assert!(answer.starts_with(r#"200 {"ID":"h""#), "{other}: {answer}");
    }
    let unknown = format!("/v1/agent/service/none?hash={hash}");
    assert_eq!(get(&mut consul, &unknown), "404 unknown service ID: none");
    for (part, refused) in [("wait=x", "Invalid wait time"), ("index=x", "Invalid index")] {
        let target = format!("{SERVICE}?hash={hash}&{part}");
        assert_eq!(get(&mut consul, &target), format!("400 {refused}"));
    }
}

fn hash(consul: &mut Consul) -> String {
    let answer = ask(consul, "GET", SERVICE, "");
    answer.header("X-Consul-ContentHash").expect("a hash").into()
}
