//! The sandbox page in a browser. `app` is what it looks like, `runtime` owns the world behind it,
//! and `mirror` carries what happens there to the components. What needs no browser is in
//! `lictor-sandbox`.

pub mod app;
pub mod desk;
pub mod keeper;
pub mod keys;
pub mod mirror;
pub mod panels;
pub mod pulse;
pub mod reflect;
pub mod runtime;
pub mod script;
pub mod settings;
pub mod teacher;
pub mod ui;
pub mod var;

use lictor_sandbox::embed::EmbedOptions;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::keeper::Keeper;

/// Mounts the page, or what a page around it asks for.
#[wasm_bindgen]
pub fn start(keeper: Keeper) {
    console_error_panic_hook::set_once();
    let body =
        leptos_dom::helpers::document().body().expect("the script runs when there is a body");
    let query = leptos_dom::helpers::window().location().search().unwrap_or_default();
    let mounted = match EmbedOptions::read(&query) {
        Some(asked) => app::embed_in(&body, keeper, asked),
        None => app::mount(&body, Some(keeper)),
    };
    // What keeps the page up to date stays as long as the page.
    std::mem::forget(mounted);
}
