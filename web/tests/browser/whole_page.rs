//! The whole page, mounted without storage: the first act, the focus, several pages at once, and
//! what an unmounted page leaves.

use std::collections::BTreeSet;

use js_sys::{ArrayBuffer, Function, WebAssembly};
use leptos::prelude::*;
use lictor_web::app;
use wasm_bindgen::{JsCast, JsValue, externref_heap_live_count};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use crate::page::{MountedPage, new_root, next_frame, settle};

/// The page after its first button was pressed: web-1 holds the lock. The tests have no styles, so
/// that the panel of the clients is a sheet, as on a narrow page.
async fn started() -> MountedPage {
    let page = MountedPage::open().await;
    page.click("button", "web-1 acquires").await;
    page.click("button", "Actions").await;
    page
}

#[wasm_bindgen_test]
async fn the_fresh_page_offers_one_thing_to_do_and_that_takes_the_lock() {
    let page = started().await;
    assert!(page.get("article", "db/leader").text_content().unwrap_or_default().contains("web-1"));
    assert_eq!(page.text("lock-index"), "1");
    assert!(!page.has("button", "web-1 acquires"));
}

#[wasm_bindgen_test]
async fn an_act_of_a_client_reaches_its_row_the_lock_card_and_the_strip_that_explains() {
    let page = started().await;
    page.click("button", "B web-2").await;
    page.click_in("Requests of web-2", "Session").await;
    page.click_in("Requests of web-2", "Acquire").await;
    assert!(page.text("status-web-2").contains("session B"), "{}", page.text("status-web-2"));
    assert!(page.text("holder").contains("web-1"));
    assert!(page.text("why-sentence").contains("web-1"), "{}", page.text("why-sentence"));
}

#[wasm_bindgen_test]
async fn a_button_keeps_the_focus_when_its_part_is_drawn_again() {
    let page = started().await;
    page.click("button", "Speed and view").await;
    page.click("button", "+1 s").await;
    let button = page.by_test_id("run-to").remove(0);
    button.unchecked_ref::<HtmlElement>().focus().expect("a button takes the focus");
    page.happens("web-1 renew S1").await;
    assert_eq!(document().active_element(), Some(page.by_test_id("run-to").remove(0)));
}

#[wasm_bindgen_test]
async fn a_failed_check_ends_the_session_of_its_node_only() {
    let page = started().await;
    page.happens("web-2 session ttl=10s").await;
    page.click("button", "Fail check").await;
    assert!(page.text("session-A").contains("serfHealth"), "{}", page.text("session-A"));
    assert!(page.text("session-B").contains("guaranteed"), "{}", page.text("session-B"));
}

#[wasm_bindgen_test]
async fn a_long_event_list_keeps_few_rows_in_the_document() {
    let page = started().await;
    let renew = page.by_test_id("renew-web-1").remove(0);
    for _ in 0..300 {
        renew.unchecked_ref::<HtmlElement>().click();
    }
    settle().await;
    assert!(page.text("events-count").contains("30"), "{}", page.text("events-count"));
    let rows = page.by_test_id("event-row").len();
    // Parts of 32 rows: those in view and near it.
    assert!((1..=192).contains(&rows), "{rows} rows are in the document");
}

#[wasm_bindgen_test]
async fn only_lanes_have_a_style_of_their_own_and_it_is_a_length() {
    let page = started().await;
    page.click_in("Requests of web-1", "Destroy").await;
    let styled = page.elements().filter(|it| it.has_attribute("style")).collect::<Vec<_>>();
    assert!(!styled.is_empty(), "the lanes have their heights");
    for element in styled {
        assert!(
            element.matches(".lane, .lane-canvas").unwrap_or(false),
            "{}",
            element.outer_html()
        );
        let style = element.get_attribute("style").unwrap_or_default();
        let is_length = |rule: &str| {
            let (name, value) = rule.split_once(": ").unwrap_or_default();
            matches!(name.trim(), "--drawn" | "top" | "height") && value.ends_with("px")
        };
        assert!(style.split_terminator(';').all(is_length), "{style}");
    }
}

#[wasm_bindgen_test]
async fn two_pages_at_once_have_worlds_of_their_own() {
    let (first, second) = (started().await, MountedPage::open().await);
    assert_eq!(first.text("lock-index"), "1");
    assert!(!second.has("article", "db/leader"));
}

/// The attributes that refer to elements by their ids.
const REFERENCES: [&str; 6] = [
    "aria-activedescendant",
    "aria-controls",
    "aria-describedby",
    "aria-labelledby",
    "for",
    "popovertarget",
];

