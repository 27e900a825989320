//! A sentence of a lesson, in which the keys that it mentions are elements of code.

use leptos::prelude::*;
use lictor_desk::lessons::{SentencePart, key_mentions};

/// A sentence in which these keys are elements of code.
pub fn keyed_text(text: &str, keys: &[String]) -> impl IntoView + use<> {
    let parts = key_mentions(text, keys).into_iter().map(|part| match part {
        SentencePart::Words(words) => view! { {words} }.into_any(),
        SentencePart::Key(key) => view! { <code class="key">{key}</code> }.into_any(),
    });
    parts.collect_view()
}
