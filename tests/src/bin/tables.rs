//! Writes the state tables in docs/recipes.md from the code of the client programs.

use std::{fs, io};

use lictor_tests::rules::root;
use lictor_tests::tables::{DOCUMENT, renewed};

fn main() -> io::Result<()> {
    let path = root().join(DOCUMENT);
    fs::write(&path, renewed(&fs::read_to_string(&path)?))
}
