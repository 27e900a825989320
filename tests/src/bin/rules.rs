//! Writes docs/rules.md anew, the table of where each rule is kept.

use std::{fs, io};

use lictor_tests::rules::{Register, TABLE, root};

fn main() -> io::Result<()> {
    fs::write(root().join(TABLE), Register::read()?.table())
}
