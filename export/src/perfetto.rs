//! A world as trace events in JSON, which Perfetto and chrome://tracing read: one process for the
//! server and for each client; requests, sessions, holds of locks, lock-delays and faults as
//! slices; each printed event that is no fault as an instant.

use std::collections::BTreeMap;

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, Key, SessionRef};
use lictor_core::store::{Change, Entry};
use lictor_core::time::Instant;
use lictor_sim::trace::TraceWriter;
use lictor_sim::{EventKind, SimEvent, Travel};
use serde_json::{Value, json};

use crate::mermaid::request_words;
use crate::world::WorldEvents;

/// The number of the server's process; those of clients follow.
const SERVER: usize = 1;

/// The category and the id of a slice; two slices of one category with different ids may overlap.
type SliceId = (&'static str, String);

#[derive(Default)]
struct Trace {
    events: Vec<Value>,
    clients: Vec<ActorName>,
    /// The process and the name of each slice that has not ended.
    open: BTreeMap<SliceId, (usize, String)>,
    names: TraceWriter,
}

/// Writes the trace. A slice that has not ended by the end of the world ends there.
pub(crate) fn write(world: &WorldEvents) -> String {
    let mut trace = Trace::default();
    trace.process(SERVER, "Consul");
    for event in &world.events {
        trace.follow(event);
    }
    while let Some((id, _)) = trace.open.first_key_value() {
        let id = id.clone();
        trace.end(world.end, &id);
    }
    json!({"displayTimeUnit": "ms", "traceEvents": trace.events}).to_string() + "\n"
}

impl Trace {
    /// Names a process, and places it by its number.
    fn process(&mut self, pid: usize, name: &str) {
        let args = json!({"name": name});
        self.events.push(json!({"ph": "M", "name": "process_name", "pid": pid, "args": args}));
        let args = json!({"sort_index": pid});
        self.events
            .push(json!({"ph": "M", "name": "process_sort_index", "pid": pid, "args": args}));
    }

    /// The number of a client's process; the server's for any other name.
    fn pid(&self, client: &str) -> usize {
        let number = self.clients.iter().position(|known| known.as_str() == client);
        number.map_or(SERVER, |number| SERVER + 1 + number)
    }

    /// Begins a slice. One of the same id that has not ended ends now.
    fn begin(&mut self, at: Instant, (category, id): SliceId, pid: usize, name: String) {
        self.end(at, &(category, id.clone()));
        self.push("b", at, (category, &id), (pid, &name));
        self.open.insert((category, id), (pid, name));
    }

    fn end(&mut self, at: Instant, id: &SliceId) {
        if let Some((pid, name)) = self.open.remove(id) {
            self.push("e", at, (id.0, &id.1), (pid, &name));
        }
    }

    fn push(&mut self, phase: &str, at: Instant, slice: (&str, &str), (pid, name): (usize, &str)) {
        let (category, id) = slice;
        let id = format!("{category} {id}");
        self.events.push(json!({
            "ph": phase, "cat": category, "id": id, "name": name, "pid": pid, "tid": pid,
            "ts": micros(at),
        }));
    }

    fn follow(&mut self, event: &SimEvent) {
        let at = event.at;
        if let EventKind::Sent(call) = &event.kind {
            let words = request_words(call, &self.names);
            let pid = self.pid(call.actor.as_str());
            self.begin(at, ("request", call.id.to_string()), pid, words);
            return;
        }
        let line = self.names.lines_of(std::slice::from_ref(event)).pop();
        match &event.kind {
            EventKind::Joined { actor } => {
                self.clients.push(actor.clone());
                self.process(self.clients.len() + SERVER, actor.as_str());
            }
            EventKind::Answered { call, .. }
            | EventKind::Cancelled { call, .. }
            | EventKind::Travel(Travel::Broken { call, .. }) => {
                self.end(at, &("request", call.id.to_string()));
            }
            EventKind::Server { event, .. } => self.server(at, event),
            _ => {}
        }
        let Some(line) = line else { return };
        let pid = self.pid(&line.actor);
        match &event.kind {
            EventKind::Failed(fault) => {
                self.begin(at, ("fault", fault.number.to_string()), pid, line.what);
            }
            EventKind::Mended(fault) => self.end(at, &("fault", fault.number.to_string())),
            _ => {
                let outcome = line.outcome.map(|outcome| format!(" → {outcome}"));
                let name = line.what + &outcome.unwrap_or_default();
                self.events.push(json!({
                    "ph": "i", "s": "p", "cat": "event", "name": name, "pid": pid, "tid": pid,
                    "ts": micros(at),
                }));
            }
        }
    }

    fn server(&mut self, at: Instant, event: &Event) {
        match event {
            Event::Changed(Change::SessionCreated(session)) => {
                let name = format!("{} {}", self.names.names.of(session.id), session.name);
                let name = name.trim_end().to_owned();
                self.begin(at, ("session", session.id.to_string()), SERVER, name);
            }
            Event::Changed(Change::SessionEnded { session, .. }) => {
                self.end(at, &("session", session.id.to_string()));
            }
            Event::Changed(Change::KeyWritten { before, after }) => {
                self.holder_changed(at, &after.key, before.as_deref(), Some(after));
            }
            Event::Changed(Change::KeyDeleted { before }) => {
                self.holder_changed(at, &before.key, Some(before), None);
            }
            Event::DelayArmed(delay) => {
                let name = format!("{} cannot be locked", delay.key);
                self.begin(at, ("lock-delay", delay.key.to_string()), SERVER, name);
            }
            Event::DelayOver { key } => self.end(at, &("lock-delay", key.to_string())),
            _ => {}
        }
    }

    /// Ends and begins the hold of a key whose entry changed, if its holder is another one.
    fn holder_changed(
        &mut self,
        at: Instant,
        key: &Key,
        before: Option<&Entry>,
        after: Option<&Entry>,
    ) {
        let holder = |entry: Option<&Entry>| entry.and_then(Entry::holder).cloned();
        let (before, after): (Option<SessionRef>, _) = (holder(before), holder(after));
        if before == after {
            return;
        }
        self.end(at, &("lock", key.to_string()));
        if let Some(holder) = after {
            let name = format!("{key} held by {}", self.names.names.of_ref(&holder));
            self.begin(at, ("lock", key.to_string()), SERVER, name);
        }
    }
}

/// A time in microseconds, which are the unit of the format.
fn micros(at: Instant) -> f64 {
    at.since(Instant::EPOCH).as_nanos() as f64 / 1_000.0
}
