//! Tests of the reusable components.

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use lictor_web::components::keep_focus;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use crate::page::{new_root, settle};

#[wasm_bindgen_test]
async fn the_focus_moves_to_the_element_at_the_place_of_the_removed_one() {
    let root = new_root();
    let names = ArcRwSignal::new(vec!["a", "b", "c"]);
    let (listed, parent) = (names.clone(), root.clone());
    let mounted = mount_to(root.clone(), move || {
        keep_focus(parent.into());
        view! {
            <For each=move || listed.get() key=|name| *name let:name>
                <button id=name data-testid="item">{name}</button>
            </For>
        }
    });
    tick().await;
    let second = root.query_selector("#b").expect("a selector").expect("it is mounted");
    second.unchecked_ref::<HtmlElement>().focus().expect("a button takes the focus");
    names.set(vec!["a", "c"]);
    settle().await;
    assert_eq!(document().active_element().map(|it| it.id()).as_deref(), Some("c"));
    drop(mounted);
    root.remove();
}
