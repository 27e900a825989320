//! Puts shapes into the document. The shapes of a drawing are made again when what they read
//! changes, and those that come out as they were stay where they are; with each frame only those
//! attributes and texts are set that follow the time.

use std::cell::RefCell;
use std::rc::Rc;

use lictor_core::time::Instant;
use lictor_sandbox::timeline::shape::{Shape, ShapeValue, TextAtTime};
use web_sys::{Element, Node};

use super::element::{El, svg};
use super::live::{Text, effect};
use crate::var::Var;

/// A part of a drawing that follows the time, with what it showed last.
struct Follower {
    element: Element,
    /// None for the text of the element.
    attribute: Option<&'static str>,
    follow: TextAtTime,
    shown: String,
}

/// A shape of a drawing in the document.
struct Drawn {
    /// What tells it from others; none if it follows the time.
    sum: Option<u64>,
    element: Element,
}

/// A shape that is drawn again is looked for among the next so many.
const NEAR: usize = 12;

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

/// Puts shapes into an element that do not follow the time.
pub(super) fn still(root: &El, shapes: Vec<Shape>) {
    for shape in shapes {
        // Only an element of another document could be refused.
        let _ = root.node().append_child(&made(shape, Instant::EPOCH, &mut Vec::new()));
    }
}

fn keep_drawn(root: El, now: &'static Var<Instant>, draw: Box<dyn Fn() -> Vec<Shape>>) {
    let followers = Rc::new(RefCell::new(Vec::new()));
    let followed = followers.clone();
    let mut drawn = Vec::new();
    effect(move || {
        let mut fresh = Vec::new();
        drawn = redraw(root.node(), std::mem::take(&mut drawn), draw(), &mut |shape| {
            made(shape, now.now(), &mut fresh)
        });
        *followed.borrow_mut() = fresh;
    });
    effect(move || {
        let now = now.get();
        followers.borrow_mut().iter_mut().for_each(|it| it.show(now));
    });
}

/// Puts shapes in the place of those that were drawn.
fn redraw(
    root: &Element,
    old: Vec<Drawn>,
    shapes: Vec<Shape>,
    make: &mut dyn FnMut(Shape) -> Element,
) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    let mut old = old.into_iter();
    for shape in shapes {
        let sum = sum_of(&shape);
        let near = old.as_slice().iter().take(NEAR);
        match near.map(|it| it.sum).position(|it| it.is_some() && it == sum) {
            Some(gone) => {
                old.by_ref().take(gone).for_each(|it| it.element.remove());
                drawn.extend(old.next());
            }
            None => {
                let element = make(shape);
                let next = old.as_slice().first().map(|it| -> &Node { &it.element });
                // Only an element of another document could be refused.
                let _ = root.insert_before(&element, next);
                drawn.push(Drawn { sum, element });
            }
        }
    }
    old.for_each(|it| it.element.remove());
    drawn
}

/// A number that no other shape has, but by a chance that nobody will see.
fn sum_of(shape: &Shape) -> Option<u64> {
    fn add(shape: &Shape, sum: &mut Sum) -> Option<()> {
        sum.add(shape.tag);
        for (name, value) in &shape.attributes {
            sum.add(name);
            sum.add(value.fixed()?);
        }
        if let Some(text) = &shape.text {
            sum.add(text.fixed()?);
        }
        sum.add("<");
        shape.children.iter().try_for_each(|child| add(child, sum))?;
        sum.add(">");
        Some(())
    }
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    add(shape, &mut sum)?;
    Some(sum.0)
}

/// FNV-1a over texts, each with an end.
struct Sum(u64);

impl Sum {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
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

/// The element of a shape.
fn made(shape: Shape, now: Instant, followers: &mut Vec<Follower>) -> Element {
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
        // Only an element of another document could be refused.
        let _ = element.append_child(&made(child, now, followers));
    }
    element
}

fn follow(
    followers: &mut Vec<Follower>,
    element: &Element,
    attribute: Option<&'static str>,
    value: ShapeValue,
    shown: String,
) {
    if let ShapeValue::TextAtTime(follow) = value {
        followers.push(Follower { element: element.clone(), attribute, follow, shown });
    }
}

fn set(element: &Element, name: &str, text: &str) {
    // The names are ours and valid; a value cannot be refused.
    let _ = element.set_attribute(name, text);
}
