//! The page's components in a real browser: what is clicked, and what is then there to be read.
#![cfg(target_arch = "wasm32")]

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Function, Promise, WebAssembly};
use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_sim::World;
use lictor_sim::timeline::Timeline;
use lictor_web::app;
use lictor_web::components::keep_focus;
use lictor_web::state::controller::Controller;
use lictor_web::state::store::Rows;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement};

wasm_bindgen_test_configure!(run_in_browser);

/// An element of its own in the document.
fn place() -> HtmlElement {
    let root = document().create_element("div").expect("an element");
    document().body().expect("a body").append_child(&root).expect("appended");
    root.unchecked_into()
}

/// Lets all effects run, also those that end an unmounted page.
async fn settle() {
    for _ in 0..4 {
        tick().await;
    }
}

async fn next_frame() {
    let frame = Promise::new(&mut |resolve, _| {
        window().request_animation_frame(&resolve).expect("a window has frames");
    });
    JsFuture::from(frame).await.expect("a frame");
}

/// The page, mounted in an element of its own; unmounted at the end of the test.
struct Page {
    root: HtmlElement,
    mounted: Option<Box<dyn std::any::Any>>,
}

impl Page {
    async fn open() -> Self {
        let root = place();
        let mounted = app::mount(root.clone(), None);
        let page = Self { root, mounted: Some(Box::new(mounted)) };
        page.settle().await;
        page
    }

    /// Lets all effects run.
    async fn settle(&self) {
        settle().await;
    }

    /// Scrolls an element into view: what is out of view is not updated.
    async fn see(&self, test_id: &str) {
        let found = self.all(test_id);
        found.first().unwrap_or_else(|| panic!("nothing is called {test_id}")).scroll_into_view();
        for _ in 0..2 {
            next_frame().await;
        }
        self.settle().await;
    }

    fn elements(&self) -> impl Iterator<Item = Element> {
        let found = self.root.get_elements_by_tag_name("*");
        (0..found.length()).filter_map(move |at| found.item(at))
    }

    fn all(&self, test_id: &str) -> Vec<Element> {
        let is_it = |it: &Element| it.get_attribute("data-testid").as_deref() == Some(test_id);
        self.elements().filter(is_it).collect()
    }

    fn text(&self, test_id: &str) -> String {
        self.all(test_id).iter().filter_map(|it| it.text_content()).collect()
    }

    /// Clicks an element. The pad has the buttons of the selected actor only, so a button of
    /// another one is there once its row is selected.
    async fn click(&self, test_id: &str) {
        if let (true, Some((_, number))) =
            (self.all(test_id).is_empty(), test_id.rsplit_once("-web-"))
        {
            let row = self.all(&format!("select-web-{number}")).remove(0);
            row.unchecked_ref::<HtmlElement>().click();
            self.settle().await;
        }
        let found = self.all(test_id);
        let element = found.first().unwrap_or_else(|| panic!("nothing is called {test_id}"));
        element.unchecked_ref::<HtmlElement>().click();
        self.settle().await;
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.mounted.take();
        self.root.remove();
    }
}

#[wasm_bindgen_test]
async fn the_fresh_page_offers_one_thing_to_do_and_that_takes_the_lock() {
    let page = Page::open().await;
    assert_eq!(page.all("start").len(), 1);
    page.click("start").await;
    assert!(page.text("lock").contains("web-1"), "{}", page.text("lock"));
    assert_eq!(page.text("lock-index"), "1");
    assert!(page.all("start").is_empty());
}

#[wasm_bindgen_test]
async fn a_refusal_is_explained_and_the_lock_stays_where_it_is() {
    let page = Page::open().await;
    page.click("start").await;
    page.click("create-session-web-2").await;
    page.click("acquire-web-2").await;
    assert!(page.text("why-sentence").contains("web-1"), "{}", page.text("why-sentence"));
    assert!(page.text("holder").contains("web-1"));
    page.see("lane-db/leader").await;
    assert_eq!(page.all("try-false").len(), 1);
}

#[wasm_bindgen_test]
async fn a_lock_delay_counts_down_and_ends_at_the_next_deadline() {
    let page = Page::open().await;
    page.click("start").await;
    page.click("destroy-web-1").await;
    assert_eq!(page.text("lock-delay-left"), "15.0 s");
    page.click("plus-1").await;
    assert_eq!(page.text("lock-delay-left"), "14.0 s");
    page.click("next-event").await;
    assert!(page.all("lock-delay").is_empty());
    assert_eq!(page.text("now"), "15.0 s");
}

#[wasm_bindgen_test]
async fn without_a_session_the_lock_buttons_are_off() {
    let page = Page::open().await;
    let is_off = |id: &str| page.all(id)[0].has_attribute("aria-disabled");
    page.click("select-web-2").await;
    assert!(is_off("acquire-web-2") && is_off("release-web-2"));
    page.click("create-session-web-2").await;
    assert!(!is_off("acquire-web-2") && !is_off("release-web-2"));
}

#[wasm_bindgen_test]
async fn a_button_keeps_the_focus_when_its_part_is_drawn_again() {
    let page = Page::open().await;
    page.click("start").await;
    page.click("plus-1").await;
    let button = page.all("run-to").remove(0);
    button.unchecked_ref::<HtmlElement>().focus().expect("a button takes the focus");
    page.click("renew-web-1").await;
    assert_eq!(document().active_element(), Some(page.all("run-to").remove(0)));
}

#[wasm_bindgen_test]
async fn a_failed_check_ends_the_session_of_its_node_only() {
    let page = Page::open().await;
    page.click("start").await;
    page.click("create-session-web-2").await;
    page.click("health-web-1").await;
    assert!(page.text("session-A").contains("serfHealth"), "{}", page.text("session-A"));
    assert!(page.text("session-B").contains("guaranteed"), "{}", page.text("session-B"));
}

