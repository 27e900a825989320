//! Sharing, embedding, and comparing branches.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_desk::embed::EmbedOptions;
use lictor_web::components::Opener;
use lictor_web::panels::compare::{COMPARE, Compare};
use lictor_web::panels::embed::Embed;
use lictor_web::panels::share::{Share, ShareButton};
use lictor_web::state::world_session::Opening;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, until, write};
use crate::worlds::HELD;

#[wasm_bindgen_test]
async fn a_text_that_is_no_world_is_refused_and_a_log_is_opened() {
    let share = || view! { <ShareButton/> <Share opening=Opening::Fresh/> };
    let page = MountedPage::panel(&HELD, share).await;
    let log = page.lictor.log().expect("a log");
    page.happens("5000").await;
    page.click("button", "Share").await;
    until("the panel is open", || page.has("heading", "Share and open")).await;
    let field = page.get("textbox", "Paste a link or a log");
    write(&field, "no world").await;
    page.click("button", "Open").await;
    assert!(page.text("open-trouble").contains("neither a link nor a log"));
    assert_eq!(page.lictor.now().ok(), Some(5_000.0));
    write(&field, &log).await;
    page.click("button", "Open").await;
    assert!(page.by_test_id("open-trouble").is_empty());
    assert_eq!(page.lictor.now().ok(), Some(0.0));
}

#[wasm_bindgen_test]
async fn an_embedded_page_shows_the_requested_parts_only() {
    let asked = EmbedOptions::read("?embed&show=facts").expect("it is embedded");
    let page = MountedPage::panel(&HELD, move || view! { <Embed options=Arc::new(asked)/> }).await;
    assert!(page.has("article", "db/leader"));
    assert!(page.has("link", "Open the whole page"));
    assert!(page.by_test_id("lanes").is_empty() && page.by_test_id("console").is_empty());
}

#[wasm_bindgen_test]
async fn two_branches_are_compared_from_their_first_difference_on() {
    let compare = || {
        view! { <Opener id=COMPARE class="">"Compare"</Opener> <Compare/> }
    };
    let page = MountedPage::panel(&HELD, compare).await;
    page.happens("5000").await;
    page.happens("web-1 renew S1").await;
    page.lictor.seek(&2_000.into()).expect("it is in the past");
    page.happens("web-1 destroy S1").await;
    page.click("button", "Compare").await;
    until("the panel is open", || page.has("heading", "Compare branches")).await;
    until("they are compared", || !page.text("compare-says").is_empty()).await;
    assert!(page.text("compare-says").starts_with("The same until 2.0 s."));
    assert!(page.has("button", "Go there"));
}
