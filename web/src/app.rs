//! The page: what is where, and the context that everything shares.

use leptos::prelude::*;

use crate::desk::Desk;
use crate::keys;
use crate::panels::console::Console;
use crate::panels::help::Help;
use crate::panels::toolbar::Toolbar;
use crate::runtime::{Runtime, keep_time};
use crate::settings::{Settings, word};
use crate::ui::Defs;

/// The seed of a fresh sandbox.
const SEED: u64 = 42;

/// The whole page, with a sandbox of three clients, paused at 0.
#[component]
pub fn App() -> impl IntoView {
    let settings = Settings::of_page();
    provide_context(settings);
    let runtime = Runtime::new(SEED);
    for name in ["web-1", "web-2", "web-3"] {
        runtime.join(name);
    }
    provide_context(runtime);
    let desk = Desk::default();
    provide_context(desk);
    keys::listen(runtime, settings, desk);
    keep_time(runtime);
    view! {
        <a class="skip visually-hidden" href="#events">{word(|words| words.skip_to_events)}</a>
        <Defs/>
        <Toolbar runtime/>
        <Console runtime/>
        <Help/>
    }
}
