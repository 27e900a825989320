//! What the words of the line language mean in a world: short names of sessions (`S1`, `S2` in the
//! order in which the server made them, or names that a scenario gives), and the server for which
//! the requests of programs are meant.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use lictor_core::engine::Config;
use lictor_core::id::{SessionId, SessionRef};

use crate::event::SimEvent;
use crate::ids::{LENGTH, ids_in, made};

/// The names of sessions, and the server of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    by_id: BTreeMap<SessionId, String>,
    by_name: BTreeMap<String, SessionId>,
    made: usize,
    latest: Option<SessionId>,
    server: Config,
}

impl Names {
    /// The same names in the world of a server with this configuration. The steps of a program are
    /// what such a server decodes from their requests.
    #[must_use]
    pub fn with_server(self, server: &Config) -> Self {
        Self { server: server.clone(), ..self }
    }

    /// The configuration of the server; without one it is the default one.
    pub(super) fn server(&self) -> &Config {
        &self.server
    }

    /// Gives names to the sessions that were created and have none.
    pub fn learn(&mut self, events: &[SimEvent]) {
        for id in made(events) {
            self.made += 1;
            self.latest = Some(id);
            if !self.by_id.contains_key(&id) {
                self.call(id, format!("S{}", self.made));
            }
        }
    }

    /// Gives a session another name.
    pub fn call(&mut self, id: SessionId, name: String) {
        if let Some(old) = self.by_id.insert(id, name.clone()) {
            self.by_name.remove(&old);
        }
        self.by_name.insert(name, id);
    }

    /// The session that was created last.
    pub fn latest(&self) -> Option<SessionId> {
        self.latest
    }

    /// The name of a session; its id if it has none.
    pub fn of(&self, id: SessionId) -> String {
        self.by_id.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// The name of a session as requests write it; the text itself if it is no id.
    pub fn of_ref(&self, session: &SessionRef) -> String {
        session.id().map_or_else(|| session.as_str().to_owned(), |id| self.of(id))
    }

    /// The session of a name.
    pub fn session(&self, name: &str) -> Option<SessionId> {
        self.by_name.get(name).copied()
    }

    /// The target of a request with ids in the place of names: `/v1/session/info/S1`.
    pub fn in_target(&self, target: &str) -> String {
        let parts = target.split_inclusive(['/', '?', '&', '=']).map(|part| {
            let name = part.trim_end_matches(['/', '?', '&', '=']);
            match self.session(name) {
                Some(id) => id.to_string() + &part[name.len()..],
                None => part.to_owned(),
            }
        });
        parts.collect()
    }

    /// A text with names in the place of ids.
    pub(crate) fn named(&self, text: &str, written: impl Fn(&str) -> String) -> String {
        let mut named = String::new();
        let mut done = 0;
        for (at, id) in ids_in(text.as_bytes()) {
            if let Some(name) = self.by_id.get(&id) {
                named.push_str(&text[done..at]);
                named.push_str(&written(name));
                done = at + LENGTH;
            }
        }
        named.push_str(&text[done..]);
        named
    }

    /// The text with each `<name>` replaced by its id; unknown names stay.
    pub(super) fn filled_in(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            filled.push_str(before);
            let named =
                after.split_once('>').and_then(|(name, after)| Some((self.session(name)?, after)));
            rest = match named {
                Some((id, after)) => {
                    filled.push_str(&id.to_string());
                    after
                }
                None => {
                    filled.push('<');
                    after
                }
            };
        }
        filled.push_str(rest);
        filled
    }

    /// The id of the session of this name; an unknown name is returned as it is.
    pub(super) fn spelt(&self, name: &str) -> String {
        self.session(name).map_or_else(|| name.to_owned(), |id| id.to_string())
    }
}
