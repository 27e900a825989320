//! Errors of the engine. The text of an [`enum@Error`] is Consul's own, word for word, but for the
//! limit of blocking queries, which Consul does not have; a [`Reason`] states what Consul's answer
//! omits. Requests that cannot be decoded do not reach the engine: they are `http::BadRequest`.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::duration::DurationError;
use crate::id::{CheckId, Index, NodeName, ServiceId, SessionId, SessionRef, go_quoted};
use crate::time::Instant;

/// Why the engine refuses a request. The text is the body of the answer, without the prefix that
/// `http::encode` adds (HTTP-11).
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Error {
    /// A session without a node (SES-07).
    #[error("Must provide Node")]
    SessionWithoutNode,
    /// A session whose behavior is neither `release` nor `delete` (SES-10).
    #[error("Invalid Behavior setting '{0}'")]
    InvalidBehavior(String),
    /// A session whose TTL is not a duration (SES-13).
    #[error("Session TTL '{text}' invalid: {error}")]
    InvalidTtl {
        /// The TTL as it was sent.
        text: String,
        /// Why it is no duration.
        error: Box<DurationError>,
    },
    /// A session whose TTL, in nanoseconds, is not within bounds; the lower one is configured
    /// (SES-15).
    #[error("Invalid Session TTL '{nanos}', must be between [{min}=24h0m0s]")]
    TtlOutOfBounds {
        /// The TTL that was asked for, in nanoseconds.
        nanos: i64,
        /// The smallest TTL, as Go writes durations.
        min: String,
    },
    /// A session on a node that is not registered (SES-08).
    #[error("Missing node registration")]
    MissingNode,
    /// A session that depends on a check that is not registered (SES-25).
    #[error("Missing check '{0}' registration")]
    MissingCheck(CheckId),
    /// A session that depends on a critical check (SES-25).
    #[error("Check '{0}' is in critical state")]
    CriticalCheck(CheckId),
    /// A session that depends on a check with an empty id (SES-25).
    #[error("failed check lookup: index error: object is missing a value for this index")]
    EmptyCheckId,
    /// Renewal of a session that does not exist (SES-34).
    #[error("Session id '{0}' not found")]
    SessionNotFound(SessionRef),
    /// An acquire or release without a session (LCK-09).
    #[error("missing session")]
    MissingSession,
    /// An acquire, or a prepared query, with a session that does not exist (LCK-08, PQ-01).
    #[error("invalid session {}", go_quoted(.0.as_str()))]
    InvalidSession(SessionRef),
    /// An operation of a transaction without a key (KV-29).
    #[error("Must provide key")]
    MissingKey,
    /// A registration without a node (CAT-06).
    #[error("Must provide node")]
    CatalogWithoutNode,
    /// A registration without an address (CAT-06).
    #[error("Must provide address if SkipNodeUpdate is not set")]
    CatalogWithoutAddress,
    /// A check in a registration that names another node than the registration.
    #[error("Node '{check_node}' for check '{check}' doesn't match register request node '{node}'")]
    CheckOfOtherNode {
        /// The check.
        check: CheckId,
        /// The node that the check names.
        check_node: NodeName,
        /// The node of the registration.
        node: NodeName,
    },
    /// A check in a registration that names a service which its node does not have.
    #[error("Unknown service ID '{service}' for check ID '{check}'")]
    UnknownServiceOfCheck {
        /// The service that the check names.
        service: ServiceId,
        /// The check.
        check: CheckId,
    },
    /// A check at an agent that names a service which the agent does not have.
    #[error("ServiceID {} does not exist", go_quoted(.0.as_str()))]
    MissingServiceId(ServiceId),
    /// A check that runs a script, at an agent that accepts none from requests.
    #[error(
        "Scripts are disabled on this agent from remote calls; to enable, configure \
         'enable_script_checks' to true"
    )]
    ScriptsDisabled,
    /// A check that is stored with a service which its node does not have.
    #[error("Missing service registration")]
    MissingService,
    /// A check that has neither an id nor a name, or no node.
    #[error("failed health check lookup: index error: object is missing a value for this index")]
    NamelessCheck,
    /// A node whose id is not a UUID.
    #[error("Bad node ID: {0}")]
    BadNodeId(String),
    /// A node with the name of another that is alive.
    #[error("Error while renaming Node ID: {0}")]
    NodeNameReserved(String),
    /// A service with an id and without a name.
    #[error("Must provide service name (Service.Service) when service ID is provided")]
    ServiceIdWithoutName,
    /// A service without a name and an id.
    #[error(
        "service name (Service.Service) is required; both Service ID (Service.ID) and Service Name \
         cannot be empty"
    )]
    ServiceWithoutName,
    /// A service whose metadata has a fault.
    #[error("Invalid Service Meta for node {node} and serviceID {service}: {fault}")]
    InvalidServiceMeta {
        /// The node of the service.
        node: NodeName,
        /// The service.
        service: ServiceId,
        /// What is wrong with the metadata.
        fault: String,
    },
    /// A check that only agents on Windows can run.
    #[error("not implemented")]
    NotImplemented,
    /// A service whose address is a wildcard, such as `0.0.0.0`.
    #[error("Invalid service address")]
    InvalidServiceAddress,
    /// A call to an agent about a check that it does not have (CAT-06).
    #[error(
        "Unknown check ID {}. Ensure that the check ID is passed, not the check name.",
        go_quoted(.0.as_str())
    )]
    UnknownCheck(CheckId),
    /// A status reported to an agent for a check without a TTL.
    #[error("CheckID {} does not have associated TTL", go_quoted(.0.as_str()))]
    CheckWithoutTtl(CheckId),
    /// A read of the root certificates of a service mesh that is disabled.
    #[error("Connect must be enabled in order to use this endpoint")]
    ConnectDisabled,
    /// A call to an agent about a service that it does not have.
    #[error(
        "Unknown service ID {}. Ensure that the service ID is passed, not the service name.",
        go_quoted(.0)
    )]
    UnknownService(String),
    /// A prepared query without a name, a template and a session (PQ-02).
    #[error("Invalid prepared query: Must be bound to a session")]
    UnboundQuery,
    /// A prepared query without a service (PQ-07).
    #[error("Invalid prepared query: Must provide a Service name to query")]
    QueryWithoutService,
    /// A new prepared query that has an id already (PQ-07).
    #[error("ID must be empty when creating a new prepared query")]
    QueryIdSupplied,
    /// A change of a prepared query that does not exist (PQ-07).
    #[error("Cannot modify non-existent prepared query: '{0}'")]
    UnknownQueryToModify(String),
    /// A prepared query with the name of another (PQ-07).
    #[error("name '{0}' aliases an existing query name")]
    QueryNameTaken(String),
    /// A prepared query whose name is the id of another; queries are found by either.
    #[error("name '{0}' aliases an existing query ID")]
    QueryNameIsId(String),
    /// Anything else that a definition must not contain (PQ-07).
    #[error("Invalid prepared query: {0}")]
    InvalidQuery(String),
    /// A read of a prepared query whose id is not a UUID (PQ-07).
    #[error("failed prepared query lookup: index error: {0}")]
    MalformedQueryId(String),
    /// A change of a prepared query whose id is not a UUID (PQ-07).
    #[error("Prepared Query lookup failed: failed prepared query lookup: index error: {0}")]
    MalformedQueryIdToModify(String),
    /// Execution of a prepared query that does not exist (PQ-06).
    #[error("Query not found")]
    QueryNotFound,
    /// More blocking queries than the configured limit, which Consul does not have.
    #[error("Too many blocking queries: this server keeps at most {limit} of them")]
    TooManyParked {
        /// How many blocking queries may wait.
        limit: usize,
    },
    /// A check in a registration that has neither an id nor a name.
    #[error("failed inserting check on node {}: {}", go_quoted(.0.as_str()), Self::NamelessCheck)]
    NamelessCheckOfNode(NodeName),
    /// A prepared query whose template has a fault (PQ-08).
    #[error("failed compiling template: {0}")]
    InvalidTemplate(String),
    /// A stream of the log from a server that has none, or cannot send streams.
    #[error("Streaming not supported")]
    NoStreams,
    /// A second template without a name (PQ-08).
    #[error("a query template with an empty name already exists")]
    NamelessTemplateExists,
    /// Execution of a template by its id (PQ-08).
    #[error("prepared query templates can only be resolved up by name, not by ID")]
    TemplateById,
    /// A template that has a fault for the name that it is executed for (PQ-08).
    #[error("{0}")]
    UnrenderedTemplate(String),
    /// A service whose settings for the service mesh contradict each other (MSH-02).
    #[error("{0}")]
    InvalidService(String),
    /// A request that needs the leader, of which there is none, or no answer (LDR-01).
    #[error(transparent)]
    Leader(LeaderError),
}

