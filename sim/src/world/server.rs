//! The server of a world: steps the engine with an input, and turns its effects into events, each
//! with its cause, and into answers.

use lictor_core::engine::{Effect, Event, Input, Stamped, Timer};

use super::World;
use super::causes::CausalContext;
use crate::event::EventKind;

impl World {
    /// Steps the engine and turns its effects into events.
    pub(super) fn input(&mut self, input: Input, mut lead: CausalContext) {
        for effect in self.engine.step(self.now, input) {
            match effect {
                Effect::Event(stamped) => self.server_event(stamped, &mut lead),
                Effect::Reply { id, result, wake } => self.reply(id, (result, wake), &lead),
                // The world numbers requests itself, so no number is used twice.
                Effect::Rejected { .. } => {}
            }
        }
        self.causes.purge_timers(&self.engine);
    }

    fn server_event(&mut self, stamped: Stamped, lead: &mut CausalContext) {
        let Stamped { at, index, event } = stamped;
        let call = self.follow_call(index, &event, lead);
        let cause = self.causes.of(&event, lead);
        self.causes.follow(at, self.next_event, &event, lead);
        if matches!(event, Event::Fired(Timer::Reap)) {
            self.causes.remove_reaped(self.engine.store());
        }
        self.note(cause, EventKind::Server { index, event, call });
    }
}
