//! The history of one key: its values with their indexes, and the reads of clients, each with the
//! entry that its answer had and with the time at which a blocking query was answered.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use lictor_core::engine::{Event, Wake};
use lictor_core::id::{Key, RequestId};
use lictor_core::message::{Answer, Operation};
use lictor_core::store::{Change, Entry, Found, Query};
use lictor_core::time::Instant;

use super::Record;
use super::chunked_log::forget;
use super::row_keys::RowKey;
use super::tags::ActorTag;
use crate::call::{Call, Outcome, Verdict};
use crate::event::{EventKind, SimEvent, Travel};

/// What clients see of one key over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTrack {
    /// The versions of the key in order of time; the last one is the present one.
    pub versions: Vec<KeyVersion>,
    /// The reads in the order in which they were answered or began to wait.
    pub reads: Vec<KeyRead>,
    /// Whether any client has read the key. Only such a key has lanes.
    pub(super) was_read: bool,
}

/// The key from one write to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyVersion {
    /// When it was written.
    pub from: Instant,
    /// `None` while the key does not exist.
    pub entry: Option<Arc<Entry>>,
}

/// A client's read of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRead {
    /// The client.
    pub actor: ActorTag,
    /// When it was answered, or when it began to wait.
    pub from: Instant,
    /// How far it is.
    pub state: ReadState,
    call: RequestId,
}

/// How far a read is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadState {
    /// A blocking query that is not answered yet.
    Waiting,
    /// Answered at once, with this entry; `None` if there was no such key.
    Read(Option<Arc<Entry>>),
    /// A change of the store ended its wait.
    Woken(Instant, Option<Arc<Entry>>),
    /// Its wait was over, or it failed or was cancelled.
    Ended(Instant),
}

impl KeyRead {
    /// When it was answered or failed; `None` while it waits.
    fn ended(&self) -> Option<Instant> {
        match self.state {
            ReadState::Waiting => None,
            ReadState::Read(_) => Some(self.from),
            ReadState::Woken(at, _) | ReadState::Ended(at) => Some(at),
        }
    }
}

impl KeyTrack {
    /// A key that did not exist from this time on.
    fn missing(from: Instant) -> Self {
        Self {
            versions: vec![KeyVersion { from, entry: None }],
            reads: Vec::new(),
            was_read: false,
        }
    }

    fn written(&mut self, from: Instant, entry: Option<Arc<Entry>>) {
        let last = self.versions.last();
        debug_assert!(last.is_none_or(|last| last.from <= from), "versions are in order of time");
        self.versions.push(KeyVersion { from, entry });
    }
}

impl Record {
    pub(super) fn follow_keys(&mut self, event: &SimEvent) {
        let at = event.at;
        match &event.kind {
            EventKind::Server { event: Event::Changed(change), .. } => {
                let (key, entry) = match change {
                    Change::KeyWritten { after, .. } => (&after.key, Some(after.clone())),
                    Change::KeyDeleted { before } => (&before.key, None),
                    _ => return,
                };
                self.key_version(at, key, entry);
            }
            EventKind::Server { event: Event::Parked { id, .. }, call: Some(call), .. }
                if *id == call.id =>
            {
                self.key_read(at, call, ReadState::Waiting);
            }
            EventKind::Answered { call, outcome } => self.key_answered(at, call, outcome),
            EventKind::Cancelled { call, .. } | EventKind::Travel(Travel::Broken { call, .. }) => {
                self.end_wait(call, ReadState::Ended(at));
            }
            _ => {}
        }
    }

    fn key_answered(&mut self, at: Instant, call: &Call, outcome: &Outcome) {
        if read_key(call).is_none() {
            return;
        }
        let found = outcome.answer.as_ref().ok().map(|response| &response.answer);
        let entry = match found {
            Some(Answer::Found(Found::Entry(entry))) => entry.clone(),
            _ if outcome.verdict() == Verdict::Missing => None,
            _ => return self.end_wait(call, ReadState::Ended(at)),
        };
        // A blocking query whose index is old already is answered at once, as any other read.
        match &outcome.wake {
            Some(_) if !self.parked.contains_key(&call.id) => {
                self.key_read(at, call, ReadState::Read(entry));
            }
            Some(Wake::TimeUp) => self.end_wait(call, ReadState::Ended(at)),
            Some(_) => self.end_wait(call, ReadState::Woken(at, entry)),
            None => self.key_read(at, call, ReadState::Read(entry)),
        }
    }

    fn key_read(&mut self, at: Instant, call: &Call, state: ReadState) {
        let Some(key) = read_key(call) else { return };
        let Some(actor) = self.actor_tag(&call.actor).cloned() else { return };
        let begin = self.begin;
        let track = Arc::make_mut(self.key_track(key));
        forget(&mut track.reads, &|read| read.ended().is_some_and(|at| at < begin));
        track.was_read = true;
        track.reads.push(KeyRead { actor, from: at, state, call: call.id });
        self.changed_rows.insert(RowKey::Key(key.clone()));
    }

    /// The key is written, or deleted if it has no entry.
    pub(super) fn key_version(&mut self, at: Instant, key: &Key, entry: Option<Arc<Entry>>) {
        let begin = self.begin;
        let track = Arc::make_mut(self.key_track(key));
        track.written(at, entry);
        // One version is in force at the beginning.
        let begun = track.versions.partition_point(|version| version.from <= begin);
        track.versions.drain(..begun.saturating_sub(1));
    }

    fn key_track(&mut self, key: &Key) -> &mut Arc<KeyTrack> {
        let begin = self.begin;
        self.keys.entry(key.clone()).or_insert_with(|| Arc::new(KeyTrack::missing(begin)))
    }

    fn end_wait(&mut self, call: &Call, state: ReadState) {
        let Some(track) = read_key(call).and_then(|key| self.keys.get_mut(key)) else { return };
        let mut reads = Arc::make_mut(track).reads.iter_mut();
        if let Some(read) = reads.rfind(|read| read.call == call.id) {
            read.state = state;
        }
        let key = read_key(call).cloned();
        self.changed_rows.extend(key.map(RowKey::Key));
    }
}

/// The key that a call reads, if it reads exactly one.
fn read_key(call: &Call) -> Option<&Key> {
    match call.operation()? {
        Operation::Read { query: Query::Key(key), .. } => Some(key),
        _ => None,
    }
}
