//! The desk: the form that the buttons use, and the sending of what they mean.

use lictor_core::http::HttpRequest;
use lictor_core::id::Index;
use lictor_sandbox::actions::{ActionForm, ActorAction, ActorContext};
use lictor_sandbox::badge::Badge;
use lictor_sandbox::view::rows::ActorRow;

use crate::runtime::Runtime;
use crate::var::Var;

/// The key and the options that buttons and keys work with.
pub struct Desk {
    pub runtime: &'static Runtime,
    pub wishes: Var<ActionForm>,
}

impl Desk {
    /// A desk of a page, which stays as long as the page.
    pub fn new(runtime: &'static Runtime) -> &'static Self {
        Box::leak(Box::new(Self { runtime, wishes: Var::new(ActionForm::default()) }))
    }

    /// Sends what a button means, as the actor; nothing if the actor lacks what it takes.
    pub fn carry_out(&self, badge: Badge, deed: ActorAction) {
        let Some(row) = self.runtime.mirror.actors.row(&badge) else { return };
        let (actor, request) = row.peek(|row| (row.who.name.clone(), self.request(row, deed)));
        if let Some(request) = request {
            self.runtime.send(&actor, request);
        }
    }

    fn request(&self, actor: &ActorRow, deed: ActorAction) -> Option<HttpRequest> {
        self.wishes.peek(|wishes| {
            let means = ActorContext {
                actor: actor.who.name.as_str(),
                node: &actor.node,
                session: actor.session.as_ref().map(|(id, _)| *id),
                seen: self.seen(&wishes.key),
            };
            deed.request(&means, wishes)
        })
    }

    /// The index at which the key last changed; a watch of a key that is not there waits from the
    /// start.
    fn seen(&self, key: &str) -> Index {
        self.runtime.with_world(|world| {
            let entry = world.store().kv().get(key);
            entry.map_or_else(|| world.index().at_least_one(), |entry| entry.modify_index)
        })
    }
}
