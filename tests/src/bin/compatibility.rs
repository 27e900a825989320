//! Writes docs/en/reference/compatibility.md, the table of Consul's endpoints and what they do
//! here.

use std::{fs, io};

use lictor_tests::compatibility::{FILE, document};
use lictor_tests::rules::root;

fn main() -> io::Result<()> {
    fs::write(root().join(FILE), document())
}
