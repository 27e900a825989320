//! All prepared queries, found by id, by name and by the session that they are bound to.
//! Definitions are not checked here.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::change::{Change, Changes};
use super::prepared_query::PreparedQuery;
use crate::error::Error;
use crate::id::{Folded, Index, QueryId, SessionId};

/// All definitions, by id, by name and by the session that they are bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedQueries {
    by_id: BTreeMap<QueryId, Arc<PreparedQuery>>,
    by_name: BTreeMap<Folded, QueryId>,
    by_session: BTreeSet<(SessionId, QueryId)>,
    index: Index,
}

impl PreparedQueries {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The query with an id.
    pub fn get(&self, id: QueryId) -> Option<&Arc<PreparedQuery>> {
        self.by_id.get(&id)
    }

    /// The query that a path names, by id or by name.
    pub fn find(&self, text: &str) -> Option<&Arc<PreparedQuery>> {
        self.with_id(text).or_else(|| self.get(*self.by_name.get(&Folded::new(text))?))
    }

    /// The query that answers for an id or a name: the one of the id, the one of the name, or the
    /// template with the longest name with which the name begins (PQ-08). A template is rendered
    /// for the name.
    ///
    /// # Errors
    ///
    /// Refuses the id of a template, and one that cannot be rendered for the name.
    pub fn resolve(&self, text: &str) -> Result<Option<Arc<PreparedQuery>>, Error> {
        if let Some(query) = self.with_id(text) {
            let is_template = query.definition.is_template();
            return if is_template { Err(Error::TemplateById) } else { Ok(Some(query.clone())) };
        }
        let Some(query) = self.find(text).or_else(|| self.template_for(text)) else {
            return Ok(None);
        };
        if !query.definition.is_template() {
            return Ok(Some(query.clone()));
        }
        let definition = query.definition.rendered(text).map_err(Error::UnrenderedTemplate)?;
        Ok(Some(Arc::new(PreparedQuery { definition, ..PreparedQuery::clone(query) })))
    }

    /// The template with the longest name with which a name begins, in any letter case.
    fn template_for(&self, name: &str) -> Option<&Arc<PreparedQuery>> {
        let name = Folded::new(name);
        let is_for = |query: &&Arc<PreparedQuery>| {
            let prefix = Folded::new(&query.definition.name);
            query.definition.is_template() && name.as_str().starts_with(prefix.as_str())
        };
        self.iter().filter(is_for).max_by_key(|query| query.definition.name.len())
    }

    /// The template that has no name, and so answers for all names.
    pub(super) fn nameless_template(&self) -> Option<QueryId> {
        let found = self
            .iter()
            .find(|query| query.definition.is_template() && query.definition.name.is_empty());
        found.map(|query| query.id)
    }

    /// The query with this id.
    pub(super) fn with_id(&self, text: &str) -> Option<&Arc<PreparedQuery>> {
        QueryId::parse(text).and_then(|id| self.get(id))
    }

    /// All queries in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<PreparedQuery>> {
        self.by_id.values()
    }

    /// The log entry that changed any query last.
    pub fn table_index(&self) -> Index {
        self.index
    }

    /// Deletes the queries that are bound to a session that ends, in the same log entry (PQ-03).
    pub(super) fn delete_bound_to(&mut self, changes: &mut Changes, session: SessionId) {
        let from = self.by_session.range((session, QueryId::FIRST)..);
        let bound: Vec<_> =
            from.take_while(|bound| bound.0 == session).map(|bound| bound.1).collect();
        for id in bound {
            self.delete(changes, id);
        }
    }

    /// Deletes a query; the session that it is bound to is not affected (PQ-04).
    pub(super) fn delete(&mut self, changes: &mut Changes, id: QueryId) {
        if let Some(before) = self.take(id) {
            self.index = changes.at;
            changes.push(Change::QueryDeleted { before });
        }
    }

    pub(super) fn rewind(&mut self, index: Index) {
        self.index = index;
    }

    /// The invariant of the lookups by name and session, if it is violated.
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

    /// The query with this name, in any case.
    pub(super) fn with_name(&self, name: &str) -> Option<QueryId> {
        self.by_name.get(&Folded::new(name)).copied()
    }

    /// Adds or replaces a query.
    pub(super) fn insert(&mut self, at: Index, query: Arc<PreparedQuery>) {
        self.place(query);
        self.index = at;
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
