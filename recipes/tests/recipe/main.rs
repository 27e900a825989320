//! Client programs against the engine, over HTTP as values and in virtual time: each rule of the
//! recipes by its name.

mod consul_lock;
mod election;
mod harness;
mod lock;
mod naive;
mod script;
mod semaphore;
mod session_renewer;
mod writer;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
