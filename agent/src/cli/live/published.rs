//! What the page is shown of a cluster that is followed: the texts that the follower's reader had,
//! and its last lines. Texts are shared and not copied, and become JSON only if a page asks.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::sync::watch;

use super::passes::Wanted;
use super::texts::Texts;
use super::too_many::TooMany;

/// How many of the last lines the page has.
const LINES_MAX: usize = 50;

/// What is shown at one time. A snapshot with another version shows something else.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Snapshot {
    pub(super) version: u64,
    wanted: Subject,
    address: String,
    #[serde(flatten)]
    status: Status,
    #[serde(serialize_with = "named")]
    texts: Arc<Texts>,
    /// The objects of `--json`.
    lines: VecDeque<Arc<Value>>,
    /// Why there are no texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    too_many: Option<Arc<TooMany>>,
}

/// What is followed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Subject {
    Key(String),
    Prefix(String),
    /// The arguments of the command are refused without a key and a prefix.
    Sessions,
}

/// Whether the cluster answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) stale: Option<Stale>,
    pub(super) answered_at: Option<Moment>,
    pub(super) has_log: bool,
}

/// Why nothing was answered since a time, which is that of the last answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Stale {
    pub(super) since: Option<Moment>,
    pub(super) reason: String,
}

/// A time as RFC 3339 has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment(pub(super) Timestamp);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.3}", self.0))
    }
}

fn named<S: Serializer>(texts: &Texts, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Named<'a> {
        name: &'a str,
        text: &'a str,
    }
    serializer.collect_seq(texts.iter().map(|(name, text)| Named { name, text }))
}

/// Publishes snapshots; a page that is slow or that nobody has opened does not delay it.
#[derive(Debug)]
pub(crate) struct Publisher {
    snapshot: Snapshot,
    has_changed: bool,
    sender: watch::Sender<Arc<Snapshot>>,
}

impl Publisher {
    /// A publisher without texts and lines, for a key or a prefix at an address.
    pub(super) fn new(wanted: Wanted<'_>, address: String) -> Self {
        let wanted = match wanted {
            Wanted::Key(key) => Subject::Key(key.into()),
            Wanted::Prefix(prefix) => Subject::Prefix(prefix.into()),
            Wanted::Sessions => Subject::Sessions,
        };
        let snapshot = Snapshot {
            version: 0,
            wanted,
            address,
            status: Status::default(),
            texts: Arc::default(),
            lines: VecDeque::new(),
            too_many: None,
        };
        let sender = watch::Sender::new(Arc::new(snapshot.clone()));
        Self { snapshot, has_changed: false, sender }
    }

    pub(super) fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.sender.subscribe()
    }

    /// Adds a line to the next snapshot.
    pub(super) fn line(&mut self, line: Value) {
        self.has_changed = true;
        self.snapshot.lines.push_back(Arc::new(line));
        if self.snapshot.lines.len() > LINES_MAX {
            self.snapshot.lines.pop_front();
        }
    }

    /// Replaces the texts in the next snapshot.
    pub(super) fn texts(&mut self, texts: Texts) {
        self.has_changed = true;
        (self.snapshot.texts, self.snapshot.too_many) = (Arc::new(texts), None);
    }

    /// Refuses the texts. Returns whether those before were not refused.
    pub(super) fn refuse(&mut self, too_many: TooMany) -> bool {
        self.has_changed = true;
        self.snapshot.texts = Arc::default();
        self.snapshot.too_many.replace(Arc::new(too_many)).is_none()
    }

    /// Publishes what has changed, if anything has.
    pub(super) fn publish(&mut self, status: Status) {
        if !std::mem::take(&mut self.has_changed) && self.snapshot.status == status {
            return;
        }
        self.snapshot.status = status;
        self.snapshot.version += 1;
        self.sender.send_replace(Arc::new(self.snapshot.clone()));
    }
}
