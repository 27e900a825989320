//! What applications wrote, beside what the servers show.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use super::{Incident, NamedLog};
use crate::application::{self, Application};
use crate::beliefs;
use crate::log::{LogEvent, Request};
use crate::pattern::ClientEventKind;
use crate::renewal_clock::Renewals;
use crate::summary::ClockProposal;

impl Incident {
    /// Adds what the applications in the sources wrote. `logs` have the requests of an agent.
    pub(super) fn with_applications(
        mut self,
        applications: &[Option<Application<'_>>],
        logs: &[NamedLog],
    ) -> Self {
        for application in applications.iter().flatten() {
            self.clients.extend(application.events(self.taken));
        }
        self.clients.sort_by_key(|event| event.time);
        self.propose_offsets(applications, logs);
        self.client_renewals = beliefs::renewals(&self.clients);
        let is_key = |key: &str| self.keys.contains_key(key) || self.by_key.contains_key(key);
        let key_of = |session: &str| self.only_key_of(session);
        let unknown =
            application::unknown_names(&self.clients, is_key, |session| key_of(session).is_some());
        self.beliefs = beliefs::beliefs(&self.clients, key_of);
        self.unused.extend(unknown);
        self
    }

    /// Proposes an offset for the clock of an application from the renewals of sessions that a log
    /// of a server has, too.
    fn propose_offsets(&mut self, applications: &[Option<Application<'_>>], logs: &[NamedLog]) {
        for (place, application) in applications.iter().enumerate() {
            let Some(application) = application else { continue };
            let Some(span) = application.span(self.taken) else { continue };
            let name = application.source();
            let renewals = self.clients.iter().filter_map(|event| {
                let is_renewal = event.kind == ClientEventKind::Renewed;
                let is_own = is_renewal && Arc::ptr_eq(&event.line.source, name);
                Some((event.session.as_deref().filter(|_| is_own)?, event.time))
            });
            let renewals = Renewals::new(renewals, span);
            let others = logs.iter().filter(|(other, _)| !Arc::ptr_eq(other, name));
            let others = others.map(|(other, span)| (&**other, self.renewals_of(other, *span)));
            let offset = self.sources[place].clock_offset;
            let proposal = ClockProposal::by_renewals(offset, &renewals, others);
            if let Some(source) = self.sources.get_mut(place) {
                source.proposal = source.proposal.take().or(proposal);
            }
        }
    }

    /// The renewals in a log of a server. One that follows the end of its session has failed.
    fn renewals_of(&self, name: &Arc<str>, span: (Timestamp, Timestamp)) -> Renewals<'_> {
        let mut ended = BTreeSet::new();
        let mut renewals = Vec::new();
        for observation in &self.log {
            match &observation.event {
                LogEvent::Expired(session) | LogEvent::Request(Request::Destroy(session)) => {
                    ended.insert(session.as_str());
                }
                LogEvent::Request(Request::Renew(session))
                    if Arc::ptr_eq(&observation.line.source, name)
                        && !ended.contains(session.as_str()) =>
                {
                    renewals.push((session.as_str(), observation.time));
                }
                _ => {}
            }
        }
        Renewals::new(renewals.into_iter(), span)
    }

    /// The key that a session holds or has asked for; `None` if it is not exactly one.
    fn only_key_of(&self, session: &str) -> Option<String> {
        let asked = self.lines_of_session(session).filter_map(|line| line.event.key());
        let held = self.entries().filter(|entry| entry.session.as_deref() == Some(session));
        let mut keys = asked.chain(held.map(|key| key.key.as_str()));
        let key = keys.next()?;
        keys.all(|other| other == key).then(|| key.into())
    }
}
