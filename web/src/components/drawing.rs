//! Shows a drawing of `lictor_sandbox::timeline` as SVG. Shapes are keyed by their content, so that
//! those that come out equal keep their elements; attributes that follow the time are patched.

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
                each=move || keyed(draw())
                key=|(key, _)| *key
                children=move |(_, shape)| element(shape, now)
            />
        </svg>
    }
}

/// The same shapes without an owner of their own, for what never changes.
pub fn still(shapes: Vec<Shape>) -> impl IntoView {
    let now = Signal::stored(Instant::EPOCH);
    shapes.into_iter().map(|shape| element(shape, now)).collect_view()
}

/// Gives each shape a key: its content with a count for equal ones, or a new one if it follows the
/// time, as closures cannot be compared.
fn keyed(shapes: Vec<Shape>) -> Vec<((u64, usize), Shape)> {
    let mut counts = HashMap::new();
    let with_key = |shape: Shape| {
        let mut hasher = DefaultHasher::new();
        let sum = match hash(&shape, &mut hasher) {
            Some(()) => hasher.finish(),
            None => NEXT_KEY.with(|next| next.replace(next.get().wrapping_add(1))),
        };
        let count: &mut usize = counts.entry(sum).or_default();
        *count += 1;
        ((sum, *count), shape)
    };
    shapes.into_iter().map(with_key).collect()
}

thread_local! {
    static NEXT_KEY: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// `None` if the shape follows the time.
fn hash(shape: &Shape, hasher: &mut DefaultHasher) -> Option<()> {
    shape.tag.hash(hasher);
    for (name, value) in &shape.attributes {
        (name, value.fixed()?).hash(hasher);
    }
    match &shape.text {
        Some(text) => text.fixed()?.hash(hasher),
        None => 0.hash(hasher),
    }
    shape.children.len().hash(hasher);
    shape.children.iter().try_for_each(|child| hash(child, hasher))
}

fn element(shape: Shape, now: Signal<Instant>) -> AnyView {
    let attribute = |(name, value): (&'static str, ShapeValue)| -> AnyAttribute {
        match value {
            ShapeValue::Fixed(text) => custom_attribute(name, text).into_any_attr(),
            ShapeValue::TextAtTime(at) => {
                let text = Memo::new(move |_| at(now.get()));
                custom_attribute(name, move || text.get()).into_any_attr()
            }
        }
    };
    let attributes = shape.attributes.into_iter().map(attribute).collect::<Vec<_>>();
    let text = shape.text.map(|text| match text {
        ShapeValue::Fixed(text) => text.into_any(),
        ShapeValue::TextAtTime(at) => {
            let text = Memo::new(move |_| at(now.get()));
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
