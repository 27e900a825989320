//! The values of a guide's placeholders: from the step that assigns them, from the answers about
//! the key or prefix in the address of their step, or from the reader. A missing value names the
//! step that it would come from.

use serde::Serialize;

use super::guide::{Guide, GuideStep, Sender, StepRole, ValueSource};
use super::guide_choices::GuideChoices;
use super::known_keys::{KV, ObservedSemaphore, document_key, is_semaphore_document};
use super::variables::{folded, is_learnt};

/// The part of an address before a value, and the name of the value: a guide may call a session
/// `<ID>`.
const POSITIONS: [(&str, &str); 7] = [
    ("acquire=", "session"),
    ("release=", "session"),
    ("/session/renew/", "session"),
    ("/session/destroy/", "session"),
    ("/session/info/", "session"),
    ("index=", "index"),
    ("cas=", "modify-index"),
];
/// The names whose values belong to the key or prefix in the address of their step.
const OF_ADDRESS: [&str; 5] = ["index", "modify-index", "lock-modify-index", "lock-index", "other"];

/// A semaphore's document in the form of the published guide.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct LockDocument {
    limit: u64,
    holders: Vec<String>,
}

/// A value that the steps get without a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilledValue {
    Session,
    Index,
    /// `<lock>`, which is `<prefix>/.lock`.
    Lock,
    /// The document of a semaphore.
    Document,
}

