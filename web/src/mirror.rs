//! The mirror: a value to follow for each visible record and one for the list of keys. A change to
//! one row runs only what reads that row. It holds display rows, never truth, and calls nothing.

use lictor_core::id::{Index, Key, SessionId};
use lictor_core::time::Instant;
use lictor_sandbox::badge::Badge;
use lictor_sandbox::history::{Explanation, History};
use lictor_sandbox::request_log::{Exchange, ExchangeId};
use lictor_sandbox::timeline::lane_id::LaneId;
use lictor_sandbox::view::rows::{
    ActorRow, ChecksRow, Deadline, KeyRow, LockRow, SemaphoreRow, SessionRow,
};
use lictor_sim::Takeover;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::var::Var;

/// Rows by key.
pub struct Table<K, V> {
    list: List<K>,
    kind: PhantomData<Var<V>>,
}

/// The list behind a table. It does not know of what kind its rows are, so it is compiled once for
/// each kind of key.
struct List<K> {
    rows: RefCell<BTreeMap<K, Row>>,
    /// Counts the changes of the list of keys.
    listed: Var<u64>,
    /// Whether the list of keys has changed since that was last told.
    is_stale: Cell<bool>,
    /// How many rows were taken away and are still here.
    gone: Cell<usize>,
}

/// So many rows that are gone may stay, and half as many as there are.
const GONE: usize = 256;

#[derive(Clone)]
struct Row {
    /// The value to follow.
    shown: Rc<dyn Any>,
    /// Whether it was taken away since somebody last read the list: it is still drawn, and if it
    /// comes back it is the same row.
    is_gone: Cell<bool>,
}

impl<K: Ord, V> Default for Table<K, V> {
    fn default() -> Self {
        let (rows, is_stale) = (RefCell::new(BTreeMap::new()), Cell::new(false));
        let list = List { rows, listed: Var::new(0), is_stale, gone: Cell::new(0) };
        Self { list, kind: PhantomData }
    }
}

impl<K: Ord + Clone, V: 'static> Table<K, V> {
    /// Shows a row under a key that is new.
    pub fn add(&self, key: K, row: V) {
        self.list.put(key, Rc::new(Var::new(row)));
    }

    pub fn remove(&self, key: &K) {
        self.list.remove(key);
    }

    /// Takes away the rows that are not wanted.
    pub fn keep(&self, is_wanted: impl Fn(&K) -> bool) {
        self.list.keep(&is_wanted);
    }

    /// Tells the readers of the key list about it, if it changed.
    pub fn publish(&self) {
        self.list.publish();
    }

    /// Whether there is a row.
    pub fn has(&self, key: &K) -> bool {
        self.list.row(key).is_some()
    }

    /// Whether somebody holds the row, to follow it.
    pub fn is_drawn(&self, key: &K) -> bool {
        // One is here, one in the list.
        self.list.row(key).is_some_and(|shown| Rc::strong_count(&shown) > 2)
    }

    /// One row.
    pub fn row(&self, key: &K) -> Option<Rc<Var<V>>> {
        self.list.row(key)?.downcast().ok()
    }

    /// The keys in their order, followed.
    pub fn keys(&self) -> Vec<K> {
        self.list.keys()
    }

    /// The keys, for those who do not want to hear of changes.
    pub fn keys_now(&self) -> Vec<K> {
        self.list.keys_now()
    }

    /// How many rows there are, followed.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no row, followed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Ord + Clone, V: PartialEq + 'static> Table<K, V> {
    /// Shows a row. Its readers run only if it differs; the list of keys is not touched before
    /// [`Table::publish`].
    pub fn put(&self, key: K, row: V) {
        let drawn = self.list.drawn(&key);
        let shown = match drawn.and_then(|drawn| drawn.downcast::<Var<V>>().ok()) {
            Some(drawn) => {
                drawn.show(row);
                drawn
            }
            None => Rc::new(Var::new(row)),
        };
        self.list.put(key, shown);
    }

    /// Shows the row, or takes it away if there is none.
    pub fn set(&self, key: K, row: Option<V>) {
        match row {
            Some(row) => self.put(key, row),
            None => self.remove(&key),
        }
    }
}

impl<K: Ord + Clone> List<K> {
    fn put(&self, key: K, shown: Rc<dyn Any>) {
        let was = self.rows.borrow_mut().insert(key, Row { shown, is_gone: Cell::new(false) });
        let was_gone = was.as_ref().is_some_and(|was| was.is_gone.get());
        if was_gone {
            self.gone.set(self.gone.get() - 1);
        }
        if was_gone || was.is_none() {
            self.is_stale.set(true);
        }
    }

    fn remove(&self, key: &K) {
        if let Some(row) = self.rows.borrow().get(key) {
            self.take_away(row);
        }
    }

    fn keep(&self, is_wanted: &dyn Fn(&K) -> bool) {
        for (key, row) in self.rows.borrow().iter() {
            if !is_wanted(key) {
                self.take_away(row);
            }
        }
    }

    fn take_away(&self, row: &Row) {
        if !row.is_gone.replace(true) {
            self.is_stale.set(true);
            self.gone.set(self.gone.get() + 1);
        }
    }

    fn publish(&self) {
        if self.gone.get() > self.rows.borrow().len() / 2 + GONE {
            self.drop_gone(|shown| Rc::strong_count(shown) > 1);
        }
        if self.is_stale.take() {
            self.listed.update(|count| *count += 1);
        }
    }

