//! Blocking queries that wait, indexed by what they watch: a write only looks up the queries that
//! watch what it changed.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{Folded, Index, Key, QueryId, RequestId, SessionId};
use crate::store::{Change, Query, Store};

/// A blocking query that waits until the index of what it reads is above that of its caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedQuery {
    /// What it reads.
    pub query: Query,
    /// The index that its caller has sent; from the second miss on, that of the last run (BLK-13).
    pub min_index: Index,
    /// The index of its last run; the answer after a timeout has it (BLK-05).
    pub seen: Index,
    /// Whether an earlier run found nothing (BLK-09, BLK-13).
    pub was_missing: bool,
    scope: WatchScope,
}

/// What a query watches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum WatchScope {
    Key(Key),
    Prefix(Key),
    Rows(WatchedRows),
    /// Nothing can change the answer, for example of a query for a malformed id.
    Nothing,
}

/// Rows to watch outside the key/value table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum WatchedRows {
    Session(SessionId),
    SessionsOfNode(Folded),
    Sessions,
    Catalog,
    PreparedQuery(QueryId),
    PreparedQueries,
    UserEvents,
}

/// All parked queries, by request id and by what they watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Queries", into = "Queries")]
pub(super) struct ParkedQueries {
    queries: BTreeMap<RequestId, ParkedQuery>,
    keys: BTreeSet<(Key, RequestId)>,
    prefixes: BTreeSet<(Key, RequestId)>,
    rows: BTreeSet<(WatchedRows, RequestId)>,
}

/// The serialized form of [`ParkedQueries`]; the other indexes are rebuilt from it.
type Queries = BTreeMap<RequestId, ParkedQuery>;

impl ParkedQuery {
    pub(super) fn new(query: Query, min_index: Index) -> Self {
        Self { query, min_index, seen: Index::ZERO, was_missing: false, scope: WatchScope::Nothing }
    }

    /// Updates what the query watches, after each run (BLK-04).
    pub(super) fn watch(&mut self, store: &Store) {
        self.scope = scope_of(store, &self.query);
    }
}

impl ParkedQueries {
    pub(super) fn len(&self) -> usize {
        self.queries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.queries.iter().map(|(id, query)| (*id, query))
    }

    pub(super) fn get(&self, id: RequestId) -> Option<&ParkedQuery> {
        self.queries.get(&id)
    }

    pub(super) fn insert(&mut self, id: RequestId, query: ParkedQuery) {
        let is_new = match query.scope.clone() {
            WatchScope::Key(key) => self.keys.insert((key, id)),
            WatchScope::Prefix(prefix) => self.prefixes.insert((prefix, id)),
            WatchScope::Rows(rows) => self.rows.insert((rows, id)),
            WatchScope::Nothing => true,
        };
        let earlier = self.queries.insert(id, query);
        debug_assert!(is_new && earlier.is_none(), "a request waits once");
    }

    pub(super) fn remove(&mut self, id: RequestId) -> Option<ParkedQuery> {
        let query = self.queries.remove(&id)?;
        let was_indexed = match query.scope.clone() {
            WatchScope::Key(key) => self.keys.remove(&(key, id)),
            WatchScope::Prefix(prefix) => self.prefixes.remove(&(prefix, id)),
            WatchScope::Rows(rows) => self.rows.remove(&(rows, id)),
            WatchScope::Nothing => true,
        };
        debug_assert!(was_indexed, "a query that waits is found by what it watches");
        Some(query)
    }

    /// The queries that watch what was changed, in the order of their request ids. A key is watched
    /// by itself (BLK-07) or through any prefix of it (BLK-11, BLK-12).
    pub(super) fn touched_by(&self, changes: &[Change]) -> Vec<RequestId> {
        let mut woken = Vec::new();
        if self.queries.is_empty() {
            return woken;
        }
        for change in changes {
            match change {
                Change::KeyWritten { after: entry, .. } | Change::KeyDeleted { before: entry } => {
                    self.watching_key(&entry.key, &mut woken);
                }
                Change::Buried { .. } => {}
                _ => {
                    for rows in rows_of(change) {
                        woken.extend(watchers(&self.rows, &rows));
                    }
                }
            }
        }
        woken.sort();
        woken.dedup();
        woken
    }

    /// The queries that watch some rows.
    pub(super) fn watching<'a>(
        &'a self,
        rows: &'a WatchedRows,
    ) -> impl Iterator<Item = RequestId> + 'a {
        watchers(&self.rows, rows)
    }

    /// Adds the queries that watch the key or a prefix of it. Of the watched prefixes only a few
    /// are visited: the last one not after the key in order, then the last one not after the common
    /// prefix of the two, and so on down to the empty prefix.
    fn watching_key(&self, key: &Key, woken: &mut Vec<RequestId>) {
        woken.extend(watchers(&self.keys, key));
        let mut rest = key.clone();
        loop {
            let last = (rest.clone(), RequestId(u64::MAX));
            let Some((prefix, _)) = self.prefixes.range(..=last).next_back() else { return };
            let common = common_prefix(prefix.as_str(), rest.as_str());
            if common.len() < prefix.as_str().len() {
                rest = Key::from(common);
                continue;
            }
            woken.extend(watchers(&self.prefixes, prefix));
            let Some((before_last, _)) = common.char_indices().next_back() else { return };
            rest = Key::from(&common[..before_last]);
        }
    }
}

