//! The console's memory as signals: it carries inputs to the runtime one request at a time, and
//! follows the exchanges of the world, whoever began them.

use leptos::prelude::*;
use lictor_core::id::RequestId;

use super::Form;
use crate::console::{Entry, Next, Rejected, Transcript, written};
use crate::exchange::{Exchange, ExchangeState};
use crate::runtime::Runtime;

/// A handle to the console of one page.
#[derive(Clone, Copy)]
pub struct Terminal {
    pub runtime: Runtime,
    /// The version of the transcript that is shown.
    version: RwSignal<u64>,
    /// What stands in the input.
    pub input: RwSignal<String>,
    /// What is wrong with it, since it was last sent.
    pub rejected: RwSignal<Option<Rejected>>,
    transcript: StoredValue<Transcript>,
}

impl Terminal {
    pub fn new(runtime: Runtime) -> Self {
        let terminal = Self {
            runtime,
            version: RwSignal::new(0),
            input: RwSignal::new(String::new()),
            rejected: RwSignal::new(None),
            transcript: StoredValue::new(Transcript::default()),
        };
        // The transcript is a fold over answers in their order, which no derived signal can be.
        Effect::new(move |_| {
            terminal.watch();
            terminal.go_on();
        });
        terminal
    }

    /// Sends what stands in the input, as the selected actor.
    pub fn send(&self) {
        let Some(actor) = untrack(|| self.runtime.selected_actor()) else { return };
        let input = self.input.get_untracked();
        let taken = self.transcript.try_update_value(|it| it.submit(&actor.who.name, &input));
        match taken {
            Some(Err(rejected)) => self.rejected.set(Some(rejected)),
            _ => {
                self.write("");
                self.go_on();
            }
        }
    }

    /// Puts a text into the input.
    pub fn write(&self, text: &str) {
        self.input.set(text.to_owned());
        self.rejected.set(None);
    }

    /// The reader writes.
    pub fn edited(&self, text: String) {
        self.input.set(text);
        self.rejected.set(None);
    }

    /// Puts a value where a name without one stands.
    pub fn fill(&self, name: &str, value: &str) {
        let filled =
            self.rejected.with_untracked(|it| it.as_ref().map(|it| it.filled(name, value)));
        if let Some(text) = filled {
            self.write(&text);
        }
    }

    /// Puts an older input into the input, if there is one.
    pub fn older(&self) {
        let shown = self.input.get_untracked();
        self.recall(|transcript| transcript.recall.older(&shown));
    }

    pub fn newer(&self) {
        self.recall(|transcript| transcript.recall.newer());
    }

    /// The entries by number and version, tracked: an entry that changed is another one.
    pub fn listed(&self) -> Vec<(u64, u64)> {
        self.version.track();
        let listed = |entry: &Entry| (entry.number, entry.version);
        self.transcript.with_value(|transcript| transcript.entries().iter().map(listed).collect())
    }

    /// An entry as it is now.
    pub fn entry(&self, number: u64) -> Option<Entry> {
        self.transcript.with_value(|transcript| transcript.entry(number).cloned())
    }

    /// The last command that was sent, in a form.
    pub fn last_command(&self, form: Form) -> Option<String> {
        self.transcript
            .with_value(|transcript| transcript.entries().last().map(|it| in_form(it, form)))
    }

    /// Runs the queue as far as it goes without waiting.
    fn go_on(&self) {
        loop {
            self.follow();
            let now = self.runtime.now.get_untracked();
            match self.transcript.try_update_value(|transcript| transcript.next(now)) {
                Some(Next::Send { actor, request }) => {
                    if self.runtime.send(&actor, request).is_none() {
                        self.transcript.update_value(|transcript| transcript.unsent(now));
                    }
                }
                Some(Next::Stop(rejected)) => {
                    self.input.set(rejected.text.clone());
                    self.rejected.set(Some(rejected));
                }
                Some(Next::Nothing) | None => break,
            }
        }
        self.publish();
    }

    /// Reports what became of requests since the last time, and shows what changed by it.
    fn follow(&self) {
        let exchanges = self.runtime.mirror.exchanges;
        let ids = exchanges.keys_untracked();
        let newest = self.transcript.with_value(Transcript::newest);
        for id in ids.iter().filter(|id| newest.is_none_or(|newest| **id > newest)) {
            self.report(*id, |transcript, exchange| {
                let (at, actor) = (exchange.sent, &exchange.who.name);
                transcript.sent(at, *id, actor, &exchange.request);
            });
        }
        for id in self.transcript.with_value(Transcript::pending) {
            self.report(id, |transcript, exchange| outcome(transcript, id, exchange));
        }
        self.publish();
    }

    fn report(&self, id: RequestId, tell: impl FnOnce(&mut Transcript, &Exchange)) {
        let Some(exchange) = self.runtime.exchange(id) else { return };
        exchange.with_untracked(|exchange| {
            self.transcript.update_value(|transcript| tell(transcript, exchange));
        });
    }

    fn publish(&self) {
        let version = self.transcript.with_value(Transcript::version);
        if self.version.get_untracked() != version {
            self.version.set(version);
        }
    }

    /// Subscribes to new requests and to the answers that are awaited.
    fn watch(&self) {
        self.runtime.mirror.exchanges.keys();
        for id in self.transcript.with_value(Transcript::pending) {
            if let Some(exchange) = self.runtime.exchange(id) {
                exchange.track();
            }
        }
    }

    fn recall(&self, pick: impl FnOnce(&mut Transcript) -> Option<String>) {
        if let Some(text) = self.transcript.try_update_value(pick).flatten() {
            self.write(&text);
        }
    }
}

/// The text of a command.
pub fn in_form(entry: &Entry, form: Form) -> String {
    match (form, &entry.request) {
        (Form::Http, Some(request)) => written(request),
        _ => entry.text.clone(),
    }
}

fn outcome(transcript: &mut Transcript, id: RequestId, exchange: &Exchange) {
    match &exchange.state {
        ExchangeState::Answered { at, response, why, .. } => {
            transcript.answered(*at, id, response, why.as_ref());
        }
        ExchangeState::Cancelled { at } => transcript.cancelled(*at, id),
        ExchangeState::Waiting { until: Some(_) } => transcript.parked(exchange.sent, id),
        ExchangeState::Waiting { until: None } => {}
    }
}
