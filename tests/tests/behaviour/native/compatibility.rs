//! The list of endpoints in docs/en/reference/compatibility.md is complete, and is generated from
//! the present route table.
use std::collections::BTreeSet;
use std::{fs, io};

use lictor_tests::compatibility::{
    ConsulEndpoint, FILE, consul, document, idle_notes, present, reason,
};
use lictor_tests::rules::root;

#[test]
fn each_endpoint_of_consul_has_its_methods_or_a_reason_for_its_absence() {
    let present = present();
    for ConsulEndpoint { path, methods, .. } in consul() {
        match present.get(path) {
            Some(endpoint) => assert_eq!(endpoint.methods.join(","), methods, "{path}"),
            None => assert!(reason(path).is_some(), "{path} is absent without a reason"),
        }
    }
}

#[test]
fn there_is_no_endpoint_that_consul_does_not_have_and_none_is_named_twice() {
    let all: Vec<_> = consul().map(|it| it.path).collect();
    let known: BTreeSet<_> = all.iter().copied().collect();
    assert_eq!(all.len(), known.len());
    let unknown: Vec<_> = present().into_keys().filter(|path| !known.contains(path)).collect();
    assert_eq!(unknown, [""; 0]);
    assert_eq!(idle_notes(), [""; 0], "notes about endpoints that are not there");
}

#[test]
fn the_document_is_up_to_date() -> io::Result<()> {
    let found = fs::read_to_string(root().join(FILE))?;
    let expected = document();
    let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    let advice = "write it anew: cargo run -p lictor-tests --bin compatibility";
    assert!(found == expected, "{FILE} is not up to date, first at {differs:?}; {advice}");
    Ok(())
}
