//! Puts shapes into the document. The shapes of a drawing are made again when what they read
//! changes; with each frame only those attributes and texts are set that follow the time.

use std::cell::RefCell;
use std::rc::Rc;

use lictor_core::time::Instant;
use web_sys::Element;

use super::element::{El, svg};
use super::live::{Text, effect};
use crate::timeline::shape::{AtNow, Shape, Value};
use crate::var::Var;

/// A part of a drawing that follows the time, with what it showed last.
struct Follower {
    element: Element,
    /// None for the text of the element.
    attribute: Option<&'static str>,
    follow: AtNow,
    shown: String,
}

/// A drawing; without a label it is decoration.
pub fn drawing(
    class: &str,
    label: Option<Text>,
    now: &'static Var<Instant>,
    draw: impl Fn() -> Vec<Shape> + 'static,
) -> El {
    let role = if label.is_some() { "img" } else { "presentation" };
    let root = svg("svg", class).attr("role", role).attr("aria-label", label);
    keep_drawn(root.clone(), now, Box::new(draw));
    root
}

fn keep_drawn(root: El, now: &'static Var<Instant>, draw: Box<dyn Fn() -> Vec<Shape>>) {
    let followers = Rc::new(RefCell::new(Vec::new()));
    let drawn = followers.clone();
    effect(move || {
        root.node().set_text_content(None);
        let mut fresh = Vec::new();
        for shape in draw() {
            append(root.node(), shape, now.now(), &mut fresh);
        }
        *drawn.borrow_mut() = fresh;
    });
    effect(move || {
        let now = now.get();
        followers.borrow_mut().iter_mut().for_each(|it| it.show(now));
    });
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
    let element = svg(shape.tag, "").node().clone();
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
