//! The texts of an incident that a person has added, and the report on them. A worker
//! (www/incident-worker.js) reads them, so that the page stays usable meanwhile.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use web_sys::File;

use crate::platform::worker::PageWorker;

/// The address of the worker, relative to the page.
const WORKER: &str = "incident-worker.js";

/// The incident of a page: its texts, the worker that reads them, and the report on them.
#[derive(Clone, Copy)]
pub struct IncidentReader {
    /// Whether the panel is open.
    pub is_open: RwSignal<bool>,
    /// The text in the field, which was not read yet.
    pub text: RwSignal<String>,
    /// The texts that were read, in the order in which they were added.
    pub sources: RwSignal<Vec<IncidentSource>, LocalStorage>,
    /// Whether values, tokens and addresses are replaced before anything is read.
    pub redacts: RwSignal<bool>,
    /// How much the worker has read, from 0 to 1.
    pub progress: RwSignal<f64>,
    pub report: RwSignal<Option<Arc<IncidentReport>>>,
    pub error: RwSignal<Option<IncidentReadError>>,
    /// The worker that reads at the moment.
    worker: RwSignal<Option<PageWorker>, LocalStorage>,
}

/// A text with what is added to its times.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IncidentSource {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub file: File,
    /// In milliseconds.
    pub clock_offset: f64,
    /// The patterns of an application's lines, in place of those that are proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Vec<String>>,
}

/// What the worker is asked to read.
#[derive(Serialize)]
struct Request<'a> {
    sources: &'a [IncidentSource],
    redact: bool,
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

/// The answers of an incident, as `readIncident` of the package returns them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IncidentReport {
    /// The moment for which the answers hold, in RFC 3339.
    pub as_of: String,
    pub answers: Vec<KeyAnswer>,
    pub effects: Vec<EndOfSession>,
    pub unused: Vec<UnusedLine>,
    /// The log of a world that begins at this moment; `None` with the reason in `no_world`.
    pub world: Option<String>,
    pub no_world: Option<String>,
    pub assumptions: Vec<String>,
    /// What each text holds, in the order of the texts.
    pub sources: Vec<SourceSummary>,
    /// The last events of all texts, as the worker writes them.
    pub observed: Vec<String>,
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

/// Who can take a key, and when.
#[derive(Clone, Debug, Deserialize)]
pub struct KeyAnswer {
    pub sentence: String,
    /// Each with the line that it rests on; first those where the log of a client contradicts the
    /// server.
    pub reasons: Vec<String>,
    pub asked: Vec<FailedAcquire>,
    /// Commands of a shell that would help.
    pub commands: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct FailedAcquire {
    pub name: String,
    pub times: usize,
    pub last: String,
}

/// What the end of a session does.
#[derive(Clone, Debug, Deserialize)]
pub struct EndOfSession {
    pub sentence: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct UnusedLine {
    pub source: String,
    pub line: usize,
    pub reason: String,
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

impl Default for IncidentReader {
    fn default() -> Self {
        Self {
            is_open: RwSignal::new(false),
            text: RwSignal::default(),
            sources: RwSignal::new_local(Vec::new()),
            redacts: RwSignal::new(false),
            progress: RwSignal::new(0.0),
            report: RwSignal::default(),
            error: RwSignal::default(),
            worker: RwSignal::new_local(None),
        }
    }
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
        let name = format!("text {}", self.sources.with_untracked(Vec::len) + 1);
        if let Ok(file) = File::new_with_str_sequence(&Array::of1(&text.into()), &name) {
            self.add(vec![file]);
        }
    }

    pub fn add(self, files: Vec<File>) {
        let mut sources = self.sources.get_untracked();
        let source = |file| IncidentSource { file, clock_offset: 0.0, patterns: None };
        sources.extend(files.into_iter().map(source));
        self.read(sources);
    }

    /// Reads again with another offset of a text's clock, in milliseconds.
    pub fn set_clock_offset(self, index: usize, clock_offset: f64) {
        let mut sources = self.sources.get_untracked();
        if let Some(source) = sources.get_mut(index).filter(|it| it.clock_offset != clock_offset) {
            source.clock_offset = clock_offset;
            self.read(sources);
        }
    }

    /// Reads again with other patterns of an application's lines, one in a line.
    pub fn set_patterns(self, index: usize, patterns: &str) {
        let mut sources = self.sources.get_untracked();
        if let Some(source) = sources.get_mut(index) {
            let patterns = patterns.lines().filter(|pattern| !pattern.trim().is_empty());
            source.patterns = Some(patterns.map(str::to_owned).collect());
            self.read(sources);
        }
    }

    /// Reads again with the patterns that are proposed for a text.
    pub fn propose_patterns(self, index: usize) {
        let mut sources = self.sources.get_untracked();
        if let Some(source) = sources.get_mut(index) {
            source.patterns = None;
            self.read(sources);
        }
    }

    /// Reads again with or without values, tokens and addresses.
    pub fn set_redacts(self, redacts: bool) {
        self.redacts.set(redacts);
        let sources = self.sources.get_untracked();
        if !sources.is_empty() {
            self.read(sources);
        }
    }

    pub fn remove(self, index: usize) {
        let mut sources = self.sources.get_untracked();
        sources.remove(index);
        if sources.is_empty() {
            self.stop();
            self.sources.set(sources);
            self.report.set(None);
        } else {
            self.read(sources);
        }
    }

    /// Whether a worker reads; subscribes.
    pub fn is_reading(self) -> bool {
        self.worker.with(Option::is_some)
    }

    /// Stops reading. What was read before stays.
    pub fn stop(self) {
        self.worker.set(None);
    }

    /// Reads these texts in place of the former ones.
    fn read(self, sources: Vec<IncidentSource>) {
        self.stop();
        self.error.set(None);
        self.progress.set(0.0);
        let request = Request { sources: &sources, redact: self.redacts.get_untracked() };
        let request = serde_wasm_bindgen::to_value(&request).unwrap_or_default();
        let receive = move |message: Option<JsValue>| {
            let message = message.and_then(|it| serde_wasm_bindgen::from_value(it).ok());
            self.receive(&sources, message);
        };
        match PageWorker::start(WORKER, &request, receive) {
            Ok(worker) => self.worker.set(Some(worker)),
            Err(_) => self.error.set(Some(IncidentReadError::NoReader)),
        }
    }

    /// Handles a message of the worker that reads these texts; `None` if it failed.
    fn receive(self, sources: &[IncidentSource], message: Option<Message>) {
        match message {
            Some(Message::Progress(share)) => return self.progress.set(share),
            Some(Message::Report(report)) => {
                self.sources.set(sources.to_vec());
                self.text.set(String::new());
                self.report.set(Some(Arc::new(report)));
            }
            Some(Message::Error(text)) => {
                self.error.set(Some(IncidentReadError::Unreadable(text)));
            }
            Some(Message::Failed) => self.error.set(Some(IncidentReadError::Failed)),
            None => self.error.set(Some(IncidentReadError::NoReader)),
        }
        self.stop();
    }
}