/// Why a server has no answer of the leader to a request (LDR-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum LeaderError {
    /// The server still takes the server that was killed for the leader.
    #[error(
        "rpc error getting client: failed to get conn: dial tcp 10.0.9.2:0->10.0.9.1:8300: \
         connect: connection refused"
    )]
    Refused,
    /// The same, while another request of the server tries to connect.
    #[error(
        "rpc error getting client: failed to get conn: rpc error: lead thread didn't get connection"
    )]
    NoConnection,
    /// Gossip has found the leader dead, and no election has begun.
    #[error("Raft leader not found in server lookup mapping")]
    Unknown,
    /// No leader was elected while the server held the request.
    #[error("No cluster leader")]
    NoLeader,
    /// The connection to the leader broke while the request waited there; it may have taken effect.
    #[error("rpc error making call: EOF")]
    Broken,
    /// A blocking query to a leader that did not answer.
    #[error("rpc error making call: i/o deadline reached")]
    DeadlineReached,
}

/// Why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A client destroyed it; any client may (DST-01, DST-09).
    Requested,
    /// It was not renewed within twice its TTL (TTL-03).
    TtlExpired,
    /// One of its checks was stored as critical (CAT-01).
    CheckCritical(CheckId),
    /// One of its checks was removed (CAT-05).
    CheckRemoved(CheckId),
    /// Its node was removed from the catalog (CAT-05).
    NodeRemoved,
    /// One of its checks became critical, as the session that the check follows ended (V22-11).
    FollowedSessionEnded {
        /// The check.
        check: CheckId,
        /// The session that the check follows.
        session: SessionId,
    },
    /// It ended before what is known of the cluster.
    Unknown,
}

