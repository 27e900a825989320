//! Moves the focus to elements, and to a neighbour, a fallback or the panel around it if the
//! focused element is removed.

use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// The attribute with the test id of the element that gets the focus if this one is removed and no
/// neighbour is like it.
const FOCUS_FALLBACK: &str = "data-focus-fallback";

/// The focused element and its place.
struct Focused {
    element: Element,
    /// Its ancestors, the nearest first, each with the number of elements like it that come before
    /// it in this ancestor.
    ancestors: Vec<(Element, usize)>,
}

/// Moves the focus whenever the element that has it is removed from `root`.
pub fn keep_focus(root: Element) {
    let focused = StoredValue::new_local(None::<Focused>);
    let _ = use_event_listener(root.clone(), ev::focusin, move |event| {
        let element = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        focused.set_value(element.map(Focused::new));
    });
    let _ = use_event_listener(root.clone(), ev::focusout, move |_| {
        // Browsers also send this event while they remove the element. Only afterwards it can be
        // seen whether the element still exists.
        queue_microtask(move || {
            let is_left = |it: &Focused| {
                it.element.is_connected()
                    && document().active_element().as_ref() != Some(&it.element)
            };
            focused.update_value(|focused| {
                if focused.as_ref().is_some_and(is_left) {
                    *focused = None;
                }
            });
        });
    });
    watch_children(&root, move || {
        let is_lost = |it: &Focused| !it.element.is_connected();
        if focused.with_value(|it| it.as_ref().is_some_and(is_lost)) {
            let lost = focused.try_update_value(Option::take).flatten();
            lost.iter().for_each(Focused::hand_over);
        }
    });
}

/// Calls `react` after elements were added or removed anywhere inside of `root`, until the current
/// owner is disposed of. The observer of leptos-use reads a signal outside of an effect, which
/// debug builds report.
fn watch_children(root: &Element, react: impl Fn() + 'static) {
    let react = Closure::<dyn Fn()>::new(react);
    let Ok(observer) = MutationObserver::new(react.as_ref().unchecked_ref()) else { return };
    let options = MutationObserverInit::new();
    options.set_child_list(true);
    options.set_subtree(true);
    let _ = observer.observe_with_options(root, &options);
    let watch = StoredValue::new_local(Some((observer, react)));
    on_cleanup(move || {
        if let Some((observer, _)) = watch.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}

impl Focused {
    fn new(element: Element) -> Self {
        let mut ancestors = Vec::new();
        let mut next = element.parent_element();
        while let Some(ancestor) = next {
            next = ancestor.parent_element();
            let index = alike(&ancestor, &element).position(|it| it == element).unwrap_or_default();
            ancestors.push((ancestor, index));
        }
        Self { element, ancestors }
    }

    /// Focuses the element that is like the removed one and at its place, else its fallback, else
    /// the nearest panel around it, from where Tab continues. Does nothing if another element has
    /// the focus already.
    fn hand_over(&self) {
        let body = document().body().map(JsCast::unchecked_into::<Element>);
        if document().active_element() != body {
            return;
        }
        let Some((parent, index)) = self.ancestors.iter().find(|(it, _)| it.is_connected()) else {
            return;
        };
        let like = || alike(parent, &self.element).take(index + 1).last();
        let focus_fallback = || with_test_id(&self.element.get_attribute(FOCUS_FALLBACK)?);
        let _ = take(like()) || take(focus_fallback()) || take(panel(parent));
    }
}

/// Focuses the element with a test id, and returns it; `None` if it does not exist or is not shown.
pub fn focus(test_id: &str) -> Option<HtmlElement> {
    with_test_id(test_id).filter(give).map(JsCast::unchecked_into)
}

/// Focuses the element with a test id; if it is not shown, the closed panel that contains it opens
/// first.
pub fn reveal(test_id: &str) -> Option<HtmlElement> {
    focus(test_id).or_else(|| {
        let closed = with_test_id(test_id)?.closest("[popover]:not(:popover-open)").ok()??;
        let _ = closed.dyn_into::<HtmlElement>().ok()?.show_popover();
        focus(test_id)
    })
}

/// The element with a test id.
pub fn with_test_id(id: &str) -> Option<Element> {
    with_attribute("data-testid", id)
}

/// The element with a value of an attribute.
pub fn with_attribute(name: &str, value: &str) -> Option<Element> {
    document().query_selector(&format!("[{name}=\"{value}\"]")).ok().flatten()
}

/// Focuses an element. Returns false if it cannot have the focus, for example because it is not
/// shown.
fn give(element: &Element) -> bool {
    let _ = element.unchecked_ref::<HtmlElement>().focus();
    document().active_element().as_ref() == Some(element)
}

fn take(element: Option<Element>) -> bool {
    element.is_some_and(|element| give(&element))
}

/// The nearest panel around an element, made focusable.
fn panel(element: &Element) -> Option<Element> {
    let panel = element.closest("[tabindex],section,main").ok().flatten()?;
    if !panel.has_attribute("tabindex") {
        let _ = panel.set_attribute("tabindex", "-1");
    }
    Some(panel)
}

/// The elements inside of `parent` with the tag and the test id of an element.
fn alike(parent: &Element, element: &Element) -> impl Iterator<Item = Element> + use<> {
    let id = element.get_attribute("data-testid").filter(|id| !id.is_empty());
    let found = parent.get_elements_by_tag_name(&element.tag_name());
    let all = (0..found.length()).filter_map(move |index| found.item(index));
    all.filter(move |it| id.is_some() && it.get_attribute("data-testid") == id)
}
