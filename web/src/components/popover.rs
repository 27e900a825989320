//! A panel over the page, and the buttons that open and close it. The browser opens and closes the
//! panel itself.

use leptos::ev::Custom;
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use leptos::{ev, html};
use leptos_use::use_event_listener;
use web_sys::{Event, KeyboardEvent};

use super::{Glyph, Icon, PageIds, focus, page_id};
use crate::platform::words::words;

/// A panel with its heading and the button that closes it.
#[component]
pub fn Popover(
    id: &'static str,
    class: &'static str,
    #[prop(into)] heading: TextProp,
    /// A signal that follows whether the panel is open.
    #[prop(optional)]
    is_open: Option<RwSignal<bool>>,
    children: Children,
) -> impl IntoView {
    let panel = NodeRef::<html::Section>::new();
    let heading_id = page_id(&format!("h-{id}"));
    let labelled_by = heading_id.clone();
    if let Some(is_open) = is_open {
        // The content is there when the panel opens.
        let change = Custom::<Event>::new("beforetoggle");
        let _ = use_event_listener(panel, change, move |_| {
            if !is_panel_open(panel) {
                is_open.set(true);
            }
        });
        let _ = use_event_listener(panel, ev::toggle, move |_| is_open.set(is_panel_open(panel)));
    }
    // The browser returns the focus only from a panel that no other panel contains.
    let press = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            focus_opener(id);
        }
    };
    view! {
        <section
            node_ref=panel
            class=class
            id=page_id(id)
            popover=""
            on:keydown=press
            data-testid=id
            aria-labelledby=labelled_by
        >
            <div class="head">
                <h2 id=heading_id>{move || heading.get()}</h2>
                <CloseButton id class="btn btn-icon btn-small push"/>
            </div>
            {children()}
        </section>
    }
}

/// Whether the browser shows a panel, which is not open yet in the event before it opens.
pub fn is_panel_open(panel: NodeRef<html::Section>) -> bool {
    panel.get_untracked().is_some_and(|panel| panel.matches(":popover-open") == Ok(true))
}

/// Focuses the button that opens a panel, or that of the menu if the button is in the closed menu.
fn focus_opener(id: &str) {
    focus(&format!("{id}-button")).or_else(|| focus("more-button"));
}

/// Closes a panel of the page with these ids, and moves the focus to the button that opens it.
pub fn close_panel(ids: PageIds, id: &str) {
    focus_opener(id);
    if let Some(panel) = ids.element(id) {
        let _ = panel.hide_popover();
    }
}

/// A button that opens a panel, or closes the open one. Its test id is `<id>-button` by default.
#[component]
pub fn Opener(
    /// The id of the panel.
    id: &'static str,
    #[prop(into)] class: String,
    /// The test id of a second button for the same panel.
    #[prop(optional, into)]
    test_id: Option<String>,
    #[prop(optional, into)] label: Option<TextProp>,
    #[prop(optional, into)] title: Option<TextProp>,
    /// Whether the button is pressed.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    children: Children,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=class
            popovertarget=page_id(id)
            aria-pressed=pressed.map(|pressed| move || pressed.get().to_string())
            data-testid=test_id.unwrap_or_else(|| format!("{id}-button"))
            aria-label=label.map(|label| move || label.get())
            title=title.map(|title| move || title.get())
        >
            {children()}
        </button>
    }
}

/// The button with a cross that closes a panel. Its test id is `<id>-close`.
#[component]
pub fn CloseButton(id: &'static str, class: &'static str) -> impl IntoView {
    view! {
        <Closer id class test_id=format!("{id}-close") label=move || words().close>
            <Icon glyph=Glyph::Cross/>
        </Closer>
    }
}

/// A button that closes a panel.
#[component]
pub fn Closer(
    /// The id of the panel.
    id: &'static str,
    #[prop(into)] class: String,
    #[prop(into)] test_id: String,
    #[prop(optional, into)] label: Option<TextProp>,
    #[prop(optional, into)] title: Option<TextProp>,
    /// Whether the button is pressed, for one that chooses something.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    children: Children,
) -> impl IntoView {
    let return_focus = move |_| focus_opener(id);
    view! {
        <Opener
            id
            class
            test_id
            nostrip:label
            nostrip:title
            nostrip:pressed
            attr:popovertargetaction="hide"
            on:click=return_focus
        >
            {children()}
        </Opener>
    }
}
