//! The tables of docs/en/reference/recipes.md and docs/en/reference/formats.md match the code.
use std::{fs, io};

use lictor_tests::rules::root;
use lictor_tests::tables::{DOCUMENTS, renewed};

#[test]
fn the_tables_in_documents_match_the_code() -> io::Result<()> {
    for document in DOCUMENTS {
        let found = fs::read_to_string(root().join(document))?;
        let expected = renewed(&found);
        let mut lines = expected.lines().zip(found.lines());
        let differs = lines.find(|(expected, found)| expected != found);
        let advice = "write them again: cargo run -p lictor-tests --bin tables";
        assert!(found == expected, "{document} is not up to date, first at {differs:?}; {advice}");
        assert!(found.contains("<!-- table: "), "{document} has tables");
    }
    Ok(())
}
