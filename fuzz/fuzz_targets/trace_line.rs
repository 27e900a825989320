//! Fuzzes lines of traces.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::trace_line(bytes));
