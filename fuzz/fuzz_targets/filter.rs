//! Fuzzes lists with filters: each is applied or refused, whatever its text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::filter(bytes));
