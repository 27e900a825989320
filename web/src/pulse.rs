//! Keeps the page going: what is done with each frame, and without frames.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leptos_dom::helpers::{request_animation_frame, set_interval_with_handle};
use reactive_graph::owner::on_cleanup;

use crate::runtime::Runtime;

/// Keeps virtual time going for as long as the page is there: with every frame, and once a second
/// while the page is hidden and has no frames.
pub fn keep_time(runtime: &'static Runtime) {
    fn frame(runtime: &'static Runtime, is_there: Arc<AtomicBool>) {
        if is_there.load(Ordering::Relaxed) {
            runtime.tick();
            runtime.use_rest();
            request_animation_frame(move || frame(runtime, is_there));
        }
    }
    let is_there = Arc::new(AtomicBool::new(true));
    frame(runtime, is_there.clone());
    let hidden = set_interval_with_handle(move || runtime.tick(), Duration::from_secs(1));
    on_cleanup(move || {
        is_there.store(false, Ordering::Relaxed);
        hidden.into_iter().for_each(|handle| handle.clear());
    });
}
