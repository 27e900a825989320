//! Long lists of cards and lines. Only those in view are laid out (`crowd` in
//! www/styles/layout.css) and updated.

use leptos::ev::Custom;
use leptos::html::ElementType;
use leptos::prelude::*;
use leptos_use::{use_event_listener, use_intersection_observer};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, Event, EventTarget};

/// Longer lists get the class `crowd`.
const CROWD: usize = 16;

#[wasm_bindgen]
extern "C" {
    /// The event of a browser that begins or stops to lay an element out.
    type ContentVisibilityEvent;

    #[wasm_bindgen(method, getter)]
    fn skipped(this: &ContentVisibilityEvent) -> bool;
}

/// Whether a list with this many elements is a long one.
pub fn is_crowd(count: usize) -> bool {
    count > CROWD
}

/// The class of a list with this many elements.
pub fn crowd_class(class: &'static str, count: usize) -> String {
    if is_crowd(count) { format!("{class} crowd") } else { class.to_owned() }
}

/// Whether the browser lays the element out; an element that is not laid out is invisible.
pub fn in_view<E>(element: NodeRef<E>) -> Signal<bool>
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
    EventTarget: From<E::Output>,
{
    let is_in_view = RwSignal::new(true);
    let event = Custom::<Event>::new("contentvisibilityautostatechange");
    let _ = use_event_listener(element, event, move |event| {
        is_in_view.set(!event.unchecked_ref::<ContentVisibilityEvent>().skipped());
    });
    is_in_view.into()
}

/// Whether a part of the element is in the viewport; false until the browser first reports it. Of
/// several reports that arrive together the last one counts; `use_element_visibility` of leptos-use
/// takes the first.
pub fn in_viewport<E>(element: NodeRef<E>) -> Signal<bool>
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
    Element: From<E::Output>,
{
    let is_in_viewport = RwSignal::new(false);
    use_intersection_observer(element, move |entries, _| {
        if let Some(entry) = entries.last() {
            is_in_viewport.set(entry.is_intersecting());
        }
    });
    is_in_viewport.into()
}

/// A memo that follows `read` while the element is in view, and keeps its last value otherwise.
pub fn while_in_view<T>(
    is_in_view: Signal<bool>,
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |last: Option<&T>| match last {
        Some(last) if !is_in_view.get() => last.clone(),
        _ => read(),
    })
}
