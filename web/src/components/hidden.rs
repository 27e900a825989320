//! The note in place of anything that would give away the answer of an open question.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::platform::words::timeline_words;

#[component]
pub fn Hidden() -> impl IntoView {
    view! {
        <p class="veiled" data-testid="veiled">
            <span><Icon glyph=Glyph::Hidden/>{move || timeline_words().hidden}</span>
        </p>
    }
}
