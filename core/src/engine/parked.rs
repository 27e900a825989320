//! Blocking queries that wait. A write looks up only those that watch what it touched.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{Folded, Index, Key, QueryId, RequestId, SessionId};
use crate::store::{Change, Query, Store};
use alloc::collections::{BTreeMap, BTreeSet};

/// A read that waits until what it watches has an index above the one it knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedQuery {
    pub query: Query,
    pub min_index: Index,
    /// The index at the last look; a time-out answers with it (BLK-05).
    pub seen: Index,
    /// Whether an earlier look found nothing (BLK-09, BLK-13).
    pub missed: bool,
    scope: Scope,
}

/// What a query watches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Scope {
    Key(Key),
    Prefix(Key),
    Rows(Rows),
    /// Nothing can ever change the answer, such as for an id that is no id.
    Nothing,
}

/// What can be watched outside the key/value table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Rows {
    Session(SessionId),
    SessionsOfNode(Folded),
    Sessions,
    Catalog,
    PreparedQuery(QueryId),
    PreparedQueries,
}

/// All waiting queries, by request and by what they watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Queries", into = "Queries")]
pub(super) struct Parked {
    queries: BTreeMap<RequestId, ParkedQuery>,
    keys: BTreeSet<(Key, RequestId)>,
    prefixes: BTreeSet<(Key, RequestId)>,
    rows: BTreeSet<(Rows, RequestId)>,
}

/// What is dumped of waiting queries; the rest follows from it.
type Queries = BTreeMap<RequestId, ParkedQuery>;

impl ParkedQuery {
    pub(super) fn new(query: Query, min_index: Index) -> Self {
        Self { query, min_index, seen: Index::ZERO, missed: false, scope: Scope::Nothing }
    }

    /// Watches what there is to see of it now: after each look (BLK-04).
    pub(super) fn watch(&mut self, store: &Store) {
        self.scope = scope_of(store, &self.query);
    }
}

impl Parked {
    pub(super) fn len(&self) -> usize {
        self.queries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.queries.iter().map(|(id, query)| (*id, query))
    }

    pub(super) fn insert(&mut self, id: RequestId, query: ParkedQuery) {
        match query.scope.clone() {
            Scope::Key(key) => self.keys.insert((key, id)),
            Scope::Prefix(prefix) => self.prefixes.insert((prefix, id)),
            Scope::Rows(rows) => self.rows.insert((rows, id)),
            Scope::Nothing => false,
        };
        self.queries.insert(id, query);
    }

    pub(super) fn remove(&mut self, id: RequestId) -> Option<ParkedQuery> {
        let query = self.queries.remove(&id)?;
        match query.scope.clone() {
            Scope::Key(key) => self.keys.remove(&(key, id)),
            Scope::Prefix(prefix) => self.prefixes.remove(&(prefix, id)),
            Scope::Rows(rows) => self.rows.remove(&(rows, id)),
            Scope::Nothing => false,
        };
        Some(query)
    }

    /// The queries that watch what the changes touched, in the order of their requests: a key's own
    /// changes (BLK-07), any change under a prefix (BLK-11, BLK-12).
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

    /// Those who watch the key, and those who watch a prefix of it. Of all watched prefixes only a
    /// few are looked at: the last one before the key in order, then the last before what the two
    /// have in common, and so on down to the empty prefix.
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

/// The queries that watch exactly this.
fn watchers<'a, T: Ord + Clone>(
    all: &'a BTreeSet<(T, RequestId)>,
    what: &'a T,
) -> impl Iterator<Item = RequestId> + 'a {
    let from = (what.clone(), RequestId(0));
    all.range(from..).take_while(move |(of, _)| of == what).map(|(_, id)| *id)
}

/// What two texts begin with in common, in whole characters.
fn common_prefix<'a>(one: &str, other: &'a str) -> &'a str {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    &other[..same.map(|(c, _)| c.len_utf8()).sum()]
}

