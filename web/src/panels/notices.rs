//! The notices that report that the page's code has stopped, that a saved world cannot be opened,
//! or that nothing can be saved. They are mounted at the start, in the reader's language;
//! `www/notices.js` shows them and handles their buttons, because after a panic nothing in
//! WebAssembly works any more.

use leptos::prelude::*;
use lictor_sandbox::i18n::Word;

use crate::components::page_id;
use crate::platform::settings::words;

/// A notice: its name, its heading and text, and its buttons, each with its name.
type NoticeText = (&'static str, [Word; 2], [(&'static str, Word); 3]);

const NOTICES: [NoticeText; 3] = [
    (
        "stopped",
        [|words| words.saved_world.stopped, |words| words.saved_world.stopped_text],
        [RELOAD, SAVE, ("afresh", |words| words.saved_world.start_over)],
    ),
    (
        "damaged",
        [|words| words.saved_world.damaged, |words| words.saved_world.damaged_text],
        [SAVE, ("discard", |words| words.saved_world.discard), CLOSE],
    ),
    (
        "unkept",
        [|words| words.saved_world.unsaved, |words| words.saved_world.unsaved_text],
        [("again", |words| words.saved_world.store_again), SAVE, CLOSE],
    ),
];

const SAVE: (&str, Word) = ("save", |words| words.saved_world.save);
const RELOAD: (&str, Word) = ("reload", |words| words.saved_world.reload);
const CLOSE: (&str, Word) = ("close", |words| words.close);

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
    let buttons = buttons.map(|(action, says)| {
        view! {
            <button
                type="button"
                class="btn btn-line"
                data-do=action
                data-testid=format!("{name}-{action}")
            >
                {move || says(words())}
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
            <div class="head"><h2 id=title>{move || heading(words())}</h2></div>
            <p>{move || text(words())}</p>
            <p class="quiet small"><output></output></p>
            <p class="share-ways">{buttons.into_iter().collect_view()}</p>
        </section>
    }
}