#[wasm_bindgen_test]
async fn two_pages_at_once_share_no_id_and_each_refers_to_its_own_elements() {
    let pages = [started().await, started().await];
    let mut all = BTreeSet::new();
    for page in &pages {
        let ids = page.elements().map(|it| it.id()).filter(|id| !id.is_empty());
        let ids = ids.collect::<Vec<_>>();
        for id in &ids {
            assert!(all.insert(id.clone()), "{id} is there twice");
        }
        for element in page.elements() {
            let named = REFERENCES.iter().filter_map(|name| element.get_attribute(name));
            for id in named.filter(|id| !id.is_empty()) {
                assert!(ids.contains(&id), "{id} is not on the page that refers to it");
            }
        }
        assert!(page.has("region", "Timeline"), "the label names its panel");
    }
    let [first, second] = pages;
    drop(first);
    settle().await;
    let patterns = second.elements().filter(|it| it.tag_name() == "pattern").count();
    assert!(patterns > 0, "the page that stays has the patterns of the styles");
}

#[wasm_bindgen_test]
async fn scripts_of_an_unmounted_page_get_an_error_with_a_code() {
    let root = new_root();
    let (mounted, lictor) = app::mount(root.clone(), None);
    assert_eq!(lictor.now().ok(), Some(0.0));
    drop(mounted);
    settle().await;
    let error = lictor.now().expect_err("the page is closed");
    let code = js_sys::Reflect::get(&error, &"code".into()).ok().and_then(|code| code.as_string());
    assert_eq!(code.as_deref(), Some("closed"));
    root.remove();
}

/// Counts the listeners that the window and the document have, from now on.
fn count_listeners() -> Function {
    let script = r"
        let count = 0;
        for (const target of [window, document]) {
            const { addEventListener, removeEventListener } = EventTarget.prototype;
            target.addEventListener = (...given) => {
                count += 1;
                addEventListener.apply(target, given);
            };
            target.removeEventListener = (...given) => {
                count -= 1;
                removeEventListener.apply(target, given);
            };
        }
        return () => count;
    ";
    Function::new_no_args(script).call0(&JsValue::NULL).expect("a script").unchecked_into()
}

/// Counts the warnings in the console, from now on.
fn count_warnings() -> Function {
    let script = r"
        let count = 0;
        const { warn } = console;
        console.warn = (...given) => {
            count += 1;
            warn.apply(console, given);
        };
        return () => count;
    ";
    Function::new_no_args(script).call0(&JsValue::NULL).expect("a script").unchecked_into()
}

#[wasm_bindgen_test]
async fn no_component_reads_a_signal_where_nothing_follows_it() {
    let warnings = count_warnings();
    let page = started().await;
    page.click("button", "B web-2").await;
    page.click_in("Requests of web-2", "Session").await;
    page.click_in("Requests of web-2", "Acquire").await;
    page.click("button", "Speed and view").await;
    page.click("button", "+1 s").await;
    // Leptos warns of each such read in a debug build.
    assert_eq!(warnings.call0(&JsValue::NULL).ok().and_then(|count| count.as_f64()), Some(0.0));
}

fn memory_bytes() -> u32 {
    let memory = wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>();
    memory.buffer().unchecked_into::<ArrayBuffer>().byte_length()
}

#[wasm_bindgen_test]
async fn fifty_mounted_and_unmounted_pages_leave_no_element_listener_handle_or_memory() {
    settle().await;
    let listeners = count_listeners();
    let listeners = || listeners.call0(&JsValue::NULL).ok().and_then(|count| count.as_f64());
    let elements = || document().get_elements_by_tag_name("*").length();
    // Handles of Rust on JavaScript's objects: elements, closures, observers.
    let handles = externref_heap_live_count;
    let mut before = (elements(), listeners(), handles(), memory_bytes());
    for mounted in 0..50 {
        // The first pages create what all of them share: delegated events, and room on the heap.
        if mounted == 10 {
            settle().await;
            next_frame().await;
            before = (elements(), listeners(), handles(), memory_bytes());
        }
        assert_eq!(started().await.text("lock-index"), "1");
    }
    settle().await;
    next_frame().await;
    assert_eq!((elements(), listeners(), handles()), (before.0, before.1, before.2));
    // A mounted page takes 1 MB. Up to 32 kB of each wait for the browser's garbage collector.
    let grown = memory_bytes() - before.3;
    assert!(grown <= 40 << 15, "40 pages left {grown} bytes");
}
