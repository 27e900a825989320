//! The steps that tests take on an engine and a model: requests with every verb for a few keys and
//! sessions, changes of the catalog and of prepared queries, blocking reads, and time.

use std::sync::Arc;
use std::time::Duration;

use lictor_core::engine::{Engine, serf_health};
use lictor_core::id::{CheckId, Index, Key, NodeName, QueryId, SessionRef};
use lictor_core::message::{Consistency, Operation, SessionDraft, Wait};
use lictor_core::store::catalog::{
    Check, CheckStatus, Deregistration, Node, NodeUpdate, Registration,
};
use lictor_core::store::prepared_query::QueryDefinition;
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{KvVerb, Query, Write};

use crate::dice::Dice;

/// The first is a prefix of the second.
pub const KEYS: [&str; 3] = ["a", "ab", "b"];
/// The node that steps register and deregister, and its check.
pub const NODE: &str = "n2";
const CHECK: &str = "c";

/// One step; keys and sessions are positions in their lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelStep {
    Key(usize, KeyVerb),
    Lock(usize, usize, LockVerb),
    /// Deletes everything, which leaves no tombstone (KV-18).
    DeleteAll,
    /// Locks the first two keys in one transaction.
    LockBoth(usize),
    Create(usize, SessionKind),
    Destroy(usize),
    Renew(usize),
    Wait(Duration),
    Failover,
    Register(Registered),
    Deregister(Deregistered),
    /// Defines a prepared query: bound to a session, or under a name.
    Define(Option<usize>),
    /// Defines the same query anew.
    Redefine(Option<usize>),
    DropQuery,
    /// Starts a blocking read of everything that can be watched.
    ReadAll(ReadIndex),
    /// The caller of the oldest waiting read cancels it.
    Leave,
}

/// What is registered of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    Node,
    Passing,
    Critical,
    /// Its check alone, which needs the node.
    CheckOnly,
}

/// What is deregistered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deregistered {
    Check,
    Node,
}

/// The index that a read passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadIndex {
    Never,
    /// The present index of what is read.
    Now,
    /// An index ahead of the log, so that the next entry wakes the read without an answer.
    Later,
}

/// The ids that the server has created in earlier steps.
#[derive(Clone, Debug)]
pub struct KnownIds {
    pub sessions: Vec<SessionRef>,
    /// The prepared query that was defined last.
    pub query: QueryId,
}

/// A request for one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyVerb {
    Set(&'static str),
    /// Only if the key does not exist.
    CasNew,
    /// Only if it was not changed since the last step.
    CasNow,
    Delete,
    /// Only if its index is 1, which no key has.
    DeleteCasOld,
    /// Only if it was not changed since the last step.
    DeleteCasNow,
    DeleteTree,
}

/// A request of a session for one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockVerb {
    Acquire(&'static str),
    Release,
    TxnLock,
    TxnUnlock,
    /// Writes the key and the next one, on condition that the session holds the key.
    Fenced,
}

/// The options of a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// A TTL of 10 s, a lock-delay of 5 s, behavior `release`.
    Short,
    /// No TTL, a lock-delay of 15 s, behavior `delete`.
    Deleting,
    /// A TTL of 16 s, no lock-delay.
    WithoutDelay,
    /// No TTL, a lock-delay of 90 s, which the server shortens to 60 s.
    Patient,
    /// As the first, on the other node and bound to its check.
    Checked,
    /// As the second, on the other node.
    Guest,
}

impl ModelStep {
    /// A wait, a new session, and each request for two keys and two sessions.
    pub fn alphabet() -> Vec<Self> {
        let mut steps =
            vec![Self::Wait(Duration::from_secs(12)), Self::Create(0, SessionKind::Short)];
        for session in 0..2 {
            steps.extend([Self::Destroy(session), Self::Renew(session), Self::LockBoth(session)]);
        }
        for key in 0..2 {
            steps.extend(KeyVerb::all("x").map(|verb| Self::Key(key, verb)));
            for session in 0..2 {
                steps.extend(LockVerb::all("x").map(|verb| Self::Lock(key, session, verb)));
            }
        }
        steps
    }

    /// Changes of the catalog and of prepared queries, and requests whose answers they affect.
    pub fn catalog_alphabet() -> Vec<Self> {
        let mut steps = vec![
            Self::Create(0, SessionKind::Checked),
            Self::Create(1, SessionKind::Guest),
            Self::Define(None),
            Self::Redefine(None),
            Self::DropQuery,
            Self::Leave,
            Self::Wait(Duration::from_secs(12)),
            Self::Key(0, KeyVerb::Set("y")),
            Self::Key(0, KeyVerb::Delete),
            Self::Key(0, KeyVerb::DeleteTree),
            Self::Lock(0, 0, LockVerb::Release),
        ];
        for client in 0..2 {
            steps.extend([Self::Destroy(client), Self::Define(Some(client))]);
            steps.push(Self::Lock(client, client, LockVerb::Acquire("x")));
        }
        steps.extend([Self::Redefine(Some(1)), Self::Deregister(Deregistered::Check)]);
        steps.push(Self::Deregister(Deregistered::Node));
        steps.extend(Registered::ALL.map(Self::Register));
        steps.extend(ReadIndex::ALL.map(Self::ReadAll));
        steps
    }

