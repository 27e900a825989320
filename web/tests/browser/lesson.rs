//! Lessons: the ways to begin, the list of questions, and the open lesson with its question.

use leptos::prelude::*;
use lictor_sim::scenario::{SCENARIOS, Variant};
use lictor_web::panels::learn::Home;
use lictor_web::panels::lesson::{Ending, Lesson};
use lictor_web::panels::status_bar::StatusBar;
use lictor_web::panels::toolbar::Tabs;
use lictor_web::state::lesson_reader::LessonReader;
use lictor_web::state::world_session::Opening;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::{MountedPage, click, until};

fn lesson_reader() -> LessonReader {
    expect_context()
}

#[wasm_bindgen_test]
async fn a_first_visit_offers_ways_to_begin_until_one_is_taken() {
    let choices = || {
        lesson_reader().start_first_visit(Opening::FirstVisit);
        view! { <StatusBar/> }
    };
    let page = MountedPage::panel(&[], choices).await;
    page.click("button", "Open the sandbox").await;
    assert!(!page.has("button", "Open the sandbox"));
}

#[wasm_bindgen_test]
async fn the_list_of_questions_opens_a_lesson_at_its_question() {
    let home = || view! { <Tabs/> <Home/> <Lesson ending=Ending::Leave/> };
    let page = MountedPage::panel(&[], home).await;
    page.click("button", "Questions").await;
    until("the list is open", || page.has("heading", "What do you believe")).await;
    click(&page.by_test_id("story-15")[0]).await;
    let origin = format!("Question 15 of {}", SCENARIOS.len());
    assert!(page.text("story-origin").contains(&origin));
    assert!(page.has("group", "Your guess"));
}

/// The panel of a lesson at its question.
async fn question_15() -> MountedPage {
    let lesson = || {
        lesson_reader().open_question(15);
        view! { <Lesson ending=Ending::Leave/> }
    };
    MountedPage::panel(&[], lesson).await
}

#[wasm_bindgen_test]
async fn a_guess_is_answered_with_the_reason_and_marks_the_right_choice() {
    let page = question_15().await;
    page.click("radio", "15 s").await;
    page.click("button", "Guess").await;
    let verdict = page.text("story-verdict");
    assert!(verdict.starts_with("You said 15 s. It was"), "{verdict}");
    assert!(page.has("listitem", "the answer") && page.has("listitem", "your guess"));
    assert!(page.has("button", "Next question"));
}

#[wasm_bindgen_test]
async fn a_guess_without_a_choice_asks_for_one() {
    let page = question_15().await;
    page.click("button", "Guess").await;
    assert!(page.has("alert", "") && page.text("choose-first") == "Choose an answer first.");
}

#[wasm_bindgen_test]
async fn the_pages_of_a_lesson_are_turned_forward_and_back() {
    let lesson = || {
        lesson_reader().open(15, Variant::Fixed);
        view! { <Lesson ending=Ending::Leave/> }
    };
    let page = MountedPage::panel(&[], lesson).await;
    assert!(page.text("story-page").starts_with("1 of"));
    page.click("button", "Next").await;
    assert!(page.text("story-page").starts_with("2 of"));
    page.click("button", "Back").await;
    assert!(page.text("story-page").starts_with("1 of"));
}
