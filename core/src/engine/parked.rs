//! Blocking queries that wait. A write looks up only those that watch what it touched.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use litemap::LiteMap;
use serde::{Deserialize, Serialize};

use crate::id::{Folded, Index, Key, QueryId, RequestId, SessionId};
use crate::store::{Change, Query, Store};

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
    Session(SessionId),
    SessionsOfNode(Folded),
    Sessions,
    Catalog,
    PreparedQuery(QueryId),
    PreparedQueries,
    /// Nothing can ever change the answer, such as for an id that is no id.
    Nothing,
}

/// All waiting queries, by request and by what they watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Queries", into = "Queries")]
pub(super) struct Parked {
    queries: BTreeMap<RequestId, ParkedQuery>,
    by_scope: BTreeSet<(Scope, RequestId)>,
    /// How many watched prefixes there are of each length: a write tries only these.
    prefix_lengths: LiteMap<usize, usize>,
}

/// What is dumped of waiting queries; the rest follows from it.
type Queries = BTreeMap<RequestId, ParkedQuery>;

impl ParkedQuery {
    pub(super) fn new(store: &Store, query: Query, min_index: Index) -> Self {
        let scope = scope_of(store, &query);
        Self { query, min_index, seen: Index::ZERO, missed: false, scope }
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
        if let Scope::Prefix(prefix) = &query.scope {
            *self.prefix_lengths.entry(prefix.as_str().len()).or_default() += 1;
        }
        self.by_scope.insert((query.scope.clone(), id));
        self.queries.insert(id, query);
    }

    pub(super) fn remove(&mut self, id: RequestId) -> Option<ParkedQuery> {
        let query = self.queries.remove(&id)?;
        self.by_scope.remove(&(query.scope.clone(), id));
        if let Scope::Prefix(prefix) = &query.scope {
            self.forget_length(prefix.as_str().len());
        }
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
                _ => scopes_of(change).iter().for_each(|scope| self.watching(scope, &mut woken)),
            }
        }
        woken.sort_unstable();
        woken.dedup();
        woken
    }

    fn watching_key(&self, key: &Key, woken: &mut Vec<RequestId>) {
        self.watching(&Scope::Key(key.clone()), woken);
        for length in self.prefix_lengths.keys() {
            let Some(prefix) = key.as_str().get(..*length) else { continue };
            self.watching(&Scope::Prefix(Key::from(prefix)), woken);
        }
    }

    fn watching(&self, scope: &Scope, woken: &mut Vec<RequestId>) {
        let from = (scope.clone(), RequestId(0));
        let watchers = self.by_scope.range(from..).take_while(|(of, _)| of == scope);
        woken.extend(watchers.map(|(_, id)| *id));
    }

    fn forget_length(&mut self, length: usize) {
        if let Some(count) = self.prefix_lengths.get_mut(&length) {
            *count -= 1;
            if *count == 0 {
                self.prefix_lengths.remove(&length);
            }
        }
    }
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
        Query::Session(session) => session.id().map_or(Scope::Nothing, Scope::Session),
        Query::Sessions => Scope::Sessions,
        Query::SessionsOfNode(node) => scope_of_node(store, &node.folded()),
        Query::PreparedQueries => Scope::PreparedQueries,
        Query::PreparedQuery(text) => {
            let found = store.queries().find(text);
            found.map_or(Scope::Nothing, |query| Scope::PreparedQuery(query.id))
        }
        Query::Nodes
        | Query::Node(_)
        | Query::Services
        | Query::Service(_)
        | Query::ChecksOfNode(_)
        | Query::ChecksOfService(_)
        | Query::ChecksInState(_) => Scope::Catalog,
    }
}

/// BLK-14: a watch is woken by its own rows. Where a node has none, Consul's tree has no row to
/// watch, and any change of the table wakes.
fn scope_of_node(store: &Store, node: &Folded) -> Scope {
    match store.sessions().on_node(node).next() {
        Some(_) => Scope::SessionsOfNode(node.clone()),
        None => Scope::Sessions,
    }
}

/// The scopes of a change outside the key/value table (BLK-14, DST-07).
fn scopes_of(change: &Change) -> Vec<Scope> {
    match change {
        Change::SessionCreated(session) | Change::SessionEnded { session, .. } => {
            let node = Scope::SessionsOfNode(session.node.folded());
            Vec::from([Scope::Session(session.id), node, Scope::Sessions])
        }
        Change::QueryWritten { after: query, .. } | Change::QueryDeleted { before: query } => {
            Vec::from([Scope::PreparedQuery(query.id), Scope::PreparedQueries])
        }
        Change::NodeWritten { .. }
        | Change::NodeDeleted { .. }
        | Change::ServiceWritten { .. }
        | Change::ServiceDeleted { .. }
        | Change::CheckWritten { .. }
        | Change::CheckDeleted { .. } => Vec::from([Scope::Catalog]),
        Change::KeyWritten { .. } | Change::KeyDeleted { .. } | Change::Buried { .. } => Vec::new(),
    }
}
