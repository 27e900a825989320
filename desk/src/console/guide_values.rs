//! The values of a guide's placeholders: from the step or the line of the text that assigns them,
//! from the answers about the key or prefix in the address of their step, or from the reader. A
//! missing value names the step that it would come from.

use serde::Serialize;

use super::command::FilledCommand;
use super::error::ErrorKind;
use super::guide::{Guide, GuideStep, MissingValue, Sender, Setting, StepRole, ValueSource};
use super::known_keys::{KV, ObservedSemaphore, document_key, is_semaphore_document};
use super::variables::{HOST_NAME, INNER_NAME, WHOLE_ANSWER, folded, is_learnt};

/// The part of an address before a value, and the name of the value: a guide may call a session
/// `<ID>`.
pub(super) const POSITIONS: [(&str, &str); 7] = [
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

/// The largest number of variables that are set one from the other.
const DEPTH_MAX: usize = 16;

/// A place in the text: the numbers of steps and settings before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    steps: usize,
    settings: usize,
}

/// What assigns a name.
enum Giver {
    Step(usize),
    Setting(usize),
}

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
            for (name, place) in self.required_names(number) {
                let is_answer = !matches!(self.giver(place, &name), Some(Giver::Step(_)))
                    && self.source_at(place, &name) != ValueSource::Reader;
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
            // What a program prints, and an argument of a script, can be anything.
            _ if is_learnt(&folded) || name.starts_with('$') => return folded,
            _ => {}
        }
        let addresses = self.steps.iter().filter_map(|step| step.address.as_ref());
        let mut found = addresses.filter_map(|address| {
            let is_before = |it: &&(&str, &str)| address.contains(&format!("{}<{name}>", it.0));
            POSITIONS.iter().find(is_before).map(|(_, meaning)| (*meaning).to_owned())
        });
        found.next().unwrap_or(folded)
    }

    pub(super) fn place_of(&self, number: usize) -> Place {
        let settings = self.settings.iter().filter(|it| it.steps_before <= number).count();
        Place { steps: number, settings }
    }

    /// Where a name at a place gets its value: from the step that assigns it, from the step whose
    /// answer contains it, or from the reader.
    pub(super) fn source_at(&self, place: Place, name: &str) -> ValueSource {
        let step = match self.giver(place, name) {
            Some(Giver::Step(step)) => Some(step),
            Some(Giver::Setting(_)) => None,
            None => match self.meaning(name).as_str() {
                "session" => self.position(StepRole::CreateSession),
                meaning if OF_ADDRESS.contains(&meaning) => self.reading_step(place.steps, meaning),
                _ => None,
            },
        };
        step.map_or(ValueSource::Reader, ValueSource::Step)
    }

    /// What assigns a name: the last step or line before this place, or else the first step. A line
    /// whose value only the reader knows counts only if nothing else assigns the name.
    fn giver(&self, place: Place, name: &str) -> Option<Giver> {
        let gives = |step: &GuideStep| step.command.assign.as_deref() == Some(name);
        let step = self.steps.iter().take(place.steps).rposition(gives);
        let before = self.settings.get(..place.settings).unwrap_or_default();
        let setting = before.iter().rposition(|it| it.name == name && !it.is_open());
        let open = || before.iter().rposition(|it| it.name == name);
        match (step, setting) {
            (Some(step), Some(setting)) if before[setting].steps_before > step => {
                Some(Giver::Setting(setting))
            }
            (Some(step), _) => Some(Giver::Step(step)),
            (None, Some(setting)) => Some(Giver::Setting(setting)),
            (None, None) => {
                let later = self.steps.iter().position(gives).map(Giver::Step);
                later.or_else(|| open().map(Giver::Setting))
            }
        }
    }

    /// The names that a step needs, each with the place at which its value counts: those of the
    /// lines that set its variables are included.
    pub(super) fn required_names(&self, number: usize) -> Vec<(String, Place)> {
        let mut names = Vec::new();
        if let Some(step) = self.steps.get(number) {
            let place = self.place_of(number);
            for name in step.command.names_without(&|name| self.set_value(place, name, 0)) {
                self.add_required(place, name, &mut names, 0);
            }
        }
        names
    }

    fn add_required(
        &self,
        place: Place,
        name: String,
        names: &mut Vec<(String, Place)>,
        depth: usize,
    ) {
        match self.giver(place, &name) {
            Some(Giver::Setting(number)) if depth < DEPTH_MAX => {
                let place = self.place_of_setting(number);
                let command = &self.settings[number].command;
                for name in command.names_without(&|name| self.set_value(place, name, 0)) {
                    self.add_required(place, name, names, depth + 1);
                }
            }
            _ if names.contains(&(name.clone(), place)) => {}
            _ => names.push((name, place)),
        }
    }

    fn place_of_setting(&self, number: usize) -> Place {
        Place { steps: self.settings[number].steps_before, settings: number }
    }

    /// The values that are missing for a name at a place.
    pub(super) fn lacking_at(
        &self,
        place: Place,
        name: &str,
        sender: Sender<'_>,
        found: &mut Vec<MissingValue>,
    ) {
        if let Some(Giver::Setting(number)) = self.giver(place, name) {
            let place = self.place_of_setting(number);
            let value = |name: &str| self.value_at(place, name, sender);
            let errors = self.settings[number].command.fill(&value).err().unwrap_or_default();
            for error in errors {
                match error.kind {
                    ErrorKind::NoValue(name) if found.len() < DEPTH_MAX => {
                        self.lacking_at(place, &name, sender, found);
                    }
                    _ => {}
                }
            }
        } else if !found.iter().any(|it| it.name == name) {
            let source = self.source_at(place, name);
            found.push(MissingValue { name: name.to_owned(), source });
        }
    }

    /// The value that the lines of the text give a name without any answer; `None` if they do not.
    pub(super) fn set_value(&self, place: Place, name: &str, depth: usize) -> Option<String> {
        let Some(Giver::Setting(number)) = self.giver(place, name) else { return None };
        let place = self.place_of_setting(number);
        let value = |name: &str| {
            if depth < DEPTH_MAX { self.set_value(place, name, depth + 1) } else { None }
        };
        self.settings[number].value(&value)
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
    pub(super) fn value(&self, number: usize, name: &str, sender: Sender<'_>) -> Option<String> {
        if self.steps.get(number)?.composes(name) {
            return self.document(number, sender);
        }
        self.value_at(self.place_of(number), name, sender)
    }

    /// The value of a name at a place of the text.
    fn value_at(&self, place: Place, written: &str, sender: Sender<'_>) -> Option<String> {
        let Sender { actor, variables, choices } = sender;
        let name = written.strip_prefix(WHOLE_ANSWER).unwrap_or(written);
        match self.giver(place, name) {
            Some(Giver::Step(_)) => return variables.value(actor, written),
            Some(Giver::Setting(number)) => {
                let place = self.place_of_setting(number);
                let value = |name: &str| self.value_at(place, name, sender);
                return self.settings[number].value(&value);
            }
            None if written.starts_with(WHOLE_ANSWER) => return None,
            None => {}
        }
        match self.meaning(name).as_str() {
            _ if name == HOST_NAME => choices.value(name).or_else(|| Some(actor.to_owned())),
            "prefix" => choices.prefix(),
            "lock" => choices.prefix().map(|prefix| document_key(&prefix)),
            "body" => Some(choices.body().unwrap_or_else(|| actor.to_owned())),
            "session" => choices.value(name).or_else(|| variables.value(actor, "session")),
            meaning if OF_ADDRESS.contains(&meaning) => {
                let known = || {
                    let address = self.address(place.steps, sender)?;
                    variables.known(actor, meaning, &address)
                };
                choices.value(name).or_else(known)
            }
            _ => choices.value(name).or_else(|| variables.assigned_to(actor, name)),
        }
    }

    /// The value that a name would have if the reader entered nothing for it.
    pub fn known(&self, name: &str, sender: Sender<'_>) -> Option<String> {
        let is_used = |number: &usize| self.required_names(*number).iter().any(|it| it.0 == name);
        let number = (0..self.steps.len()).find(is_used)?;
        let choices = sender.choices.without(name);
        self.value(number, name, Sender { choices: &choices, ..sender })
    }

    /// The path of a step's address with its values.
    fn address(&self, number: usize, sender: Sender<'_>) -> Option<String> {
        let step = self.steps.get(number)?;
        step.command.path(&|name| {
            // Their values depend on this very address, so they cannot be a part of it.
            let is_of_address = OF_ADDRESS.contains(&self.meaning(name).as_str());
            if is_of_address || step.composes(name) {
                return None;
            }
            self.value(number, name, sender)
        })
    }

    /// The semaphore that a step writes or reads, according to the answers that its sender has
    /// received; empty if the step is about no semaphore.
    pub(super) fn semaphore(&self, number: usize, sender: Sender<'_>) -> ObservedSemaphore {
        let address = self.address(number, sender).unwrap_or_default();
        let key = address.strip_prefix(KV).filter(|key| is_semaphore_document(key));
        key.map(|key| sender.variables.semaphore(sender.actor, key)).unwrap_or_default()
    }

    /// Whether the session of a sender is a holder in the document that the sender last read;
    /// `None` without a session or such a document.
    pub(super) fn has_slot(&self, number: usize, sender: Sender<'_>) -> Option<bool> {
        let session = sender.session()?;
        let known = self.semaphore(number, sender);
        known.limit.map(|_| known.holders.contains(&session))
    }

    /// The limit of the semaphore, if other live sessions hold all of its slots and this step would
    /// take one.
    pub(super) fn full_limit(&self, number: usize, sender: Sender<'_>) -> Option<u64> {
        if self.steps.get(number)?.role != StepRole::TakeSlot {
            return None;
        }
        let session = sender.session()?;
        let known = self.semaphore(number, sender);
        let limit = known.limit.or(sender.choices.limit())?;
        let is_full = known.holders.len() as u64 >= limit && !known.holders.contains(&session);
        is_full.then_some(limit)
    }

    /// The `.lock` document that a step writes: the live holders that the sender has read, with the
    /// sender added or removed. `None` without a session of the sender or a valid limit, and if all
    /// slots are taken.
    fn document(&self, number: usize, sender: Sender<'_>) -> Option<String> {
        let session = sender.session()?;
        if self.full_limit(number, sender).is_some() {
            return None;
        }
        let role = self.steps.get(number)?.role;
        let known = self.semaphore(number, sender);
        let (limit, mut holders) = match role {
            StepRole::CreateLock => (sender.choices.limit()?, Vec::new()),
            _ => (known.limit.or(sender.choices.limit())?, known.holders),
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

impl Setting {
    /// The value that it sets; `None` if one of its names has none.
    fn value(&self, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match self.command.fill(value).ok()? {
            FilledCommand::Keep { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Whether its value depends on an argument of a script or on a program that does not run here.
    fn is_open(&self) -> bool {
        let is_asked = |name: &String| {
            let digits = name.strip_prefix(INNER_NAME).unwrap_or("x");
            name.starts_with('$') && !digits.chars().all(|c| c.is_ascii_digit())
        };
        self.command.required_names().iter().any(is_asked)
    }
}

impl GuideStep {
    /// The path of its address as it is written, with `<prefix>/.lock` in place of `<lock>`.
    fn written_path(&self) -> Option<String> {
        let path = self.address.as_ref()?.split('?').next().unwrap_or_default();
        let path = path.find("v1/").map_or(path, |start| &path[start..]);
        Some(path.replace("<lock>", &document_key("<prefix>")).trim_end_matches('/').to_owned())
    }

    /// Whether it writes a semaphore's document that is composed of what the sender has read.
    pub(super) fn composes_document(&self) -> bool {
        let is_write =
            matches!(self.role, StepRole::CreateLock | StepRole::TakeSlot | StepRole::ReleaseSlot);
        is_write && self.command.required_names().iter().any(|name| is_document(name))
    }

    /// Whether a name of this step is the semaphore's document.
    pub(super) fn composes(&self, name: &str) -> bool {
        is_document(name) && self.composes_document()
    }
}

/// Whether a name is one of the document that a contender for a semaphore writes.
pub(super) fn is_document(name: &str) -> bool {
    matches!(folded(name).as_str(), "body" | "updated-lock-body")
}
