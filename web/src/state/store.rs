//! The signals to which components subscribe: one for each row that they show, and one for each
//! list of rows. A row is set only if it differs, so that a change notifies only the components of
//! that row.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::{Index, Key, RequestId, SessionId};
use lictor_core::time::Instant;
use lictor_sim::Takeover;
use lictor_sim::record::Badge;
use lictor_sim::record::Exchange;
use lictor_sim::record::{CheckPath, Record};
use lictor_view::rows::{
    ActorRow, ChecksRow, HealthCheckRow, KeyRow, LockRow, SemaphoreRow, SessionRow, Upcoming,
};
use lictor_view::timeline::lane_id::LaneId;

use crate::signals::SetIfChanged;

/// The largest number of next events that are shown.
pub const NEXT_UP: usize = 3;

/// Rows by key. A cheap copy: all copies share the rows, which live as long as the owner that was
/// current when they were created.
pub struct Rows<K: 'static, V: 'static> {
    table: StoredValue<Table<K, V>>,
    list: RwSignal<Arc<Vec<Row<K, V>>>>,
}

/// One row: its key, its id, and its signal. Lists use `id` as the key of a `<For>`: a row that was
/// removed and added again, as in another world, has another id, so that the component of the old
/// row does not stay.
pub struct Row<K, V> {
    pub key: K,
    pub id: RowId,
    pub signal: ArcRwSignal<V>,
}

/// The id of a row in its table, which no other row ever has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowId(u64);

impl<K: Clone, V> Clone for Row<K, V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), id: self.id, signal: self.signal.clone() }
    }
}

impl<K, V> PartialEq for Row<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<K, V> Clone for Rows<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Rows<K, V> {}

struct Table<K, V> {
    rows: BTreeMap<K, Entry<V>>,
    /// The id of the next new row.
    next_id: u64,
    /// Whether the list has changed since it was last published.
    is_stale: bool,
}

/// A row in its table.
struct Entry<V> {
    id: RowId,
    signal: ArcRwSignal<V>,
    /// A removed row stays until the list is published: if it is added again before, the component
    /// that still shows it keeps its signal.
    is_removed: bool,
}

impl<K, V> Default for Rows<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Send + Sync,
{
    fn default() -> Self {
        let table = Table { rows: BTreeMap::new(), next_id: 0, is_stale: false };
        Self { table: StoredValue::new(table), list: RwSignal::default() }
    }
}

impl<K, V> Rows<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Send + Sync,
{
    /// Removes a row, if there is one.
    pub fn remove(self, key: &K) {
        self.table.update_value(|table| {
            if let Some(row) = table.rows.get_mut(key).filter(|row| !row.is_removed) {
                row.is_removed = true;
                table.is_stale = true;
            }
        });
    }

    /// Removes the rows of which `is_kept` is false.
    pub fn retain(self, is_kept: impl Fn(&K) -> bool) {
        self.table.update_value(|table| {
            for (key, row) in &mut table.rows {
                if !row.is_removed && !is_kept(key) {
                    row.is_removed = true;
                    table.is_stale = true;
                }
            }
        });
    }

    /// Removes all rows at once; rows that follow are new, even under the same keys.
    pub fn clear(self) {
        self.table.update_value(|table| {
            table.is_stale |= !table.rows.is_empty();
            table.rows.clear();
        });
    }

    /// Updates the list, if it has changed.
    pub fn publish(self) {
        let list = self.table.try_update_value(|table| {
            if !std::mem::take(&mut table.is_stale) {
                return None;
            }
            table.rows.retain(|_, row| !row.is_removed);
            let rows = table.rows.iter().map(|(key, row)| Row {
                key: key.clone(),
                id: row.id,
                signal: row.signal.clone(),
            });
            Some(Arc::new(rows.collect()))
        });
        if let Some(list) = list.flatten() {
            self.list.set(list);
        }
    }

    /// The signal of a row; `None` if there is no such row.
    pub fn row(self, key: &K) -> Option<ArcRwSignal<V>> {
        self.table.with_value(|table| {
            let row = table.rows.get(key).filter(|row| !row.is_removed)?;
            Some(row.signal.clone())
        })
    }

    /// The rows in the order of their keys; subscribes to the list.
    pub fn list(self) -> Arc<Vec<Row<K, V>>> {
        self.list.get()
    }

    /// Subscribes to the list.
    pub fn track(self) {
        self.list.track();
    }

    /// The keys of all rows now, also of those that are not published yet.
    pub fn current_keys(self) -> Vec<K> {
        self.table.with_value(|table| {
            let rows = table.rows.iter().filter(|(_, row)| !row.is_removed);
            rows.map(|(key, _)| key.clone()).collect()
        })
    }

    /// The number of rows; subscribes to the list.
    pub fn len(self) -> usize {
        self.list.with(|list| list.len())
    }

