//! Messages between clients and the engine: requests, responses, refusals. `http` decodes them from
//! Consul's HTTP and encodes them to it; `Engine::step` carries requests out. The types of stored
//! records are in `store`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Reason};
use crate::id::{CheckId, Index, Key, NodeName, QueryId, ServiceId, SessionId, SessionRef};
pub use crate::store::catalog::SERF_HEALTH;
use crate::store::catalog::{Check, CheckStatus, Deregistration, Pairs, Registration, Service};
use crate::store::prepared_query::QueryDefinition;
use crate::store::session::ServiceCheck;
use crate::store::txn::{TxnOp, TxnOutcome};
use crate::store::{Found, KvVerb, Query, Session};
use crate::user_event::{FiredEvent, UserEvent};

/// The lock-delay in nanoseconds of a session that does not ask for one (SES-17).
pub const LOCK_DELAY_DEFAULT: i64 = 15_000_000_000;

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The node of the agent that received the request; a session's default node (SES-01).
    pub agent: NodeName,
    pub operation: Operation,
}

/// The operation that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    CreateSession(Box<SessionDraft>),
    DestroySession(SessionRef),
    RenewSession(SessionRef),
    Kv {
        key: Key,
        verb: KvVerb,
    },
    Txn(Vec<TxnOp>),
    Read {
        query: Query,
        wait: Option<Wait>,
        consistency: Consistency,
    },
    Register(Box<Registration>),
    Deregister(Deregistration),
    CreateQuery(Box<QueryDefinition>),
    /// The id as it was sent.
    UpdateQuery {
        id: String,
        definition: Box<QueryDefinition>,
    },
    DeleteQuery(String),
    Agent(Box<AgentCall>),
    Server(ServerFact),
}

/// A session as a client requests it, before the leader has checked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// None for the agent's own node.
    pub node: Option<NodeName>,
    pub name: Arc<str>,
    /// Nanoseconds.
    pub lock_delay: i64,
    pub behavior: Arc<str>,
    pub ttl: Arc<str>,
    pub node_checks: Option<Vec<CheckId>>,
    pub service_checks: Option<Vec<ServiceCheck>>,
    pub checks: Option<Vec<CheckId>>,
}

/// The consistency mode of a read (HTTP-13). With one server all modes give the same result, but
/// some answers repeat the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Consistency {
    #[default]
    Default,
    Consistent,
    Stale,
}

/// How long a read may wait for an index above the one that its caller has (BLK-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub min_index: Index,
    /// Already bounded (BLK-03); the engine adds the jitter.
    pub timeout: Duration,
}

/// A request to one agent about its own checks, services and maintenance (CAT-09).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentCall {
    RegisterCheck {
        check: Check,
        run: CheckRun,
    },
    UpdateCheck {
        id: CheckId,
        status: CheckStatus,
        output: Arc<str>,
    },
    DeregisterCheck(CheckId),
    /// Begins maintenance of the node or of a service, or ends it if there is no reason (CAT-11).
    Maintenance {
        service: Option<ServiceId>,
        reason: Option<Arc<str>>,
    },
    RegisterService {
        service: Service,
        checks: Vec<(Check, CheckRun)>,
        /// Whether the checks that the service had before, and that are not named again, go.
        replaces_checks: bool,
    },
    DeregisterService(ServiceId),
    Checks,
    Services(ServiceChoice),
    FireEvent(FiredEvent),
    /// Asks the server to stop. The engine only answers; the agent then stops the process.
    Leave,
}

/// How an agent runs one of its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckRun {
    /// It becomes critical unless it is updated within this time.
    Ttl(Duration),
    /// It has the state of the checks of a service, or of a node.
    Alias { node: Option<NodeName>, service: Option<ServiceId> },
    /// It keeps the state with which it was registered, as Lictor does not run it: a check of a
    /// URL, a port, a script, a container, or of maintenance.
    Never,
}

/// Which of its services an agent is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServiceChoice {
    All,
    Id(ServiceId),
    Name(String),
}

/// A fact about the server that no log entry changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerFact {
    Datacenters,
    Leader,
    Peers,
    Agent,
    Members,
    RaftConfiguration,
}

/// The outcome of a request that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The index of a read; for a write that was logged, the index of its log entry; else 0.
    pub index: Index,
    pub answer: Answer,
    /// Why the answer is `false`, or missing.
    pub reason: Option<Reason>,
}

/// The content of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Flag(bool),
    Done,
    Created(SessionId),
    Renewed(Arc<Session>),
    Found(Found),
    Txn {
        outcome: TxnOutcome,
        kind: TxnKind,
    },
    QueryCreated(QueryId),
    /// The checks that an agent runs itself.
    AgentChecks(Vec<Arc<Check>>),
    AgentServices {
        asked: ServiceChoice,
        found: Vec<AgentService>,
    },
    EventFired(Arc<UserEvent>),
    Texts(Vec<String>),
    Text(String),
    Agent(Box<AgentInfo>),
    Members(Box<AgentInfo>),
    RaftConfiguration(Box<AgentInfo>),
}

/// A service of an agent, with the checks of its own and those of the node that the agent runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentService {
    pub service: Arc<Service>,
    pub checks: Vec<Arc<Check>>,
}

/// Facts that a server reports about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentInfo {
    pub node: NodeName,
    pub node_id: String,
    pub node_meta: Pairs,
    pub datacenter: String,
    pub address: String,
    /// The index of the last log entry.
    pub index: Index,
    pub services: usize,
    pub checks: usize,
    /// How many of the checks have a TTL.
    pub ttls: usize,
}

/// How a transaction was carried out (TXN-07, TXN-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnKind {
    /// Logged under one index.
    Write,
    /// Answered without the log.
    Read,
    /// A transaction without writes that was refused before it was run (TXN-09).
    ReadRefused,
}

/// Why a request was refused: Consul's error, and the reason that Consul does not state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub error: Error,
    pub reason: Option<Reason>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, reason: None }
    }
}

/// Why a client has no answer to its call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Failure {
    /// The server's refusal, in the words of the Go client (RCL-12).
    #[error("Unexpected response code: {code} ({text})")]
    Status { code: u16, text: String },
    #[error("the server could not be reached")]
    Unreachable,
    /// The client stopped waiting and does not know whether the call took effect.
    #[error("no answer came in time")]
    TimedOut,
    /// The answer does not have the form of the operation's answers.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// The client itself does not send this (RCL-23).
    #[error("{0}")]
    Unsendable(String),
}

impl CheckRun {
    /// The time within which it must be updated, if there is one.
    pub fn ttl(&self) -> Option<Duration> {
        if let Self::Ttl(ttl) = self { Some(*ttl) } else { None }
    }
}

impl Failure {
    /// Whether the answer is 404: what the request names does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { code: 404, .. })
    }
}

impl SessionDraft {
    /// A session with the server's defaults for everything but its name (SES-01, SES-21).
    pub fn named(name: &str) -> Self {
        Self {
            node: None,
            name: name.into(),
            lock_delay: LOCK_DELAY_DEFAULT,
            behavior: "release".into(),
            ttl: Arc::default(),
            node_checks: Some(Vec::from([CheckId::from(SERF_HEALTH)])),
            service_checks: None,
            checks: None,
        }
    }
}

impl Response {
    /// The response to a write.
    pub fn write(index: Index, answer: Answer) -> Self {
        Self { index, answer, reason: None }
    }

    /// The answer `false`.
    pub fn refused(index: Index, reason: Reason) -> Self {
        Self { index, answer: Answer::Flag(false), reason: Some(reason) }
    }
}
