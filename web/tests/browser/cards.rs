//! The cards of the state: locks, semaphores, sessions, and the checks.

use leptos::prelude::*;
use lictor_web::panels::checks::{Checks, ChecksAlert};
use lictor_web::panels::lock::LockCard;
use lictor_web::panels::semaphore::SemaphoreCard;
use lictor_web::panels::sessions::Sessions;
use lictor_web::panels::state_line::StateLine;
use lictor_web::state::controller::use_controller;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, until};
use crate::worlds::{HELD, SESSION_EXPIRED, SLOT_TAKEN, TWO_BELIEVERS};

/// The card of the first lock.
fn lock_card() -> impl IntoView {
    let locks = use_controller().store.locks;
    move || locks.list().first().cloned().map(|it| view! { <LockCard key=it.key row=it.signal/> })
}

/// The card of the first semaphore.
fn semaphore_card() -> impl IntoView {
    let semaphores = use_controller().store.semaphores;
    move || {
        let first = semaphores.list().first().cloned();
        first.map(|it| view! { <SemaphoreCard prefix=it.key row=it.signal/> })
    }
}

#[wasm_bindgen_test]
async fn a_lock_card_names_the_holder_and_offers_its_sequencer() {
    let page = MountedPage::panel(&HELD, lock_card).await;
    assert!(page.has("article", "db/leader"));
    assert_eq!(page.text("lock-index"), "1");
    assert!(page.text("holder").contains("web-1"), "{}", page.text("holder"));
    let copied = page.get("button", "Copy the sequencer").get_attribute("title");
    assert!(copied.unwrap_or_default().starts_with(r#"{"Key":"db/leader","LockIndex":1,"#));
}

#[wasm_bindgen_test]
async fn the_line_counts_a_lock_delay_down_until_the_lock_is_free() {
    let page = MountedPage::panel(&SESSION_EXPIRED, || view! { <StateLine/> }).await;
    let says = |text: &str| {
        let sentence = page.text("state-sentence");
        assert!(sentence.contains(text), "{sentence}");
    };
    assert_eq!(page.text("state-word"), "DELAYED");
    says("Another client can take it in 15.0 s, at 35.0 s.");
    page.happens("1000").await;
    says("in 14.0 s, at 35.0 s.");
    page.happens("14000").await;
    assert_eq!(page.text("state-word"), "FREE");
}

#[wasm_bindgen_test]
async fn a_semaphore_card_lists_its_holders_and_marks_dead_ones() {
    let page = MountedPage::panel(&SLOT_TAKEN, semaphore_card).await;
    assert_eq!(page.text("limit"), "Limit 2, 1 live");
    assert!(page.has("listitem", "web-1"));
    page.happens("web-1 destroy S1").await;
    assert_eq!(page.text("limit"), "Limit 2, 0 live");
    assert!(page.text("semaphore-note").contains("stays in Holders"));
}

#[wasm_bindgen_test]
async fn a_session_shows_how_long_its_ttl_guarantees_it_and_then_how_it_ended() {
    let page = MountedPage::panel(&HELD, || view! { <Sessions/> }).await;
    assert!(page.text("session-clock").contains("guaranteed for 10.0 s, expires in 20.0 s"));
    page.happens("15000").await;
    assert!(page.text("session-clock").contains("past its TTL by 5.0 s"));
    page.happens("5000").await;
    assert!(page.text("session-end").contains("20.0 s"), "{}", page.text("session-end"));
}

#[wasm_bindgen_test]
async fn two_clients_that_believe_to_hold_the_lock_are_a_finding_of_the_checks() {
    let checks = || view! { <ChecksAlert/> <Checks/> };
    let page = MountedPage::panel(&TWO_BELIEVERS, checks).await;
    page.click("button", "two believers").await;
    until("the panel is open", || page.has("heading", "Checks")).await;
    assert!(page.has("listitem", "two since 35"));
    let lines = page.by_role("listitem", "One holder per lock");
    let text = lines[0].text_content().unwrap_or_default();
    assert!(text.ends_with("holds"), "{text}");
}