    /// Whether there is no row; subscribes to the list.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl<K, V> Rows<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: PartialEq + Send + Sync,
{
    /// Sets a row, or adds it.
    pub fn put(self, key: K, value: V) {
        self.table.update_value(|table| match table.rows.get_mut(&key) {
            Some(row) => {
                table.is_stale |= std::mem::take(&mut row.is_removed);
                row.signal.set_if_changed(value);
            }
            None => {
                let (id, signal) = (RowId(table.next_id), ArcRwSignal::new(value));
                table.next_id += 1;
                table.rows.insert(key, Entry { id, signal, is_removed: false });
                table.is_stale = true;
            }
        });
    }

    /// Sets the row, or removes it.
    pub fn set(self, key: K, value: Option<V>) {
        match value {
            Some(value) => self.put(key, value),
            None => self.remove(&key),
        }
    }
}

/// The order of sessions in their list: living ones first, then ended ones, the latest end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionSortKey {
    Living(Index, SessionId),
    Ended(core::cmp::Reverse<Instant>, SessionId),
}

/// The number of changes of a lane: its component subscribes to it and reads the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version(pub u64);

/// The rows and figures of the world that components show. A cheap copy: all copies share them.
#[derive(Clone, Copy, Default)]
pub struct Store {
    pub actors: Rows<Badge, ActorRow>,
    pub locks: Rows<Key, LockRow>,
    /// The earliest takeover of each lock, while time is paused.
    pub takeovers: Rows<Key, Takeover>,
    pub semaphores: Rows<Key, SemaphoreRow>,
    pub sessions: Rows<SessionSortKey, SessionRow>,
    pub health_checks: Rows<CheckPath, HealthCheckRow>,
    pub keys: Rows<Key, KeyRow>,
    pub lanes: Rows<LaneId, Version>,
    /// The latest requests of people, up to the cursor.
    pub exchanges: Rows<RequestId, Exchange>,
    /// The number of events on the branch that is shown. An event never changes on its branch.
    pub events: RwSignal<usize>,
    /// The number of marks on the scrubber.
    pub marks: RwSignal<usize>,
    /// The number of events that the overview shows, and of times that two clients believed they
    /// held one lock.
    pub overview: RwSignal<(usize, usize)>,
    /// Counts the changes of the branch that is shown.
    pub branch: RwSignal<u64>,
    /// The number of events up to the cursor.
    pub reached: RwSignal<usize>,
    /// The next events after the cursor.
    pub next_up: RwSignal<Vec<(Instant, Upcoming)>>,
    /// Counts the changes of the future that the lanes show.
    pub future: RwSignal<u64>,
    /// The time up to which the lanes are computed.
    pub forecast_until: RwSignal<Instant>,
    pub checks: RwSignal<ChecksRow>,
}

impl Store {
    /// Notifies the component of a lane that its track has changed.
    pub fn redraw(self, lane: &LaneId) {
        if let Some(version) = self.lanes.row(lane) {
            version.update(|version| version.0 += 1);
        }
    }

    /// Removes the rows of sessions and the lanes that the record no longer has.
    pub fn forget(self, record: &Record) {
        self.sessions.retain(|sort_key| match sort_key {
            SessionSortKey::Living(_, id) | SessionSortKey::Ended(_, id) => {
                record.session(*id).is_some()
            }
        });
        self.lanes.retain(|lane| lane.exists_in(record));
    }

    /// Removes every row, before another world is shown.
    pub fn clear(self) {
        self.actors.clear();
        self.locks.clear();
        self.takeovers.clear();
        self.semaphores.clear();
        self.sessions.clear();
        self.health_checks.clear();
        self.keys.clear();
        self.lanes.clear();
        self.exchanges.clear();
    }

    /// Updates every list that has changed.
    pub fn publish(self) {
        self.actors.publish();
        self.locks.publish();
        self.takeovers.publish();
        self.semaphores.publish();
        self.sessions.publish();
        self.health_checks.publish();
        self.keys.publish();
        self.lanes.publish();
        self.exchanges.publish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_row_that_is_removed_and_added_again_before_publishing_keeps_its_signal() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = Rows::default();
            rows.put(0, "before");
            rows.publish();
            let signal = rows.row(&0).expect("the row is there");
            rows.remove(&0);
            assert!(rows.row(&0).is_none());
            rows.put(0, "after");
            rows.publish();
            assert_eq!((signal.get_untracked(), rows.current_keys()), ("after", vec![0]));
        });
    }

    #[test]
    fn a_row_that_is_added_again_after_publishing_has_another_id() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = Rows::default();
            let id = || rows.list().first().map(|row: &Row<u8, &str>| row.id);
            rows.put(0, "before");
            rows.publish();
            let before = id();
            rows.remove(&0);
            rows.publish();
            rows.put(0, "after");
            rows.publish();
            assert_ne!(before, id());
            rows.clear();
            rows.put(0, "in another world");
            rows.publish();
            assert_eq!(id(), Some(RowId(2)));
        });
    }

    #[test]
    fn removed_rows_are_dropped_when_the_list_is_published() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = Rows::default();
            for number in 0..100 {
                rows.put(number, "a row");
                rows.remove(&number);
            }
            rows.publish();
            assert!(rows.table.with_value(|table| table.rows.is_empty()));
        });
    }
}
