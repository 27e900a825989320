//! Lists of many elements, most of which are out of view. All of them are in the document, for the
//! keyboard and for who searches, but the browser lays out only those that somebody may see
//! (`crowd` in the style sheet), and only those are kept up to date.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{El, Text, text};
use crate::var::Var;

/// A list of more is a crowd.
const CROWD: usize = 16;

#[wasm_bindgen]
extern "C" {
    /// The browser begins to lay an element out, or to leave that out.
    type Shift;

    #[wasm_bindgen(method, getter)]
    fn skipped(this: &Shift) -> bool;
}

/// The class of a list by how many are in it.
pub fn crowd(class: &'static str, count: impl Fn() -> usize + 'static) -> Text {
    text(move || if count() > CROWD { class.to_owned() + " crowd" } else { class.to_owned() })
}

/// An element of such a list, and whether somebody may see it.
pub fn in_crowd(element: El) -> (El, Rc<Var<bool>>) {
    let seen = Rc::new(Var::new(true));
    let shown = seen.clone();
    let element = element.on("contentvisibilityautostatechange", move |event| {
        shown.show(!event.unchecked_ref::<Shift>().skipped());
    });
    (element, seen)
}
