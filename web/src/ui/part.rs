//! What can stand in an element: elements, texts, parts that are drawn again, and lists that keep
//! what stays. Parts that change stand before a mark in the document, so that neighbours need not
//! know each other.

use std::rc::Rc;

use leptos_dom::helpers::document;
use reactive_graph::graph::untrack;
use reactive_graph::owner::Owner;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

use super::element::{El, Target, follow};
use super::focus::Focus;
use super::live::{Text, effect};
use crate::var::Var;

/// Something that stands in an element.
pub enum Part {
    Nothing,
    El(El),
    Fixed(String),
    Text(Text),
    Many(Vec<Self>),
    /// Drawn again when what it reads changes; where it has nothing to draw, what was drawn stays
    /// as it is, and follows nothing.
    Live(Box<dyn Fn() -> Option<Self>>),
    /// A list whose items keep their place and their state.
    Each(Box<dyn Fn() -> Vec<Item>>),
}

/// Parts of different kinds, one after the other.
#[macro_export]
macro_rules! parts {
    ($($part:expr),* $(,)?) => { $crate::ui::Part::Many(vec![$($part.into()),*]) };
}

/// A part that is drawn again when what it reads changes.
pub fn live<P: Into<Part>>(draw: impl Fn() -> P + 'static) -> Part {
    Part::Live(Box::new(move || Some(draw().into())))
}

/// The same in an element of a crowd, which nobody may see: it is up to date while somebody may.
pub fn live_if_seen<P: Into<Part>>(seen: &Rc<Var<bool>>, draw: impl Fn() -> P + 'static) -> Part {
    let seen = seen.clone();
    Part::Live(Box::new(move || seen.get().then(|| draw().into())))
}

/// One element of a list, drawn when it comes into it.
pub struct Item {
    /// No neighbour has it.
    pub name: String,
    pub draw: Box<dyn Fn() -> Option<El>>,
}

/// The elements for the keys; what `keys` reads is followed, and only those of new keys are drawn.
pub fn each<K: Clone + 'static>(
    keys: impl Fn() -> Vec<K> + 'static,
    name: impl Fn(&K) -> String + 'static,
    draw: impl Fn(&K) -> Option<El> + 'static,
) -> Part {
    let draw = Rc::new(draw);
    let item = move |key: K| {
        let (name, draw) = (name(&key), draw.clone());
        Item { name, draw: Box::new(move || draw(&key)) }
    };
    Part::Each(Box::new(move || keys().into_iter().map(&item).collect()))
}

/// Puts a part into an element that is in the document already.
pub fn put(parent: &Element, part: Part) {
    Place::end_of(parent).put(part);
}

/// Where parts are put: into an element, before a node of it or at its end.
#[derive(Clone)]
pub(super) struct Place {
    parent: Node,
    before: Option<Node>,
}

impl Place {
    pub(super) fn end_of(parent: &Node) -> Self {
        Self { parent: parent.clone(), before: None }
    }

    pub(super) fn put(&self, part: Part) {
        match part {
            Part::Nothing => {}
            Part::El(element) => self.insert(element.node()),
            Part::Fixed(text) => self.insert(&document().create_text_node(&text)),
            Part::Text(text) => {
                let node: Node = document().create_text_node("").unchecked_into();
                self.insert(&node);
                follow(Target::Content(node), Box::new(move || Some(text.say())));
            }
            Part::Many(parts) => parts.into_iter().for_each(|part| self.put(part)),
            Part::Live(draw) => self.keep_drawn(draw),
            Part::Each(list) => self.keep_listed(list),
        }
    }

    fn insert(&self, node: &Node) {
        // Only a node that holds the place itself could be refused.
        let _ = self.parent.insert_before(node, self.before.as_ref());
    }

    /// A mark that nobody sees.
    fn mark(&self) -> Node {
        let mark = document().create_comment("").unchecked_into();
        self.insert(&mark);
        mark
    }

    fn before(&self, mark: &Node) -> Self {
        Self { parent: self.parent.clone(), before: Some(mark.clone()) }
    }

    fn keep_drawn(&self, draw: Box<dyn Fn() -> Option<Part>>) {
        let (start, end) = (self.mark(), self.mark());
        let place = self.before(&end);
        effect(move || {
            let Some(part) = draw() else { return };
            let focus = Focus::within(&place.parent);
            while let Some(old) = start.next_sibling().filter(|old| *old != end) {
                let _ = place.parent.remove_child(&old);
            }
            place.put(part);
            focus.into_iter().for_each(Focus::hand_over);
        });
    }

    fn keep_listed(&self, list: Box<dyn Fn() -> Vec<Item>>) {
        let end = self.mark();
        let place = self.before(&end);
        let owner = Owner::current().unwrap_or_default();
        let mut drawn: Vec<Drawn> = Vec::new();
        effect(move || {
            let items = list();
            untrack(|| {
                let focus = Focus::within(&place.parent);
                drawn = Drawn::list(std::mem::take(&mut drawn), items, &owner);
                place.arrange(&drawn);
                focus.into_iter().for_each(Focus::hand_over);
            });
        });
    }

    /// Puts the elements in order; those that stand right are not touched, so they keep the focus.
    fn arrange(&self, drawn: &[Drawn]) {
        let mut next = self.before.clone();
        for node in drawn.iter().rev().map(|it| -> &Node { &it.element }) {
            if node.next_sibling() != next || node.parent_node().is_none() {
                let _ = self.parent.insert_before(node, next.as_ref());
            }
            next = Some(node.clone());
        }
    }
}

/// An element of a list with all that keeps it up to date.
struct Drawn {
    name: String,
    element: Element,
    owner: Owner,
}

impl Drawn {
    /// The elements of the items: old ones where there are, and new ones. The others go.
    fn list(mut old: Vec<Self>, items: Vec<Item>, owner: &Owner) -> Vec<Self> {
        let mut drawn = Vec::with_capacity(items.len());
        for item in items {
            match old.iter().position(|it| it.name == item.name) {
                Some(place) => drawn.push(old.remove(place)),
                None => drawn.extend(Self::new(item, owner.child())),
            }
        }
        for gone in old {
            gone.element.remove();
            gone.owner.cleanup();
        }
        drawn
    }

    fn new(item: Item, owner: Owner) -> Option<Self> {
        let element = owner.with(|| (item.draw)())?.node().clone();
        Some(Self { name: item.name, element, owner })
    }
}

impl From<El> for Part {
    fn from(element: El) -> Self {
        Self::El(element)
    }
}

impl From<Text> for Part {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Fixed(text)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Fixed(text.to_owned())
    }
}

impl<P: Into<Self>> From<Option<P>> for Part {
    fn from(part: Option<P>) -> Self {
        part.map_or(Self::Nothing, Into::into)
    }
}

impl<P: Into<Self>> From<Vec<P>> for Part {
    fn from(parts: Vec<P>) -> Self {
        parts.into_iter().collect()
    }
}

impl<P: Into<Self>> FromIterator<P> for Part {
    fn from_iter<I: IntoIterator<Item = P>>(parts: I) -> Self {
        Self::Many(parts.into_iter().map(Into::into).collect())
    }
}
