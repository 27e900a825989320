//! The document of a semaphore: which of its holders are dead, when a slot is free, and the command
//! that removes the dead ones.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::answer::{Answer, AnswerKind, Bounds, Reason};
use crate::ends::taken;
use crate::facts::Incident;
use crate::lists::KeyEntry;
use crate::time::clock;

/// The name of the key below the semaphore's prefix.
const NAME: &str = ".lock";

/// A semaphore's document: `{"Limit": 2, "Holders": ["ID", "ID"]}`, or with a map of ids as
/// Consul's Go client writes it.
pub(crate) struct Document {
    limit: usize,
    holders: Vec<String>,
    is_map: bool,
}

impl Document {
    /// The document in a key, if it is one.
    pub(crate) fn of(key: &KeyEntry) -> Option<Self> {
        key.key.strip_suffix(NAME).filter(|prefix| prefix.is_empty() || prefix.ends_with('/'))?;
        let value = STANDARD.decode(key.value.as_ref()?).ok()?;
        let value: Value = serde_json::from_slice(&value).ok()?;
        let limit = usize::try_from(value.get("Limit")?.as_u64()?).ok()?;
        let (holders, is_map) = match value.get("Holders")? {
            Value::Array(ids) => {
                (ids.iter().map(|id| id.as_str().map(String::from)).collect(), false)
            }
            Value::Object(ids) => (Some(ids.keys().cloned().collect()), true),
            Value::Null => (Some(Vec::new()), true),
            _ => return None,
        };
        Some(Self { limit, holders: holders?, is_map })
    }

    fn without(&self, dead: &[&String]) -> Value {
        let alive = self.holders.iter().filter(|id| !dead.contains(id));
        let holders: Value = match self.is_map {
            true => Value::Object(alive.map(|id| (id.clone(), json!(true))).collect()),
            false => alive.cloned().collect(),
        };
        json!({ "Limit": self.limit, "Holders": holders })
    }
}

pub(crate) fn answer(incident: &Incident, key: &KeyEntry, document: &Document) -> Answer {
    let prefix = key.key.strip_suffix(NAME).unwrap_or_default();
    let is_dead = |id: &&String| {
        let contender = incident.keys.get(&format!("{prefix}{id}"));
        let holds = contender.is_none_or(|entry| entry.session.as_ref() == Some(*id));
        let lives = incident.sessions.is_none() || incident.session(id).is_some();
        !holds || !lives || incident.end_of(id).is_some()
    };
    let dead: Vec<&String> = document.holders.iter().filter(is_dead).collect();
    let alive: Vec<&String> = document.holders.iter().filter(|id| !is_dead(id)).collect();
    let now = incident.now;
    let mut answer = Answer::new(&key.key, AnswerKind::Semaphore);
    let names = |ids: &[&String]| {
        ids.iter().map(|id| incident.name_of(id)).collect::<Vec<_>>().join(" and ")
    };
    let used = document.holders.len();
    let limit = document.limit;
    for id in &dead {
        let text =
            format!("{} is in Holders, but does not hold {prefix}{id}", incident.name_of(id));
        let line = incident.end_of(id).map(|end| &end.line);
        answer.reasons.push(Reason::new(text, line));
    }
    if alive.len() < limit {
        answer.set(Bounds { earliest: now, latest: now });
        answer.sentence = match dead.is_empty() {
            true => format!(
                "{used} of {limit} slots of the semaphore {} are used: one is free now.",
                key.key
            ),
            false => format!(
                "{used} of {limit} slots of the semaphore {} are used, {} of them by the dead: {}. \
                 A contender can take a slot now, when it has removed them from Holders by \
                 check-and-set; no lock-delay applies to a slot.",
                key.key,
                dead.len(),
                names(&dead),
            ),
        };
    } else {
        full(incident, &mut answer, limit, &alive);
    }
    if !dead.is_empty() {
        let document = document.without(&dead).to_string();
        answer.commands.push(format!(
            "curl -X PUT -d '{document}' 'http://127.0.0.1:8500/v1/kv/{}?cas={}'",
            key.key, key.modify_index
        ));
    }
    answer.reasons.extend(taken(incident));
    answer
}

/// All slots are used by sessions that live: one is free when the first of them ends.
fn full(incident: &Incident, answer: &mut Answer, limit: usize, alive: &[&String]) {
    let sessions = alive.iter().filter_map(|id| incident.session(id));
    let ends: Vec<_> = sessions
        .filter_map(|session| Some((session, incident.end_by_ttl(session, session.ttl?))))
        .collect();
    let key = &answer.key;
    let first = ends.iter().min_by_key(|(_, end)| end.bounds.latest);
    let Some((session, end)) = first else {
        answer.sentence = format!(
            "All {limit} slots of the semaphore {key} are used, and no session of their holders \
             ends by itself."
        );
        return;
    };
    let earliest = ends.iter().map(|(_, end)| end.bounds.earliest).min();
    let bounds = Bounds {
        earliest: earliest.unwrap_or(end.bounds.earliest).max(incident.now),
        latest: end.bounds.latest.max(incident.now),
    };
    answer.sentence = format!(
        "All {limit} slots of the semaphore {key} are used. If nobody renews, the first one is \
         free {}, when {} ends; no lock-delay applies to a slot.",
        bounds.text(),
        incident.name_of(&session.id),
    );
    let reasons = ends.iter().flat_map(|(_, end)| end.reasons.iter().cloned());
    answer.reasons.extend(reasons);
    let text = format!("the document was read at {}", clock(incident.taken));
    answer.reasons.push(Reason::new(text, None));
    answer.set(bounds);
}
