//! Fuzzes the importer of lock incidents: what it reads has answers whose bounds are in order.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lictor_tests::fuzz::incident(bytes));
