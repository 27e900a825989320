//! Measures how long frames take, so that rendering takes at most about half of the time: after a
//! slow frame nothing is rendered for as long as it took.

use core::time::Duration;

use leptos::prelude::window;

/// The length up to which a frame is on time: that of one at 60 Hz, with some tolerance.
const ON_TIME: Duration = Duration::from_millis(25);

/// Decides which frames may render.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    began: Duration,
    /// Whether the present frame renders changes: then its length is the cost of rendering.
    pub(super) has_rendered: bool,
    /// The time that slow frames took to render, less the length of the frames after them.
    debt: Duration,
    /// Whether virtual time is behind the chosen speed.
    pub(super) is_behind: bool,
}

impl Load {
    /// Begins a frame, and returns whether it may render.
    pub(super) fn start_frame(&mut self, wall: Duration) -> bool {
        let length = wall.saturating_sub(self.began);
        self.began = wall;
        if !std::mem::take(&mut self.has_rendered) {
            self.debt = self.debt.saturating_sub(length);
        } else if length > ON_TIME {
            self.debt += length;
        }
        self.debt.is_zero()
    }
}

/// A function that returns whether a span, which begins now, still lasts.
pub fn for_a_while(span: Duration) -> impl Fn() -> bool {
    let begun = now_on_wall_clock();
    move || now_on_wall_clock() < begun + span
}

/// Monotonic time since the page was opened.
pub fn now_on_wall_clock() -> Duration {
    let millis = window().performance().map_or(0.0, |performance| performance.now());
    Duration::from_nanos((millis * 1e6) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn begin(load: &mut Load, wall: u64) -> bool {
        load.has_rendered = load.start_frame(millis(wall));
        load.has_rendered
    }

    #[test]
    fn frames_that_are_on_time_may_all_render() {
        let mut load = Load::default();
        assert!((1..100).all(|frame| begin(&mut load, 16 * frame)));
    }

    #[test]
    fn after_a_slow_frame_rendering_waits_as_long_as_it_took() {
        let mut load = Load::default();
        assert!(begin(&mut load, 1_000) && begin(&mut load, 1_016));
        assert!(!begin(&mut load, 1_056), "rendering took 40 ms");
        assert!(!begin(&mut load, 1_072));
        assert!(begin(&mut load, 1_096));
    }

    #[test]
    fn two_slow_frames_in_a_row_are_paid_for_together() {
        let mut load = Load { has_rendered: true, began: millis(1_000), ..Load::default() };
        assert!(!load.start_frame(millis(1_040)));
        load.has_rendered = true;
        assert!(!load.start_frame(millis(1_080)));
        assert!(!load.start_frame(millis(1_140)));
        assert!(load.start_frame(millis(1_160)));
    }
}
