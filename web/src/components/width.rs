//! The width of the window, for content that depends on it and that styles alone cannot change.

use leptos::ev;
use leptos::prelude::*;
use leptos_use::use_event_listener;

use crate::signals::SetIfChanged;

/// Below this width the page has one column; the styles have the same number.
const ONE_COLUMN: f64 = 720.0;

/// Below this width the clients are a sheet over the page; the styles have the same number.
const SHEET: f64 = 1024.0;

/// Whether the page has one column; follows the width of the window.
pub fn use_one_column() -> Signal<bool> {
    use_narrower(ONE_COLUMN)
}

/// Whether the clients are a sheet over the page; follows the width of the window.
pub fn use_sheet() -> Signal<bool> {
    use_narrower(SHEET)
}

fn use_narrower(limit: f64) -> Signal<bool> {
    let is_narrower = move || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        width.is_some_and(|width| width < limit)
    };
    let current = RwSignal::new(is_narrower());
    let resized = move |_| current.set_if_changed(is_narrower());
    let _ = use_event_listener(window(), ev::resize, resized);
    current.into()
}
