//! Fuzzes journals as JSON, which are replayed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::journal(bytes));
