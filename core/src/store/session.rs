//! A session: a lease that can hold locks.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::duration::{self, DurationError};
use crate::id::{CheckId, Index, NodeName, SessionId};

/// A lease that can hold locks, bound to a node and to health checks (SES-27).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// A label for people.
    pub name: Arc<str>,
    /// As it was sent; matched without regard to case (SES-09).
    pub node: NodeName,
    /// Nanoseconds, as stored: neither capped nor refused when negative (SES-19, SES-20).
    pub lock_delay: i64,
    /// What its end does to its keys.
    pub behavior: Behavior,
    /// Its TTL; empty for none.
    pub ttl: SessionTtl,
    /// Checks of its node: it ends when one becomes critical.
    pub node_checks: Option<Vec<CheckId>>,
    /// Further checks of its node, in the form of checks of services (SES-24).
    pub service_checks: Option<Vec<ServiceCheck>>,
    /// The deprecated list (SES-21).
    pub checks: Option<Vec<CheckId>>,
    /// A session's ModifyIndex is the same: it never changes (SES-11).
    pub create_index: Index,
}

/// The TTL of a session: the text as it was sent, which answers repeat (SES-16), and its length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Arc<str>", into = "Arc<str>")]
pub struct SessionTtl {
    text: Arc<str>,
    nanos: i64,
}

/// What the end of a session does to the keys that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behavior {
    /// They become free (DST-03).
    #[default]
    Release,
    /// They are deleted (DST-04).
    Delete,
}

/// A check of a service that a session is bound to (SES-24).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceCheck {
    /// The check.
    pub id: CheckId,
    /// Its namespace; without effect.
    pub namespace: Arc<str>,
}

impl SessionTtl {
    /// Parses a Go duration; the empty text means that there is no TTL.
    pub fn parse(text: Arc<str>) -> Result<Self, DurationError> {
        let nanos = if text.is_empty() { 0 } else { duration::parse(&text)? };
        Ok(Self { text, nanos })
    }

    /// The text as it was sent.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The length in nanoseconds, 0 without a TTL. It is negative only until `Engine` refuses it.
    pub(crate) fn nanos(&self) -> i64 {
        self.nanos
    }

    /// The length, or `None` if the session has no TTL: its text is empty or means zero (SES-14).
    pub fn duration(&self) -> Option<Duration> {
        u64::try_from(self.nanos).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos)
    }
}

impl TryFrom<Arc<str>> for SessionTtl {
    type Error = DurationError;

    fn try_from(text: Arc<str>) -> Result<Self, DurationError> {
        Self::parse(text)
    }
}

impl From<SessionTtl> for Arc<str> {
    fn from(ttl: SessionTtl) -> Self {
        ttl.text
    }
}

impl Session {
    /// The checks that the session is bound to, in the order in which Consul looks them up
    /// (SES-24).
    pub fn enforced_checks(&self) -> impl Iterator<Item = &CheckId> {
        let listed = self.checks.iter().flatten().chain(self.node_checks.iter().flatten());
        listed.chain(self.service_checks.iter().flatten().map(|check| &check.id))
    }
}
