//! Tests of the menu, the help, the acts, the strip that explains a refusal, the announcements to
//! screen readers, and the notices after a failure.

use leptos::prelude::*;
use lictor_web::panels::actors::UndoButtons;
use lictor_web::panels::announcer::Announcer;
use lictor_web::panels::help::Help;
use lictor_web::panels::notices::Notices;
use lictor_web::panels::toolbar::Toolbar;
use lictor_web::panels::why::{Beginning, WhyStrip};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use crate::page::{MountedPage, press, until};
use crate::worlds::{HELD, REFUSED};

#[wasm_bindgen_test]
async fn the_last_act_is_undone_and_redone_by_buttons() {
    let page = MountedPage::panel(&HELD, || view! { <UndoButtons/> }).await;
    page.click("button", "Undo").await;
    let holder = || page.lictor.read(&"/v1/kv/db/leader".into()).expect("an answer");
    let status =
        || js_sys::Reflect::get(&holder(), &"Status".into()).ok().and_then(|it| it.as_f64());
    assert_eq!(status(), Some(404.0));
    page.click("button", "Redo").await;
    assert_eq!(status(), Some(200.0));
}

#[wasm_bindgen_test]
async fn the_language_can_be_switched_and_back() {
    let page = MountedPage::panel(&[], || view! { <Toolbar/> }).await;
    page.click("button", "More").await;
    page.click("button", "Language").await;
    assert!(!page.has("button", "Language"));
    let button = page.by_test_id("language").remove(0);
    crate::page::click(&button).await;
    assert!(page.has("button", "Language: English"));
}

#[wasm_bindgen_test]
async fn the_help_opens_with_its_key_and_lists_the_shortcuts() {
    let page = MountedPage::panel(&[], || view! { <Toolbar/> <Help/> }).await;
    press(&page.get("button", "More"), "Slash", "?").await;
    until("the help is open", || page.has("heading", "Keys")).await;
    assert!(page.text("help").contains("To the next event or deadline"));
    assert!(page.has("checkbox", "Use single keys"));
}

#[wasm_bindgen_test]
async fn the_strip_says_what_to_do_first_and_then_why_a_request_was_refused() {
    let page = MountedPage::panel(&[], || view! { <Beginning/> <WhyStrip/> }).await;
    assert!(page.has("button", "web-1 acquires"));
    for line in REFUSED {
        page.happens(line).await;
    }
    assert!(page.text("why-sentence").contains("web-1"), "{}", page.text("why-sentence"));
    assert!(page.has("list", "Cause chain"));
}

#[wasm_bindgen_test]
async fn the_latest_result_is_announced_politely() {
    let page = MountedPage::panel(&HELD, || view! { <Announcer/> }).await;
    until("it is announced", || page.text("said").contains("db/leader")).await;
}

#[wasm_bindgen_test]
async fn the_notices_are_there_before_they_are_needed_and_hidden_until_then() {
    let page = MountedPage::panel(&[], || view! { <Notices/> }).await;
    assert!(!page.has("alertdialog", ""));
    let notice = page.by_test_id("stopped").remove(0);
    notice.unchecked_ref::<HtmlElement>().show_popover().expect("it is shown");
    assert!(page.has("alertdialog", "The page has stopped"));
    assert!(page.has("button", "Reload the page") && page.has("button", "Save it as a file"));
}
