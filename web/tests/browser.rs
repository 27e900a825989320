//! The page's components in a real browser: what is clicked, and what is then there to be read.
#![cfg(target_arch = "wasm32")]

use std::cell::Cell;
use std::rc::Rc;

use any_spawner::Executor;
use leptos_dom::helpers::document;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_sim::World;
use lictor_sim::timeline::Timeline;
use lictor_web::app;
use lictor_web::mirror::Table;
use lictor_web::runtime::Runtime;
use lictor_web::ui::{each, effect, el, put};
use lictor_web::var::Var;
use reactive_graph::owner::Owner;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement};

wasm_bindgen_test_configure!(run_in_browser);

/// The page, mounted in a place of its own; gone at the end of the test.
struct Page {
    root: HtmlElement,
    _mounted: Owner,
}

impl Page {
    async fn open() -> Self {
        let root = document().create_element("div").expect("an element");
        let root = root.unchecked_into::<HtmlElement>();
        document().body().expect("a body").append_child(&root).expect("appended");
        let page = Self { _mounted: app::mount(&root, None), root };
        page.settle().await;
        page
    }

    /// Lets all effects run.
    async fn settle(&self) {
        for _ in 0..4 {
            Executor::tick().await;
        }
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

    async fn click(&self, test_id: &str) {
        let found = self.all(test_id);
        let element = found.first().unwrap_or_else(|| panic!("nothing is called {test_id}"));
        element.unchecked_ref::<HtmlElement>().click();
        self.settle().await;
    }
}

impl Drop for Page {
    fn drop(&mut self) {
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
    let drawn = page.all("run-to").remove(0);
    assert_ne!(drawn, button, "what happens next is another thing now");
    assert_eq!(document().active_element(), Some(drawn));
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
    let owner = Owner::new();
    owner.set();
    let table = Rc::new(Table::<usize, &'static str>::default());
    table.put(1, "one");
    table.put(2, "two");
    table.publish();
    let runs = Rc::new(Cell::new([0_u32; 3]));
    let counter = runs.clone();
    let count = move |place: usize| {
        let mut counted = counter.get();
        counted[place] += 1;
        counter.set(counted);
    };
    for key in [1, 2] {
        let (row, count) = (table.row(&key).expect("it is there"), count.clone());
        effect(move || {
            row.track();
            count(key);
        });
    }
    let listed = table.clone();
    effect(move || {
        listed.keys();
        count(0);
    });
    Executor::tick().await;
    table.put(1, "uno");
    table.put(2, "two");
    table.publish();
    Executor::tick().await;
    assert_eq!(runs.get(), [1, 2, 1], "keys, first row, second row");
}

#[wasm_bindgen_test]
async fn an_element_that_stays_in_a_list_keeps_its_place_and_its_focus() {
    let owner = Owner::new();
    owner.set();
    let root = document().create_element("div").expect("an element");
    document().body().expect("a body").append_child(&root).expect("appended");
    let names = Rc::new(Var::new(vec!["b", "d"]));
    let (listed, gone) = (names.clone(), Rc::new(Cell::new(0)));
    let ends = gone.clone();
    let list = each(
        move || listed.get(),
        |name| (*name).to_owned(),
        move |name| {
            let end = Ending(ends.clone());
            effect(move || end.0.set(end.0.get()));
            Some(el("button", "").attr("id", *name))
        },
    );
    put(&root, list);
    let kept = root.query_selector("#d").expect("a selector").expect("it is drawn");
    kept.unchecked_ref::<HtmlElement>().focus().expect("a button takes the focus");
    names.set(vec!["a", "c", "d", "e"]);
    Executor::tick().await;
    let children = root.children();
    let shown: Vec<_> = (0..children.length()).filter_map(|at| children.item(at)).collect();
    assert_eq!(shown.iter().map(Element::id).collect::<String>(), "acde");
    assert_eq!(document().active_element(), Some(kept), "the focus stays where it was");
    Executor::tick().await;
    assert_eq!(gone.get(), 1, "what belongs to an element goes with it");
    root.remove();
}

/// Counts when it goes.
struct Ending(Rc<Cell<u32>>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[wasm_bindgen_test]
async fn an_answer_reaches_the_exchange_of_its_request() {
    let owner = Owner::new();
    owner.set();
    let runtime = Runtime::new(Timeline::new(World::new(7)));
    runtime.join("web-1");
    let actor = ActorName::from("web-1");
    let index = runtime.with_world(World::index);
    let read = HttpRequest::new("GET", &format!("/v1/kv/a?index={index}&wait=60s"), b"");
    let id = runtime.send(&actor, read).expect("the actor is there");
    let exchange = runtime.exchange(id).expect("it was sent");
    assert!(exchange.now().is_waiting());
    runtime.send(&actor, HttpRequest::new("PUT", "/v1/kv/a", b"1"));
    assert!(!exchange.now().is_waiting());
    let stranger = ActorName::from("nobody");
    assert!(runtime.send(&stranger, HttpRequest::new("GET", "/v1/kv/a", b"")).is_none());
}
