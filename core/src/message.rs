//! Messages between clients and the engine: requests, responses, refusals. They are independent of
//! HTTP.

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
use crate::version::ConsulVersion;

/// The lock-delay in nanoseconds of a session that does not ask for one (SES-17).
pub const LOCK_DELAY_DEFAULT: i64 = 15_000_000_000;

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The node of the agent that received the request; a session's default node (SES-01).
    pub agent: NodeName,
    /// What the client asks for.
    pub operation: Operation,
}

/// The operation that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Operation {
    /// Creates a session.
    CreateSession(Box<SessionDraft>),
    /// Ends a session; any client may end any session (DST-01).
    DestroySession(SessionRef),
    /// Starts the TTL of a session anew (TTL-02).
    RenewSession(SessionRef),
    /// Writes or deletes keys.
    Kv {
        /// The key, or the prefix of a `DeleteTree`.
        key: Key,
        /// What to do with it.
        verb: KvVerb,
    },
    /// Runs operations together or not at all.
    Txn(Vec<TxnOp>),
    /// Reads the store.
    Read {
        /// What to read.
        query: Query,
        /// How long to wait for a change; `None` for an immediate answer.
        wait: Option<Wait>,
        /// The consistency that the client asked for.
        consistency: Consistency,
    },
    /// Registers a node with a service and checks.
    Register(Box<Registration>),
    /// Removes a node, a service or a check.
    Deregister(Deregistration),
    /// Stores a new prepared query.
    CreateQuery(Box<QueryDefinition>),
    /// Replaces a prepared query.
    UpdateQuery {
        /// The id as it was sent.
        id: String,
        /// The definition that replaces the stored one.
        definition: Box<QueryDefinition>,
    },
    /// Deletes a prepared query by its id, as it was sent.
    DeleteQuery(String),
    /// Asks the agent itself, not the catalog.
    Agent(Box<AgentCall>),
    /// Asks for a fact about the server or its cluster.
    Server(ServerFact),
}

/// A session as a client requests it, before the leader has checked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// `None` for the agent's own node.
    pub node: Option<NodeName>,
    /// A label for people.
    pub name: Arc<str>,
    /// Nanoseconds.
    pub lock_delay: i64,
    /// What its end does to its keys: `release`, `delete` or empty, as it was sent (SES-10).
    pub behavior: Arc<str>,
    /// A Go duration as it was sent; empty for none (SES-13).
    pub ttl: Arc<str>,
    /// Checks of its node; `serfHealth` by default.
    pub node_checks: Option<Vec<CheckId>>,
    /// Further checks of its node, in the form of checks of services (SES-24).
    pub service_checks: Option<Vec<ServiceCheck>>,
    /// The deprecated list of checks (SES-21).
    pub checks: Option<Vec<CheckId>>,
}

/// The consistency mode of a read (HTTP-13). With one server all modes give the same result, but
/// some answers repeat the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Consistency {
    /// What the server does by itself; answers call it `leader`.
    #[default]
    Default,
    /// `?consistent`: the leader makes sure that it still is the leader.
    Consistent,
    /// `?stale`: any server may answer.
    Stale,
}

/// How long a read may wait for an index above the one that its caller has (BLK-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The index that the caller knows.
    pub min_index: Index,
    /// Already bounded (BLK-03); the engine adds the jitter.
    pub timeout: Duration,
}

/// A request to one agent about its own checks, services and maintenance (CAT-09).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentCall {
    /// Adds a check, or replaces the one with its id.
    RegisterCheck {
        /// The check.
        check: Check,
        /// How it is run.
        run: CheckRun,
    },
    /// Reports the state of a check that has a TTL.
    UpdateCheck {
        /// The check.
        id: CheckId,
        /// Its new state.
        status: CheckStatus,
        /// What the check printed, for people.
        output: Arc<str>,
    },
    /// Removes a check.
    DeregisterCheck(CheckId),
    /// Begins maintenance of the node or of a service, or ends it if there is no reason (CAT-11).
    Maintenance {
        /// The service; `None` for the node.
        service: Option<ServiceId>,
        /// Why, for people; `None` to end it.
        reason: Option<Arc<str>>,
    },
    /// Adds a service, or replaces the one with its id.
    RegisterService {
        /// The service.
        service: Service,
        /// Its checks, and how each is run.
        checks: Vec<(Check, CheckRun)>,
        /// Whether the service's earlier checks are removed if they are not named again.
        replaces_checks: bool,
    },
    /// Removes a service with its checks.
    DeregisterService(ServiceId),
    /// Lists the checks that the agent has.
    Checks,
    /// Lists services of the agent.
    Services(ServiceChoice),
    /// Fires a user event.
    FireEvent(FiredEvent),
    /// Asks the server to stop. The engine only answers; the agent then stops the process.
    Leave,
    /// Asks for the agent's log as a stream. The engine has no log and refuses it; an agent that
    /// keeps one answers before the engine.
    Monitor {
        /// The least severe lines to send.
        level: LogLevel,
        /// Whether each line is JSON.
        is_json: bool,
    },
}

/// The severity of a line of an agent's log, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something that may explain a failure, such as a lock-delay.
    Warn,
    /// What an operator should know.
    Info,
    /// Each request.
    Debug,
    /// More than that.
    Trace,
}

