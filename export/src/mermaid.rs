//! A world as a sequence diagram of Mermaid: clients and the server with their requests and
//! answers, and notes for faults, ends of sessions and what programs do.

use lictor_core::id::ActorName;
use lictor_sim::trace::{SERVER, TraceWriter, words_of};
use lictor_sim::{Act, Call, EventKind, SimEvent, Travel};

use crate::world::WorldEvents;

/// The name of the server in the diagram's text.
const SERVER_ID: &str = "server";

/// The clients in the order in which they joined; the text names them by number.
struct Clients(Vec<ActorName>);

/// Writes the diagram: one line for each event that a diagram shows.
pub(crate) fn write(world: &WorldEvents) -> String {
    let joined = world.events.iter().filter_map(|event| match &event.kind {
        EventKind::Joined { actor } => Some(actor.clone()),
        _ => None,
    });
    let clients = Clients(joined.collect());
    let mut text = String::from("sequenceDiagram\n");
    for (number, name) in (1..).zip(&clients.0) {
        text.push_str(&format!("    participant c{number} as {}\n", escaped(name.as_str())));
    }
    text.push_str(&format!("    participant {SERVER_ID} as Consul\n"));
    let mut names = TraceWriter::default();
    for event in &world.events {
        let line = clients.line(event, &mut names);
        text.extend(line.map(|line| format!("    {line}\n")));
    }
    text
}

impl Clients {
    /// The identifier of a participant in the diagram: that of a client, or else the server's.
    fn id(&self, name: &str) -> String {
        let number = self.0.iter().position(|client| client.as_str() == name);
        number.map_or_else(|| SERVER_ID.into(), |number| format!("c{}", number + 1))
    }

    /// The line of an event. `None` if it has no line in a trace, and for a client that joins.
    fn line(&self, event: &SimEvent, names: &mut TraceWriter) -> Option<String> {
        if let EventKind::Sent(call) = &event.kind {
            let client = self.id(call.actor.as_str());
            let words = escaped(&request_words(call, names));
            return Some(format!("{client}->>{SERVER_ID}: {} {words}", event.at));
        }
        let line = names.lines_of(std::slice::from_ref(event)).pop()?;
        let actor = if line.actor == SERVER { SERVER_ID.into() } else { self.id(&line.actor) };
        let outcome = escaped(line.outcome.as_deref().unwrap_or_default());
        Some(match &event.kind {
            EventKind::Joined { .. } => return None,
            EventKind::Answered { .. } => format!("{SERVER_ID}-->>{actor}: {} {outcome}", line.at),
            EventKind::Travel(Travel::AnswerLost { .. }) => {
                format!("{SERVER_ID}--x{actor}: {} {outcome}", line.at)
            }
            _ => {
                let what = escaped(&line.what);
                let arrow = if outcome.is_empty() { "" } else { " → " };
                format!("Note over {actor}: {} {what}{arrow}{outcome}", line.at)
            }
        })
    }
}

/// A request in the words of the line language.
pub(crate) fn request_words(call: &Call, names: &TraceWriter) -> String {
    let act = Act::Request { actor: call.actor.clone(), request: (*call.request).clone() };
    words_of(&act, &names.names)
}

/// A text that Mermaid displays as it is, in one line: a character that could begin a comment or
/// belong to an entity or to markup is written as an entity, `#` with its number, and an end of a
/// line or another control character is replaced by a blank.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '#' | ';' | '%' | '<' | '>' | '&' | '{' | '}' | '`' | '\\' => {
                escaped.push_str(&format!("#{};", u32::from(character)));
            }
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                escaped.push(' ');
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_line_or_begins_a_comment() {
        for text in ["a;b", "#35;", "%%", "<b>&amp;", "a\nb\r\u{2028}c", "end", "\"x\": {y}"] {
            let line = escaped(text);
            // `#` and `;` may occur only as the ends of an entity.
            let rest: String = line
                .split('#')
                .enumerate()
                .map(|(number, part)| match part.split_once(';') {
                    Some((digits, rest)) if number > 0 && digits.parse::<u32>().is_ok() => rest,
                    _ => part,
                })
                .collect();
            assert!(!rest.contains(['#', ';', '%', '<', '>', '&', '\n', '\r']), "{text} {line}");
        }
        assert_eq!(escaped("a=1;b"), "a=1#59;b");
    }
}
