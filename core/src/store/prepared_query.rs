//! Prepared queries as far as sessions reach: definitions that end with the session they are bound
//! to. Executing them is out of scope.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::Store;
use super::catalog::Pairs;
use super::change::Change;
use crate::error::Error;
use crate::id::{Folded, Index, QueryId, SessionId, SessionRef};

/// A stored definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedQuery {
    pub id: QueryId,
    pub definition: QueryDefinition,
    pub create_index: Index,
    pub modify_index: Index,
}

/// What a caller sends, and reads back (PQ-01).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct QueryDefinition {
    pub name: String,
    pub session: String,
    pub token: String,
    pub template: Template,
    pub service: ServiceQuery,
    #[serde(rename = "DNS")]
    pub dns: Dns,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct Template {
    #[serde(rename = "Type")]
    pub kind: String,
    pub regexp: String,
    pub remove_empty_tags: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct ServiceQuery {
    pub service: String,
    pub failover: Failover,
    pub only_passing: bool,
    #[serde(rename = "IgnoreCheckIDs")]
    pub ignore_check_ids: Option<Vec<String>>,
    pub near: String,
    pub tags: Option<Vec<String>>,
    pub node_meta: Pairs,
    pub service_meta: Pairs,
    pub connect: bool,
    pub peer_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct Failover {
    pub nearest_n: i64,
    pub datacenters: Option<Vec<String>>,
    pub targets: Option<Vec<Pairs>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    #[serde(rename = "TTL")]
    pub ttl: String,
}

/// All definitions, by id, by name and by the session that they are bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedQueries {
    by_id: BTreeMap<QueryId, Arc<PreparedQuery>>,
    by_name: BTreeMap<Folded, QueryId>,
    by_session: BTreeSet<(SessionId, QueryId)>,
    index: Index,
}

impl QueryDefinition {
    fn bound_to(&self) -> Option<SessionId> {
        SessionId::parse(&self.session)
    }
}

impl PreparedQueries {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn get(&self, id: QueryId) -> Option<&Arc<PreparedQuery>> {
        self.by_id.get(&id)
    }

    /// The query that a path names, by id or by name.
    pub fn find(&self, text: &str) -> Option<&Arc<PreparedQuery>> {
        self.of_id(text).or_else(|| self.get(*self.by_name.get(&Folded::new(text))?))
    }

    fn of_id(&self, text: &str) -> Option<&Arc<PreparedQuery>> {
        QueryId::parse(text).and_then(|id| self.get(id))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<PreparedQuery>> {
        self.by_id.values()
    }

    pub fn table_index(&self) -> Index {
        self.index
    }

    /// PQ-03: in the same log entry as the end of the session.
    pub(super) fn delete_bound_to(
        &mut self,
        at: Index,
        session: SessionId,
        changes: &mut Vec<Change>,
    ) {
        let from = self.by_session.range((session, QueryId::FIRST)..);
        let bound: Vec<_> =
            from.take_while(|bound| bound.0 == session).map(|bound| bound.1).collect();
        for id in bound {
            self.delete(at, id, changes);
        }
    }

    /// PQ-04: the session that the query was bound to goes on.
    pub(super) fn delete(&mut self, at: Index, id: QueryId, changes: &mut Vec<Change>) {
        if let Some(before) = self.take(id) {
            self.index = at;
            changes.push(Change::QueryDeleted { before });
        }
    }

    pub(super) fn rewind(&mut self, index: Index) {
        self.index = index;
    }

    /// What is at odds with itself: what is found by name and session.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let mut again = Self { index: self.index, ..Self::default() };
        self.by_id.values().for_each(|query| again.place(query.clone()));
        (again != *self).then_some("a prepared query is not found by its name or session")
    }

    pub(super) fn undo(&mut self, change: &Change) {
        match change {
            Change::QueryWritten { before: Some(query), .. }
            | Change::QueryDeleted { before: query } => self.place(query.clone()),
            Change::QueryWritten { before: None, after } => {
                self.take(after.id);
            }
            _ => {}
        }
    }

    fn place(&mut self, query: Arc<PreparedQuery>) {
        self.take(query.id);
        if let Some(session) = query.definition.bound_to() {
            self.by_session.insert((session, query.id));
        }
        if !query.definition.name.is_empty() {
            self.by_name.insert(Folded::new(&query.definition.name), query.id);
        }
        self.by_id.insert(query.id, query);
    }

    fn take(&mut self, id: QueryId) -> Option<Arc<PreparedQuery>> {
        let query = self.by_id.remove(&id)?;
        self.by_name.remove(&Folded::new(&query.definition.name));
        if let Some(session) = query.definition.bound_to() {
            self.by_session.remove(&(session, id));
        }
        Some(query)
    }
}

impl Store {
    /// Stores a definition; its name must be free in any case, and its session exist (PQ-01,
    /// PQ-05, PQ-07).
    pub(super) fn set_query(
        &mut self,
        at: Index,
        id: QueryId,
        definition: &QueryDefinition,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let name = &definition.name;
        let named = self.queries.by_name.get(&Folded::new(name));
        if named.is_some_and(|owner| *owner != id) {
            return Err(Error::QueryNameTaken(name.clone()));
        }
        if self.queries.of_id(name).is_some() {
            return Err(Error::QueryNameIsId(name.clone()));
        }
        if !definition.session.is_empty() {
            let known = definition.bound_to().and_then(|session| self.sessions.get(session));
            known.ok_or_else(|| {
                Error::InvalidSession(SessionRef::from(definition.session.as_str()))
            })?;
        }
        let before = self.queries.get(id).cloned();
        let create_index = before.as_ref().map_or(at, |before| before.create_index);
        let definition = definition.clone();
        let after = Arc::new(PreparedQuery { id, definition, create_index, modify_index: at });
        self.queries.place(after.clone());
        self.queries.index = at;
        changes.push(Change::QueryWritten { before, after });
        Ok(())
    }
}
