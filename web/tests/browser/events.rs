//! The event list and the list of keys.

use leptos::prelude::*;
use lictor_web::panels::events::{Events, ROW};
use lictor_web::panels::keys::KeyTable;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, until, write};
use crate::worlds::{HELD, REFUSED};

fn events() -> impl IntoView {
    view! { <Events row_height=RwSignal::new(ROW) is_printed=false/> }
}

#[wasm_bindgen_test]
async fn the_filter_lists_only_events_that_contain_its_text() {
    let page = MountedPage::panel(&REFUSED, events).await;
    until("the rows are there", || page.has("row", "web-1")).await;
    write(&page.get("textbox", "Filter events"), "web-2 ").await;
    until("the filter is applied", || !page.has("row", "web-1")).await;
    assert!(page.has("row", "web-2") || page.text("events-count").contains("of"));
}

#[wasm_bindgen_test]
async fn a_row_of_a_refusal_says_why_it_was_refused() {
    let page = MountedPage::panel(&REFUSED, events).await;
    until("the rows are there", || page.by_test_id("event-row").len() > 3).await;
    assert!(page.text("event-why").contains("web-1"), "{}", page.text("event-why"));
}

#[wasm_bindgen_test]
async fn the_tab_of_keys_shows_the_keys_instead_of_the_events() {
    let page = MountedPage::panel(&HELD, events).await;
    page.click("button", "Keys").await;
    until("the keys are there", || page.has("row", "db/leader")).await;
    assert_eq!(page.text("events-count"), "1");
}

#[wasm_bindgen_test]
async fn the_list_of_keys_has_indexes_holder_and_value_and_can_be_filtered() {
    let filter = RwSignal::new(String::new());
    let keys = move || {
        let row_height = RwSignal::new(ROW);
        view! { <KeyTable row_height is_printed=false filter=filter.into()/> }
    };
    let page = MountedPage::panel(&HELD, keys).await;
    until("the key is there", || page.has("row", "db/leader 1")).await;
    assert!(page.has("cell", "web-1"));
    filter.set("nothing".into());
    until("the filter is applied", || !page.has("row", "db/leader")).await;
    assert!(page.root.text_content().unwrap_or_default().contains("No keys."));
}