impl fmt::Display for Cause {
    /// The end of a sentence that begins with "the session ended": `not renewed for twice its TTL`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("destroyed"),
            Self::TtlExpired => f.write_str("not renewed for twice its TTL"),
            Self::CheckCritical(check) => write!(f, "check {check} is critical"),
            Self::CheckRemoved(check) => write!(f, "check {check} is removed"),
            Self::NodeRemoved => f.write_str("its node is removed"),
            Self::FollowedSessionEnded { check, session } => {
                write!(f, "check {check} is critical, as {session} ended")
            }
            Self::Unknown => f.write_str("why is not known"),
        }
    }
}

/// Why an answer was `false`, an error, or empty; Consul's answers do not contain it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Another session has held the key since the index (LCK-04, LCK-12).
    HeldBy {
        /// The session that holds the key, in its spelling.
        holder: SessionRef,
        /// The log entry in which it acquired the key.
        since: Index,
    },
    /// The key cannot be acquired before `until`, as `session` ended while holding it (DLY-04).
    LockDelay {
        /// When the key can be acquired again.
        until: Instant,
        /// The log entry in which the session ended.
        armed: Index,
        /// The session that ended.
        session: SessionId,
        /// Why it ended.
        cause: Cause,
    },
    /// The key is not locked, so there is nothing to release (LCK-12).
    NotHeld,
    /// The key does not exist.
    KeyMissing,
    /// Check-and-set expected another index (KV-11, KV-16); an expected 0 means that the key must
    /// not exist.
    IndexDiffers {
        /// The index that the request named.
        expected: Index,
        /// The `ModifyIndex` of the key; 0 if it does not exist.
        actual: Index,
    },
    /// The session ended (DST-08).
    SessionEnded {
        /// The session.
        session: SessionId,
        /// When it ended.
        at: Instant,
        /// The log entry in which it ended.
        index: Index,
        /// Why it ended.
        cause: Cause,
    },
    /// No session has this id; it never existed, or ended long ago.
    SessionUnknown,
    /// Some operations of a transaction failed, so none was applied (TXN-08).
    TransactionFailed {
        /// How many operations failed.
        failed: usize,
    },
    /// The server that was asked did not reach a leader (LDR-01).
    NoLeader {
        /// When the leader was lost.
        since: Instant,
        /// What the server met.
        error: LeaderError,
    },
}

impl fmt::Display for Reason {
    /// The reason in a few words. The ids of sessions are written in full and in lower case,
    /// however a lock spells its holder; `#12` is the log entry with this index.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeldBy { holder, since } => match holder.id() {
                Some(id) => write!(f, "held by {id} since #{since}"),
                None => write!(f, "held by {holder} since #{since}"),
            },
            Self::LockDelay { until, session, cause, .. } => {
                write!(f, "lock-delay until {until}, as {session} ended: {cause}")
            }
            Self::NotHeld => f.write_str("not held"),
            Self::KeyMissing => f.write_str("no such key"),
            Self::IndexDiffers { expected, actual } => {
                write!(f, "the index is {actual}, not {expected}")
            }
            Self::SessionEnded { session, at, cause, .. } => {
                write!(f, "{session} ended at {at}: {cause}")
            }
            Self::SessionUnknown => f.write_str("no such session"),
            Self::TransactionFailed { failed } => write!(f, "{failed} operations fail"),
            Self::NoLeader { since, error } => {
                let met = match error {
                    LeaderError::Refused | LeaderError::NoConnection => "it is not reached",
                    LeaderError::Unknown => "none is elected",
                    LeaderError::NoLeader => "none was elected in time",
                    LeaderError::Broken => "the request may have been applied",
                    LeaderError::DeadlineReached => "it did not answer",
                };
                write!(f, "leader lost at {since}: {met}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_reason_has_the_session_the_time_and_the_cause() {
        let (session, cause) = (SessionId::FIRST, Cause::CheckCritical(CheckId::from("disk")));
        let (until, at) = (Instant::from_millis(20_000), Instant::from_nanos(11_000_000_250));
        for (reason, text) in [
            (
                Reason::HeldBy {
                    holder: SessionRef::from("ABCDEF00-0000-0000-0000-000000000000"),
                    since: Index(12),
                },
                "held by abcdef00-0000-0000-0000-000000000000 since #12",
            ),
            (
                Reason::LockDelay { until, armed: Index(9), session, cause: Cause::TtlExpired },
                "lock-delay until 20.000s, as 00000000-0000-0000-0000-000000000000 ended: not \
                 renewed for twice its TTL",
            ),
            (
                Reason::SessionEnded { session, at, index: Index(9), cause },
                "00000000-0000-0000-0000-000000000000 ended at 11.00000025s: check disk is \
                 critical",
            ),
        ] {
            assert_eq!(reason.to_string(), text);
        }
    }
}
