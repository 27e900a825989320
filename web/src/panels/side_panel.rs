//! A panel beside the page: in the left part of a wide window, in the lower half of a narrow one,
//! so that lanes, cards and events stay in view. At most one is open.

use leptos::ev;
use leptos::html::Section;
use leptos::prelude::*;
use leptos_use::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::components::{focus, is_panel_open, page_id};
use crate::state::lesson_reader::LessonReader;

/// A panel that closes on Escape, and when a lesson opens, which it would cover.
#[component]
pub fn SidePanel(
    /// Its id; that of its heading is `h-<id>`, and the test id of its button `<id>-button`.
    id: &'static str,
    /// Whether the panel is open; setting it to true opens the panel.
    is_open: RwSignal<bool>,
    /// The test id of the element that takes the focus when the panel opens.
    first: impl Fn() -> &'static str + 'static,
    children: Children,
) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let panel = NodeRef::<Section>::new();
    // The styles make room for the panel in the frame that first shows it, and `toggle` is later.
    let _ = use_event_listener(panel, ev::beforetoggle, move |_| {
        let is_opening = !is_panel_open(panel);
        if is_opening {
            close_side_panels();
        }
        if let Some(page) = panel.get_untracked().and_then(|panel| panel.parent_element()) {
            let _ = page.class_list().toggle_with_force("has-guide", is_opening);
        }
    });
    let _ = use_event_listener(panel, ev::toggle, move |_| {
        let is_open_now = is_panel_open(panel);
        is_open.set(is_open_now);
        if is_open_now {
            // The panel is for the reader's own text, which is no part of a lesson.
            lesson_reader.session.return_to_sandbox();
            focus(untrack(&first));
        }
    });
    let press = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            focus(&format!("{id}-button"));
            close(panel);
        }
    };
    let has_lesson = Memo::new(move |_| lesson_reader.number().is_some());
    Effect::new(move |_| {
        if has_lesson.get() {
            close(panel);
        }
    });
    // Opens the panel when the signal is set: for a panel that was open when the page was left, and
    // by other parts of the page.
    Effect::new(move |_| {
        if let (true, Some(section)) = (is_open.get(), panel.get())
            && !has_lesson.get_untracked()
            && !is_panel_open(panel)
        {
            let _ = section.show_popover();
        }
    });
    view! {
        // The panel stays open while the page is used, which `popover="auto"` would not.
        <section
            node_ref=panel
            class=format!("guide is-{id}")
            id=page_id(id)
            popover="manual"
            tabindex="-1"
            data-testid=id
            aria-labelledby=page_id(&format!("h-{id}"))
            on:keydown=press
        >
            {children()}
        </section>
    }
}

fn close(panel: NodeRef<Section>) {
    if let Some(panel) = panel.get_untracked() {
        let _ = panel.hide_popover();
    }
}

/// Closes the panel that is open, if one is.
pub fn close_side_panels() {
    let open = document().query_selector_all(".guide:popover-open");
    let open = open.into_iter().flat_map(|it| (0..it.length()).filter_map(move |i| it.get(i)));
    for panel in open.filter_map(|it| it.dyn_into::<HtmlElement>().ok()) {
        let _ = panel.hide_popover();
    }
}
