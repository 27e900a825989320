//! Fuzzes a world with HTTP requests in the format of tests/corpus: each is answered with a valid
//! status, and no invariant breaks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::http(bytes));
