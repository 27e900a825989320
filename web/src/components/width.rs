//! How wide the window is, as far as what is in the document depends on it.

use leptos::ev;
use leptos::prelude::*;
use leptos_use::use_event_listener;

use crate::signals::SetIfChanged;

/// Below this width the page has one column; www/style.css has the same number.
const ONE_COLUMN: f64 = 720.0;

/// Whether the page has one column; follows the width of the window.
pub fn use_one_column() -> Signal<bool> {
    let is_narrow = || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        width.is_some_and(|width| width < ONE_COLUMN)
    };
    let current = RwSignal::new(is_narrow());
    let _ = use_event_listener(window(), ev::resize, move |_| current.set_if_changed(is_narrow()));
    current.into()
}
