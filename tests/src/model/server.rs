//! A second opinion on what is around the keys: the catalog that sessions hang on and the prepared
//! queries that hang on them; the reads that wait for any of it are in `waiting`. It writes down
//! what happened and answers by reading that, like the model of keys that it is built around.

use std::collections::BTreeMap;

use lictor_core::error::Error;
use lictor_core::id::{CheckId, Index, NodeName, RequestId, SessionId, SessionRef};
use lictor_core::message::{Operation, SessionDraft};
use lictor_core::store::catalog::{Check, Deregistration, Node, NodeUpdate, Registration};
use lictor_core::store::{Query, prepared_query::QueryDefinition};
use lictor_core::time::Instant;

use super::{LockModel, ModelAnswer};

#[derive(Clone, Debug)]
pub struct ServerModel {
    pub model: LockModel,
    /// At which index a name such as `check/n1/c` got what it stands for or, without it, lost that.
    pub(super) history: Vec<(Index, String, Option<Record>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Node(Node),
    Check(Check),
    Query(Box<QueryDefinition>),
    /// A read wants an index above this one, or an answer then.
    Asked(Query, Index, Instant),
    /// The index that a read saw, and the rows that it has watched since.
    Looked(Index, Rows, Query),
}

/// Names, each with the index of its last change.
pub type Rows = Vec<(String, Index)>;

/// Who is answered what.
pub type Answers = Vec<(RequestId, ModelAnswer)>;

impl ServerModel {
    /// A server that knows its own node.
    pub fn new(own: &Registration) -> Self {
        let mut new = Self { model: LockModel::new(Index(1)), history: Vec::new() };
        new.register(own).expect("its node comes along");
        new
    }

    /// Carries a request out; its answer comes before those of the reads that it wakes. The server
    /// has chosen the id of a new record, and when a read has waited enough (BLK-03).
    pub fn request(&mut self, id: RequestId, of: &Operation, chosen: (&str, Instant)) -> Answers {
        if let Operation::Read { query, wait, .. } = of {
            let wanted = wait.map_or(Index::ZERO, |wait| wait.min_index);
            return self.ask(id, Record::Asked(query.clone(), wanted, chosen.1));
        }
        let said = self.carry_out(of, chosen.0).unwrap_or_else(ModelAnswer::Refused);
        [(id, said)].into_iter().chain(self.settle()).collect()
    }

