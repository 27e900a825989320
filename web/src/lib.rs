//! The sandbox page in a browser. `app` mounts it, `state::controller` owns the simulated world,
//! and `state::store` has the rows that the components in `panels` subscribe to.

// Components own their properties.
#![allow(clippy::needless_pass_by_value)]

pub mod app;
pub mod components;
pub mod panels;
pub mod platform;
pub mod script;
pub mod signals;
pub mod state;
pub mod worker;

use leptos::prelude::*;
use lictor_desk::embed::EmbedOptions;
use lictor_desk::share;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{CustomEvent, CustomEventInit};

use crate::platform::world_store::WorldStore;
use crate::script::Lictor;

#[cfg(all(test, target_arch = "wasm32"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Mounts the page, or the parts that an embedding page requests, and returns the functions for
/// scripts. Panics if the document has no body.
#[wasm_bindgen]
pub fn start(world_store: WorldStore) -> Lictor {
    report_panics();
    let body = document().body().expect("the script runs when there is a body");
    let query = window().location().search().unwrap_or_default();
    match EmbedOptions::read(&query) {
        Some(options) => {
            let (page, lictor) = app::mount_embedded(body, world_store, options);
            // The page stays mounted as long as the document.
            page.forget();
            lictor
        }
        None => {
            let (page, lictor) = app::mount(body, Some(world_store));
            page.forget();
            lictor
        }
    }
}

/// Whether a link from the address can be opened.
#[wasm_bindgen(js_name = readsLink)]
pub fn reads_link(link: &str) -> bool {
    share::read(link).is_ok()
}

/// Writes the message of a panic to the browser's console, and dispatches it as an event, for the
/// notice from which the log can be saved.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let options = CustomEventInit::new();
        options.set_detail(&info.to_string().into());
        // Without the event the notice shows the error of the trap instead of the message.
        let _ = CustomEvent::new_with_event_init_dict("lictor-panic", &options)
            .and_then(|event| window().dispatch_event(&event));
    }));
}
