//! The sandbox page in a browser. `app` is what it looks like, `controller` owns the world behind it,
//! and `store` carries what happens there to the components. What needs no browser is in
//! `lictor-sandbox`.

pub mod app;
pub mod components;
pub mod panels;
pub mod platform;
pub mod state;

use leptos::prelude::*;
use lictor_sandbox::embed::EmbedOptions;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::platform::keeper::Keeper;

/// Mounts the page, or what a page around it asks for.
#[wasm_bindgen]
pub fn start(keeper: Keeper) {
    console_error_panic_hook::set_once();
    let body = document().body().expect("the script runs when there is a body");
    let query = window().location().search().unwrap_or_default();
    // The page stays mounted as long as the document.
    match EmbedOptions::read(&query) {
        Some(asked) => app::mount_embedded(body, keeper, asked).forget(),
        None => app::mount(body, Some(keeper)).forget(),
    }
}
