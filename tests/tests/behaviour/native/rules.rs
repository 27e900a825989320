//! Every rule has code or a reason why it has none, and docs/en/reference/rules.md is up to date.
use std::{fs, io};

use lictor_tests::rules::{Register, TABLE, root};

#[test]
fn every_rule_has_code_or_a_reason() -> io::Result<()> {
    let faults = Register::read()?.faults();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    Ok(())
}

#[test]
fn the_table_of_rules_is_up_to_date() -> io::Result<()> {
    let found = fs::read_to_string(root().join(TABLE))?;
    let expected = Register::read()?.table();
    let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
    let advice = "write it anew: cargo run -p lictor-tests --bin rules";
    assert!(found == expected, "{TABLE} is not up to date, first at {differs:?}; {advice}");
    Ok(())
}
