//! Writes docs/en/reference/compatibility.md, the table of Consul's endpoints and of how Lictor
//! answers them.

use std::{fs, io};

use lictor_tests::compatibility::{FILE, document};
use lictor_tests::rules::root;

fn main() -> io::Result<()> {
    fs::write(root().join(FILE), document())
}
