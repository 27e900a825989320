//! The sandbox page. `app` is what it looks like, `runtime` owns the world behind it, `mirror`
//! carries what happens there to the components, and `record` remembers it. Pure parts, which need
//! no browser, are `rows`, `record`, `glance`, `deeds`, `call`, `embed`, `pacer`, `voice` and
//! `timeline`.

pub mod app;
pub mod call;
pub mod compare;
pub mod console;
pub mod deeds;
pub mod desk;
pub mod embed;
pub mod exchange;
pub mod glance;
pub mod keeper;
pub mod keys;
pub mod learn;
pub mod mirror;
pub mod mishaps;
pub mod pacer;
pub mod panels;
pub mod past;
pub mod pulse;
pub mod record;
pub mod reflect;
pub mod rows;
pub mod runtime;
pub mod script;
pub mod search;
pub mod settings;
pub mod share;
pub mod teacher;
pub mod text;
pub mod timeline;
pub mod ui;
pub mod var;
pub mod voice;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::embed::Asked;
use crate::keeper::Keeper;

/// Mounts the page, or what a page around it asks for.
#[wasm_bindgen]
pub fn start(keeper: Keeper) {
    console_error_panic_hook::set_once();
    let body =
        leptos_dom::helpers::document().body().expect("the script runs when there is a body");
    let query = leptos_dom::helpers::window().location().search().unwrap_or_default();
    let mounted = match Asked::read(&query) {
        Some(asked) => app::embed_in(&body, keeper, asked),
        None => app::mount(&body, Some(keeper)),
    };
    // What keeps the page up to date stays as long as the page.
    std::mem::forget(mounted);
}
