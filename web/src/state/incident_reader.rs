//! The texts of an incident that a person has added, and the report on them. A worker
//! (www/incident-worker.js) reads them, so that the page stays usable meanwhile.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use lictor_desk::incident_texts::{IncidentText, IncidentTexts};
use lictor_incident::{Missing, Picture, TakenBy};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use web_sys::File;

use crate::platform::worker::PageWorker;

/// The address of the worker, relative to the page.
const WORKER: &str = "incident-worker.js";

/// The incident of a page: its texts, the worker that reads them, and the report on them.
#[derive(Clone, Copy, Default)]
pub struct IncidentReader {
    /// Whether the panel is open.
    pub is_open: RwSignal<bool>,
    /// The text in the field, which was not read yet.
    pub text: RwSignal<String>,
    /// The texts of the report.
    pub shown: RwSignal<Vec<IncidentText<File>>, LocalStorage>,
    /// The same, and those that are being read.
    texts: StoredValue<IncidentTexts<File>, LocalStorage>,
    /// What the texts are about; `None` if a person has added them.
    followed: StoredValue<Option<Followed>>,
    /// Whether values, tokens and addresses are replaced before anything is read.
    pub redacts: RwSignal<bool>,
    /// How much the worker has read, from 0 to 1.
    pub progress: RwSignal<f64>,
    pub report: RwSignal<Option<Arc<IncidentReport>>>,
    pub error: RwSignal<Option<IncidentReadError>>,
    /// The worker that reads at the moment.
    worker: RwSignal<Option<PageWorker>, LocalStorage>,
}

/// What the worker is asked to read.
#[derive(Serialize)]
struct Request {
    sources: Vec<RequestedText>,
    redact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    followed: Option<Followed>,
}

/// What is followed of a cluster; the answers are about it alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Followed {
    Key(String),
    /// The keys that begin with this.
    Prefix(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestedText {
    name: String,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    file: File,
    clock_offset: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    patterns: Option<Vec<String>>,
}

impl From<&IncidentText<File>> for RequestedText {
    fn from(text: &IncidentText<File>) -> Self {
        let IncidentText { name, file, clock_offset, patterns, .. } = text.clone();
        Self { name, file, clock_offset, patterns }
    }
}

/// Why nothing was read. What was read before stays.
#[derive(Clone, Debug, PartialEq)]
pub enum IncidentReadError {
    /// The worker did not start, or its message is not understood.
    NoReader,
    /// The importer has failed.
    Failed,
    /// The importer refused the texts, for this reason.
    Unreadable(String),
}

/// The answers of an incident, as the worker sends them: what it shows line by line is text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IncidentReport {
    /// The moment for which the answers hold, in RFC 3339.
    pub as_of: String,
    pub answers: Vec<KeyAnswer>,
    pub missing: Vec<Missing>,
    pub lists: Vec<TakenList>,
    /// What the end of each session does, in sentences.
    pub effects: Vec<String>,
    /// The lines that were not used, each with its place and the reason.
    pub unused: Vec<String>,
    /// The log of a world that begins at this moment; `None` with the reason in `no_world`.
    pub world: Option<String>,
    pub no_world: Option<String>,
    pub assumptions: Vec<String>,
    /// What each text holds, in the order of the texts.
    pub sources: Vec<SourceSummary>,
    pub picture: Picture,
    /// The last events of all texts.
    pub observed: Vec<String>,
}

impl IncidentReport {
    /// Whether one of the lists is of keys.
    pub fn has_key_list(&self) -> bool {
        self.lists.iter().any(|taken| taken.list.contains(" key"))
    }
}

/// What a text holds.
#[derive(Clone, Debug, Deserialize)]
pub struct SourceSummary {
    pub holds: String,
    /// How many lines its log has.
    pub lines: usize,
    /// Another offset of its clock, with which it would agree with another log.
    pub proposal: Option<ClockProposal>,
    /// The patterns of its lines of an application, one in a line.
    pub patterns: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockProposal {
    /// In milliseconds.
    pub clock_offset: f64,
    pub sentence: String,
}

/// A list, with when it was taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenList {
    /// What it is, with its place.
    pub list: String,
    /// In RFC 3339.
    pub as_of: String,
    pub by: TakenBy,
}

/// Who can take a key, and when.
#[derive(Clone, Debug, Deserialize)]
pub struct KeyAnswer {
    pub key: String,
    /// The kind of the answer in capitals, the key, its holder, and the moments.
    pub headline: String,
    pub sentence: String,
    /// Each with the line that it rests on; first those where the log of a client contradicts the
    /// server.
    pub reasons: Vec<String>,
    pub asked: Vec<Asked>,
    /// Commands of a shell that would help.
    pub commands: Vec<String>,
}

/// A session that asked for a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub name: String,
    pub times: usize,
    pub last: String,
    /// Whether something shows that it did not get it.
    pub in_vain: bool,
}

/// What the worker sends.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Message {
    Progress(f64),
    Report(IncidentReport),
    Error(String),
    /// The importer has failed; why is in the console of the browser.
    Failed,
}