    /// Lets time pass; what falls due on the way happens at its own time (TTL-03, IDX-08): at the
    /// same time sessions end first, and reads before tombstones.
    pub fn pass(&mut self, to: Instant) -> Answers {
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

    pub fn next_due(&self) -> Option<Instant> {
        let reads = self.waiting().into_values().map(|(.., until)| until);
        reads.chain(self.model.next_due().map(|due| due.0)).min()
    }

    /// What stands under a path: the indexes of creation and last change, and the record.
    pub fn all(&self, path: &str) -> BTreeMap<&str, (Index, Index, &Record)> {
        let mut all = BTreeMap::<_, (Index, Index, &Record)>::new();
        for (index, name, record) in self.history.iter().filter(|it| it.1.starts_with(path)) {
            let created = all.remove(&**name).map_or(*index, |old| old.0);
            all.extend(record.iter().map(|record| (&**name, (created, *index, record))));
        }
        all
    }

    /// As for sessions (SES-30): the last change of any record of the kind.
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

    fn carry_out(&mut self, operation: &Operation, new: &str) -> Result<ModelAnswer, Error> {
        match operation {
            Operation::CreateSession(draft) => {
                self.admit(draft).inspect_err(|_| self.log())?;
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

    /// SES-08, SES-25: the node is there, and so is each check, none of them critical.
    fn admit(&self, draft: &SessionDraft) -> Result<(), Error> {
        self.get(&name("node", &node_of(draft))).ok_or(Error::MissingNode)?;
        for id in checks_of(draft) {
            match self.get(&name("check", &format!("{}/{id}", node_of(draft)))) {
                None => return Err(Error::MissingCheck(id.clone())),
                Some(Record::Check(check)) if &*check.status == "critical" => {
                    return Err(Error::CriticalCheck(id.clone()));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// CAT-01 to CAT-04: each critical check that is stored ends what hangs on it, changed or not.
    fn register(&mut self, registration: &Registration) -> Result<(), Error> {
        let node = &registration.node.name;
        let is_new = self.get(&name("node", &node)).is_none();
        if registration.node_update == NodeUpdate::Write || is_new {
            self.put(name("node", &node), Record::Node(registration.node.clone()));
        }
        for check in &registration.checks {
            let path = name("check", &format!("{node}/{}", check.id));
            self.put(path.clone(), Record::Check(check.clone()));
            if &*check.status == "critical" {
                self.end_with(&path);
            }
        }
        Ok(())
    }

    /// CAT-05 to CAT-07: what is absent is no error.
    fn deregister(&mut self, target: &Deregistration) {
        let mut doomed = match target {
            Deregistration::Check(node, id) => vec![name("check", &format!("{node}/{id}"))],
            Deregistration::Node(node) => {
                let checks = self.all(&name("check", &format!("{node}/"))).into_keys();
                checks.map(str::to_owned).chain([name("node", &node)]).collect()
            }
            Deregistration::Service(..) => panic!("the model knows nothing of services"),
        };
        doomed.retain(|name| self.get(name).is_some());
        for name in doomed {
            self.note(name.clone(), None);
            self.end_with(&name);
        }
    }

    /// Sessions end in the order of their ids with what they hang on: a node, or a check on it.
    fn end_with(&mut self, lost: &str) {
        let hangs = |draft: &SessionDraft| {
            let node = node_of(draft);
            let mut checks = checks_of(draft).map(|id| name("check", &format!("{node}/{id}")));
            name("node", &node) == lost || checks.any(|name| name == lost)
        };
        let mut sessions = self.model.sessions();
        sessions.retain(|id| self.model.draft(*id).is_some_and(hangs));
        sessions.into_iter().for_each(|id| self.model.end(id));
    }

    /// PQ-01, PQ-05, PQ-07.
    fn define(&mut self, id: &str, definition: &QueryDefinition) -> Result<(), Error> {
        self.log();
        let (path, bound) = (name("query", &id), SessionRef::from(&*definition.session));
        let is_same = |record: &Record| match record {
            Record::Query(it) => it.name == definition.name && !it.name.is_empty(),
            _ => false,
        };
        if self.all("query/").iter().any(|(of, row)| **of != *path && is_same(row.2)) {
            return Err(Error::QueryNameTaken(definition.name.clone()));
        }
        if !bound.is_empty() && self.model.alive(&bound).is_none() {
            return Err(Error::InvalidSession(bound));
        }
        self.note(path, Some(Record::Query(Box::new(definition.clone()))));
        Ok(())
    }

    /// What follows from all that happens: PQ-03, and that who waits for it looks.
    fn settle(&mut self) -> Answers {
        let queries = self.all("query/").into_iter().filter(|(_, row)| match row.2 {
            Record::Query(it) if !it.session.is_empty() => {
                self.model.alive(&SessionRef::from(&*it.session)).is_none()
            }
            _ => false,
        });
        let lost: Vec<_> = queries.map(|(name, _)| name.to_owned()).collect();
        lost.into_iter().for_each(|name| self.note(name, None));
        self.wake()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Record> {
        self.history.iter().rev().find(|it| it.1 == name)?.2.as_ref()
    }

    /// What is there already is not written (S3).
    fn put(&mut self, name: String, record: Record) {
        if self.get(&name) != Some(&record) {
            self.note(name, Some(record));
        }
    }

    pub(super) fn note(&mut self, name: String, record: Option<Record>) {
        self.history.push((self.model.index, name, record));
    }

    fn log(&mut self) {
        self.model.index = self.model.index.next();
    }
}

/// Names are the same in any case (SES-09, SES-25).
pub(super) fn name(kind: &str, of: &impl ToString) -> String {
    format!("{kind}/{}", of.to_string().to_lowercase())
}

/// SES-01: the node of the agent that was asked, unless another is named.
pub(super) fn node_of(draft: &SessionDraft) -> String {
    draft.node.as_ref().map_or("n1", NodeName::as_str).to_lowercase()
}

/// SES-24.
fn checks_of(draft: &SessionDraft) -> impl Iterator<Item = &CheckId> {
    let listed = draft.checks.iter().flatten().chain(draft.node_checks.iter().flatten());
    listed.chain(draft.service_checks.iter().flatten().map(|check| &check.id))
}
