//! Fuzzes the content of dumps, after a valid header.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::dump(bytes));
