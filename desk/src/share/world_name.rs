//! Makes names for saved worlds: one from what happened in a world, and one that no other world
//! has.

use lictor_sim::record::{EventCall, EventRow, EventSource, Record, ServerCall};
use lictor_view::format::clock;
use lictor_view::language::Language;
use lictor_view::rows;

use super::saved_world_words;

/// How many clients a proposed name lists.
const CLIENTS: usize = 2;

/// The longest name, in characters.
pub const NAME_MAX: usize = 80;

/// The name, shortened to 80 characters; with the first number from 2 on that makes it differ from
/// the names of the other worlds, if one of them has it.
pub fn free_name(name: &str, others: &[&str]) -> String {
    let is_free = |name: &String| !others.contains(&name.as_str());
    let numbered = (2_usize..).map(|number| {
        let suffix = format!(" {number}");
        let kept = name.chars().take(NAME_MAX - suffix.len());
        kept.chain(suffix.chars()).collect::<String>()
    });
    let name = name.chars().take(NAME_MAX).collect::<String>();
    core::iter::once(name).chain(numbered).find(is_free).unwrap_or_default()
}

/// A name for a world without a lesson: its clients, and the event that distinguishes it best from
/// others, which is its last fault, end of a session or change of the leader, else its latest act.
pub fn world_name(language: Language, record: &Record) -> String {
    let rows = rows::words(language);
    let clients = record.actors();
    let named = clients.iter().take(CLIENTS).map(|client| client.name.as_str());
    let mut name = named.collect::<Vec<_>>().join(rows.list);
    if clients.len() > CLIENTS {
        name += &format!(" +{}", clients.len() - CLIENTS);
    }
    name += rows.colon;
    let row = record.events().iter().rfind(|row| is_distinctive(row));
    let Some(row) = row.or_else(|| record.latest_act()) else {
        return name + saved_world_words(language).nothing_done;
    };
    if let EventSource::Actor(actor) = &row.source {
        name += &format!("{} ", actor.name);
    }
    name += &rows.call(&row.call);
    name += &format!("{}{}{}", rows.comma, clock(row.at), rows.second);
    free_name(&name, &[])
}

fn is_distinctive(row: &EventRow) -> bool {
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
    use super::*;
    use lictor_view::test_world::TestWorld;

    #[test]
    fn a_name_that_another_world_has_gets_a_number() {
        let others = ["db", "db 2", "web"];
        let free = |name: &str| free_name(name, &others);
        assert_eq!(free("jobs"), "jobs");
        assert_eq!(free("web"), "web 2");
        assert_eq!(free("db"), "db 3");
        let long = "键".repeat(NAME_MAX);
        let numbered = free_name(&long, &[&long]);
        assert_eq!(numbered, format!("{} 2", "键".repeat(NAME_MAX - 2)));
    }

    #[test]
    fn a_world_is_named_after_its_clients_and_what_happened() {
        let mut played = TestWorld::of_three();
        let name = |played: &TestWorld| world_name(Language::English, &played.record);
        assert_eq!(name(&played), "web-1, web-2 +1: nothing done yet");
        let id = played.session("web-1", r#"{"TTL": "10s"}"#);
        played.advance_to(1_000);
        played.call("web-1", "PUT", &format!("/v1/kv/db?acquire={id}"), "");
        assert_eq!(name(&played), "web-1, web-2 +1: web-1 PUT kv/db?acquire=A, 1.0 s");
        played.advance_to(30_000);
        played.call("web-2", "GET", "/v1/kv/db", "");
        assert_eq!(name(&played), "web-1, web-2 +1: session A ended, 20.0 s");
        let name = world_name(Language::Chinese, &played.record);
        assert!(name.starts_with("web-1、web-2 +1：会话 A"), "{name}");
    }
}
