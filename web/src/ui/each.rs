//! A list of parts, each with a name that no neighbour has: parts that stay keep their place in the
//! document. One code path serves every list of the page.

use std::sync::Arc;

use leptos::prelude::*;

/// A part that can be drawn when it comes into the list.
#[derive(Clone)]
struct Part {
    name: Arc<str>,
    draw: Arc<dyn Fn() -> AnyView + Send + Sync>,
}

/// The parts for the keys; what `keys` reads is tracked, and only parts of new keys are drawn.
pub fn each<K, V>(
    keys: impl Fn() -> Vec<K> + Send + Sync + 'static,
    name: impl Fn(&K) -> String + Send + Sync + 'static,
    draw: impl Fn(K) -> V + Clone + Send + Sync + 'static,
) -> AnyView
where
    K: Clone + Send + Sync + 'static,
    V: IntoAny,
{
    let part = move |key: K| {
        let (name, draw) = (name(&key).into(), draw.clone());
        Part { name, draw: Arc::new(move || draw(key.clone()).into_any()) }
    };
    parts(Box::new(move || keys().into_iter().map(&part).collect()))
}

fn parts(list: Box<dyn Fn() -> Vec<Part> + Send + Sync>) -> AnyView {
    view! { <For each=list key=|part| part.name.clone() children=|part: Part| (part.draw)()/> }
        .into_any()
}
