//! The page's components in a browser: each panel in a small world, then the whole page. Run by
//! `wasm-pack test --headless --chrome web`, or by `cargo test` with wasm-bindgen's runner.
#![cfg(target_arch = "wasm32")]

mod bar;
mod cards;
mod clients;
mod components;
mod console;
mod events;
mod lesson;
mod page;
mod roles;
mod share;
mod state;
mod time;
mod whole_page;
mod worlds;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
