//! The desk: the form that the buttons use, and the sending of what they mean.

use leptos::prelude::*;
use lictor_core::id::Index;

use crate::deeds::{Deed, Means, Wishes};
use crate::runtime::Runtime;
use crate::ui::Badge;

/// The key and the options that buttons and keys work with.
#[derive(Clone, Copy)]
pub struct Desk {
    pub wishes: RwSignal<Wishes>,
}

impl Default for Desk {
    fn default() -> Self {
        Self { wishes: RwSignal::new(Wishes::default()) }
    }
}

impl Desk {
    /// Sends what a button means, as the actor; nothing if the actor lacks what it takes.
    pub fn carry_out(&self, runtime: Runtime, badge: Badge, deed: Deed) {
        let Some(actor) = runtime.mirror.actors.row(&badge).map(|row| row.get_untracked()) else {
            return;
        };
        let request = self.wishes.with_untracked(|wishes| {
            let means = Means {
                actor: actor.who.name.as_str(),
                node: &actor.node,
                session: actor.session.map(|(id, _)| id),
                seen: seen(runtime, &wishes.key),
            };
            deed.request(&means, wishes)
        });
        if let Some(request) = request {
            runtime.send(&actor.who.name, request);
        }
    }
}

/// The index at which the key last changed; a watch of a key that is not there waits from the
/// start.
fn seen(runtime: Runtime, key: &str) -> Index {
    runtime.with_world(|world| {
        let entry = world.store().kv().get(key);
        entry.map_or_else(|| world.index().at_least_one(), |entry| entry.modify_index)
    })
}
