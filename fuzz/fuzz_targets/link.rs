//! Fuzzes the content of links, with a valid checksum.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::link(bytes));
