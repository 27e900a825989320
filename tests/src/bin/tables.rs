//! Writes the tables of documents that are made from the code: the states of recipes and the
//! options of programs. Everything else in a document is kept.

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
