//! What clients believe about keys by their own logs, and when they renewed their sessions.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::application::ClientEvent;
use crate::pattern::ClientEventKind;

/// What a client believes about a key since its last line about it.
#[derive(Clone, Debug)]
pub(crate) struct Belief {
    /// Whether it believes that it holds the key.
    pub(crate) holds: bool,
    pub(crate) session: Option<String>,
    pub(crate) last: ClientEvent,
    /// When it believed that it holds the key, in order.
    pub(crate) spans: Vec<BeliefSpan>,
}

/// A time during which a client believes that it holds a key.
#[derive(Clone, Debug)]
pub(crate) struct BeliefSpan {
    /// The line by which it believes so.
    pub(crate) begin: ClientEvent,
    /// The line by which it does not believe so any more.
    pub(crate) end: Option<ClientEvent>,
}

impl Belief {
    fn begin(&mut self, event: &ClientEvent) {
        if !self.holds {
            self.spans.push(BeliefSpan { begin: event.clone(), end: None });
        }
        (self.holds, self.last) = (true, event.clone());
        self.session.clone_from(&event.session);
    }

    fn end(&mut self, event: &ClientEvent) {
        if let Some(span) = self.spans.last_mut().filter(|span| span.end.is_none()) {
            span.end = Some(event.clone());
        }
        (self.holds, self.last) = (false, event.clone());
    }
}

/// What all clients believe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beliefs {
    /// The beliefs about each key, by client.
    pub(crate) of_keys: BTreeMap<String, BTreeMap<Arc<str>, Belief>>,
    /// The sessions that each client names.
    pub(crate) sessions: BTreeMap<Arc<str>, BTreeSet<String>>,
}

/// The beliefs after all events, which are in the order of time. `key_of` is the only key that a
/// session can have.
pub(crate) fn beliefs(events: &[ClientEvent], key_of: impl Fn(&str) -> Option<String>) -> Beliefs {
    let mut beliefs = Beliefs::default();
    for event in events {
        if let Some(session) = &event.session {
            let sessions = beliefs.sessions.entry(event.client.clone()).or_default();
            if !sessions.contains(session) {
                sessions.insert(session.clone());
            }
        }
        let holds = match event.kind {
            ClientEventKind::Acquired => true,
            ClientEventKind::Lost | ClientEventKind::Released => false,
            ClientEventKind::Renewed => continue,
        };
        let key = event.key.clone().or_else(|| key_of(event.session.as_deref()?));
        if let Some(key) = key {
            let of_client = beliefs.of_keys.entry(key).or_default().entry(event.client.clone());
            let belief = of_client.or_insert_with(|| Belief {
                holds: false,
                session: None,
                last: event.clone(),
                spans: Vec::new(),
            });
            if holds {
                belief.begin(event);
            } else {
                belief.end(event);
                belief.session = event.session.clone().or(belief.session.take());
            }
        } else if !holds {
            // It does not say which: all that the client has, or that this session has.
            let of_keys = beliefs.of_keys.values_mut();
            let of_client = of_keys.filter_map(|of_key| of_key.get_mut(&event.client));
            for belief in of_client.filter(|belief| belief.holds) {
                let is_other = event.session.is_some() && belief.session.is_some();
                if !is_other || belief.session == event.session {
                    belief.end(event);
                }
            }
        }
    }
    beliefs
}

/// The places of the renewals of each session.
pub(crate) fn renewals(events: &[ClientEvent]) -> BTreeMap<String, Vec<usize>> {
    let mut renewals: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        if let (ClientEventKind::Renewed, Some(session)) = (event.kind, &event.session) {
            renewals.entry(session.clone()).or_default().push(place);
        }
    }
    renewals
}
