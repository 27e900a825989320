//! Shows a drawing of `lictor_sandbox::timeline` as SVG. Shapes are keyed by their content, so that
//! those that come out equal keep their elements; attributes that follow the time are patched.
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
use lictor_sandbox::timeline::shape::{Shape, ShapeValue};

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
    let layers = Memo::new_with_compare(move |_| layers(draw()), |_, _| true);
    let kinds = move || layers.with(|all| all.iter().map(|it| it.kind.clone()).collect::<Vec<_>>());
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
                key=Clone::clone
                children=move |kind| view! { <LayerGroup kind layers now/> }
            />
        </svg>
    }
}

/// The same shapes without an owner of their own, for what never changes.
pub fn still(shapes: Vec<Shape>) -> impl IntoView {
    let now = Signal::stored(Instant::EPOCH);
    shapes.into_iter().map(|shape| element(shape, now)).collect_view()
}

/// The shapes of one kind, from left to right.
#[derive(Clone)]
struct Layer {
    kind: String,
    shapes: Vec<KeyedShape>,
}

/// A shape with its key in a list: the hash of its content, and a count for equal ones.
type KeyedShape = ((u64, usize), Shape);

#[component]
fn LayerGroup(kind: String, layers: Memo<Vec<Layer>>, now: Signal<Instant>) -> impl IntoView {
    let shapes = move || {
        layers.with(|all| {
            let layer = all.iter().find(|layer| layer.kind == kind);
            layer.map_or_else(Vec::new, |layer| layer.shapes.clone())
        })
    };
    view! {
        <g>
            <For each=shapes key=|(key, _)| *key children=move |(_, shape)| element(shape, now)/>
        </g>
    }
}

/// The layers of a drawing, in the order in which their kinds first occur.
fn layers(shapes: Vec<Shape>) -> Vec<Layer> {
    let (mut layers, mut indexes, mut counts) = (Vec::new(), HashMap::new(), HashMap::new());
    for shape in shapes {
        let kind = kind(&shape);
        let mut hasher = DefaultHasher::new();
        shape.hash(&mut hasher);
        let sum = hasher.finish();
        let count: &mut usize = counts.entry(sum).or_default();
        *count += 1;
        let index = *indexes.entry(kind.clone()).or_insert(layers.len());
        if index == layers.len() {
            layers.push(Layer { kind, shapes: Vec::new() });
        }
        layers[index].shapes.push(((sum, *count), shape));
    }
    layers
}

/// What an element is: its tag and its first class, and those of its first child.
fn kind(shape: &Shape) -> String {
    let class = shape.attributes.iter().find(|(name, _)| *name == "class");
    let class = class.and_then(|(_, value)| value.fixed()?.split(' ').next()).unwrap_or_default();
    let child = shape.children.first().map(kind).unwrap_or_default();
    format!("{} {class} {child}", shape.tag)
}

fn element(shape: Shape, now: Signal<Instant>) -> AnyView {
    let attribute = |(name, value): (&'static str, ShapeValue)| -> AnyAttribute {
        match value {
            ShapeValue::Fixed(text) => custom_attribute(name, text).into_any_attr(),
            ShapeValue::AtTime(text) => {
                let text = Memo::new(move |_| text.at(now.get()));
                custom_attribute(name, move || text.get()).into_any_attr()
            }
        }
    };
    let attributes = shape.attributes.into_iter().map(attribute).collect::<Vec<_>>();
    let text = shape.text.map(|text| match text {
        ShapeValue::Fixed(text) => text.into_any(),
        ShapeValue::AtTime(text) => {
            let text = Memo::new(move |_| text.at(now.get()));
            (move || text.get()).into_any()
        }
    });
    let children = shape.children.into_iter().map(|child| element(child, now));
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
