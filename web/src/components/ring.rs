//! A ring that shows how much of a time span is left. It depends on virtual time only, and is not
//! animated.

use leptos::prelude::*;
use leptos::text_prop::TextProp;
use lictor_core::time::Instant;

/// A ring that is full at one moment and empty at another.
#[component]
pub fn Ring(
    #[prop(into)] label: TextProp,
    #[prop(into)] now: Signal<Instant>,
    full: Instant,
    empty: Instant,
) -> impl IntoView {
    let whole = empty.since(full).as_secs_f64().max(f64::MIN_POSITIVE);
    // `pathLength` is 100, so the share that is left is the length of the first dash.
    let percent = Memo::new(move |_| {
        let left = (empty.since(now.get()).as_secs_f64() / whole).min(1.0);
        (left * 100.0).round() as u32
    });
    view! {
        <svg class="ring" role="img" aria-label=move || label.get() viewBox="0 0 24 24">
            <circle class="track" cx="12" cy="12" r="9.5"/>
            <circle
                class="left"
                cx="12"
                cy="12"
                r="9.5"
                pathLength="100"
                stroke-dasharray=move || format!("{} 100", percent.get())
                transform="rotate(-90 12 12)"
            />
        </svg>
    }
}
