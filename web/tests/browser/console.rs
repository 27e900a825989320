//! The console, and guides.

use leptos::prelude::*;
use lictor_web::panels::console::Console;
use lictor_web::panels::guide::{Guide, GuideButton};
use lictor_web::state::guide_reader::GuideReader;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, click, press, until, write};
use crate::worlds::HELD;

#[wasm_bindgen_test]
async fn a_command_is_sent_as_the_selected_client_and_shows_its_answer() {
    let page = MountedPage::panel(&[], || view! { <Console/> }).await;
    let input = page.get("textbox", "Command for web-1");
    write(&input, "curl -X PUT -d text http://localhost:8500/v1/kv/a").await;
    press(&input, "Enter", "Enter").await;
    assert_eq!(page.text("console-answer"), "true");
    assert!(page.text("console-status").starts_with("200 OK"), "{}", page.text("console-status"));
}

#[wasm_bindgen_test]
async fn a_refusal_in_the_console_says_why_and_offers_to_wait() {
    let page = MountedPage::panel(&HELD, || view! { <Console/> }).await;
    page.happens("web-1 destroy S1").await;
    page.happens("web-2 session ttl=10s").await;
    page.happens("web-2 put db/leader acquire=S2").await;
    assert!(page.text("console-reason").contains("lock-delay"), "{}", page.text("console-reason"));
    page.click("button", "Run to 15.0 s").await;
    assert_eq!(page.lictor.now().ok(), Some(15_000.0));
}

#[wasm_bindgen_test]
async fn a_command_that_cannot_be_read_stays_in_the_input_with_the_reason() {
    let page = MountedPage::panel(&[], || view! { <Console/> }).await;
    let input = page.get("textbox", "Command for web-1");
    write(&input, "wget /v1/kv/a").await;
    page.click("button", "Send").await;
    assert!(
        page.root.text_content().unwrap_or_default().contains("Lictor reads curl, consul and HTTP")
    );
}

#[wasm_bindgen_test]
async fn a_pasted_guide_becomes_steps_that_are_sent_one_by_one() {
    let guide = || {
        provide_context(GuideReader::new(expect_context()));
        view! { <GuideButton/> <Guide/> }
    };
    let page = MountedPage::panel(&[], guide).await;
    page.click("button", "Guide").await;
    until("the panel is open", || page.has("heading", "Your guide")).await;
    let text = "First, create a session.\n\ncurl -X PUT -d '{\"TTL\": \"10s\"}' \
                http://localhost:8500/v1/session/create\n\nThen acquire the lock.\n\n\
                curl -X PUT http://localhost:8500/v1/kv/lead?acquire=<session>\n";
    write(&page.get("textbox", "Paste commands or a whole guide"), text).await;
    page.click("button", "Find the commands").await;
    assert!(page.has("heading", "Create a session") && page.has("heading", "Acquire the key"));
    // The step has this button, and the bar below sends the next step.
    click(&page.by_role("button", "Send step 1")[0]).await;
    assert!(page.text("guide-answer-1").contains("session A"), "{}", page.text("guide-answer-1"));
}
