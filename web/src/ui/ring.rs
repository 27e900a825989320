//! A ring that shows how much of a span is left. Its geometry is a function of its input; nothing
//! animates.

use leptos::prelude::*;

use super::text;

/// The circle has a `pathLength` of 100, so the share left is the length of the first dash.
#[component]
pub fn Ring(
    /// What is left, from 0 to 1.
    #[prop(into)]
    left: Signal<f64>,
    #[prop(into)] label: Signal<String>,
) -> impl IntoView {
    let dashes =
        text(move || format!("{} 100", (left.get().clamp(0.0, 1.0) * 100.0).round() as u32));
    view! {
        <svg class="ring" viewBox="0 0 24 24" role="img" aria-label=label>
            <circle class="track" cx="12" cy="12" r="9.5"/>
            <circle
                class="left"
                cx="12"
                cy="12"
                r="9.5"
                pathLength="100"
                stroke-dasharray=dashes
                transform="rotate(-90 12 12)"
            />
        </svg>
    }
}