impl LogLevel {
    /// Reads a level as Consul does: its name in any case, or `err`.
    pub fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "err" | "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "info" => Some(Self::Info),
            "debug" => Some(Self::Debug),
            "trace" => Some(Self::Trace),
            _ => None,
        }
    }
}

/// How an agent runs one of its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CheckRun {
    /// It becomes critical unless it is updated within this time.
    Ttl(Duration),
    /// It has the state of the checks of a service, or of a node.
    Alias {
        /// The node of the other service; `None` for the agent's own.
        node: Option<NodeName>,
        /// The service whose checks count; `None` for those of the node.
        service: Option<ServiceId>,
    },
    /// The state of a service of the operating system, which only agents on Windows can read.
    OsService,
    /// It keeps the state with which it was registered, as Lictor does not run it: a check of a
    /// URL, a port, or of maintenance.
    Never,
    /// A script, also in a container, which only some agents accept from a request. It keeps the
    /// state with which it was registered.
    Script,
}

/// Which of its services an agent is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ServiceChoice {
    /// All of them.
    All,
    /// The one with this id.
    Id(ServiceId),
    /// Those with this name.
    Name(String),
}

/// A fact about the server or its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ServerFact {
    /// The names of all datacenters.
    Datacenters,
    /// The address of the leader, with its port.
    Leader,
    /// The addresses of all servers, with their ports.
    Peers,
    /// The agent itself: configuration, statistics, metadata.
    Agent,
    /// The members of the cluster.
    Members,
    /// The servers that vote.
    RaftConfiguration,
}

/// The outcome of a request that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The index of a read; for a write that was logged, the index of its log entry; else 0.
    pub index: Index,
    /// The content of the answer.
    pub answer: Answer,
    /// Why the answer is `false`, or missing.
    pub reason: Option<Reason>,
}

/// The content of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// `true`, or `false` if the stored state does not allow the write.
    Flag(bool),
    /// The request was carried out, and there is nothing to return.
    Done,
    /// A session was created with this id.
    Created(SessionId),
    /// The session whose TTL starts anew.
    Renewed(Arc<Session>),
    /// What a read found.
    Found(Found),
    /// A transaction.
    Txn {
        /// The results of its operations, or the errors.
        outcome: TxnOutcome,
        /// How it was carried out.
        kind: TxnKind,
    },
    /// A prepared query was stored with this id.
    QueryCreated(QueryId),
    /// The checks of an agent.
    AgentChecks(Vec<Arc<Check>>),
    /// The services of an agent.
    AgentServices {
        /// Which ones the request named.
        asked: ServiceChoice,
        /// Those that the agent has.
        found: Vec<AgentService>,
    },
    /// The event as its sender sees it.
    EventFired(Arc<UserEvent>),
    /// Names or addresses.
    Texts(Vec<String>),
    /// One address.
    Text(String),
    /// The agent itself.
    Agent(Box<AgentInfo>),
    /// The one member of the cluster.
    Members(Box<AgentInfo>),
    /// The one server that votes.
    RaftConfiguration(Box<AgentInfo>),
}

/// A service of an agent, with the checks of its own and those of the node that the agent runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentService {
    /// The service.
    pub service: Arc<Service>,
    /// The checks of the service, then those of its node.
    pub checks: Vec<Arc<Check>>,
}

/// Facts that a server reports about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentInfo {
    /// The name of its node.
    pub node: NodeName,
    /// The id of its node, a UUID; empty if it has none.
    pub node_id: String,
    /// The metadata of its node.
    pub node_meta: Pairs,
    /// The name of its datacenter.
    pub datacenter: String,
    /// The address of its node, without a port.
    pub address: String,
    /// The version of Consul that the agent answers as.
    pub version: ConsulVersion,
    /// The index of the last log entry.
    pub index: Index,
    /// How many services the agent has.
    pub services: usize,
    /// How many checks the agent has.
    pub checks: usize,
    /// How many of the checks have a TTL.
    pub ttls: usize,
}

/// How a transaction was carried out (TXN-07, TXN-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// The error that the client gets.
    pub error: Error,
    /// The reason, which Consul does not send.
    pub reason: Option<Box<Reason>>,
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
    Status {
        /// The status code of the answer.
        code: u16,
        /// The body of the answer.
        text: String,
    },
    /// No connection could be made, so the call had no effect.
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
    /// The connection failed, in the words of the HTTP client. The call may have taken effect
    /// unless no connection was made.
    #[error("{0}")]
    Network(String),
}

impl CheckRun {
    /// The time within which it must be updated, if there is one.
    pub fn ttl(&self) -> Option<Duration> {
        if let Self::Ttl(ttl) = self { Some(*ttl) } else { None }
    }
}

impl Operation {
    /// The key that it reads or writes, or the prefix of its keys; `None` for a transaction and for
    /// everything else.
    pub fn key(&self) -> Option<&Key> {
        match self {
            Self::Kv { key, .. } => Some(key),
            Self::Read { query, .. } => query.key(),
            _ => None,
        }
    }

    /// How a blocking query waits; `None` for a request that is answered at once, as a read with
    /// index 0 is (BLK-01).
    pub fn blocking_wait(&self) -> Option<Wait> {
        match self {
            Self::Read { wait, .. } => wait.filter(|wait| wait.min_index > Index::ZERO),
            _ => None,
        }
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
