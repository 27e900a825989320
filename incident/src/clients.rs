//! What the logs of clients prove: where a belief differs from the server's lists and log, and
//! between which times the server renewed a session.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

use crate::answer::{Answer, AnswerKind, Reason};
use crate::application::ClientEvent;
use crate::beliefs::Belief;
use crate::incident::Incident;

/// Lines of two logs whose times are farther apart are about different events: the clocks differ by
/// less.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_secs(5);

/// Two lines of a client about its session, one after the other. It sends a renewal only after the
/// answer to the one before, so that the server renewed the session between them.
pub(crate) struct ClientRenewal<'a> {
    pub(crate) after: &'a ClientEvent,
    pub(crate) until: &'a ClientEvent,
}

impl Incident {
    /// The beliefs of clients about the key of an answer that contradict the server's lists. A
    /// client whose last line about the key is later than the lists is left out.
    pub(crate) fn mismatches(&self, answer: &Answer) -> Vec<Reason> {
        let beliefs = self.beliefs.of_keys.get(&answer.key).into_iter().flat_map(BTreeMap::values);
        let beliefs = beliefs.filter(|belief| belief.last.time <= self.taken);
        beliefs.filter_map(|belief| self.mismatch(answer, belief)).collect()
    }

    fn mismatch(&self, answer: &Answer, belief: &Belief) -> Option<Reason> {
        let (key, client) = (&answer.key, &belief.last.client);
        let (word, time) = (belief.last.kind.name(), self.clock(belief.last.time, answer.as_of));
        let holder = answer.holder.as_deref();
        let is_holder = holder.and_then(|holder| self.is_holder(key, belief, holder));
        let text = match (belief.holds, holder) {
            (true, _) if !says_holder(answer.kind) => return None,
            (true, Some(_)) if is_holder != Some(false) => return None,
            (true, holder) => {
                let truth = match holder {
                    Some(holder) => self.held_by(answer, holder),
                    None => self.held_by_nobody(answer, belief.session.as_deref()),
                };
                format!(
                    "But {client} logged \"{word}\" at {time} and neither \"lost\" nor \
                     \"released\" after it; {truth}"
                )
            }
            (false, Some(holder)) if is_holder == Some(true) => {
                let name = self.name_of(holder);
                format!("But {client} logged \"{word}\" at {time}; its {name} still holds {key}")
            }
            (false, _) => return None,
        };
        Some(Reason::new(text, Some(&belief.last.line)))
    }

    /// Whether the client of a belief is the holder; `None` if it is unknown.
    fn is_holder(&self, key: &str, belief: &Belief, holder: &str) -> Option<bool> {
        if let Some(session) = &belief.session {
            return Some(session == holder);
        }
        let client = &belief.last.client;
        let sessions = self.beliefs.sessions.get(client);
        let has_session = sessions.is_some_and(|sessions| sessions.contains(holder));
        let has_name = |id: &str| self.session(id).is_some_and(|it| it.name == **client);
        if has_session || has_name(holder) {
            return Some(true);
        }
        let mut all = self.sessions.keys();
        let is_other = sessions.is_some() || all.any(|id| has_name(id));
        // A log that is older than the belief shows whether the holder asked only later.
        let time = belief.last.time;
        let is_older = self.server_spans.iter().any(|(first, _)| *first <= time);
        let asked = self.acquires(key).find(|(session, _)| *session == holder);
        let asked_later = is_older
            && asked.is_some_and(|(_, line)| line.time.duration_since(time) > CLOCKS_DIFFER);
        (is_other || asked_later).then_some(false)
    }

    fn held_by(&self, answer: &Answer, holder: &str) -> String {
        let (key, name) = (&answer.key, self.name_of(holder));
        let asked = self.acquires(key).rfind(|(session, _)| *session == holder);
        match asked {
            Some((_, line)) => {
                let time = self.clock(line.time, answer.as_of);
                format!("the server gave {key} to {name}, which asked at {time}")
            }
            None => format!("the server has {key} with {name}"),
        }
    }

    fn held_by_nobody(&self, answer: &Answer, session: Option<&str>) -> String {
        let key = &answer.key;
        let end = session.and_then(|session| Some((session, self.end_of(session)?)));
        match end {
            Some((session, end)) => format!(
                "nobody holds {key}, as {} ended at {}",
                self.name_of(session),
                self.clock(end.bounds.latest, answer.as_of)
            ),
            None => format!("nobody holds {key}"),
        }
    }

    /// The last renewal of a session that is between two lines of a client's log. `None` for the
    /// time that the logs of the servers cover, as they have the exact times.
    pub(crate) fn client_renewal(&self, session: &str) -> Option<ClientRenewal<'_>> {
        let renewals = self.client_renewals.get(session)?;
        let until = &self.clients[*renewals.last()?];
        if self.covers(until.time, self.now) {
            return None;
        }
        let former = renewals.iter().rev().map(|place| &self.clients[*place]);
        let after = former
            .into_iter()
            .find(|former| former.time < until.time && former.line.source == until.line.source)?;
        Some(ClientRenewal { after, until })
    }
}

/// Whether an answer of a kind says who holds the key, or that nobody does.
const fn says_holder(kind: AnswerKind) -> bool {
    !matches!(kind, AnswerKind::Semaphore | AnswerKind::Unknown)
}

impl ClientRenewal<'_> {
    pub(crate) fn reason(&self, incident: &Incident, name: &str, as_of: Timestamp) -> Reason {
        let [after, until] =
            [self.after.time, self.until.time].map(|time| incident.clock(time, as_of));
        let text = format!(
            "{name}: {} logged \"renewed\" at {after} and at {until}, so the server renewed it \
             between the two (a client renews again only after an answer)",
            self.until.client
        );
        Reason::new(text, Some(&self.until.line))
    }
}
