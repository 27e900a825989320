//! A forecast: the events that follow if nobody acts. A copy of the cursor runs ahead, a few steps
//! with each call, up to a horizon or until the forecast is full.

use alloc::collections::VecDeque;
use core::time::Duration;

use lictor_core::time::Instant;

use super::cursor::Cursor;
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::world::World;

/// A forecast with this many events is full, and computes no more steps.
const EVENTS_MAX: usize = 10_000;

/// The events ahead, as far as they were computed.
#[derive(Clone, Debug)]
pub struct Forecast<F = ()> {
    cursor: Cursor<F>,
    events: VecDeque<SimEvent>,
    /// The time up to which it is computed, unless it is full before.
    until: Instant,
}

impl<F: Fold> Forecast<F> {
    pub(super) fn new(cursor: Cursor<F>) -> Self {
        let until = cursor.world.now();
        Self { cursor, events: VecDeque::new(), until }
    }

    /// The events ahead, in order.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &SimEvent> {
        self.events.iter()
    }

    /// The world as far as it was computed: at the last computed event, or at the horizon.
    pub fn world(&self) -> &World {
        &self.cursor.world
    }

    /// The record up to the last computed event.
    pub fn record(&self) -> &F {
        &self.cursor.record
    }

    pub(super) fn record_mut(&mut self) -> &mut F {
        &mut self.cursor.record
    }

    /// How many acts were done before it.
    pub(super) fn acts(&self) -> usize {
        self.cursor.acts
    }

    /// Whether it is complete up to the horizon, or full.
    pub fn is_complete(&self) -> bool {
        self.world().now() >= self.until || self.is_full()
    }

    /// Drops events that are no longer ahead, moves the horizon, and computes some more steps.
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
