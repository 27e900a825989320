//! The mirror: a signal for each visible record and one for the list of keys. A change to one row
//! runs only what reads that row. It holds display rows, never truth, and calls nothing.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::{Index, Key, RequestId, SessionId};
use lictor_core::time::Instant;
use litemap::LiteMap;

use crate::exchange::Exchange;
use crate::rows::{ActorRow, Deadline, Explanation, KeyRow, LockRow, SemaphoreRow, SessionRow};
use crate::ui::Badge;

/// Rows by key. Copying it copies handles, not rows.
pub struct Table<K: 'static, V: 'static> {
    rows: StoredValue<Rows<K, V>>,
    /// Counts the changes of the list of keys.
    listed: RwSignal<u64>,
}

struct Rows<K, V> {
    by_key: LiteMap<K, ArcRwSignal<V>>,
    listing: Listing,
}

/// Whether the published list of keys is still right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    Current,
    Stale,
}

impl<K, V> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Table<K, V> {}

impl<K, V> Default for Table<K, V>
where
    K: Ord + Clone + Send + Sync + 'static,
    V: PartialEq + Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        let rows = Rows { by_key: LiteMap::new(), listing: Listing::Current };
        Self { rows: StoredValue::new(rows), listed: RwSignal::new(0) }
    }
}

impl<K, V> Table<K, V>
where
    K: Ord + Clone + Send + Sync + 'static,
    V: PartialEq + Clone + Send + Sync + 'static,
{
    /// Shows a row. Its readers run only if it differs; the list of keys is not touched before
    /// [`Table::publish`].
    pub fn put(&self, key: K, row: V) {
        let Some(signal) = self.row(&key) else {
            let mut fresh = Some((key, ArcRwSignal::new(row)));
            self.alter(&mut |rows| {
                if let Some((key, signal)) = fresh.take() {
                    rows.by_key.insert(key, signal);
                    rows.listing = Listing::Stale;
                }
            });
            return;
        };
        if signal.with_untracked(|shown| *shown != row) {
            signal.set(row);
        }
    }

    pub fn remove(&self, key: &K) {
        self.alter(&mut |rows| {
            if rows.by_key.remove(key).is_some() {
                rows.listing = Listing::Stale;
            }
        });
    }

    /// Shows the row, or takes it away if there is none.
    pub fn set(&self, key: K, row: Option<V>) {
        match row {
            Some(row) => self.put(key, row),
            None => self.remove(&key),
        }
    }

    /// Tells the readers of the key list about it, if it changed.
    pub fn publish(&self) {
        let mut was = Listing::Current;
        self.alter(&mut |rows| was = std::mem::replace(&mut rows.listing, Listing::Current));
        if was == Listing::Stale {
            self.listed.update(|count| *count += 1);
        }
    }

    /// The signal of one row.
    pub fn row(&self, key: &K) -> Option<ArcRwSignal<V>> {
        let mut found = None;
        self.alter(&mut |rows| found = rows.by_key.get(key).cloned());
        found
    }

    /// The keys, tracked.
    pub fn keys(&self) -> Arc<[K]> {
        self.listed.track();
        self.keys_untracked()
    }

    /// The keys in their order, for those who do not want to hear of changes.
    pub fn keys_untracked(&self) -> Arc<[K]> {
        let mut keys = Vec::new();
        self.alter(&mut |rows| keys.extend(rows.by_key.keys().cloned()));
        keys.into()
    }

    /// How many rows there are, tracked.
    pub fn len(&self) -> usize {
        self.listed.track();
        let mut count = 0;
        self.alter(&mut |rows| count = rows.by_key.len());
        count
    }

    /// Whether there is no row, tracked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The one way to the rows, so that the code behind a stored value is there once for each
    /// table.
    fn alter(&self, act: &mut dyn FnMut(&mut Rows<K, V>)) {
        self.rows.update_value(|rows| act(rows));
    }
}

/// Where a session stands in its list: those that live first, then the ended ones, the latest end
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionPlace {
    Living(Index, SessionId),
    Ended(core::cmp::Reverse<Instant>, SessionId),
}

/// A lane of the timeline, in the order in which lanes are drawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneId {
    Server,
    Lock(Key),
    Session(Index, SessionId),
    Slots(Key),
}

/// How often a lane has changed: what draws it watches this and reads the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version(pub u64);

/// All that the page shows, as signals.
#[derive(Clone, Copy)]
pub struct Mirror {
    pub actors: Table<Badge, ActorRow>,
    pub locks: Table<Key, LockRow>,
    pub semaphores: Table<Key, SemaphoreRow>,
    pub sessions: Table<SessionPlace, SessionRow>,
    pub keys: Table<Key, KeyRow>,
    pub lanes: Table<LaneId, Version>,
    pub exchanges: Table<RequestId, Exchange>,
    /// How many rows the event list has; its rows never change.
    pub events: RwSignal<usize>,
    pub deadlines: RwSignal<Vec<(Instant, Deadline)>>,
    pub explanation: RwSignal<Option<Explanation>>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            actors: Table::default(),
            locks: Table::default(),
            semaphores: Table::default(),
            sessions: Table::default(),
            keys: Table::default(),
            lanes: Table::default(),
            exchanges: Table::default(),
            events: RwSignal::new(0),
            deadlines: RwSignal::new(Vec::new()),
            explanation: RwSignal::new(None),
        }
    }
}

impl Mirror {
    /// Marks a lane as changed.
    pub fn redraw(&self, lane: LaneId) {
        match self.lanes.row(&lane) {
            Some(version) => version.update(|version| version.0 += 1),
            None => self.lanes.put(lane, Version::default()),
        }
    }

    /// Publishes every list of keys that changed.
    pub fn publish(&self) {
        self.actors.publish();
        self.locks.publish();
        self.semaphores.publish();
        self.sessions.publish();
        self.keys.publish();
        self.lanes.publish();
        self.exchanges.publish();
    }
}
