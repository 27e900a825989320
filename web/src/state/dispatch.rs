//! Sends the requests of the actors' buttons through the controller, with the key and the options
//! that the reader has set for them.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::http::HttpRequest;
use lictor_core::id::{CheckId, Index, NodeName};
use lictor_core::store::catalog::CheckStatus;
use lictor_desk::actions::{ActionForm, ActorAction, ActorContext, removed_check, session_check};
use lictor_sim::record::{Badge, Exchange};
use lictor_view::rows::ActorRow;

use crate::state::controller::Controller;

/// The key and the options that buttons and shortcuts use. A cheap copy: all copies share them.
#[derive(Clone, Copy)]
pub struct Dispatch {
    pub controller: Controller,
    pub form: RwSignal<ActionForm>,
}

/// The creation of a session by a button, and what follows its answer, which takes a while on a
/// link with latency. A cheap copy: all copies share its state.
#[derive(Clone, Copy)]
pub struct NewSession {
    dispatch: Dispatch,
    sent: RwSignal<Option<Exchange>>,
    then: StoredValue<Arc<dyn Fn(Badge) + Send + Sync>>,
    /// Whether the answer is awaited.
    pub is_waiting: Memo<bool>,
}

impl NewSession {
    /// `then` is called for the client as soon as its request has an answer, or fails.
    pub fn new(dispatch: Dispatch, then: impl Fn(Badge) + Send + Sync + 'static) -> Self {
        let sent = RwSignal::new(None::<Exchange>);
        let is_waiting = Memo::new(move |_| {
            let find = |sent: &Exchange| dispatch.controller.exchange(sent);
            let row = sent.with(|sent| sent.as_ref().and_then(find));
            row.is_some_and(|row| row.with(Exchange::is_waiting))
        });
        let new = Self { dispatch, sent, then: StoredValue::new(Arc::new(then)), is_waiting };
        Effect::new(move |_| new.go_on(is_waiting.get()));
        new
    }

    pub fn create(self, badge: Badge) {
        self.sent.set(self.dispatch.carry_out(badge, ActorAction::CreateSession));
        self.go_on(self.is_waiting.get_untracked());
    }

    fn go_on(self, is_waiting: bool) {
        if let Some(sent) = self.sent.get_untracked().filter(|_| !is_waiting) {
            self.sent.set(None);
            self.then.get_value()(sent.actor.badge);
        }
    }
}

impl Dispatch {
    pub fn new(controller: Controller) -> Self {
        Self { controller, form: RwSignal::new(ActionForm::default()) }
    }

    /// The keys that sentences may mention: those of the branch, and the one that the buttons use;
    /// subscribes.
    pub fn known_keys(self) -> Vec<String> {
        self.controller.store.branch.track();
        let mut keys = vec![self.form.with(|form| form.key.clone())];
        keys.extend(self.controller.store.keys.list().iter().map(|row| row.key.to_string()));
        self.controller.with_record_at_end(|record| {
            keys.extend(record.locks().map(|(key, _)| key.to_string()));
        });
        keys
    }

    /// Sends the request of a button as the actor; `None` if the actor cannot send it, as without a
    /// session.
    pub fn carry_out(self, badge: Badge, action: ActorAction) -> Option<Exchange> {
        self.send_as(badge, |row| self.request(row, action))
    }

    /// Adds a check that follows the sessions of a name to the actor's node. The request has the
    /// status of the check, passing if such a session lives, because the server does not look for
    /// one.
    pub fn add_session_check(self, badge: Badge, name: &str) {
        self.send_as(badge, |row| {
            let is_alive = self.controller.with_world(|world| {
                let node = NodeName::from(row.node.as_str()).folded();
                world.store().sessions().on_node(&node).any(|session| &*session.name == name)
            });
            let status = if is_alive { CheckStatus::Passing } else { CheckStatus::Critical };
            Some(session_check(&row.node, name, &status))
        });
    }

    /// Removes a check from the actor's node.
    pub fn remove_check(self, badge: Badge, check: &CheckId) {
        self.send_as(badge, |row| Some(removed_check(&row.node, check.as_str())));
    }

    fn send_as(
        self,
        badge: Badge,
        request: impl FnOnce(&ActorRow) -> Option<HttpRequest>,
    ) -> Option<Exchange> {
        let row = self.controller.store.actors.row(&badge)?;
        let (actor, request) = row.with_untracked(|row| (row.actor.name.clone(), request(row)));
        self.controller.send(&actor, request?)
    }

    fn request(self, actor: &ActorRow, action: ActorAction) -> Option<HttpRequest> {
        self.form.with_untracked(|form| {
            let context = ActorContext {
                actor: actor.actor.name.as_str(),
                node: &actor.node,
                session: actor.session_in_use,
                seen: self.seen(&form.key),
            };
            action.request(&context, form)
        })
    }

    /// The index at which a key last changed. If the key does not exist, it is the index of the
    /// world, so that a watch of the key waits.
    fn seen(self, key: &str) -> Index {
        self.controller.with_world(|world| {
            let entry = world.store().kv().get(key);
            entry.map_or_else(|| world.index().at_least_one(), |entry| entry.modify_index)
        })
    }
}
