//! Shows a drawing of `lictor_view::timeline` as SVG, and keeps the elements of shapes that
//! change. A shape is recognized by the attributes that seldom change, such as its class and `x`;
//! in its element only the others are set: width, `y`, text, and what follows the time.
//!
//! Shapes of one kind are a layer, with an element of its own: a new shape is then mostly the last
//! of its layer, and does not move the elements of other shapes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;
use leptos::svg;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use leptos::text_prop::TextProp;
use lictor_core::time::Instant;
use lictor_view::timeline::shape::{Shape, ShapeValue};

/// A drawing; without a label it is decoration.
#[component]
pub fn Drawing(
    #[prop(optional, into)] class: Option<String>,
    #[prop(optional, into)] label: Option<TextProp>,
    #[prop(optional)] view_box: Option<&'static str>,
    #[prop(optional)] test_id: Option<&'static str>,
    #[prop(optional)] node_ref: NodeRef<svg::Svg>,
    /// Virtual time, for shapes that follow it.
    #[prop(into)]
    now: Signal<Instant>,
    draw: impl Fn() -> Vec<Shape> + Send + Sync + 'static,
) -> impl IntoView {
    let drawn = Memo::new_with_compare(move |_| Drawn::new(draw()), |_, _| true);
    let kinds =
        move || drawn.with(|it| it.layers.iter().map(|(kind, _)| kind.clone()).collect::<Vec<_>>());
    let role = if label.is_some() { "img" } else { "presentation" };
    view! {
        <svg
            class=class
            role=role
            aria-label=label.map(|label| move || label.get())
            viewBox=view_box
            data-testid=test_id
            node_ref=node_ref
        >
            <For
                each=kinds
                key=String::clone
                children=move |kind| view! { <LayerGroup kind drawn now/> }
            />
        </svg>
    }
}

/// Shapes that never change, without the reactive parts of a [`Drawing`].
pub fn still(shapes: Vec<Shape>) -> impl IntoView {
    let now = Signal::stored(Instant::EPOCH);
    shapes.into_iter().map(|shape| element(shape, None, now)).collect_view()
}

/// The key of a shape in a drawing: the hash of what stays, and a count among equal ones.
type ShapeKey = (u64, usize);

/// The shapes of a drawing, and the keys of each kind in the order in which kinds first occur.
struct Drawn {
    layers: Vec<(String, Vec<ShapeKey>)>,
    shapes: HashMap<ShapeKey, Shape>,
}

impl Drawn {
    fn new(shapes: Vec<Shape>) -> Self {
        let mut drawn = Self { layers: Vec::new(), shapes: HashMap::new() };
        let (mut indexes, mut counts) = (HashMap::new(), HashMap::new());
        for shape in shapes {
            let kind = kind(&shape);
            let sum = hash_of_what_stays(&shape);
            let count: &mut usize = counts.entry(sum).or_default();
            *count += 1;
            let index = *indexes.entry(kind.clone()).or_insert(drawn.layers.len());
            if index == drawn.layers.len() {
                drawn.layers.push((kind, Vec::new()));
            }
            drawn.layers[index].1.push((sum, *count));
            drawn.shapes.insert((sum, *count), shape);
        }
        drawn
    }
}

/// Whether the value of an attribute may change while its element stays.
fn may_change(name: &str, value: &ShapeValue) -> bool {
    matches!(name, "width" | "y") || value.fixed().is_none()
}

