//! Tests of worlds: acts, faults, networks, elections, programs, takeovers, checks that follow
//! sessions, wake-ups, and checksums of scripted worlds. They are one program, since each program
//! links the whole library.

mod acts;
mod answers;
mod election;
mod faults;
mod golden;
mod network;
mod programs;
mod session_checks;
mod takeover;
mod wakes;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
