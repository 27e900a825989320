//! The sandbox page.

pub mod console;

use leptos::prelude::*;

/// Mounts the page.
#[wasm_bindgen::prelude::wasm_bindgen(start)]
pub fn start() {
    mount_to_body(|| view! { <p>"Lictor"</p> });
}
