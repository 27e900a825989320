//! The list of completions above the console's input. Tab takes the first one, or the one that the
//! arrow keys have selected; Escape closes the list.

use leptos::prelude::*;

use crate::components::PageIds;
use crate::platform::words::console_words;
use crate::state::terminal::Terminal;

/// The id of the list.
pub(super) const LIST: &str = "completions";

/// The id of an item of the list.
pub(super) fn item_id(ids: PageIds, index: usize) -> String {
    ids.of(&format!("{LIST}-{index}"))
}

#[component]
pub fn Completions() -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let ids = PageIds::of_page();
    move || {
        let completions = terminal.completion.get()?;
        let items = completions.texts.iter().enumerate().map(|(index, text)| {
            let take = move |event: web_sys::PointerEvent| {
                // A press would move the focus from the input to the list.
                event.prevent_default();
                terminal.take(index);
            };
            view! {
                <li
                    id=item_id(ids, index)
                    role="option"
                    aria-selected=(completions.chosen == Some(index)).to_string()
                    on:pointerdown=take
                >
                    {text.clone()}
                    <span class="quiet">{terminal.label(text)}</span>
                </li>
            }
        });
        Some(view! {
            <ul
                class="completions"
                id=ids.of(LIST)
                role="listbox"
                data-testid=ids.of(LIST)
                aria-label=move || console_words().completions
            >
                {items.collect_view()}
            </ul>
        })
    }
}
