//! Tests of the server as its users call it: requests, answers, and time as an argument. They are
//! one program, since each program links the whole library.

mod catalog;
mod common;
#[cfg(not(target_arch = "wasm32"))]
mod decode;
mod discovery;
mod filters;
mod mesh;
mod odd_requests;
mod own_service;
mod ports;
mod restart;
mod running_cluster;
mod sameness;
mod side_by_side;
mod templates;
mod versions;
mod waiting;
mod watches;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
