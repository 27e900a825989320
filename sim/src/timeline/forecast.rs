//! A forecast: the events that follow if no client acts. A clone of the world runs ahead, a few
//! steps with each call of `Timeline::look_ahead`; the page shows the events as the future of the
//! timeline.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::cursor::Cursor;
use crate::event::SimEvent;
use crate::world::World;
use lictor_core::time::Instant;

/// The largest number of events that a forecast holds.
const EVENTS_MAX: usize = 10_000;

/// The events ahead, as far as they were computed.
#[derive(Clone, Debug)]
pub struct Forecast {
    cursor: Cursor,
    events: VecDeque<SimEvent>,
    /// The end of the forecast.
    until: Instant,
}

impl Forecast {
    pub(super) fn new(cursor: Cursor) -> Self {
        let until = cursor.world.now();
        Self { cursor, events: VecDeque::new(), until }
    }

    /// The events ahead, in order.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &SimEvent> {
        self.events.iter()
    }

    /// The events after the one with this number.
    pub fn after(&self, number: u64) -> impl Iterator<Item = &SimEvent> {
        let first = self.events.front().map_or(0, |event| event.number);
        self.events.iter().skip((number + 1).saturating_sub(first) as usize)
    }

    /// The world after the last computed event.
    pub fn world(&self) -> &World {
        &self.cursor.world
    }

    /// Whether it is complete up to the horizon, or full.
    pub fn is_complete(&self) -> bool {
        self.world().now() >= self.until || self.is_full()
    }

    /// Drops events that are no longer ahead, and computes some more steps.
    pub(super) fn extend(&mut self, now: Instant, horizon: Duration, steps: usize) {
        while self.events.front().is_some_and(|event| event.at <= now) {
            self.events.pop_front();
        }
        self.until = now.plus(horizon);
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