    /// Any step over all keys and this number of sessions.
    pub fn any(dice: &mut Dice, sessions: usize) -> Self {
        let (key, session) = (dice.below(KEYS.len()), dice.below(sessions));
        let value = ["x", "y", ""][dice.below(3)];
        match dice.below(26) {
            20 => Self::Register(*dice.one_of(&Registered::ALL)),
            21 if dice.below(4) == 0 => {
                Self::Deregister(*dice.one_of(&[Deregistered::Check, Deregistered::Node]))
            }
            22 => Self::Define((dice.below(4) > 0).then_some(session)),
            23 if dice.below(2) == 0 => Self::Redefine((dice.below(4) > 0).then_some(session)),
            23 => *dice.one_of(&[Self::DropQuery, Self::Leave]),
            24 => Self::ReadAll(*dice.one_of(&ReadIndex::ALL)),
            0..6 => Self::Key(key, KeyVerb::all(value)[dice.below(7)]),
            6..12 => Self::Lock(key, session, LockVerb::all(value)[dice.below(5)]),
            12 => Self::LockBoth(session),
            13 | 14 => Self::Create(session, *dice.one_of(&SessionKind::ALL)),
            15 => Self::Destroy(session),
            16 => Self::Renew(session),
            17 if dice.below(8) == 0 => Self::Failover,
            19 if dice.below(4) == 0 => Self::DeleteAll,
            18 if dice.below(8) == 0 => Self::Wait(Duration::from_secs(400)),
            _ => Self::Wait(Duration::from_millis(dice.below(9_000) as u64)),
        }
    }

    /// The requests of the step; none if time passes, the leader changes or a caller disconnects.
    pub fn operations(self, engine: &Engine, known: &KnownIds) -> Vec<Operation> {
        let sessions = &known.sessions;
        vec![match self {
            Self::Key(key, verb) => on_key(engine, key, verb),
            Self::Lock(key, session, verb) => on_lock(key, &sessions[session], verb),
            Self::DeleteAll => Operation::Kv { key: Key::from(""), verb: KvVerb::DeleteTree },
            Self::LockBoth(session) => {
                let lock = |key| kv_op(key, TxnVerb::Write(acquire("x", &sessions[session])));
                Operation::Txn(vec![lock(0), lock(1)])
            }
            Self::Create(_, kind) => Operation::CreateSession(Box::new(kind.draft())),
            Self::Destroy(session) => Operation::DestroySession(sessions[session].clone()),
            Self::Renew(session) => Operation::RenewSession(sessions[session].clone()),
            Self::Register(part) => Operation::Register(Box::new(part.registration())),
            Self::Deregister(part) => Operation::Deregister(part.named()),
            Self::Define(session) => Operation::CreateQuery(definition(known, session)),
            Self::Redefine(session) => {
                let definition = definition(known, session);
                Operation::UpdateQuery { id: known.query.to_string(), definition }
            }
            Self::DropQuery => Operation::DeleteQuery(known.query.to_string()),
            Self::ReadAll(since) => {
                let reads = queries(known).into_iter();
                return reads.map(|query| read(engine, query, since)).collect();
            }
            Self::Wait(_) | Self::Failover | Self::Leave => return Vec::new(),
        }]
    }
}

impl KeyVerb {
    fn all(value: &'static str) -> [Self; 7] {
        [
            Self::Set(value),
            Self::CasNew,
            Self::CasNow,
            Self::Delete,
            Self::DeleteCasOld,
            Self::DeleteCasNow,
            Self::DeleteTree,
        ]
    }
}

impl LockVerb {
    fn all(value: &'static str) -> [Self; 5] {
        [Self::Acquire(value), Self::Release, Self::TxnLock, Self::TxnUnlock, Self::Fenced]
    }
}

impl SessionKind {
    pub const ALL: [Self; 6] = [
        Self::Short,
        Self::Deleting,
        Self::WithoutDelay,
        Self::Patient,
        Self::Checked,
        Self::Guest,
    ];

    fn draft(self) -> SessionDraft {
        let (ttl, lock_delay, behavior) = match self {
            Self::Short | Self::Checked => ("10s", 5, "release"),
            Self::Deleting | Self::Guest => ("", 15, "delete"),
            Self::WithoutDelay => ("16s", 0, "release"),
            Self::Patient => ("0s", 90, "release"),
        };
        let (node, checks) = match self {
            // Names ignore case (SES-09, SES-25).
            Self::Checked => (Some(NodeName::from("N2")), vec![CheckId::from("C")]),
            Self::Guest => (Some(NodeName::from(NODE)), Vec::new()),
            _ => (None, Vec::new()),
        };
        SessionDraft {
            node,
            name: Arc::default(),
            lock_delay: lock_delay * 1_000_000_000,
            behavior: Arc::from(behavior),
            ttl: Arc::from(ttl),
            node_checks: Some(checks),
            service_checks: None,
            checks: None,
        }
    }
}