impl From<Queries> for Parked {
    fn from(queries: Queries) -> Self {
        let mut parked = Self::default();
        for (id, query) in queries {
            parked.insert(id, query);
        }
        parked
    }
}

impl From<Parked> for Queries {
    fn from(parked: Parked) -> Self {
        parked.queries
    }
}

fn scope_of(store: &Store, query: &Query) -> Scope {
    match query {
        Query::Key(key) => Scope::Key(key.clone()),
        Query::Tree(prefix) | Query::Keys { prefix, .. } => Scope::Prefix(prefix.clone()),
        Query::Session(session) => rows(session.id().map(Rows::Session)),
        Query::Sessions => Scope::Rows(Rows::Sessions),
        Query::SessionsOfNode(node) => Scope::Rows(sessions_of(store, &node.folded())),
        Query::PreparedQueries => Scope::Rows(Rows::PreparedQueries),
        Query::PreparedQuery(text) => {
            let found = store.queries().find(text);
            rows(found.map(|query| Rows::PreparedQuery(query.id)))
        }
        Query::Nodes
        | Query::Node(_)
        | Query::Services
        | Query::Service(_)
        | Query::ChecksOfNode(_)
        | Query::ChecksOfService(_)
        | Query::ChecksInState(_) => Scope::Rows(Rows::Catalog),
    }
}

/// Rows to watch, if there are any.
fn rows(found: Option<Rows>) -> Scope {
    found.map_or(Scope::Nothing, Scope::Rows)
}

/// BLK-14: a watch is woken by its own rows. Where a node has none, Consul's tree has no row to
/// watch, and any change of the table wakes.
fn sessions_of(store: &Store, node: &Folded) -> Rows {
    match store.sessions().on_node(node).next() {
        Some(_) => Rows::SessionsOfNode(node.clone()),
        None => Rows::Sessions,
    }
}

/// What a change touches outside the key/value table (BLK-14, DST-07).
fn rows_of(change: &Change) -> Vec<Rows> {
    match change {
        Change::SessionCreated(session) | Change::SessionEnded { session, .. } => {
            let node = Rows::SessionsOfNode(session.node.folded());
            Vec::from([Rows::Session(session.id), node, Rows::Sessions])
        }
        Change::QueryWritten { after: query, .. } | Change::QueryDeleted { before: query } => {
            Vec::from([Rows::PreparedQuery(query.id), Rows::PreparedQueries])
        }
        Change::NodeWritten { .. }
        | Change::NodeDeleted { .. }
        | Change::ServiceWritten { .. }
        | Change::ServiceDeleted { .. }
        | Change::CheckWritten { .. }
        | Change::CheckDeleted { .. } => Vec::from([Rows::Catalog]),
        Change::KeyWritten { .. } | Change::KeyDeleted { .. } | Change::Buried { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parked(prefixes: &[&str]) -> Parked {
        let mut parked = Parked::default();
        for (place, prefix) in prefixes.iter().enumerate() {
            let key = (Key::from(*prefix), RequestId(place as u64));
            parked.prefixes.insert(key);
        }
        parked
    }

    #[test]
    fn a_key_wakes_those_who_watch_any_prefix_of_it_and_nobody_else() {
        let prefixes = ["", "a", "a/", "a/b", "a/ä", "a/äb", "a/b/c", "b", "a/b/", "ab", "a/b/d"];
        let all = parked(&prefixes);
        for key in ["a/b/c", "a/b", "a/äbc", "a/ö", "b", "", "c", "a/b/cc"] {
            let mut woken = Vec::new();
            all.watching_key(&Key::from(key), &mut woken);
            woken.sort_unstable();
            let places = prefixes.iter().zip(0..);
            let expected: Vec<_> = places
                .filter(|(prefix, _)| key.starts_with(**prefix))
                .map(|(_, place)| RequestId(place))
                .collect();
            assert_eq!(woken, expected, "{key}");
        }
    }
}
