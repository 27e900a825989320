//! All that programs and engine say to each other: requests, the answers to them, and refusals.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Reason};
use crate::id::{CheckId, Index, Key, NodeName, QueryId, ServiceId, SessionId, SessionRef};
pub use crate::store::catalog::SERF_HEALTH;
use crate::store::catalog::{Check, CheckStatus, Deregistration, Registration, Service};
use crate::store::prepared_query::QueryDefinition;
use crate::store::session::ServiceCheck;
use crate::store::txn::{TxnOp, TxnOutcome};
use crate::store::{Found, KvVerb, Query, Session};

/// SES-17: the lock-delay of a session that does not ask for one. Nanoseconds.
pub const LOCK_DELAY_DEFAULT: i64 = 15_000_000_000;

/// One call of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The node of the agent that got the call; a session's default node (SES-01).
    pub agent: NodeName,
    pub operation: Operation,
}

/// What is asked for.
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

/// A session as its creator asks for it, before the leader has checked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// The agent's own node when none is named.
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

/// Who must stand behind the answer to a read (HTTP-13). With one server all of them answer alike,
/// but a client's choice shows in what it sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Consistency {
    #[default]
    Default,
    Consistent,
    Stale,
}

/// How long a read may wait for something newer than it has seen (BLK-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub min_index: Index,
    /// Already bounded (BLK-03); the engine adds the jitter.
    pub timeout: Duration,
}

/// What is asked of one agent about its own checks (CAT-09).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentCall {
    RegisterCheck {
        check: Check,
        ttl: Option<Duration>,
    },
    UpdateCheck {
        id: CheckId,
        status: CheckStatus,
        output: Arc<str>,
    },
    DeregisterCheck(CheckId),
    /// Of the node or a service (CAT-11); without a reason it ends.
    Maintenance {
        service: Option<ServiceId>,
        reason: Option<Arc<str>>,
    },
    RegisterService {
        service: Service,
        checks: Vec<(Check, Option<Duration>)>,
    },
    DeregisterService(ServiceId),
    Checks,
}

/// A fact about the server that no log entry changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerFact {
    Datacenters,
    Leader,
    Peers,
    Agent,
}

/// What came of a request that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The index of a read; for a write that was logged, the index of its log entry; else 0.
    pub index: Index,
    pub answer: Answer,
    /// Why the answer is `false`, or missing.
    pub reason: Option<Reason>,
}

/// What a response says.
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
    Texts(Vec<String>),
    Text(String),
    Agent {
        node: NodeName,
        datacenter: String,
    },
}

/// How a transaction was carried out (TXN-07, TXN-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnKind {
    /// Logged under one index.
    Write,
    /// Answered without the log.
    Read,
    /// Refused before either, in a list without writes (TXN-09).
    ReadRefused,
}

/// A request that was refused, with what Consul says and what it does not say.
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

/// What a client sees of a call that brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Failure {
    /// The server's refusal, in the words of the Go client (RCL-12).
    #[error("Unexpected response code: {code} ({text})")]
    Status { code: u16, text: String },
    #[error("the server could not be reached")]
    Unreachable,
    /// The client stopped waiting: what became of its call is unknown to it.
    #[error("no answer came in time")]
    TimedOut,
    /// The answer is not what was asked for.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// The client itself does not send this (RCL-23).
    #[error("{0}")]
    Unsendable(String),
}

impl Failure {
    /// Whether there is nothing behind the name that was asked for.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { code: 404, .. })
    }
}

impl SessionDraft {
    /// SES-01, SES-21: a session as the server fills in what its creator leaves out.
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
    /// A plain answer of a write.
    pub fn write(index: Index, answer: Answer) -> Self {
        Self { index, answer, reason: None }
    }

    /// The answer `false`.
    pub fn refused(index: Index, reason: Reason) -> Self {
        Self { index, answer: Answer::Flag(false), reason: Some(reason) }
    }
}