impl Guide {
    /// The values that the steps get without a question.
    pub fn filled_in(&self) -> Vec<FilledValue> {
        let mut found = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            for name in step.command.required_names() {
                let is_answer = self.giving_step(number, &name).is_none()
                    && self.source(number, &name) != ValueSource::Reader;
                found.extend(match self.meaning(&name).as_str() {
                    _ if step.composes(&name) => Some(FilledValue::Document),
                    "lock" => Some(FilledValue::Lock),
                    "session" if is_answer => Some(FilledValue::Session),
                    meaning if is_answer && meaning.ends_with("index") => Some(FilledValue::Index),
                    _ => None,
                });
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The standard name for a name of this guide, by its place in an address.
    pub(super) fn meaning(&self, name: &str) -> String {
        let folded = folded(name);
        match folded.as_str() {
            "session-id" | "sessionid" => return "session".to_owned(),
            _ if is_learnt(&folded) => return folded,
            _ => {}
        }
        let addresses = self.steps.iter().filter_map(|step| step.command.source_url());
        let mut found = addresses.filter_map(|address| {
            let is_before = |it: &&(&str, &str)| address.contains(&format!("{}<{name}>", it.0));
            POSITIONS.iter().find(is_before).map(|(_, meaning)| (*meaning).to_owned())
        });
        found.next().unwrap_or(folded)
    }

    /// Where a name in a step gets its value: from the step that assigns it, from the step whose
    /// answer contains it, or from the reader.
    pub(super) fn source(&self, number: usize, name: &str) -> ValueSource {
        let step = self.giving_step(number, name).or_else(|| match self.meaning(name).as_str() {
            "session" => self.position(StepRole::CreateSession),
            meaning if OF_ADDRESS.contains(&meaning) => self.reading_step(number, meaning),
            _ => None,
        });
        step.map_or(ValueSource::Reader, ValueSource::Step)
    }

    /// The number of the step that assigns a name: the last one before this step, or else the
    /// first. `None` if no step does.
    fn giving_step(&self, number: usize, name: &str) -> Option<usize> {
        let gives = |step: &GuideStep| step.command.gives() == Some(name);
        let before = self.steps.iter().take(number).rposition(gives);
        before.or_else(|| self.steps.iter().position(gives))
    }

    /// The number of the first step that reads the address of this step, so that its answer
    /// contains the index. For other values a read of a prefix of the address, or of the `.lock`
    /// below it, will do as well.
    fn reading_step(&self, number: usize, meaning: &str) -> Option<usize> {
        let wanted = self.steps.get(number)?.written_path()?;
        let lock = document_key(&wanted);
        self.steps.iter().position(|step| {
            let Some(read) = step.written_path().filter(|_| step.role == StepRole::Read) else {
                return false;
            };
            let covers = |key: &str| key.strip_prefix(&read).is_some_and(|it| it.starts_with('/'));
            read == wanted || meaning != "index" && (covers(&wanted) || read == lock)
        })
    }

    /// The value of a name in a step for its sender. `None` if it is missing.
    pub(super) fn value(
        &self,
        number: usize,
        name: &str,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> Option<String> {
        let step = self.steps.get(number)?;
        let (actor, variables) = sender;
        if self.giving_step(number, name).is_some() {
            return variables.value(actor, name);
        }
        if step.composes(name) {
            return self.document(number, sender, choices);
        }
        match self.meaning(name).as_str() {
            "prefix" => choices.prefix(),
            "lock" => choices.prefix().map(|prefix| document_key(&prefix)),
            "body" => Some(choices.body().unwrap_or_else(|| actor.to_owned())),
            "session" => choices.value(name).or_else(|| variables.value(actor, "session")),
            meaning if OF_ADDRESS.contains(&meaning) => {
                let known = || {
                    let address = self.address(number, sender, choices)?;
                    variables.known(actor, meaning, &address)
                };
                choices.value(name).or_else(known)
            }
            _ => choices.value(name).or_else(|| variables.assigned_to(actor, name)),
        }
    }

    /// The value that a name would have if the reader entered nothing for it.
    pub fn known(&self, name: &str, sender: Sender<'_>, choices: &GuideChoices) -> Option<String> {
        let is_used = |step: &GuideStep| step.command.required_names().iter().any(|it| it == name);
        let number = self.steps.iter().position(is_used)?;
        self.value(number, name, sender, &choices.without(name))
    }

    /// The path of a step's address with its values.
    fn address(&self, number: usize, sender: Sender<'_>, choices: &GuideChoices) -> Option<String> {
        let step = self.steps.get(number)?;
        step.command.path(&|name| {
            // Their values depend on this very address, so they cannot be a part of it.
            let is_of_address = OF_ADDRESS.contains(&self.meaning(name).as_str());
            if is_of_address || step.composes(name) {
                return None;
            }
            self.value(number, name, sender, choices)
        })
    }

    /// The semaphore that a step writes or reads, according to the answers that its sender has
    /// received; empty if the step is about no semaphore.
    pub(super) fn semaphore(
        &self,
        number: usize,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> ObservedSemaphore {
        let address = self.address(number, sender, choices).unwrap_or_default();
        let key = address.strip_prefix(KV).filter(|key| is_semaphore_document(key));
        key.map(|key| sender.1.semaphore(sender.0, key)).unwrap_or_default()
    }

    /// Whether the session of a sender is a holder in the document that the sender last read;
    /// `None` without a session or such a document.
    pub(super) fn has_slot(
        &self,
        number: usize,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> Option<bool> {
        let session = sender.1.value(sender.0, "session")?;
        let known = self.semaphore(number, sender, choices);
        known.limit.map(|_| known.holders.contains(&session))
    }

    /// The limit of the semaphore, if other live sessions hold all of its slots and this step would
    /// take one.
    pub(super) fn full_limit(
        &self,
        number: usize,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> Option<u64> {
        if self.steps.get(number)?.role != StepRole::TakeSlot {
            return None;
        }
        let session = sender.1.value(sender.0, "session")?;
        let known = self.semaphore(number, sender, choices);
        let limit = known.limit.or(choices.limit())?;
        let is_full = known.holders.len() as u64 >= limit && !known.holders.contains(&session);
        is_full.then_some(limit)
    }

    /// The `.lock` document that a step writes: the live holders that the sender has read, with the
    /// sender added or removed. `None` without a session of the sender or a valid limit, and if all
    /// slots are taken.
    fn document(
        &self,
        number: usize,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> Option<String> {
        let session = sender.1.value(sender.0, "session")?;
        if self.full_limit(number, sender, choices).is_some() {
            return None;
        }
        let role = self.steps.get(number)?.role;
        let known = self.semaphore(number, sender, choices);
        let (limit, mut holders) = match role {
            StepRole::CreateLock => (choices.limit()?, Vec::new()),
            _ => (known.limit.or(choices.limit())?, known.holders),
        };
        let is_held = holders.contains(&session);
        match role {
            StepRole::ReleaseSlot => holders.retain(|holder| *holder != session),
            _ if is_held => {}
            _ => holders.push(session),
        }
        serde_json::to_string(&LockDocument { limit, holders }).ok()
    }
}

impl GuideStep {
    /// The path of its address as it is written, with `<prefix>/.lock` in place of `<lock>`.
    fn written_path(&self) -> Option<String> {
        let address = self.command.source_url()?;
        let path = address.split('?').next().unwrap_or_default();
        let path = path.find("v1/").map_or(path, |start| &path[start..]);
        Some(path.replace("<lock>", &document_key("<prefix>")).trim_end_matches('/').to_owned())
    }

    pub(super) fn composes_document(&self) -> bool {
        matches!(self.role, StepRole::CreateLock | StepRole::TakeSlot | StepRole::ReleaseSlot)
    }

    /// Whether a name of this step is the semaphore's document.
    pub(super) fn composes(&self, name: &str) -> bool {
        self.composes_document() && matches!(folded(name).as_str(), "body" | "updated-lock-body")
    }
}
