//! The blocking queries of the model. The history has each evaluation of a query with its rows, and
//! a query is evaluated again when these differ from the present ones.

use std::collections::BTreeMap;

use lictor_core::error::Error;
use lictor_core::id::{Index, RequestId, SessionId};
use lictor_core::store::{Entry, Query};
use lictor_core::time::Instant;

use super::ModelAnswer;
use super::server::{ModelAnswers, ModelRecord, ModelRows, ServerModel, name, node_of};

impl ServerModel {
    /// The reads that were not answered yet, each with the index that it waits for and its
    /// deadline.
    pub fn waiting(&self) -> BTreeMap<RequestId, (Query, Index, Instant)> {
        let read = |(name, row): (&str, (Index, Index, &ModelRecord))| match row.2 {
            ModelRecord::Asked(query, wanted, until) => {
                let id = name.strip_prefix("read/")?.parse().ok()?;
                Some((RequestId(id), (query.clone(), *wanted, *until)))
            }
            _ => None,
        };
        self.all("read/").into_iter().filter_map(read).collect()
    }

    /// Removes a read whose caller no longer waits.
    pub fn cancel(&mut self, id: RequestId) {
        self.note(name("read", &id), None);
    }

    /// Starts a read, which returns at once if there is something new.
    pub(super) fn ask(&mut self, id: RequestId, read: ModelRecord) -> ModelAnswers {
        self.note(name("read", &id), Some(read));
        self.look(id).into_iter().collect()
    }

    /// Evaluates the reads whose rows have changed (BLK-04, BLK-07, BLK-11, BLK-14).
    pub(super) fn wake(&mut self) -> ModelAnswers {
        let mut reads: Vec<_> = self.waiting().into_keys().collect();
        reads.retain(|id| self.evaluations(*id).last().is_some_and(|it| self.rows(it.2) != *it.1));
        reads.into_iter().filter_map(|id| self.look(id)).collect()
    }

    /// The answer to a read that times out has the index of its last evaluation (BLK-05).
    pub(super) fn time_out(&mut self, id: RequestId) -> (RequestId, ModelAnswer) {
        let (query, ..) = self.waiting().remove(&id).expect("the read is waiting");
        let (index, ..) = self.evaluations(id).last().expect("a read is evaluated when it starts");
        let answer = found(index, self.rows(&query));
        self.cancel(id);
        (id, answer)
    }

    /// Evaluates a read, and answers it if there is something new (BLK-04). A record that is
    /// missing again is not new, but raises the threshold (BLK-09, BLK-13). A deleted prepared
    /// query is new (PQ-06).
    fn look(&mut self, id: RequestId) -> Option<(RequestId, ModelAnswer)> {
        let (query, wanted, _) = self.waiting().remove(&id)?;
        let (index, rows) = (self.index_of(&query), self.rows(&query));
        // A node without sessions has no rows of its own, so all sessions are watched (BLK-14).
        let is_bare = matches!(query, Query::SessionsOfNode(_)) && rows.is_empty();
        let watched = if is_bare { Query::Sessions } else { query.clone() };
        self.note(
            name("look", &id),
            Some(ModelRecord::Evaluated(index, self.rows(&watched), watched)),
        );
        let is_one = matches!(query, Query::Key(_) | Query::Session(_));
        let misses = self.evaluations(id).filter(|it| is_one && it.1.is_empty()).map(|it| it.0);
        let threshold = misses.skip(1).last().unwrap_or(wanted);
        let is_gone = matches!(query, Query::PreparedQuery(_)) && rows.is_empty();
        let answer =
            if is_gone { ModelAnswer::Refused(Error::QueryNotFound) } else { found(index, rows) };
        if !is_gone && index <= threshold {
            return None;
        }
        self.cancel(id);
        Some((id, answer))
    }

    /// The evaluations of a read: its index, the rows that it watches since, and their query.
    fn evaluations(&self, id: RequestId) -> impl Iterator<Item = (Index, &ModelRows, &Query)> {
        let look = name("look", &id);
        self.history.iter().filter(move |it| it.1 == look).filter_map(|it| match &it.2 {
            Some(ModelRecord::Evaluated(index, rows, watched)) => Some((*index, rows, watched)),
            _ => None,
        })
    }

    /// The rows that a read finds.
    fn rows(&self, query: &Query) -> ModelRows {
        let entry = |it: Entry| (it.key.to_string(), it.modify_index);
        let sessions = self.model.sessions().into_iter();
        let session = |id: SessionId| (id.to_string(), Index::ZERO);
        let own = |path: &str| {
            self.all(path).into_iter().map(|(name, row)| (name.to_owned(), row.1)).collect()
        };
        match query {
            Query::Key(key) => self.model.entry(key).cloned().into_iter().map(entry).collect(),
            Query::Tree(prefix) => {
                self.model.entries(prefix.as_str()).into_iter().map(entry).collect()
            }
            Query::Session(wanted) => {
                sessions.filter(|id| wanted.id() == Some(*id)).map(session).collect()
            }
            Query::Sessions => sessions.map(session).collect(),
            Query::SessionsOfNode(node) => {
                let is_on = |id: &SessionId| {
                    self.model.draft(*id).is_some_and(|it| node_of(it) == node.as_str())
                };
                sessions.filter(is_on).map(session).collect()
            }
            Query::Nodes => own("node/"),
            Query::ChecksOfNode(node) => own(&name("check", &format!("{node}/"))),
            Query::PreparedQueries => own("query/"),
            Query::PreparedQuery(id) => own(&name("query", &id)),
            other => panic!("the model does not support {other:?}"),
        }
    }
}

fn found(index: Index, rows: ModelRows) -> ModelAnswer {
    ModelAnswer::Found(index, rows.into_iter().map(|it| it.0).collect())
}
