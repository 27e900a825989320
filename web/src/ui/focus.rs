//! The focus is never lost: when the element that has it goes, another one takes it over.

use leptos_dom::helpers::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

/// What has the focus inside of a part that is about to be drawn again.
pub(super) struct Focus {
    element: Element,
    /// The element that the part stands in.
    parent: Element,
    /// Its place among those of the same test id.
    place: usize,
}

impl Focus {
    pub(super) fn within(parent: &Node) -> Option<Self> {
        let element = document().active_element().filter(|it| parent.contains(Some(it)))?;
        let parent = parent.clone().unchecked_into();
        let place = alike(&parent, &element).position(|it| it == element).unwrap_or_default();
        Some(Self { element, parent, place })
    }

    /// If the element has gone, its likeness in the new part takes over; else the heir that it
    /// names; else the nearest panel around, from where Tab goes on.
    pub(super) fn hand_over(self) {
        let Self { element, parent, place } = self;
        if element.is_connected() {
            return;
        }
        let likeness = || alike(&parent, &element).take(place + 1).last();
        let heir = || tested(&element.get_attribute(HEIR)?);
        let _ = is_given(likeness()) || is_given(heir()) || is_given(panel(&parent));
    }
}

/// The attribute that names the heir of an element by its test id.
pub const HEIR: &str = "data-heir";

/// The element of a test id.
fn tested(id: &str) -> Option<Element> {
    let named = "[data-testid=".to_owned() + id + "]";
    document().query_selector(&named).ok().flatten()
}

/// Gives the focus to what has a test id, and hands that back.
pub fn focus(id: &str) -> Option<HtmlElement> {
    tested(id).filter(give).map(JsCast::unchecked_into)
}

/// Whether the element takes the focus; one that is not shown does not.
fn give(element: &Element) -> bool {
    let _ = element.unchecked_ref::<HtmlElement>().focus();
    document().active_element().as_ref() == Some(element)
}

fn is_given(heir: Option<Element>) -> bool {
    heir.is_some_and(|heir| give(&heir))
}

/// The nearest panel around a part, made ready to take the focus.
fn panel(part: &Element) -> Option<Element> {
    let panel = part.closest("[tabindex],section,main").ok().flatten()?;
    if !panel.has_attribute("tabindex") {
        let _ = panel.set_attribute("tabindex", "-1");
    }
    Some(panel)
}

/// The elements inside of another one that have the tag and the test id of an element.
fn alike(parent: &Element, element: &Element) -> impl Iterator<Item = Element> + use<> {
    let id = element.get_attribute("data-testid").filter(|id| !id.is_empty());
    let found = parent.get_elements_by_tag_name(&element.tag_name());
    let all = (0..found.length()).filter_map(move |place| found.item(place));
    all.filter(move |it| id.is_some() && it.get_attribute("data-testid") == id)
}
