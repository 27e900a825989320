//! What has happened to the locks and sessions of a world: the truth about the past that a picture
//! shows.

use std::collections::BTreeMap;

use lictor_core::Consul;
use lictor_core::id::{SessionId, SessionRef};

use crate::soundness::clock::Millis;
use crate::soundness::world::KEYS;

/// A time for which something was so; without an end until the end of the world.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) from: Millis,
    pub(crate) to: Option<Millis>,
}

/// The past of a world.
#[derive(Default)]
pub(crate) struct History {
    /// Who held each key, or that nobody did.
    pub(crate) tenures: BTreeMap<&'static str, Vec<(Option<String>, Span)>>,
    /// The lock-delays of each key.
    pub(crate) delays: BTreeMap<&'static str, Vec<Span>>,
    /// The life of each session.
    lives: BTreeMap<SessionId, Span>,
}

impl History {
    /// The life of a session that was created.
    pub(crate) fn life(&self, id: &str) -> Option<&Span> {
        self.lives.get(&SessionId::parse(id)?)
    }

    /// Notes the state of a server at a moment.
    pub(crate) fn note(&mut self, consul: &Consul, sessions: &[SessionId], now: Millis) {
        let store = consul.engine().store();
        for id in sessions {
            let lives = store.sessions().get(*id).is_some();
            let life = self.lives.entry(*id).or_insert(Span { from: now, to: None });
            if !lives && life.to.is_none() {
                life.to = Some(now);
            }
        }
        for key in KEYS {
            let entry = store.kv().get(key);
            let holder = entry.and_then(|entry| entry.holder()).map(SessionRef::as_str);
            let tenures = self.tenures.entry(key).or_default();
            match tenures.last_mut() {
                Some((last, _)) if last.as_deref() == holder => continue,
                Some((_, span)) => span.to = Some(now),
                None => {}
            }
            tenures.push((holder.map(String::from), Span { from: now, to: None }));
            let delay = consul.engine().lock_delay(key).filter(|_| holder.is_none());
            if let Some(delay) = delay {
                let span = Span { from: now, to: Some(delay.until.as_millis()) };
                self.delays.entry(key).or_default().push(span);
            }
        }
    }
}
