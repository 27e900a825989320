//! The panels of time: the buttons that move through it, what is due next, and the timeline.

use leptos::prelude::*;
use lictor_web::panels::clock::Scrubber;
use lictor_web::panels::next_up::NextUp;
use lictor_web::panels::timeline::{LanesView, Timeline};
use lictor_web::panels::transport::Transport;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{WheelEvent, WheelEventInit};

use crate::page::{MountedPage, press, settle, until};
use crate::worlds::{HELD, REFUSED};

#[wasm_bindgen_test]
async fn the_buttons_of_time_go_to_the_next_deadline_and_back() {
    let page = MountedPage::panel(&HELD, || view! { <Transport/> <Scrubber/> }).await;
    page.click("button", "To the next deadline").await;
    assert_eq!(page.text("now"), "20.0 s");
    page.click("button", "Previous event").await;
    assert_eq!(page.text("now"), "0.0 s");
    let slider = page.get("slider", "Time; arrow keys go from event to event");
    let says = slider.get_attribute("aria-valuetext").unwrap_or_default();
    assert!(says.starts_with("0.0 seconds, event"), "{says}");
    page.click("button", "Speed and view").await;
    page.click("button", "To the latest").await;
    assert_eq!(page.text("now"), "20.0 s");
}

#[wasm_bindgen_test]
async fn what_is_due_next_is_a_button_that_runs_to_it() {
    let page = MountedPage::panel(&HELD, || view! { <NextUp/> }).await;
    page.click("button", "+20.0 s").await;
    assert_eq!(page.lictor.now().ok(), Some(20_000.0));
    assert!(page.has("button", "+15.0 s"), "the lock-delay is due");
}

#[wasm_bindgen_test]
async fn a_refused_acquire_is_marked_on_the_lane_of_its_lock() {
    let lanes = || view! { <LanesView is_wanted=|_| true/> };
    let page = MountedPage::panel(&REFUSED, lanes).await;
    page.by_test_id("lane-db/leader")[0].scroll_into_view();
    // A lane is drawn once the browser reports that it is in view.
    until("the refusal is drawn", || {
        page.by_test_id("lane-db/leader")[0]
            .query_selector("[data-marks~=try-false]")
            .is_ok_and(|it| it.is_some())
    })
    .await;
}

#[wasm_bindgen_test]
async fn the_timeline_has_a_lane_for_each_lock_and_session() {
    let page = MountedPage::panel(&REFUSED, || view! { <Transport/> <Timeline/> }).await;
    for name in ["Lock db/leader as the server sees it", "Session A:", "Session B:"] {
        page.get("img", name);
    }
    page.click("button", "Speed and view").await;
    page.click("button", "Zoom in").await;
    assert_eq!(page.get("button", "All").get_attribute("aria-pressed").as_deref(), Some("false"));
}

#[wasm_bindgen_test]
async fn the_overview_is_a_slider_that_keys_move_once_the_lanes_are_zoomed() {
    let timeline = || view! { <Transport/> <Timeline/> };
    let page = MountedPage::panel(&["web-1 session ttl=10s", "100000"], timeline).await;
    page.click("button", "Speed and view").await;
    page.click("button", "Zoom in").await;
    let slider = page.get("slider", "The part of the timeline that is shown");
    let start = || slider.get_attribute("aria-valuenow").and_then(|it| it.parse::<u64>().ok());
    let before = start();
    press(&slider, "ArrowLeft", "ArrowLeft").await;
    assert!(start() < before, "{before:?}");
}

#[wasm_bindgen_test]
async fn the_wheel_with_ctrl_zooms_the_lanes() {
    let page = MountedPage::panel(&REFUSED, || view! { <Transport/> <Timeline/> }).await;
    page.click("button", "Speed and view").await;
    let shows_all = || page.get("button", "All").get_attribute("aria-pressed");
    assert_eq!(shows_all().as_deref(), Some("true"));
    let options = WheelEventInit::new();
    options.set_cancelable(true);
    options.set_ctrl_key(true);
    options.set_delta_y(-240.0);
    let event = WheelEvent::new_with_event_init_dict("wheel", &options).expect("an event");
    page.get("group", "Lanes").dispatch_event(&event).expect("dispatched");
    settle().await;
    assert!(event.default_prevented());
    assert_eq!(shows_all().as_deref(), Some("false"));
}