impl Registered {
    const ALL: [Self; 4] = [Self::Node, Self::Passing, Self::Critical, Self::CheckOnly];

    fn registration(self) -> Registration {
        let node = NodeName::from(NODE);
        let is_critical = self == Self::Critical;
        let status = if is_critical { CheckStatus::Critical } else { CheckStatus::Passing };
        let check = Check { id: CheckId::from(CHECK), status, ..serf_health(&node) };
        Registration {
            node_update: if self == Self::CheckOnly { NodeUpdate::Skip } else { NodeUpdate::Write },
            service: None,
            checks: if self == Self::Node { Vec::new() } else { vec![check] },
            node: Node {
                name: node,
                address: Arc::from(if self == Self::Node { "10.0.0.3" } else { "10.0.0.2" }),
                ..Node::default()
            },
        }
    }
}

impl Deregistered {
    fn named(self) -> Deregistration {
        let node = NodeName::from(NODE);
        match self {
            Self::Check => Deregistration::Check(node, CheckId::from(CHECK)),
            Self::Node => Deregistration::Node(node),
        }
    }
}

impl ReadIndex {
    const ALL: [Self; 3] = [Self::Never, Self::Now, Self::Later];
}

fn on_key(engine: &Engine, key: usize, verb: KeyVerb) -> Operation {
    let entry = engine.store().kv().get(KEYS[key]);
    let now = entry.map_or(Index::ZERO, |entry| entry.modify_index);
    let verb = match verb {
        KeyVerb::Set(value) => KvVerb::Set(write(value)),
        KeyVerb::CasNew => KvVerb::Cas { write: write("x"), expected: Index::ZERO },
        KeyVerb::CasNow => KvVerb::Cas { write: write("z"), expected: now },
        KeyVerb::Delete => KvVerb::Delete,
        KeyVerb::DeleteCasOld => KvVerb::DeleteCas { expected: Index(1) },
        KeyVerb::DeleteCasNow => KvVerb::DeleteCas { expected: now },
        KeyVerb::DeleteTree => KvVerb::DeleteTree,
    };
    Operation::Kv { key: Key::from(KEYS[key]), verb }
}

fn on_lock(key: usize, session: &SessionRef, verb: LockVerb) -> Operation {
    let release = || KvVerb::Release { write: write("x"), session: session.clone() };
    let single = |verb| Operation::Kv { key: Key::from(KEYS[key]), verb };
    let txn = |verb| Operation::Txn(vec![kv_op(key, verb)]);
    match verb {
        LockVerb::Acquire(value) => single(acquire(value, session)),
        LockVerb::Release => single(release()),
        LockVerb::TxnLock => txn(TxnVerb::Write(acquire("x", session))),
        LockVerb::TxnUnlock => txn(TxnVerb::Write(release())),
        LockVerb::Fenced => {
            let next = (key + 1) % KEYS.len();
            let set = |key, value| kv_op(key, TxnVerb::Write(KvVerb::Set(write(value))));
            let check = kv_op(key, TxnVerb::CheckSession(session.clone()));
            Operation::Txn(vec![set(next, "fenced"), check, set(key, "x")])
        }
    }
}

fn acquire(value: &str, session: &SessionRef) -> KvVerb {
    KvVerb::Acquire { write: write(value), session: session.clone() }
}

fn write(value: &str) -> Write {
    Write { value: Arc::from(value.as_bytes()), flags: value.len() as u64 }
}

fn kv_op(key: usize, verb: TxnVerb) -> TxnOp {
    TxnOp::Kv { key: Key::from(KEYS[key]), verb }
}

/// Everything that can be watched: each key; prefixes of all keys, of some, of one and of none;
/// catalog and prepared queries.
pub fn queries(known: &KnownIds) -> Vec<Query> {
    let node = NodeName::from(NODE);
    let keys = KEYS.map(|key| Query::Key(Key::from(key)));
    let trees = ["", "a", "ab", "abc"].map(|prefix| Query::Tree(Key::from(prefix)));
    let sessions = known.sessions.iter().take(2).cloned().map(Query::Session);
    let records = [
        Query::Sessions,
        Query::SessionsOfNode(node.clone()),
        Query::Nodes,
        Query::ChecksOfNode(node),
        Query::PreparedQueries,
        Query::PreparedQuery(known.query.to_string()),
    ];
    keys.into_iter().chain(trees).chain(sessions).chain(records).collect()
}

fn read(engine: &Engine, query: Query, since: ReadIndex) -> Operation {
    let min_index = match since {
        ReadIndex::Never => Index::ZERO,
        ReadIndex::Now => engine.store().read(&query).0.at_least_one(),
        ReadIndex::Later => engine.index().next(),
    };
    let wait = Some(Wait { min_index, timeout: Duration::from_secs(8) });
    Operation::Read { query, wait, consistency: Consistency::Default }
}

fn definition(known: &KnownIds, session: Option<usize>) -> Box<QueryDefinition> {
    let mut definition = QueryDefinition::default();
    definition.service.service = "web".to_owned();
    match session {
        Some(session) => definition.session = known.sessions[session].as_str().to_owned(),
        None => definition.name = "q".to_owned(),
    }
    Box::new(definition)
}
