//! What the end of a session does to the keys that it holds.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::incident::Incident;
use crate::later::Change;
use crate::listing::Listing;
use crate::log::{LogEvent, Request};

/// What destroying a session, or its end in another way, does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effects {
    /// The session.
    pub session: String,
    /// The session as people name it.
    pub name: String,
    /// The keys that stay and have no holder then (behavior `release`).
    pub frees: Vec<String>,
    /// The keys that it deletes (behavior `delete`).
    pub deletes: Vec<String>,
    /// The keys of which the log says that it may hold them, or may not hold them any more.
    pub perhaps: Vec<String>,
    /// Whether these are all keys that it holds.
    pub has_all_keys: bool,
    /// Whether a list of keys was shown.
    pub has_keys: bool,
    /// Whether its behavior is known.
    pub has_behavior: bool,
    /// For how long nobody can acquire one of these keys; `None` if no list says it.
    pub delay: Option<Duration>,
    /// The ids of the checks of its node whose failure ends it, as far as the lists have them.
    pub checks: Vec<String>,
    /// Whether these are all such checks.
    pub has_all_checks: bool,
    /// The node whose removal ends it.
    pub node: String,
}

impl Incident {
    /// What the end of each session of the list does, in the order of their creation.
    pub fn effects(&self) -> Vec<Effects> {
        let alive = self.sessions.values().filter(|session| self.end_of(&session.id).is_none());
        let mut sessions: Vec<_> = alive.collect();
        sessions.sort_by_key(|session| session.create_index);
        let is_of_all = |list: &Listing| {
            let is_new =
                list.moment.latest >= self.now || self.covers(list.taken_earliest(), self.now);
            list.scope.covers_key("")
                && is_new
                && list.moment.stale.is_none()
                && !list.moment.is_assumed()
        };
        let all_keys = self.key_lists().find(|list| is_of_all(list));
        // With a holder that no list of sessions has, the lists are of two clusters or moments.
        let is_listed = |session: &str| self.session(session).is_some();
        let mut holders = self.entries().filter_map(|entry| entry.session.as_deref());
        let all_keys = all_keys.filter(|_| holders.all(is_listed));
        let has_keys = self.key_lists().next().is_some();
        let effects = sessions.into_iter().map(|session| {
            let held = self.keys_held_by(&session.id);
            let (frees, deletes) =
                if session.deletes() { (Vec::new(), held) } else { (held, Vec::new()) };
            // Since the list it may have acquired another one.
            let has_asked = |list: &Listing| {
                let mut lines = self.lines_of_session(&session.id).chain(self.broad_lines());
                lines.any(|line| line.time > list.taken_earliest() && may_acquire(&line.event))
            };
            let has_all_keys = all_keys.is_some_and(|list| !has_asked(list));
            Effects {
                session: session.id.clone(),
                name: self.name_of(&session.id),
                frees,
                deletes,
                perhaps: self.keys_perhaps_held_by(&session.id),
                has_all_keys: has_all_keys && !self.asked_after_lists(&session.id),
                has_keys,
                has_behavior: session.behavior.is_some(),
                delay: session.lock_delay,
                checks: session.all_checks().map(String::from).collect(),
                has_all_checks: session.has_all_checks(),
                node: session.node.clone(),
            }
        });
        effects.collect()
    }

    /// The keys that a session holds by the lists, and that the log does not show to have changed.
    fn keys_held_by(&self, session: &str) -> Vec<String> {
        let held = self.keys.iter().filter(|(key, seen)| {
            let holder = seen.entry.as_ref().and_then(|entry| entry.session.as_deref());
            holder == Some(session) && self.later(key, seen).change.is_none()
        });
        held.map(|(key, _)| key.clone()).collect()
    }

    /// The keys that a session may hold: it asked for them after the list, or the log has a request
    /// that may have taken them from it.
    fn keys_perhaps_held_by(&self, session: &str) -> Vec<String> {
        let perhaps = self.keys.iter().filter(|(key, seen)| {
            let holder = seen.entry.as_ref().and_then(|entry| entry.session.as_deref());
            let later = self.later(key, seen);
            match (later.likely, later.change) {
                (Some((likely, _)), _) => likely == session,
                (None, Some(Change::Possible(_))) => holder == Some(session),
                (None, _) => false,
            }
        });
        perhaps.map(|(key, _)| key.clone()).collect()
    }

    /// Whether a session has asked for a key since the first list of keys, which may not have it.
    fn asked_after_lists(&self, session: &str) -> bool {
        let since = self.key_lists().map(Listing::taken_earliest).min();
        let mut lines = self.lines_of_session(session);
        lines.any(|line| may_acquire(&line.event) && since.is_some_and(|since| line.time >= since))
    }

    /// The checks that are critical, each with its node and its id.
    pub fn critical_checks(&self) -> impl Iterator<Item = (&str, &str)> {
        let critical = self.checks.iter().filter(|check| check.status == "critical");
        critical.map(|check| (check.node.as_str(), check.check_id.as_str()))
    }
}

const fn may_acquire(event: &LogEvent) -> bool {
    matches!(
        event,
        LogEvent::Transaction
            | LogEvent::Request(Request::Acquire { .. })
            | LogEvent::Unplaced(Request::Acquire { .. })
    )
}
