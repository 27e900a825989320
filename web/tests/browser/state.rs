//! The rows of the store and the controller, without panels.

use std::cell::Cell;
use std::rc::Rc;

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_sim::World;
use lictor_sim::timeline::Timeline;
use lictor_web::state::controller::Controller;
use lictor_web::state::store::Rows;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::new_root;

#[wasm_bindgen_test]
async fn a_change_of_one_row_runs_only_what_reads_it() {
    // Mounting anything starts the executor of effects.
    mount_to(new_root(), || ()).forget();
    let owner = Owner::new();
    owner.set();
    let rows = Rows::<usize, &'static str>::default();
    rows.put(1, "one");
    rows.put(2, "two");
    rows.publish();
    let runs = Rc::new(Cell::new([0_u32; 3]));
    let count = {
        let runs = runs.clone();
        move |row: usize| {
            let mut counted = runs.get();
            counted[row] += 1;
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
async fn an_answer_reaches_the_exchange_of_its_request() {
    let owner = Owner::new();
    owner.set();
    let controller = Controller::new(Timeline::recorded(World::new(7)));
    controller.join("web-1");
    let actor = ActorName::from("web-1");
    let index = controller.with_world(World::index);
    let read = HttpRequest::new("GET", &format!("/v1/kv/a?index={index}&wait=60s"), b"");
    let sent = controller.send(&actor, read).expect("the actor is there");
    let exchange = controller.exchange(&sent).expect("it was sent");
    assert!(exchange.get_untracked().is_waiting());
    controller.send(&actor, HttpRequest::new("PUT", "/v1/kv/a", b"1"));
    assert!(!exchange.get_untracked().is_waiting());
    let stranger = ActorName::from("nobody");
    assert!(controller.send(&stranger, HttpRequest::new("GET", "/v1/kv/a", b"")).is_none());
}