#[wasm_bindgen_test]
async fn a_long_event_list_keeps_few_rows_in_the_document() {
    let page = Page::open().await;
    page.click("start").await;
    for _ in 0..300 {
        page.all("renew-web-1")[0].unchecked_ref::<HtmlElement>().click();
    }
    page.settle().await;
    assert!(page.text("events-count").contains("30"), "{}", page.text("events-count"));
    let rows = page.all("event-row").len();
    assert!((1..=72).contains(&rows), "{rows} rows are in the document");
}

#[wasm_bindgen_test]
async fn the_language_can_be_switched_and_back() {
    let page = Page::open().await;
    let before = page.text("run");
    page.click("language").await;
    assert_ne!(page.text("run"), before);
    page.click("language").await;
    assert_eq!(page.text("run"), before);
}

#[wasm_bindgen_test]
async fn nothing_in_the_page_has_a_style_of_its_own() {
    let page = Page::open().await;
    page.click("start").await;
    page.click("destroy-web-1").await;
    assert_eq!(page.elements().filter(|it| it.has_attribute("style")).count(), 0);
}

#[wasm_bindgen_test]
async fn a_change_of_one_row_runs_only_what_reads_it() {
    // Mounting anything starts the executor of effects.
    mount_to(place(), || ()).forget();
    let owner = Owner::new();
    owner.set();
    let rows = Rows::<usize, &'static str>::default();
    rows.put(1, "one");
    rows.put(2, "two");
    rows.publish();
    let runs = Rc::new(Cell::new([0_u32; 3]));
    let count = {
        let runs = runs.clone();
        move |place: usize| {
            let mut counted = runs.get();
            counted[place] += 1;
            runs.set(counted);
        }
    };
    for key in [1, 2] {
        let (row, count) = (rows.row(&key).expect("the row is there"), count.clone());
        Effect::new(move |_| {
            row.track();
            count(key);
        });
    }
    Effect::new(move |_| {
        rows.track();
        count(0);
    });
    tick().await;
    rows.put(1, "uno");
    rows.put(2, "two");
    rows.publish();
    tick().await;
    assert_eq!(runs.get(), [1, 2, 1], "keys, first row, second row");
}

#[wasm_bindgen_test]
async fn the_focus_moves_to_the_element_at_the_place_of_the_removed_one() {
    let root = place();
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
    for _ in 0..4 {
        tick().await;
    }
    assert_eq!(document().active_element().map(|it| it.id()).as_deref(), Some("c"));
    drop(mounted);
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

fn memory_bytes() -> u32 {
    let memory = wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>();
    memory.buffer().unchecked_into::<ArrayBuffer>().byte_length()
}

#[wasm_bindgen_test]
async fn fifty_mounted_and_unmounted_pages_leave_no_element_listener_or_memory() {
    settle().await;
    let listeners = count_listeners();
    let listeners = || listeners.call0(&JsValue::NULL).ok().and_then(|count| count.as_f64());
    let elements = || document().get_elements_by_tag_name("*").length();
    let mut before = (elements(), None, 0);
    for mounted in 0..50 {
        // The first pages create what all of them share: delegated events, and room on the heap.
        if mounted == 10 {
            settle().await;
            before = (elements(), listeners(), memory_bytes());
        }
        let page = Page::open().await;
        page.click("start").await;
        assert_eq!(page.text("lock-index"), "1");
    }
    settle().await;
    assert_eq!((elements(), listeners()), (before.0, before.1));
    // What the browser's garbage collector still holds is a few kilobytes; a page takes megabytes.
    let grown = memory_bytes() - before.2;
    assert!(grown <= 40 << 16, "40 pages left {grown} bytes");
}

#[wasm_bindgen_test]
async fn scripts_of_an_unmounted_page_get_an_error_with_a_code() {
    let root = place();
    let (mounted, lictor) = app::mount(root.clone(), None);
    assert_eq!(lictor.now().ok(), Some(0.0));
    drop(mounted);
    settle().await;
    let error = lictor.now().expect_err("the page is closed");
    let code = js_sys::Reflect::get(&error, &"code".into()).ok().and_then(|code| code.as_string());
    assert_eq!(code.as_deref(), Some("closed"));
    root.remove();
}

#[wasm_bindgen_test]
async fn two_pages_at_once_have_worlds_of_their_own() {
    let (first, second) = (Page::open().await, Page::open().await);
    first.click("start").await;
    second.settle().await;
    assert_eq!(first.text("lock-index"), "1");
    assert!(second.all("lock").is_empty());
}

#[wasm_bindgen_test]
async fn an_answer_reaches_the_exchange_of_its_request() {
    let owner = Owner::new();
    owner.set();
    let controller = Controller::new(Timeline::new(World::new(7)));
    controller.join("web-1");
    let actor = ActorName::from("web-1");
    let index = controller.with_world(World::index);
    let read = HttpRequest::new("GET", &format!("/v1/kv/a?index={index}&wait=60s"), b"");
    let id = controller.send(&actor, read).expect("the actor is there");
    let exchange = controller.exchange(id).expect("it was sent");
    assert!(exchange.get_untracked().is_waiting());
    controller.send(&actor, HttpRequest::new("PUT", "/v1/kv/a", b"1"));
    assert!(!exchange.get_untracked().is_waiting());
    let stranger = ActorName::from("nobody");
    assert!(controller.send(&stranger, HttpRequest::new("GET", "/v1/kv/a", b"")).is_none());
}
