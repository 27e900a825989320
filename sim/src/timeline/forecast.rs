//! A forecast: what happens next if nobody acts. A copy of the world runs ahead, a few steps with
//! each call of `Timeline::look_ahead`.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::cursor::Cursor;
use crate::{SimEvent, World};
use lictor_core::time::Instant;

/// The largest number of events that a forecast holds.
const EVENTS_MAX: usize = 10_000;

/// The time ahead, as far as it was looked at.
#[derive(Clone, Debug)]
pub struct Forecast {
    cursor: Cursor,
    events: VecDeque<SimEvent>,
    /// How far it is to look.
    until: Instant,
}

impl Forecast {
    pub(super) fn new(cursor: Cursor) -> Self {
        let until = cursor.world.now();
        Self { cursor, events: VecDeque::new(), until }
    }

    /// What will happen, in order.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &SimEvent> {
        self.events.iter()
    }

    /// What will happen after a moment, by its number.
    pub fn after(&self, number: u64) -> impl Iterator<Item = &SimEvent> {
        let first = self.events.front().map_or(0, |event| event.number);
        self.events.iter().skip((number + 1).saturating_sub(first) as usize)
    }

    /// The world at the end of what was looked at.
    pub fn world(&self) -> &World {
        &self.cursor.world
    }

    /// Whether all of the horizon was looked at, or as much of it as there is room for.
    pub fn is_complete(&self) -> bool {
        self.world().now() >= self.until || self.is_full()
    }

    /// Leaves out what is no longer ahead, and looks on by some steps.
    pub(super) fn go_on(&mut self, now: Instant, horizon: Duration, steps: usize) {
        while self.events.front().is_some_and(|event| event.at <= now) {
            self.events.pop_front();
        }
        self.until = now.after(horizon);
        for _ in 0..steps {
            if self.is_full() {
                return;
            }
            let Some(events) = self.cursor.pass(self.until) else { return };
            self.events.extend(events.into_iter().filter(|event| event.at > now));
        }
    }

    fn is_full(&self) -> bool {
        self.events.len() >= EVENTS_MAX
    }
}
