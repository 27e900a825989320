//! Runs the world: a frame simulates for at most a fixed time, and then updates the rows that
//! changed; the lists of events and the lanes follow, each in a frame of its own, so that no frame
//! has all of the work. If rendering is slow, what is next waits, so that rendering takes about
//! half of the time. A hidden page does the work of a frame every second.

use core::time::Duration;

use leptos::prelude::*;
use leptos_use::use_interval_fn;
use lictor_core::time::Instant;
use lictor_view::pacer::RunState;

use super::controller::{Controller, Part};
use super::load::{for_a_while, now_on_wall_clock};
use crate::signals::SetIfChanged;

/// The longest time that the world is simulated in a frame.
const SLICE: Duration = Duration::from_millis(6);
/// The step of virtual time after which the slice is checked.
const STEP: Duration = Duration::from_millis(20);
/// The interval, in ms, at which a hidden page does the work of a frame, as it has no frames.
const HIDDEN: u64 = 1_000;

/// Keeps virtual time running until the current owner is disposed.
pub fn run_frames(controller: Controller) {
    run_next_frame(controller);
    let _hidden = use_interval_fn(
        move || {
            if document().hidden() {
                controller.frame();
            }
        },
        HIDDEN,
    );
}

/// Runs the next frame and, while the page is mounted, those after it. `use_raf_fn` of leptos-use
/// would keep its closure after the page is unmounted.
fn run_next_frame(controller: Controller) {
    request_animation_frame(move || {
        if controller.is_mounted() {
            controller.frame();
            run_next_frame(controller);
        }
    });
}

impl Controller {
    /// Does the work of a frame: a part of the run, and an update of a part of the page unless
    /// rendering is slow; while time is paused, the lanes after an act, or a part of the forecast.
    fn frame(self) {
        let wall = now_on_wall_clock();
        let may_render = self.update(|inner| inner.load.start_frame(wall));
        let part = self.read(|inner| inner.next_part);
        let is_running = self.pace.get_untracked() == RunState::Running;
        // The lanes show the forecast that was extended with the lists of events.
        if is_running && !(may_render && part == Part::Lanes) {
            self.catch_up();
        }
        if may_render && (is_running || part == Part::Lanes) {
            self.update(|inner| inner.load.has_rendered = true);
            if is_running {
                self.measure();
            }
            self.sync_part(part);
        } else if !is_running {
            self.idle();
        }
        let is_hidden = self.forecast_visibility.get_untracked().is_hidden();
        if is_running && is_hidden && self.is_at_end() {
            self.pause();
        }
    }

    /// Lets virtual time pass up to the wall clock, or as far as the slice of a frame allows. The
    /// rows are updated only by the next sync.
    pub(super) fn catch_up(self) {
        let has_time = for_a_while(SLICE);
        let due = self.read(|inner| inner.pacer.due(now_on_wall_clock(), inner.past.world().now()));
        let due = self.limited(due);
        self.update(|inner| {
            while inner.past.world().now() < due && has_time() {
                let until = inner.past.world().now().plus(STEP).min(due);
                inner.has_events |= !inner.past.advance_to(until).is_empty();
            }
            inner.load.is_behind = inner.past.world().now() < due;
        });
    }

    /// Shows how fast virtual time passes while it is behind the chosen speed.
    fn measure(self) {
        let reached = self.update(|inner| {
            let now = inner.past.world().now();
            let reached = inner.pacer.measure(now_on_wall_clock(), now)?;
            Some(inner.load.is_behind.then_some(reached))
        });
        if let Some(reached) = reached {
            self.reached.set_if_changed(reached);
        }
    }

    /// Makes running time continue from a time to which it has jumped.
    pub(super) fn jumped(self, to: Instant) {
        self.update(|inner| inner.pacer.jumped(now_on_wall_clock(), to));
    }
}
