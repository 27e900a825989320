//! Tests of the recipes against the engine, over HTTP as values and in virtual time. Comments name
//! the rules of docs/en/reference/behaviour.md.

mod consul_lock;
mod contender;
mod election;
mod harness;
mod lock;
mod naive;
mod script;
mod semaphore;
mod session_renewer;
mod writer;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
