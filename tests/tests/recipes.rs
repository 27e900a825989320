//! The state tables of docs/recipes.md match the code.
#![cfg(not(target_arch = "wasm32"))]

use std::{fs, io};

use lictor_tests::rules::root;
use lictor_tests::tables::{DOCUMENT, renewed};

#[test]
fn the_state_tables_match_the_code() -> io::Result<()> {
    let found = fs::read_to_string(root().join(DOCUMENT))?;
    let expected = renewed(&found);
    let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    let advice = "write them anew: cargo run -p lictor-tests --bin tables";
    assert!(found == expected, "{DOCUMENT} is not up to date, first at {differs:?}; {advice}");
    assert!(found.matches("| Holding |").count() > 4, "{DOCUMENT} has tables");
    Ok(())
}