    /// Forgets rows that are gone, but for those that still have to stay.
    fn drop_gone(&self, stays: impl Fn(&Rc<dyn Any>) -> bool) {
        if self.gone.get() == 0 {
            return;
        }
        let mut rows = self.rows.borrow_mut();
        rows.retain(|_, row| !row.is_gone.get() || stays(&row.shown));
        self.gone.set(rows.values().filter(|row| row.is_gone.get()).count());
    }

    /// A row that is there, or was.
    fn drawn(&self, key: &K) -> Option<Rc<dyn Any>> {
        self.rows.borrow().get(key).map(|row| row.shown.clone())
    }

    fn row(&self, key: &K) -> Option<Rc<dyn Any>> {
        self.rows.borrow().get(key).filter(|row| !row.is_gone.get()).map(|row| row.shown.clone())
    }

    fn keys(&self) -> Vec<K> {
        self.listed.track();
        self.drop_gone(|_| false);
        self.keys_now()
    }

    fn keys_now(&self) -> Vec<K> {
        let rows = self.rows.borrow();
        let there = rows.iter().filter(|(_, row)| !row.is_gone.get());
        there.map(|(key, _)| key.clone()).collect()
    }

    fn len(&self) -> usize {
        self.listed.track();
        self.rows.borrow().len() - self.gone.get()
    }
}

/// Where a session stands in its list: those that live first, then the ended ones, the latest end
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionPlace {
    Living(Index, SessionId),
    Ended(core::cmp::Reverse<Instant>, SessionId),
}

/// How often a lane has changed: what draws it watches this and reads the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version(pub u64);

/// All that the page shows.
pub struct Mirror {
    pub actors: Table<Badge, ActorRow>,
    pub locks: Table<Key, LockRow>,
    /// When the locks can change hands, while time stands still.
    pub takeovers: Table<Key, Takeover>,
    pub semaphores: Table<Key, SemaphoreRow>,
    pub sessions: Table<SessionPlace, SessionRow>,
    pub keys: Table<Key, KeyRow>,
    pub lanes: Table<LaneId, Version>,
    pub exchanges: Table<ExchangeId, Exchange>,
    /// How many rows the event list has. A row never changes on its branch.
    pub events: Var<usize>,
    /// How many of them are on the line of time.
    pub marks: Var<usize>,
    /// How many events the overview shows, and how often two believed.
    pub overview: Var<(usize, usize)>,
    /// Counts the changes of the branch that is shown.
    pub branch: Var<u64>,
    /// How many of them have happened at the cursor.
    pub reached: Var<usize>,
    pub deadlines: Var<Vec<(Instant, Deadline)>>,
    pub explanation: Var<Option<Arc<Explanation>>>,
    pub checks: Var<ChecksRow>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            actors: Table::default(),
            locks: Table::default(),
            takeovers: Table::default(),
            semaphores: Table::default(),
            sessions: Table::default(),
            keys: Table::default(),
            lanes: Table::default(),
            exchanges: Table::default(),
            events: Var::new(0),
            marks: Var::new(0),
            overview: Var::new((0, 0)),
            branch: Var::new(0),
            reached: Var::new(0),
            deadlines: Var::new(Vec::new()),
            explanation: Var::new(None),
            checks: Var::new(ChecksRow::default()),
        }
    }
}

impl Mirror {
    /// Draws a lane again.
    pub fn redraw(&self, lane: &LaneId) {
        if let Some(version) = self.lanes.row(lane) {
            version.update(|version| version.0 += 1);
        }
    }

    /// Takes away what the record no longer knows.
    pub fn forget(&self, record: &History) {
        self.sessions.keep(|place| match place {
            SessionPlace::Living(_, id) | SessionPlace::Ended(_, id) => {
                record.session(*id).is_some()
            }
        });
        self.lanes.keep(|lane| match lane {
            LaneId::Session(_, id) => record.session(*id).is_some(),
            LaneId::Server | LaneId::Lock(..) | LaneId::Slots(_) | LaneId::Resource(_) => true,
        });
    }

    /// Publishes every list of keys that changed.
    pub fn publish(&self) {
        self.actors.publish();
        self.locks.publish();
        self.takeovers.publish();
        self.semaphores.publish();
        self.sessions.publish();
        self.keys.publish();
        self.lanes.publish();
        self.exchanges.publish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_nobody_reads_does_not_keep_what_is_gone() {
        let table = Table::default();
        for number in 0..10_000 {
            table.put(number, "a row");
            table.remove(&number);
            table.publish();
        }
        assert!(table.list.rows.borrow().len() <= 2 * GONE + 2);
        assert_eq!(table.list.gone.get(), table.list.rows.borrow().len());
    }

    #[test]
    fn a_row_that_is_drawn_and_comes_back_is_the_same_row() {
        let table = Table::default();
        table.put(0, "before");
        let drawn = table.row(&0).expect("it is there");
        table.remove(&0);
        for number in 1..1_000 {
            table.put(number, "another");
            table.remove(&number);
            table.publish();
        }
        assert!(table.row(&0).is_none());
        table.put(0, "after");
        assert_eq!((drawn.now(), table.keys_now()), ("after", vec![0]));
    }
}
