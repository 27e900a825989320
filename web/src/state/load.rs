//! Measures how long frames take, so that rendering takes about half of the time: after a slow
//! frame the next sync waits for as long. `frame_loop` asks it before each sync.

use core::time::Duration;

use leptos::prelude::window;

/// Frames up to this length are on time: one at 60 Hz, with some tolerance.
const ON_TIME: Duration = Duration::from_millis(25);
/// When the last frame began and when the next sync may be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    began: Duration,
    /// Whether the last frame synced, so that its length is the cost of rendering.
    has_synced: bool,
    next_sync: Duration,
    /// Whether virtual time is behind the chosen speed.
    pub(super) is_behind: bool,
}

impl Load {
    /// Begins a frame, and returns whether it may sync.
    pub(super) fn begin(&mut self, wall: Duration) -> bool {
        let length = wall.saturating_sub(self.began);
        if self.has_synced && length > ON_TIME {
            // The frame took long because of what was rendered: wait for as long.
            self.next_sync = wall + length;
        }
        self.began = wall;
        self.has_synced = wall >= self.next_sync;
        self.has_synced
    }
}

/// A function that returns whether the span, which begins now, is not over.
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

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn frames_that_are_on_time_all_sync() {
        let mut load = Load::default();
        assert!((1..100).all(|frame| load.begin(millis(16 * frame))));
    }

    #[test]
    fn after_a_slow_render_the_next_sync_waits_as_long_as_it_took() {
        let mut load = Load::default();
        assert!(load.begin(millis(1_000)) && load.begin(millis(1_016)));
        assert!(!load.begin(millis(1_056)), "rendering took 40 ms");
        assert!(!load.begin(millis(1_072)));
        assert!(load.begin(millis(1_096)));
    }
}