/// The queries that watch exactly `what`.
fn watchers<'a, T: Ord + Clone>(
    all: &'a BTreeSet<(T, RequestId)>,
    what: &'a T,
) -> impl Iterator<Item = RequestId> + 'a {
    let from = (what.clone(), RequestId(0));
    all.range(from..).take_while(move |(watched, _)| watched == what).map(|(_, id)| *id)
}

/// The common prefix of two texts, in whole characters.
fn common_prefix<'a>(one: &str, other: &'a str) -> &'a str {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    &other[..same.map(|(c, _)| c.len_utf8()).sum()]
}

impl From<Queries> for ParkedQueries {
    fn from(queries: Queries) -> Self {
        let mut parked = Self::default();
        for (id, query) in queries {
            parked.insert(id, query);
        }
        parked
    }
}

impl From<ParkedQueries> for Queries {
    fn from(parked: ParkedQueries) -> Self {
        parked.queries
    }
}

fn scope_of(store: &Store, query: &Query) -> WatchScope {
    match query {
        Query::Key(key) => WatchScope::Key(key.clone()),
        Query::Tree(prefix) | Query::Keys { prefix, .. } => WatchScope::Prefix(prefix.clone()),
        Query::Session(session) => rows(session.id().map(WatchedRows::Session)),
        Query::Sessions => WatchScope::Rows(WatchedRows::Sessions),
        Query::SessionsOfNode(node) => WatchScope::Rows(sessions_of(store, &node.folded())),
        Query::PreparedQueries => WatchScope::Rows(WatchedRows::PreparedQueries),
        Query::PreparedQuery(text) => {
            let found = store.queries().find(text);
            rows(found.map(|query| WatchedRows::PreparedQuery(query.id)))
        }
        Query::Nodes
        | Query::Node(_)
        | Query::Services
        | Query::Service(_)
        | Query::ChecksOfNode(_)
        | Query::ChecksOfService(_)
        | Query::ChecksInState(_)
        | Query::ServiceHealth(_)
        | Query::Mesh(_)
        | Query::MeshHealth(_)
        | Query::OwnService { .. }
        | Query::Filtered { .. } => WatchScope::Rows(WatchedRows::Catalog),
        Query::Execute { .. } | Query::Explain(_) | Query::CaRoots => WatchScope::Nothing,
        Query::UserEvents(_) => WatchScope::Rows(WatchedRows::UserEvents),
    }
}

/// The scope of rows, if there are any.
fn rows(found: Option<WatchedRows>) -> WatchScope {
    found.map_or(WatchScope::Nothing, WatchScope::Rows)
}

/// A query is woken by the rows that it read (BLK-14). Where a node has no sessions, Consul's tree
/// has no row to watch, so that any change of the table wakes the query.
fn sessions_of(store: &Store, node: &Folded) -> WatchedRows {
    match store.sessions().on_node(node).next() {
        Some(_) => WatchedRows::SessionsOfNode(node.clone()),
        None => WatchedRows::Sessions,
    }
}

/// The rows outside the key/value table that a change touches (BLK-14, DST-07).
fn rows_of(change: &Change) -> Vec<WatchedRows> {
    match change {
        Change::SessionCreated(session) | Change::SessionEnded { session, .. } => {
            let node = WatchedRows::SessionsOfNode(session.node.folded());
            Vec::from([WatchedRows::Session(session.id), node, WatchedRows::Sessions])
        }
        Change::QueryWritten { after: query, .. } | Change::QueryDeleted { before: query } => {
            Vec::from([WatchedRows::PreparedQuery(query.id), WatchedRows::PreparedQueries])
        }
        Change::NodeWritten { .. }
        | Change::NodeDeleted { .. }
        | Change::ServiceWritten { .. }
        | Change::ServiceDeleted { .. }
        | Change::CheckWritten { .. }
        | Change::CheckDeleted { .. } => Vec::from([WatchedRows::Catalog]),
        Change::KeyWritten { .. } | Change::KeyDeleted { .. } | Change::Buried { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parked(prefixes: &[&str]) -> ParkedQueries {
        let mut parked = ParkedQueries::default();
        for (number, prefix) in prefixes.iter().enumerate() {
            let key = (Key::from(*prefix), RequestId(number as u64));
            parked.prefixes.insert(key);
        }
        parked
    }

    #[test]
    fn a_key_wakes_exactly_the_queries_that_watch_a_prefix_of_it() {
        let prefixes = ["", "a", "a/", "a/b", "a/ä", "a/äb", "a/b/c", "b", "a/b/", "ab", "a/b/d"];
        let all = parked(&prefixes);
        for key in ["a/b/c", "a/b", "a/äbc", "a/ö", "b", "", "c", "a/b/cc"] {
            let mut woken = Vec::new();
            all.watching_key(&Key::from(key), &mut woken);
            woken.sort_unstable();
            let numbers = prefixes.iter().zip(0..);
            let expected: Vec<_> = numbers
                .filter(|(prefix, _)| key.starts_with(**prefix))
                .map(|(_, number)| RequestId(number))
                .collect();
            assert_eq!(woken, expected, "{key}");
        }
    }
}
