//! The texts of an incident that a person has added, and what they say. A worker reads them,
//! www/incident-worker.js, so that the page stays usable meanwhile.

use std::sync::Arc;

use js_sys::{Array, Promise};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, MessageEvent, Worker, WorkerOptions, WorkerType};

/// The address of the worker, relative to the page.
const WORKER: &str = "incident-worker.js";

/// The incident of a page. A `Copy` handle.
#[derive(Clone, Copy)]
pub struct IncidentReader {
    /// Whether the panel is open.
    pub is_open: RwSignal<bool>,
    /// What was pasted and not read yet.
    pub text: RwSignal<String>,
    /// The texts that were read, in the order in which they were added.
    pub sources: RwSignal<Vec<File>, LocalStorage>,
    pub report: RwSignal<Option<Arc<IncidentReport>>>,
    pub error: RwSignal<Option<IncidentReadError>>,
    /// The worker that reads at the moment.
    worker: RwSignal<Option<Worker>, LocalStorage>,
}

/// Why nothing was read. What was read before stays.
#[derive(Clone, Debug, PartialEq)]
pub enum IncidentReadError {
    /// The worker did not start.
    NoReader,
    /// The texts have nothing of Consul's, as the importer says.
    Unreadable(String),
}

/// What an incident says, as `readIncident` of the package returns it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IncidentReport {
    /// The moment for which it holds, in RFC 3339.
    pub as_of: String,
    pub answers: Vec<KeyAnswer>,
    pub effects: Vec<EndOfSession>,
    pub unused: Vec<UnusedLine>,
    /// A log that begins at this moment.
    pub world: Option<String>,
    pub no_world: Option<String>,
    pub assumptions: Vec<String>,
}

/// Who can take a key, and when.
#[derive(Clone, Debug, Deserialize)]
pub struct KeyAnswer {
    pub sentence: String,
    /// Each with the line that it rests on.
    pub reasons: Vec<String>,
    pub asked: Vec<AskedInVain>,
    /// Commands of a shell that would help.
    pub commands: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AskedInVain {
    pub session: String,
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
    Report(IncidentReport),
    Error(String),
}

impl Default for IncidentReader {
    fn default() -> Self {
        Self {
            is_open: RwSignal::new(false),
            text: RwSignal::default(),
            sources: RwSignal::new_local(Vec::new()),
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
        sources.extend(files);
        self.read(sources);
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
        if let Some(worker) = self.worker.try_update(Option::take).flatten() {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
    }

    /// Reads these texts in place of the former ones.
    fn read(self, sources: Vec<File>) {
        self.stop();
        self.error.set(None);
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let Ok(worker) = Worker::new_with_options(WORKER, &options) else {
            return self.error.set(Some(IncidentReadError::NoReader));
        };
        let message = Promise::new(&mut |resolve, reject| {
            worker.set_onmessage(Some(&resolve));
            worker.set_onerror(Some(&reject));
        });
        if worker.post_message(&Array::from_iter(&sources)).is_err() {
            return self.error.set(Some(IncidentReadError::NoReader));
        }
        self.worker.set(Some(worker));
        spawn_local(async move {
            // Of a worker that was stopped no message comes, and the promise is dropped with it.
            let message = JsFuture::from(message).await;
            self.stop();
            match message.ok().and_then(|event| read_message(event.unchecked_into())) {
                Some(Message::Report(report)) => {
                    self.sources.set(sources);
                    self.text.set(String::new());
                    self.report.set(Some(Arc::new(report)));
                }
                Some(Message::Error(text)) => {
                    self.error.set(Some(IncidentReadError::Unreadable(text)));
                }
                None => self.error.set(Some(IncidentReadError::NoReader)),
            }
        });
    }
}

fn read_message(event: MessageEvent) -> Option<Message> {
    serde_wasm_bindgen::from_value(event.data()).ok()
}
