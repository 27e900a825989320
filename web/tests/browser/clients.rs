//! The panels of the clients: their rows, the buttons of the selected one, and its programs.

use leptos::prelude::*;
use lictor_web::panels::action_panel::ActionPanel;
use lictor_web::panels::actors::{Actors, SheetButton};
use lictor_web::panels::programs::Programs;
use lictor_web::panels::selected::Selected;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, click, until, write};
use crate::worlds::{HELD, SESSION_EXPIRED};

/// The panel as a narrow page has it: a sheet, which a button opens.
async fn actors(happened: &[&str]) -> MountedPage {
    let page = MountedPage::panel(happened, || view! { <SheetButton class=""/> <Actors/> }).await;
    page.click("button", "Actions").await;
    page
}

#[wasm_bindgen_test]
async fn a_row_selects_its_client_and_says_what_the_client_holds() {
    let page = actors(&HELD).await;
    let holder = page.get("button", "web-1");
    assert!(holder.text_content().unwrap_or_default().contains("holds db/leader"));
    page.click("button", "web-2").await;
    let is_pressed = |name| page.get("button", name).get_attribute("aria-pressed");
    assert_eq!(is_pressed("web-1").as_deref(), Some("false"));
    assert_eq!(is_pressed("web-2").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn a_row_warns_of_a_client_that_believes_wrongly_to_hold_the_lock() {
    let page = actors(&SESSION_EXPIRED).await;
    assert!(page.has("button", "web-1 believes it holds"), "{}", page.text("status-web-1"));
}

#[wasm_bindgen_test]
async fn without_a_session_the_lock_buttons_are_off_and_say_why() {
    let page = MountedPage::panel(&[], || view! { <ActionPanel/> }).await;
    let acquire = page.get("button", "Acquire");
    assert!(acquire.has_attribute("aria-disabled"));
    assert_eq!(acquire.get_attribute("title").as_deref(), Some("Needs a session first"));
    page.click("button", "Session").await;
    assert!(!page.get("button", "Acquire").has_attribute("aria-disabled"));
}

#[wasm_bindgen_test]
async fn a_fault_lasts_until_its_button_is_pressed_again() {
    let page = MountedPage::panel(&[], || view! { <ActionPanel/> }).await;
    let is_pressed = || page.get("button", "Freeze").get_attribute("aria-pressed");
    page.click("button", "Freeze").await;
    assert_eq!(is_pressed().as_deref(), Some("true"));
    page.click("button", "Freeze").await;
    assert_eq!(is_pressed().as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn the_form_of_a_cut_network_cuts_it_and_restores_it() {
    let page = MountedPage::panel(&[], || view! { <ActionPanel/> }).await;
    let is_pressed = || page.get("button", "Cut net…").get_attribute("aria-pressed");
    let has_form = || !page.by_test_id("cut-net-cut").is_empty();
    page.click("button", "Cut net…").await;
    until("the form opens", has_form).await;
    assert_eq!(is_pressed().as_deref(), Some("false"), "the form only opens");
    page.click("button", "Cut").await;
    assert_eq!(is_pressed().as_deref(), Some("true"));
    until("the form closes", || !has_form()).await;
    page.click("button", "Cut net…").await;
    until("the form opens again", has_form).await;
    page.click("button", "Heal now").await;
    assert_eq!(is_pressed().as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn a_started_program_shows_its_state_and_can_be_stopped() {
    let page = MountedPage::panel(&[], || view! { <Programs selected=Selected::of_page()/> }).await;
    page.click("button", "Start").await;
    assert!(page.text("program-lock-1").contains("lock-1"), "{}", page.text("program-lock-1"));
    assert!(page.has("button", "Stop"));
}

#[wasm_bindgen_test]
async fn a_program_with_a_wrong_option_is_refused_and_the_option_is_marked() {
    let page = MountedPage::panel(&[], || view! { <Programs selected=Selected::of_page()/> }).await;
    let ttl = page.get("textbox", "TTL TTL of its session");
    write(&ttl, "soon").await;
    click(&page.get("button", "Start")).await;
    assert!(page.text("program-trouble").contains("TTL"), "{}", page.text("program-trouble"));
    assert_eq!(ttl.get_attribute("aria-invalid").as_deref(), Some("true"));
}
