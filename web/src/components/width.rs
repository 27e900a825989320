//! The widths of the window and of a drawing, for content that depends on them and that styles
//! alone cannot change.

use leptos::prelude::*;
use leptos::{ev, svg};
use leptos_use::{use_event_listener, use_resize_observer};

use crate::signals::SetIfChanged;

/// Below this width the page has one column; the styles have the same number.
const ONE_COLUMN: f64 = 720.0;

/// Below this width the clients are a sheet over the page; the styles have the same number.
const SHEET: f64 = 1024.0;

/// The width of a drawing in pixels until the browser reports it: that in a window of 1280 px.
const REFERENCE: f64 = 560.0;

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

/// The width of a drawing in whole pixels. `use_element_size` of leptos-use returns 0 for SVG.
pub fn use_width(drawing: NodeRef<svg::Svg>) -> Signal<f64> {
    let width = RwSignal::new(REFERENCE);
    use_resize_observer(drawing, move |entries, _| {
        if let Some(entry) = entries.last() {
            width.set_if_changed(entry.content_rect().width().round());
        }
    });
    width.into()
}
