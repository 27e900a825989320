//! Puts shapes into the document. The shapes of a drawing are made again when what they read
//! changes; with each frame only those attributes and texts are set that follow the time.

use leptos::prelude::*;
use leptos::svg::Svg;
use lictor_core::time::Instant;
use web_sys::Element;

use crate::timeline::shape::{AtNow, Shape, Value};

const SVG: &str = "http://www.w3.org/2000/svg";

/// Makes the shapes of a drawing; what it reads is tracked.
pub type Draw = Box<dyn Fn() -> Vec<Shape> + Send>;

/// A part of a drawing that follows the time, with what it showed last.
struct Follower {
    element: Element,
    /// None for the text of the element.
    attribute: Option<&'static str>,
    follow: AtNow,
    shown: String,
}

/// One drawing. Without a label it is decoration.
#[component]
pub fn Drawing(
    draw: Draw,
    now: Signal<Instant>,
    class: &'static str,
    #[prop(optional, into)] label: Option<Signal<String>>,
    #[prop(optional)] view_box: Option<&'static str>,
) -> impl IntoView {
    let root = NodeRef::<Svg>::new();
    let followers = StoredValue::new_local(Vec::new());
    Effect::new(move |_| {
        let Some(root) = root.get() else { return };
        root.set_text_content(None);
        let mut fresh = Vec::new();
        for shape in draw() {
            append(&root, shape, now.get_untracked(), &mut fresh);
        }
        followers.set_value(fresh);
    });
    Effect::new(move |_| {
        let now = now.get();
        followers.update_value(|followers| followers.iter_mut().for_each(|it| it.show(now)));
    });
    let role = if label.is_some() { "img" } else { "presentation" };
    view! { <svg class=class role=role aria-label=label viewBox=view_box node_ref=root></svg> }
}

impl Follower {
    fn show(&mut self, now: Instant) {
        let text = (self.follow)(now);
        if text == self.shown {
            return;
        }
        match self.attribute {
            Some(name) => set(&self.element, name, &text),
            None => self.element.set_text_content(Some(&text)),
        }
        self.shown = text;
    }
}

fn append(parent: &Element, shape: Shape, now: Instant, followers: &mut Vec<Follower>) {
    let Ok(element) = document().create_element_ns(Some(SVG), shape.tag) else { return };
    for (name, value) in shape.attributes {
        let text = value.at(now);
        set(&element, name, &text);
        follow(followers, &element, Some(name), value, text);
    }
    if let Some(value) = shape.text {
        let text = value.at(now);
        element.set_text_content(Some(&text));
        follow(followers, &element, None, value, text);
    }
    for child in shape.children {
        append(&element, child, now, followers);
    }
    // Only an element of another document could be refused.
    let _ = parent.append_child(&element);
}

fn follow(
    followers: &mut Vec<Follower>,
    element: &Element,
    attribute: Option<&'static str>,
    value: Value,
    shown: String,
) {
    if let Value::AtNow(follow) = value {
        followers.push(Follower { element: element.clone(), attribute, follow, shown });
    }
}

fn set(element: &Element, name: &str, text: &str) {
    // The names are ours and valid; a value cannot be refused.
    let _ = element.set_attribute(name, text);
}
