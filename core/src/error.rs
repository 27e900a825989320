//! Everything the server refuses, and why. `Display` of an [`enum@Error`] is Consul's text; a
//! [`Reason`] is the explanation that Consul does not give.

use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::duration::DurationError;
use crate::id::{CheckId, Index, NodeName, ServiceId, SessionId, SessionRef, go_quoted};
use crate::time::Instant;

/// A request that the server refuses. Its text is the body of the answer, less the prefix of
/// HTTP-11.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Error {
    /// SES-07.
    #[error("Must provide Node")]
    SessionWithoutNode,
    /// SES-10.
    #[error("Invalid Behavior setting '{0}'")]
    InvalidBehavior(String),
    /// SES-13.
    #[error("Session TTL '{text}' invalid: {error}")]
    InvalidTtl { text: String, error: Box<DurationError> },
    /// SES-15: the lower bound is configuration, the value is printed in nanoseconds.
    #[error("Invalid Session TTL '{nanos}', must be between [{min}=24h0m0s]")]
    TtlOutOfBounds { nanos: i64, min: String },
    /// SES-08.
    #[error("Missing node registration")]
    MissingNode,
    /// SES-25.
    #[error("Missing check '{0}' registration")]
    MissingCheck(CheckId),
    /// SES-25.
    #[error("Check '{0}' is in critical state")]
    CriticalCheck(CheckId),
    /// SES-25: an empty check id.
    #[error("failed check lookup: index error: object is missing a value for this index")]
    EmptyCheckId,
    /// SES-34.
    #[error("Session id '{0}' not found")]
    SessionNotFound(SessionRef),
    /// LCK-09.
    #[error("missing session")]
    MissingSession,
    /// LCK-08, PQ-01.
    #[error("invalid session {}", go_quoted(.0.as_str()))]
    InvalidSession(SessionRef),
    /// KV-29.
    #[error("Must provide key")]
    MissingKey,
    /// CAT-06.
    #[error("Must provide node")]
    CatalogWithoutNode,
    /// CAT-06.
    #[error("Must provide address if SkipNodeUpdate is not set")]
    CatalogWithoutAddress,
    /// A service of an agent registration without a name.
    #[error("Must provide service name.")]
    ServiceWithoutName,
    /// A check in a registration that names another node than the registration.
    #[error("Node '{of}' for check '{check}' doesn't match register request node '{node}'")]
    CheckOfOtherNode { check: CheckId, of: NodeName, node: NodeName },
    /// A check in a registration that names a service which its node does not have.
    #[error("Unknown service ID '{service}' for check ID '{check}'")]
    UnknownServiceOfCheck { service: ServiceId, check: CheckId },
    /// The same at an agent.
    #[error("ServiceID {} does not exist", go_quoted(.0.as_str()))]
    MissingServiceId(ServiceId),
    /// The same where it is stored.
    #[error("Missing service registration")]
    MissingService,
    /// A check that has neither an id nor a name.
    #[error("failed health check lookup: index error: object is missing a value for this index")]
    NamelessCheck,
    /// A node's id that is none.
    #[error("Bad node ID: {0}")]
    BadNodeId(String),
    /// Another node with this name is alive.
    #[error("Error while renaming Node ID: {0}")]
    NodeNameReserved(String),
    /// A service with an id and without a name.
    #[error("Must provide service name (Service.Service) when service ID is provided")]
    ServiceIdWithoutName,
    /// An address that stands for all of them.
    #[error("Invalid service address")]
    InvalidServiceAddress,
    /// CAT-06: agent check calls.
    #[error(
        "Unknown check ID {}. Ensure that the check ID is passed, not the check name.",
        go_quoted(.0.as_str())
    )]
    UnknownCheck(CheckId),
    /// An agent check call on a check that has no TTL.
    #[error("CheckID {} does not have associated TTL", go_quoted(.0.as_str()))]
    CheckWithoutTtl(CheckId),
    /// A service name or id that the agent does not have.
    #[error(
        "Unknown service ID {}. Ensure that the service ID is passed, not the service name.",
        go_quoted(.0)
    )]
    UnknownService(String),
    /// PQ-02.
    #[error("Invalid prepared query: Must be bound to a session")]
    UnboundQuery,
    /// PQ-07.
    #[error("Invalid prepared query: Must provide a Service name to query")]
    QueryWithoutService,
    /// PQ-07.
    #[error("ID must be empty when creating a new prepared query")]
    QueryIdSupplied,
    /// PQ-07.
    #[error("Cannot modify non-existent prepared query: '{0}'")]
    UnknownQueryToModify(String),
    /// PQ-07.
    #[error("name '{0}' aliases an existing query name")]
    QueryNameTaken(String),
    /// The same, as queries are found by id or by name.
    #[error("name '{0}' aliases an existing query ID")]
    QueryNameIsId(String),
    /// PQ-07: what else a definition may not say.
    #[error("Invalid prepared query: {0}")]
    InvalidQuery(String),
    /// PQ-07: an id to read that is none.
    #[error("failed prepared query lookup: index error: {0}")]
    MalformedQueryId(String),
    /// PQ-07: an id to write that is none.
    #[error("Prepared Query lookup failed: failed prepared query lookup: index error: {0}")]
    MalformedQueryIdToModify(String),
    /// PQ-06.
    #[error("Query not found")]
    QueryNotFound,
    /// A limit of this implementation (Consul has none): parked blocking queries.
    #[error("Too many blocking queries: this server keeps at most {limit} of them")]
    TooManyParked { limit: usize },
}

/// The five ways a session ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// A client asked for it: any client (DST-01, DST-09).
    Requested,
    /// It was not renewed for twice its TTL (TTL-03).
    TtlExpired,
    /// One of its checks was stored as critical (CAT-01).
    CheckCritical(CheckId),
    /// One of its checks was removed (CAT-05).
    CheckRemoved(CheckId),
    /// Its node was removed from the catalog (CAT-05).
    NodeRemoved,
}

/// Why an answer was `false`, an error, or "not there": what Consul knows but does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Another session has held the key since the index (LCK-04, LCK-12).
    HeldBy { holder: SessionRef, since: Index },
    /// The key cannot be acquired before `until`, as `session` ended while holding it (DLY-04).
    LockDelay { until: Instant, armed: Index, session: SessionId, cause: Cause },
    /// The key is held by no one, so there is nothing to release (LCK-12).
    NotHeld,
    /// The key does not exist.
    KeyMissing,
    /// Check-and-set expected one index and found another (KV-11, KV-16); 0 stands for "must not
    /// exist".
    IndexDiffers { expected: Index, actual: Index },
    /// The session ended (DST-08).
    SessionEnded { session: SessionId, at: Instant, index: Index, cause: Cause },
    /// No session of this id is known: it never existed here, or ended long ago.
    SessionUnknown,
    /// Some operations of a transaction failed, so none was applied (TXN-08).
    TransactionFailed { failed: usize },
}
