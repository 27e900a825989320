//! The elements of the page. A view is a function that builds one: a tag and a class, then its
//! attributes, what it does, and what is in it. What follows a value keeps itself up to date, by
//! one piece of code for all elements of the page.

use leptos_dom::helpers::{document, set_property};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, Node};

use super::focus::HEIR;
use super::live::{Text, effect};
use super::part::{Part, Place};

/// One element; copies of it are handles.
#[derive(Clone)]
pub struct El(Element);

const SVG: &str = "http://www.w3.org/2000/svg";

/// An element of HTML; without a class the class is empty.
pub fn el(tag: &'static str, class: &str) -> El {
    El::new(document().create_element(tag), class)
}

/// An element of SVG.
pub fn svg(tag: &'static str, class: &str) -> El {
    El::new(document().create_element_ns(Some(SVG), tag), class)
}

/// A button with its test id and what it does.
pub fn button(class: &str, test_id: &str, act: impl Fn() + 'static) -> El {
    let button = el("button", class).attr("type", "button").test(test_id);
    button.listen("click", unless_disabled(Box::new(act)));
    button
}

/// A button that can do nothing now keeps its place, its words and the focus.
fn unless_disabled(act: Box<dyn Fn()>) -> Box<dyn Fn(Event)> {
    Box::new(move |event| {
        let button = event.current_target().map(JsCast::unchecked_into::<Element>);
        if button.is_none_or(|button| !button.has_attribute(DISABLED)) {
            act();
        }
    })
}

/// The attribute of a button that can do nothing now.
const DISABLED: &str = "aria-disabled";

/// What an attribute can be: fixed, missing, or a text that changes.
pub trait Value {
    fn give(self, to: &El, name: &'static str);
}

impl El {
    fn new(created: Result<Element, JsValue>, class: &str) -> Self {
        // Only a tag that is no name is refused, and the tags are ours.
        let element = Self(created.expect("a tag"));
        if !class.is_empty() {
            element.set("class", class);
        }
        element
    }

    pub fn attr(self, name: &'static str, value: impl Value) -> Self {
        value.give(&self, name);
        self
    }

    /// The name of the element for those who do not see it.
    pub fn label(self, text: impl Value) -> Self {
        self.attr("aria-label", text)
    }

    pub fn title(self, text: impl Value) -> Self {
        self.attr("title", text)
    }

    pub fn test(self, id: impl Value) -> Self {
        self.attr("data-testid", id)
    }

    /// An attribute that is there or not. What it says when it is there matters only to ARIA.
    pub fn flag(self, name: &'static str, holds: impl Fn() -> bool + 'static) -> Self {
        let say = move || holds().then(|| "true".to_owned());
        follow(Target::Attribute(self.0.clone(), name), Box::new(say));
        self
    }

    /// A button that can do nothing while something holds.
    pub fn disabled(self, holds: impl Fn() -> bool + 'static) -> Self {
        self.flag(DISABLED, holds)
    }

    /// The test id of what takes the focus when this element goes with the focus on it.
    pub fn heir(self, id: &str) -> Self {
        self.attr(HEIR, id)
    }

    /// The text in a field. The reader's own typing changes it, too.
    pub fn value(self, text: Text) -> Self {
        follow(Target::Value(self.0.clone()), Box::new(move || Some(text.say())));
        self
    }

    pub fn on(self, event: &str, act: impl Fn(&Event) + 'static) -> Self {
        self.listen(event, Box::new(move |event| act(&event)));
        self
    }

    /// What is in the element, after what is there already.
    pub fn with(self, part: impl Into<Part>) -> Self {
        Place::end_of(&self.0).put(part.into());
        self
    }

    /// The element itself, where the browser has to be asked or told something.
    pub fn node(&self) -> &Element {
        &self.0
    }

    fn set(&self, name: &str, text: &str) {
        // The names are ours and valid; a value cannot be refused.
        let _ = self.0.set_attribute(name, text);
    }

    /// The listener lives as long as the element: the browser frees both together.
    fn listen(&self, event: &str, act: Box<dyn Fn(Event)>) {
        let listener = Closure::wrap(act).into_js_value();
        let _ = self.0.add_event_listener_with_callback(event, listener.unchecked_ref());
    }
}

impl Value for &str {
    fn give(self, to: &El, name: &'static str) {
        to.set(name, self);
    }
}

impl Value for &String {
    fn give(self, to: &El, name: &'static str) {
        to.set(name, self);
    }
}

impl Value for String {
    fn give(self, to: &El, name: &'static str) {
        to.set(name, &self);
    }
}

impl Value for Text {
    fn give(self, to: &El, name: &'static str) {
        follow(Target::Attribute(to.0.clone(), name), Box::new(move || Some(self.say())));
    }
}

impl<V: Value> Value for Option<V> {
    fn give(self, to: &El, name: &'static str) {
        if let Some(value) = self {
            value.give(to, name);
        }
    }
}

/// What a text that changes is shown by.
pub(super) enum Target {
    Attribute(Element, &'static str),
    Content(Node),
    Value(Element),
}

impl Target {
    /// Without a text an attribute is not there at all.
    fn show(&self, text: Option<&str>) {
        match (self, text) {
            // The names are ours and valid; a value cannot be refused.
            (Self::Attribute(element, name), Some(text)) => {
                let _ = element.set_attribute(name, text);
            }
            (Self::Attribute(element, name), None) => {
                let _ = element.remove_attribute(name);
            }
            (Self::Content(node), text) => node.set_text_content(text),
            (Self::Value(field), text) => {
                let text = JsValue::from_str(text.unwrap_or_default());
                set_property(field, "value", &Some(text));
            }
        }
    }
}

/// Shows a text, again whenever it is another one.
pub(super) fn follow(target: Target, say: Box<dyn Fn() -> Option<String>>) {
    let mut shown = None;
    effect(move || {
        let text = say();
        if shown.as_ref() != Some(&text) {
            target.show(text.as_deref());
            shown = Some(text);
        }
    });
}
