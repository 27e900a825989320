//! The summary of a world in the list of worlds. It is saved beside the log, so that the list opens
//! without reading the logs.

use lictor_core::time::Instant;
use lictor_sim::record::Record;
use lictor_sim::timeline::Timeline;
use serde::{Deserialize, Serialize};

use crate::lessons::LessonProgress;

/// The largest number of keys that are named.
const KEYS: usize = 3;

/// The clients of a world, its size, and some of its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldSummary {
    /// The names of its clients, in the order in which they joined.
    pub clients: Vec<String>,
    /// The number of rows of the event list at the end of the open branch.
    pub events: usize,
    /// The time at the end of the open branch.
    pub end: Instant,
    /// Some keys, with the label of a session in place of its id.
    pub keys: Vec<String>,
    /// The number of the scenario, if the world is that of a lesson.
    pub question: Option<u32>,
}

impl WorldSummary {
    pub fn new(timeline: &Timeline<Record>, lesson: Option<&LessonProgress>) -> Self {
        let world = timeline.world();
        let record = timeline.record_at_end();
        let keys = world.store().kv().with_prefix("").take(KEYS);
        Self {
            clients: world.actors().iter().map(|actor| actor.name.to_string()).collect(),
            events: record.events().len(),
            end: timeline.here().end().at,
            keys: keys.map(|entry| record.key_name(&entry.key)).collect(),
            question: lesson.map(|reading| reading.lesson.scenario.number),
        }
    }

    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the text of a summary. `None` for a text that is malformed or of another version.
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use lictor_core::http::HttpRequest;
    use lictor_sim::{Act, World};

    use super::*;

    #[test]
    fn a_summary_is_read_as_it_was_written() {
        let mut timeline = Timeline::recorded(World::new(1));
        let actor = lictor_core::id::ActorName::from("web-1");
        timeline.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        let request = HttpRequest::new("PUT", "/v1/kv/a", b"1");
        timeline.perform(Act::Request { actor, request }).expect("it is possible");
        let summary = WorldSummary::new(&timeline, None);
        assert_eq!(
            (summary.clients.join(" "), summary.keys.join(" ")),
            ("web-1".into(), "a".into())
        );
        assert_eq!(summary.events, 2, "web-1 joins, and writes a");
        assert_eq!(WorldSummary::from_text(&summary.to_text()), Some(summary));
        assert_eq!(WorldSummary::from_text("{}"), None);
    }

    #[test]
    fn keys_of_contenders_have_the_labels_of_their_sessions() {
        let mut timeline = Timeline::<Record>::recorded(World::new(1));
        let actor = lictor_core::id::ActorName::from("web-1");
        timeline.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        let create = HttpRequest::new("PUT", "/v1/session/create", b"");
        let create = Act::Request { actor: actor.clone(), request: create };
        timeline.perform(create).expect("it is possible");
        let session = timeline.record().sessions().next().expect("it was created").session.id;
        let key = format!("/v1/kv/jobs/{session}?acquire={session}");
        let request = HttpRequest::new("PUT", &key, b"");
        timeline.perform(Act::Request { actor, request }).expect("it is possible");
        assert_eq!(WorldSummary::new(&timeline, None).keys, ["jobs/A"]);
    }
}
