//! The look of the page: the number of times that colours or sizes may have changed, because the
//! reader chose a theme, the browser's or its forced colours changed, the window was resized, the
//! styles of the document were set, or the page is printed. There is one for each document.

use leptos::ev;
use leptos::prelude::*;
use leptos_use::{
    UseMutationObserverOptions, use_event_listener, use_mutation_observer_with_options,
};

/// The attribute of the document while it is printed, which makes it light.
const PAPER: &str = "data-paper";
const MEDIA: [&str; 3] = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"];

thread_local! {
    static LOOK: (Owner, RwSignal<u32>) = of_document(followed);
}

/// Creates signals and listeners with an owner of their own, which keeps them as long as the
/// document, not only as long as the first page.
pub fn of_document<T>(create: impl FnOnce() -> T) -> (Owner, T) {
    // A new root becomes the current owner, so the owner of the page is set again afterwards.
    let page = Owner::current();
    let owner = Owner::new_root(None);
    let created = owner.with(create);
    page.iter().for_each(Owner::set);
    (owner, created)
}

/// The look of the document: a number that differs after each change.
pub fn look() -> Signal<u32> {
    LOOK.with(|(_, look)| (*look).into())
}

fn followed() -> RwSignal<u32> {
    let look = RwSignal::new(0_u32);
    let change = move || look.update(|look| *look = look.wrapping_add(1));
    let _ = use_event_listener(window(), ev::resize, move |_| change());
    for media in MEDIA {
        if let Ok(Some(media)) = window().match_media(media) {
            let _ = use_event_listener(media, ev::change, move |_| change());
        }
    }
    let print = move |is_on_paper| {
        if let Some(root) = document().document_element() {
            // The name of the attribute is valid.
            let _ = root.toggle_attribute_with_force(PAPER, is_on_paper);
        }
    };
    let _ = use_event_listener(window(), ev::beforeprint, move |_| print(true));
    let _ = use_event_listener(window(), ev::afterprint, move |_| print(false));
    let options = UseMutationObserverOptions::default()
        .attributes(true)
        .attribute_filter(["data-theme", "style", PAPER].map(str::to_owned).to_vec());
    if let Some(root) = document().document_element() {
        let _ = use_mutation_observer_with_options(root, move |_, _| change(), options);
    }
    look
}
