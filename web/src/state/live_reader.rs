//! Follows a cluster through the program that serves the page, which publishes what it reads
//! (`lictor-agent incident --page`). Its texts are those of an incident, and have the same reader.

use core::time::Duration;
use std::sync::Arc;

use gloo_timers::future::sleep;
use js_sys::{Array, JSON};
use leptos::prelude::*;
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortSignal, File, RequestInit, Response};

use super::incident_reader::{Followed, IncidentReader};

/// The address of what the program publishes, relative to the page.
const LIVE: &str = "live";
/// The pause after the program did not answer.
const RETRY: Duration = Duration::from_secs(2);
/// How often the page looks whether the texts are read, before it asks for the next ones.
const READ: Duration = Duration::from_millis(50);
/// How often a hidden page looks whether it is visible again. Browsers have few connections for the
/// pages of a server.
const HIDDEN: Duration = Duration::from_millis(500);
/// How long the program may take to answer, in milliseconds. It waits up to 25 s for a change.
const ANSWER: u32 = 40_000;

/// What the page has received of the program. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
pub struct LiveReader {
    /// Whether the page follows a cluster.
    pub is_on: RwSignal<bool>,
    pub latest: RwSignal<Option<Arc<Snapshot>>>,
    pub failure: RwSignal<Option<LiveFailure>>,
    incident: IncidentReader,
}

/// Why nothing new is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveFailure {
    /// No program publishes anything beside this page. The page asks no further.
    NoProgram,
    /// The program has ended, or cannot be reached.
    Gone,
    /// Too many pages wait for a change already.
    Busy,
    /// It answers, but not with what is asked for: the reason.
    Refused(String),
}

/// What the program publishes at one time.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    version: u64,
    pub wanted: Followed,
    /// The address of the agent that is asked.
    pub address: String,
    /// Set while the cluster does not answer.
    pub stale: Option<Stale>,
    /// The time of the last answer, in RFC 3339.
    pub answered_at: Option<String>,
    pub has_log: bool,
    texts: Vec<NamedText>,
    /// The last changes, in the order of time.
    pub lines: Vec<Change>,
    /// Why there are no texts.
    pub too_many: Option<TooMany>,
}

#[derive(Debug, Deserialize)]
pub struct Stale {
    /// The time of the last answer, in RFC 3339.
    pub since: Option<String>,
    pub reason: String,
}

#[derive(Debug, Deserialize, PartialEq)]
struct NamedText {
    name: String,
    text: String,
}

/// A line of `--follow`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Change {
    /// When it was written, in RFC 3339.
    pub time: String,
    /// Its kind, such as `acquired`.
    pub change: String,
    pub text: String,
}

/// More keys or sessions than the page shows.
#[derive(Debug, Deserialize)]
pub struct TooMany {
    pub keys: usize,
    pub sessions: usize,
    /// Longer prefixes that have few enough.
    pub prefixes: Vec<SmallerPrefix>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct SmallerPrefix {
    pub prefix: String,
    pub keys: usize,
    pub sessions: usize,
}

impl Snapshot {
    /// Whether the cluster has answered.
    pub fn has_answer(&self) -> bool {
        self.answered_at.is_some() || !self.texts.is_empty() || self.too_many.is_some()
    }
}

impl LiveReader {
    pub fn new(incident: IncidentReader) -> Self {
        Self {
            is_on: RwSignal::new(false),
            latest: RwSignal::default(),
            failure: RwSignal::default(),
            incident,
        }
    }

    /// Follows the cluster until the page is unmounted, or there is no program that does. Does
    /// nothing if it follows already.
    pub fn start(self) {
        if !self.is_on.get_untracked() {
            self.failure.set(None);
            self.is_on.set(true);
            spawn_local(self.run());
        }
    }

    async fn run(self) {
        let mut version = None;
        // The signals of an unmounted page are disposed.
        while self.is_on.try_get_untracked() == Some(true) {
            if document().hidden() {
                sleep(HIDDEN).await;
                continue;
            }
            match fetch(version).await {
                Ok(snapshot) => {
                    self.failure.try_set(None);
                    if version.replace(snapshot.version) != Some(snapshot.version) {
                        self.show(snapshot).await;
                    }
                }
                Err(failure) if version.is_none() && failure != LiveFailure::Busy => {
                    self.failure.try_set(Some(LiveFailure::NoProgram));
                    self.is_on.try_set(false);
                }
                Err(failure) => {
                    self.failure.try_set(Some(failure));
                    sleep(RETRY).await;
                }
            }
        }
    }

    /// Reads the texts of a snapshot and shows it.
    async fn show(self, snapshot: Snapshot) {
        let is_read = self.latest.try_with_untracked(|latest| {
            latest.as_ref().is_some_and(|latest| latest.texts == snapshot.texts)
        });
        let Some(is_read) = is_read else { return };
        if !is_read || self.incident.error.with_untracked(Option::is_some) {
            self.incident.follow(&snapshot.wanted, files(&snapshot.texts));
        }
        while self.incident.reads_untracked() {
            sleep(READ).await;
        }
        self.latest.try_set(Some(Arc::new(snapshot)));
    }
}

/// Receives what is published: at once, or after a version as soon as there is another one.
async fn fetch(after: Option<u64>) -> Result<Snapshot, LiveFailure> {
    let address = after.map_or_else(|| LIVE.to_owned(), |after| format!("{LIVE}?after={after}"));
    let init = RequestInit::new();
    init.set_signal(Some(&AbortSignal::timeout_with_u32(ANSWER)));
    let response = JsFuture::from(window().fetch_with_str_and_init(&address, &init)).await;
    let response = response.ok().and_then(|response| response.dyn_into::<Response>().ok());
    let response = response.ok_or(LiveFailure::Gone)?;
    let text = match response.text() {
        Ok(text) => JsFuture::from(text).await.ok().and_then(|text| text.as_string()),
        Err(_) => None,
    };
    let text = text.ok_or(LiveFailure::Gone)?;
    match response.status() {
        200 => {
            let snapshot = JSON::parse(&text).unwrap_or_default();
            let snapshot = serde_wasm_bindgen::from_value(snapshot);
            snapshot.map_err(|error| LiveFailure::Refused(error.to_string()))
        }
        404 => Err(LiveFailure::Gone),
        503 => Err(LiveFailure::Busy),
        status => Err(LiveFailure::Refused(format!("HTTP {status}: {}", text.trim()))),
    }
}

/// The texts as files, as a person would add them.
fn files(texts: &[NamedText]) -> Vec<(&str, File)> {
    let file = |text: &'_ NamedText| {
        File::new_with_str_sequence(&Array::of1(&text.text.as_str().into()), &text.name)
    };
    // A browser makes a file of any text.
    texts.iter().filter_map(|text| Some((text.name.as_str(), file(text).ok()?))).collect()
}
