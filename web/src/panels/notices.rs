//! The notices that the page's code has stopped, that a saved world cannot be opened, or that
//! nothing can be saved. They are mounted at the start, in the reader's language; `www/notices.js`
//! shows them and handles their buttons, because after a panic nothing in WebAssembly works any
//! more.

use leptos::prelude::*;

use crate::components::page_id;
use crate::platform::words::{Word, saved_world_words, words};

/// A notice: its name, its heading and text, and the name and text of each button.
type NoticeText = (&'static str, [Word; 2], [(&'static str, Word); 3]);

const NOTICES: [NoticeText; 3] = [
    (
        "stopped",
        [|| saved_world_words().stopped, || saved_world_words().stopped_text],
        [RELOAD, SAVE, ("afresh", || saved_world_words().start_over)],
    ),
    (
        "damaged",
        [|| saved_world_words().damaged, || saved_world_words().damaged_text],
        [SAVE, ("discard", || saved_world_words().discard), CLOSE],
    ),
    (
        "unkept",
        [|| saved_world_words().unsaved, || saved_world_words().unsaved_text],
        [("again", || saved_world_words().store_again), SAVE, CLOSE],
    ),
];

const SAVE: (&str, Word) = ("save", || saved_world_words().save);
const RELOAD: (&str, Word) = ("reload", || saved_world_words().reload);
const CLOSE: (&str, Word) = ("close", || words().close);

#[component]
pub fn Notices() -> impl IntoView {
    let notices = NOTICES.map(|(name, [heading, text], buttons)| {
        view! { <Notice name heading text buttons/> }
    });
    notices.into_iter().collect_view()
}

#[component]
fn Notice(
    name: &'static str,
    heading: Word,
    text: Word,
    buttons: [(&'static str, Word); 3],
) -> impl IntoView {
    let title = page_id(&format!("h-{name}"));
    let labelled_by = title.clone();
    let buttons = buttons.map(|(action, label)| {
        view! {
            <button
                type="button"
                class="btn btn-line"
                data-do=action
                data-testid=format!("{name}-{action}")
            >
                {move || label()}
            </button>
        }
    });
    view! {
        <section
            class="help notice"
            id=page_id(&format!("notice-{name}"))
            data-testid=name
            popover="manual"
            role="alertdialog"
            aria-labelledby=labelled_by
        >
            <div class="head"><h2 id=title>{move || heading()}</h2></div>
            <p>{move || text()}</p>
            <p class="quiet small"><output></output></p>
            <p class="share-ways">{buttons.into_iter().collect_view()}</p>
        </section>
    }
}
