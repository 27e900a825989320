//! Requests, as they stand in tests/corpus.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::http(bytes));
