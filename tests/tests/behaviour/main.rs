//! Tests of behaviour that span packages: recorded answers of Consul, the reference model, random
//! worlds, the timeline, and the displays of the page. They are one program, since each program
//! links all packages. Those below without an attribute also run in a browser.

mod conformance;
#[cfg(not(target_arch = "wasm32"))]
mod consistency;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod properties;
mod simulation;
mod timeline;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
