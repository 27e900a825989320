//! The model of a whole server: the model of keys and sessions, with the catalog, prepared queries
//! and blocking reads. It keeps a history of changes and computes each answer from it.

use std::collections::BTreeMap;

use lictor_core::error::Error;
use lictor_core::id::{CheckId, Index, NodeName, RequestId, SessionId, SessionRef};
use lictor_core::message::{Operation, SessionDraft};
use lictor_core::store::catalog::{Check, Deregistration, Node, NodeUpdate, Registration};
use lictor_core::store::{Query, prepared_query::QueryDefinition};
use lictor_core::time::Instant;

use super::{LockModel, ModelAnswer};

/// A server as the history of its records.
#[derive(Clone, Debug)]
pub struct ServerModel {
    pub model: LockModel,
    /// Changes of records: the index, a name such as `check/n1/c`, and the new record or `None`.
    pub(super) history: Vec<(Index, String, Option<ModelRecord>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRecord {
    Node(Node),
    Check(Check),
    Query(Box<QueryDefinition>),
    /// A read waits for an index above this one, until a deadline.
    Asked(Query, Index, Instant),
    /// An evaluation of a read: its index, and the rows that it watches since.
    Evaluated(Index, ModelRows, Query),
}

/// Names, each with the index of its last change.
pub type ModelRows = Vec<(String, Index)>;

/// Answers to requests.
pub type ModelAnswers = Vec<(RequestId, ModelAnswer)>;

impl ServerModel {
    /// A server that has registered its own node with the log entry `index`.
    pub fn new(own: &Registration, index: Index) -> Self {
        let mut new = Self { model: LockModel::new(index), history: Vec::new() };
        new.register(own).expect("the registration has the node");
        new
    }

    /// Performs a request; its answer comes before those of the reads that it wakes. `chosen` is
    /// what the engine chose at random: the id of a new record, and the deadline of a read
    /// (BLK-03).
    pub fn request(
        &mut self,
        id: RequestId,
        operation: &Operation,
        chosen: (&str, Instant),
    ) -> ModelAnswers {
        if let Operation::Read { query, wait, .. } = operation {
            let wanted = wait.map_or(Index::ZERO, |wait| wait.min_index);
            return self.ask(id, ModelRecord::Asked(query.clone(), wanted, chosen.1));
        }
        let answer = self.perform(operation, chosen.0).unwrap_or_else(ModelAnswer::Refused);
        [(id, answer)].into_iter().chain(self.settle()).collect()
    }

    /// Advances time and fires each timer at its own time (TTL-03, IDX-08). At the same time,
    /// sessions end first, and reads time out before tombstones are reaped.
    pub fn pass(&mut self, to: Instant) -> ModelAnswers {
        let mut answers = Vec::new();
        while let Some(at) = self.next_due().filter(|at| *at <= to) {
            self.model.now = at;
            let due = self.model.next_due().filter(|due| due.0 == at);
            let late = self.waiting().into_iter().find(|(_, (.., until))| *until == at);
            match (due, late) {
                (Some((_, Some(session))), _) => self.model.log(Some(session)),
                (_, Some((id, _))) => answers.push(self.time_out(id)),
                _ => self.model.log(None),
            }
            answers.extend(self.settle());
        }
        self.model.now = to;
        answers
    }

    /// The next time at which a session ends, tombstones are reaped or a read times out.
    pub fn next_due(&self) -> Option<Instant> {
        let reads = self.waiting().into_values().map(|(.., until)| until);
        reads.chain(self.model.next_due().map(|due| due.0)).min()
    }

    /// The records under a path, with the indexes of creation and last change.
    pub fn all(&self, path: &str) -> BTreeMap<&str, (Index, Index, &ModelRecord)> {
        let mut all = BTreeMap::<_, (Index, Index, &ModelRecord)>::new();
        for (index, name, record) in self.history.iter().filter(|it| it.1.starts_with(path)) {
            let created = all.remove(&**name).map_or(*index, |old| old.0);
            all.extend(record.iter().map(|record| (&**name, (created, *index, record))));
        }
        all
    }

    /// The index of the last change of any record of the queried kind; for sessions see SES-30.
    pub fn index_of(&self, query: &Query) -> Index {
        let kind = match query {
            Query::Nodes => "node/",
            Query::ChecksOfNode(_) => "check/",
            Query::PreparedQueries | Query::PreparedQuery(_) => "query/",
            _ => return self.model.index_of(query).at_least_one(),
        };
        let last = self.history.iter().rev().find(|it| it.1.starts_with(kind));
        last.map_or(Index(1), |it| it.0)
    }

    fn perform(&mut self, operation: &Operation, new: &str) -> Result<ModelAnswer, Error> {
        match operation {
            Operation::CreateSession(draft) => {
                self.check_draft(draft).inspect_err(|_| self.log())?;
                return Ok(self.model.request(operation, SessionId::parse(new)));
            }
            Operation::Register(registration) => {
                self.log();
                self.register(registration)?;
            }
            Operation::Deregister(target) => {
                self.log();
                self.deregister(target);
            }
            Operation::CreateQuery(definition) => self.define(new, definition)?,
            Operation::UpdateQuery { id, .. } | Operation::DeleteQuery(id)
                if self.get(&name("query", &id)).is_none() =>
            {
                return Err(Error::UnknownQueryToModify(id.clone()));
            }
            Operation::UpdateQuery { id, definition } => {
                self.define(id, definition)?;
            }
            Operation::DeleteQuery(id) => {
                self.log();
                self.note(name("query", &id), None);
            }
            _ => return Ok(self.model.request(operation, None)),
        }
        Ok(ModelAnswer::Flag(true))
    }

    /// Fails if the node or a check of a new session does not exist, or a check is critical
    /// (SES-08, SES-25).
    fn check_draft(&self, draft: &SessionDraft) -> Result<(), Error> {
        self.get(&name("node", &node_of(draft))).ok_or(Error::MissingNode)?;
        for id in checks_of(draft) {
            match self.get(&name("check", &format!("{}/{id}", node_of(draft)))) {
                None => return Err(Error::MissingCheck(id.clone())),
                Some(ModelRecord::Check(check)) if check.is_critical() => {
                    return Err(Error::CriticalCheck(id.clone()));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Stores a node and its checks. A critical check ends its sessions even if it has not changed
    /// (CAT-01 to CAT-04).
    fn register(&mut self, registration: &Registration) -> Result<(), Error> {
        let node = &registration.node.name;
        let is_new = self.get(&name("node", &node)).is_none();
        if registration.node_update == NodeUpdate::Write || is_new {
            self.put(name("node", &node), ModelRecord::Node(registration.node.clone()));
        }
        for check in &registration.checks {
            let path = name("check", &format!("{node}/{}", check.id));
            self.put(path.clone(), ModelRecord::Check(check.clone()));
            if check.is_critical() {
                self.end_with(&path);
            }
        }
        Ok(())
    }

    /// Removes records with their sessions; one that does not exist is no error (CAT-05 to CAT-07).
    fn deregister(&mut self, target: &Deregistration) {
        let mut doomed = match target {
            Deregistration::Check(node, id) => vec![name("check", &format!("{node}/{id}"))],
            Deregistration::Node(node) => {
                let checks = self.all(&name("check", &format!("{node}/"))).into_keys();
                checks.map(str::to_owned).chain([name("node", &node)]).collect()
            }
            Deregistration::Service(..) => panic!("the model has no services"),
            Deregistration::Imported => panic!("the model has no peers"),
        };
        doomed.retain(|name| self.get(name).is_some());
        for name in doomed {
            self.note(name.clone(), None);
            self.end_with(&name);
        }
    }

    /// Ends the sessions of a removed node or critical check, in the order of their ids.
    fn end_with(&mut self, lost: &str) {
        let depends = |draft: &SessionDraft| {
            let node = node_of(draft);
            let mut checks = checks_of(draft).map(|id| name("check", &format!("{node}/{id}")));
            name("node", &node) == lost || checks.any(|name| name == lost)
        };
        let mut sessions = self.model.sessions();
        sessions.retain(|id| self.model.draft(*id).is_some_and(depends));
        for id in sessions {
            self.model.end(id);
        }
    }

    /// Creates or updates a prepared query (PQ-01, PQ-05, PQ-07).
    fn define(&mut self, id: &str, definition: &QueryDefinition) -> Result<(), Error> {
        self.log();
        let (path, bound) = (name("query", &id), SessionRef::from(&*definition.session));
        let is_same = |record: &ModelRecord| match record {
            ModelRecord::Query(it) => it.name == definition.name && !it.name.is_empty(),
            _ => false,
        };
        if self.all("query/").iter().any(|(other, row)| **other != *path && is_same(row.2)) {
            return Err(Error::QueryNameTaken(definition.name.clone()));
        }
        if !bound.is_empty() && self.model.alive(&bound).is_none() {
            return Err(Error::InvalidSession(bound));
        }
        self.note(path, Some(ModelRecord::Query(Box::new(definition.clone()))));
        Ok(())
    }

    /// After each change: queries of ended sessions are deleted (PQ-03), and reads are evaluated.
    fn settle(&mut self) -> ModelAnswers {
        let queries = self.all("query/").into_iter().filter(|(_, row)| match row.2 {
            ModelRecord::Query(it) if !it.session.is_empty() => {
                self.model.alive(&SessionRef::from(&*it.session)).is_none()
            }
            _ => false,
        });
        let lost: Vec<_> = queries.map(|(name, _)| name.to_owned()).collect();
        for name in lost {
            self.note(name, None);
        }
        self.wake()
    }

    pub(super) fn get(&self, name: &str) -> Option<&ModelRecord> {
        self.history.iter().rev().find(|it| it.1 == name)?.2.as_ref()
    }

    /// Writes a record, unless nothing would change.
    fn put(&mut self, name: String, record: ModelRecord) {
        if self.get(&name) != Some(&record) {
            self.note(name, Some(record));
        }
    }

    /// Adds a change to the history; `None` deletes the record.
    pub(super) fn note(&mut self, name: String, record: Option<ModelRecord>) {
        self.history.push((self.model.index, name, record));
    }

    /// Adds an entry to the log.
    fn log(&mut self) {
        self.model.index = self.model.index.next();
    }
}

/// The path of a record; names ignore case (SES-09, SES-25).
pub(super) fn name(kind: &str, id: &impl ToString) -> String {
    format!("{kind}/{}", id.to_string().to_lowercase())
}

/// The node of a session: that of the agent, unless the request names one (SES-01).
pub(super) fn node_of(draft: &SessionDraft) -> String {
    draft.node.as_ref().map_or("n1", NodeName::as_str).to_lowercase()
}

/// All checks of a session (SES-24).
fn checks_of(draft: &SessionDraft) -> impl Iterator<Item = &CheckId> {
    let listed = draft.checks.iter().flatten().chain(draft.node_checks.iter().flatten());
    listed.chain(draft.service_checks.iter().flatten().map(|check| &check.id))
}