/// The hash of a shape's tag, its children and the attributes that stay with its element.
fn hash_of_what_stays(shape: &Shape) -> u64 {
    let mut hasher = DefaultHasher::new();
    (shape.tag, shape.text.is_some(), &shape.children).hash(&mut hasher);
    for (name, value) in &shape.attributes {
        (name, (!may_change(name, value)).then_some(value)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The shapes of one kind, in the order of the drawing.
#[component]
fn LayerGroup(kind: String, drawn: Memo<Drawn>, now: Signal<Instant>) -> impl IntoView {
    let keys = move || {
        drawn.with(|all| {
            let layer = all.layers.iter().find(|(other, _)| *other == kind);
            layer.map_or_else(Vec::new, |(_, keys)| keys.clone())
        })
    };
    let shape = move |key| {
        let shape = drawn.with_untracked(|all| all.shapes.get(&key).cloned());
        shape.map(|shape| element(shape, Some(Latest { drawn, key }), now))
    };
    view! {
        <g>
            <For each=keys key=|key| *key children=shape/>
        </g>
    }
}

/// A shape as it was drawn last.
#[derive(Clone, Copy)]
struct Latest {
    drawn: Memo<Drawn>,
    key: ShapeKey,
}

impl Latest {
    /// A text of the shape; `None` once it is no longer drawn. Subscribes.
    fn text(
        self,
        now: Signal<Instant>,
        pick: impl Fn(&Shape) -> Option<&ShapeValue>,
    ) -> Option<String> {
        self.drawn.with(|all| Some(text_at(pick(all.shapes.get(&self.key)?)?, now)))
    }
}

/// The text of a value now; subscribes to the time only if the value depends on it.
fn text_at(value: &ShapeValue, now: Signal<Instant>) -> String {
    match value {
        ShapeValue::Fixed(text) => text.clone(),
        ShapeValue::AtTime(text) => text.at(now.get()),
    }
}

/// A text that follows the time and, with `latest`, the drawing; after its shape is gone it keeps
/// its last value.
fn following(
    value: ShapeValue,
    latest: Option<Latest>,
    now: Signal<Instant>,
    pick: impl Fn(&Shape) -> Option<&ShapeValue> + Send + Sync + 'static,
) -> Memo<String> {
    Memo::new(move |last: Option<&String>| match latest {
        None => text_at(&value, now),
        Some(latest) => latest.text(now, &pick).or_else(|| last.cloned()).unwrap_or_default(),
    })
}

/// The kind of a shape: its tag and its first class, and those of its first child.
fn kind(shape: &Shape) -> String {
    let class = shape.attributes.iter().find(|(name, _)| *name == "class");
    let class = class.and_then(|(_, value)| value.fixed()?.split(' ').next()).unwrap_or_default();
    let child = shape.children.first().map(kind).unwrap_or_default();
    format!("{} {class} {child}", shape.tag)
}

/// The element of a shape. Its attributes and text follow the drawing only with `latest`.
fn element(shape: Shape, latest: Option<Latest>, now: Signal<Instant>) -> AnyView {
    let stays = |name: &str, value: &ShapeValue| {
        value.fixed().is_some() && (latest.is_none() || !may_change(name, value))
    };
    let attribute = |(index, (name, value)): (usize, (&'static str, ShapeValue))| -> AnyAttribute {
        if stays(name, &value) {
            return custom_attribute(name, value.at(Instant::EPOCH)).into_any_attr();
        }
        let text = following(value, latest, now, move |shape| {
            shape.attributes.get(index).map(|(_, value)| value)
        });
        custom_attribute(name, move || text.get()).into_any_attr()
    };
    let attributes = shape.attributes.into_iter().enumerate().map(attribute).collect::<Vec<_>>();
    let text = shape.text.map(|value| match value {
        ShapeValue::Fixed(text) if latest.is_none() => text.into_any(),
        value => {
            let text = following(value, latest, now, |shape| shape.text.as_ref());
            (move || text.get()).into_any()
        }
    });
    let children = shape.children.into_iter().map(|child| element(child, None, now));
    let content = (text, children.collect::<Vec<_>>());
    match shape.tag {
        "circle" => svg::circle().child(content).add_any_attr(attributes).into_any(),
        "line" => svg::line().child(content).add_any_attr(attributes).into_any(),
        "marker" => svg::marker().child(content).add_any_attr(attributes).into_any(),
        "path" => svg::path().child(content).add_any_attr(attributes).into_any(),
        "pattern" => svg::pattern().child(content).add_any_attr(attributes).into_any(),
        "rect" => svg::rect().child(content).add_any_attr(attributes).into_any(),
        "svg" => svg::svg().child(content).add_any_attr(attributes).into_any(),
        "text" => svg::text().child(content).add_any_attr(attributes).into_any(),
        "tspan" => svg::tspan().child(content).add_any_attr(attributes).into_any(),
        "title" => svg::title().child(content).add_any_attr(attributes).into_any(),
        _ => svg::g().child(content).add_any_attr(attributes).into_any(),
    }
}
