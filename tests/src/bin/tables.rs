//! Writes the tables that are made from the code: the state tables in docs/en/reference/recipes.md,
//! and the options of programs in docs/en/reference/formats.md.

use std::{fs, io};

use lictor_tests::rules::root;
use lictor_tests::tables::{DOCUMENTS, renewed};

fn main() -> io::Result<()> {
    for document in DOCUMENTS {
        let path = root().join(document);
        fs::write(&path, renewed(&fs::read_to_string(&path)?))?;
    }
    Ok(())
}
