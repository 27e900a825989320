//! The name that is proposed for a world: its clients, and what happened.

use lictor_sim::record::{EventCall, EventRow, EventSource, Record, ServerCall};

use super::words::Words;
use crate::format::clock;
use crate::share::world_name::free_name;

/// How many clients the name of a world has.
const CLIENTS: usize = 2;

impl Words {
    /// A name for a world without a lesson: its clients, and what makes it differ from others: its
    /// last fault or end of a session that no client wanted, else its latest act.
    pub fn world_name(&self, record: &Record) -> String {
        let clients = record.actors();
        let named = clients.iter().take(CLIENTS).map(|client| client.name.as_str());
        let mut name = named.collect::<Vec<_>>().join(self.list);
        if clients.len() > CLIENTS {
            name += &format!(" +{}", clients.len() - CLIENTS);
        }
        name += self.colon;
        let row = record.events().iter().rfind(|row| is_telling(row));
        let Some(row) = row.or_else(|| record.latest_act(usize::MAX)) else {
            return name + self.saved_world.nothing_done;
        };
        if let EventSource::Actor(who) = &row.source {
            name += &format!("{} ", who.name);
        }
        name += &self.call(&row.call);
        name += &format!("{}{}{}", self.comma, clock(row.at), self.second);
        free_name(&name, &[])
    }
}

fn is_telling(row: &EventRow) -> bool {
    match &row.call {
        EventCall::Fault(_) => true,
        EventCall::Server(call) => {
            matches!(call, ServerCall::SessionEnded { .. } | ServerCall::LeaderChanged)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::language::Language;
    use crate::test_world::TestWorld;

    #[test]
    fn a_world_is_named_after_its_clients_and_what_happened() {
        let mut played = TestWorld::new();
        let name = |played: &TestWorld| Language::English.words().world_name(&played.record);
        assert_eq!(name(&played), "web-1, web-2 +1: nothing done yet");
        let id = played.session("web-1", r#"{"TTL": "10s"}"#);
        played.advance_to(1_000);
        played.call("web-1", "PUT", &format!("/v1/kv/db?acquire={id}"), "");
        assert_eq!(name(&played), "web-1, web-2 +1: web-1 PUT kv/db?acquire=A, 1.0 s");
        played.advance_to(30_000);
        played.call("web-2", "GET", "/v1/kv/db", "");
        assert_eq!(name(&played), "web-1, web-2 +1: session A ended, 20.0 s");
        let name = Language::Chinese.words().world_name(&played.record);
        assert!(name.starts_with("web-1、web-2 +1：会话 A"), "{name}");
    }
}