impl IncidentReader {
    /// Opens the panel with a text in its field, and reads it.
    pub fn open(self, text: &str) {
        self.text.set(text.to_owned());
        self.is_open.set(true);
        self.read_text();
    }

    /// Adds the text of the field.
    pub fn read_text(self) {
        let text = self.text.get_untracked();
        let Ok(file) = File::new_with_str_sequence(&Array::of1(&text.as_str().into()), "") else {
            return;
        };
        if self.change_texts(|texts| texts.add_draft(&text, file)) {
            self.read();
        }
    }

    pub fn add(self, files: Vec<File>) {
        self.change_texts(|texts| {
            files.into_iter().for_each(|file| texts.add_file(&file.name(), file));
        });
        self.read();
    }

    /// Reads these texts of a cluster in place of all others. Without one there is no report.
    pub fn follow(self, followed: &Followed, texts: Vec<(&str, File)>) {
        self.followed.set_value(Some(followed.clone()));
        if texts.is_empty() {
            self.clear();
        } else {
            self.change_texts(|all| all.replace(texts));
            self.read();
        }
    }

    /// Reads again with another offset of a text's clock, in milliseconds.
    pub fn set_clock_offset(self, id: usize, clock_offset: f64) {
        self.change(id, |text| text.clock_offset = clock_offset);
    }

    /// Reads again with other patterns of an application's lines, one in a line.
    pub fn set_patterns(self, id: usize, patterns: &str) {
        let patterns = patterns.lines().filter(|pattern| !pattern.trim().is_empty());
        let patterns = patterns.map(str::to_owned).collect();
        self.change(id, |text| text.patterns = Some(patterns));
    }

    /// Reads again with the patterns that are proposed for a text.
    pub fn propose_patterns(self, id: usize) {
        self.change(id, |text| text.patterns = None);
    }

    /// Reads again with or without values, tokens and addresses.
    pub fn set_redacts(self, redacts: bool) {
        self.redacts.set(redacts);
        if self.texts.with_value(|texts| !texts.latest().is_empty()) {
            self.read();
        }
    }

    pub fn remove(self, id: usize) {
        self.change_texts(|texts| texts.remove(id));
        if self.texts.with_value(|texts| texts.latest().is_empty()) {
            self.clear();
        } else {
            self.read();
        }
    }

    fn clear(self) {
        self.change_texts(IncidentTexts::clear);
        self.stop();
        self.error.set(None);
        self.shown.set(Vec::new());
        self.report.set(None);
    }

    fn change(self, id: usize, change: impl FnOnce(&mut IncidentText<File>)) {
        if self.change_texts(|texts| texts.change(id, change)) {
            self.read();
        }
    }

    fn change_texts<T>(self, change: impl FnOnce(&mut IncidentTexts<File>) -> T) -> T {
        self.texts.try_update_value(change).expect("the page lives as long as its state")
    }

    /// Whether a worker reads; subscribes.
    pub fn is_reading(self) -> bool {
        self.worker.with(Option::is_some)
    }

    /// Whether a worker reads. An unmounted page reads nothing.
    pub fn reads_untracked(self) -> bool {
        self.worker.try_with_untracked(Option::is_some).unwrap_or(false)
    }

    /// Stops reading. What was read before stays.
    pub fn stop(self) {
        self.worker.set(None);
        self.change_texts(IncidentTexts::stop);
    }

    /// Reads the latest texts, in place of those that are being read.
    fn read(self) {
        self.error.set(None);
        self.progress.set(0.0);
        let sources = |texts: &IncidentTexts<File>| texts.latest().iter().map(Into::into).collect();
        let sources = self.texts.with_value(sources);
        let followed = self.followed.get_value();
        let request = Request { sources, redact: self.redacts.get_untracked(), followed };
        let request = serde_wasm_bindgen::to_value(&request).unwrap_or_default();
        let receive = move |message: Option<JsValue>| {
            let message = message.and_then(|it| serde_wasm_bindgen::from_value(it).ok());
            self.receive(message);
        };
        self.worker.set(None);
        match PageWorker::start(WORKER, &request, receive) {
            Ok(worker) => self.worker.set(Some(worker)),
            Err(_) => self.fail(IncidentReadError::NoReader),
        }
    }

    /// Handles a message of the worker that reads the latest texts; `None` if it failed.
    fn receive(self, message: Option<Message>) {
        match message {
            Some(Message::Progress(share)) => self.progress.set(share),
            Some(Message::Report(report)) => {
                let field = self.text.get_untracked();
                if self.change_texts(|texts| texts.finish(&field)) {
                    self.text.set(String::new());
                }
                self.shown.set(self.texts.with_value(|texts| texts.shown().to_vec()));
                self.report.set(Some(Arc::new(report)));
                self.stop();
            }
            Some(Message::Error(text)) => self.fail(IncidentReadError::Unreadable(text)),
            Some(Message::Failed) => self.fail(IncidentReadError::Failed),
            None => self.fail(IncidentReadError::NoReader),
        }
    }

    fn fail(self, error: IncidentReadError) {
        self.error.set(Some(error));
        self.stop();
    }
}
