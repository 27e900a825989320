//! Writes docs/en/reference/rules.md, the table of the files that name each rule.

use std::{fs, io};

use lictor_tests::rules::{Register, TABLE, root};

fn main() -> io::Result<()> {
    fs::write(root().join(TABLE), Register::read()?.table())
}
