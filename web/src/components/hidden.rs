//! What is shown in place of anything that would give away the answer of an open question.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::platform::settings::words;

#[component]
pub fn Hidden() -> impl IntoView {
    view! {
        <p class="veiled" data-testid="veiled">
            <span><Icon glyph=Glyph::Hidden/>{move || words().learn.hidden}</span>
        </p>
    }
}
