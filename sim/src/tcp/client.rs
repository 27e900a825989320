//! The HTTP clients with which programs call Consul, as data: how each keeps its connections, how
//! long it waits, and whether it repeats reads.

use core::time::Duration;

use lictor_core::message::Operation;
use serde::{Deserialize, Serialize};

/// An HTTP client library.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum HttpClient {
    /// Go's net/http as HashiCorp's client sets it up (cleanhttp).
    #[default]
    Go,
    /// Node's fetch (undici).
    Node,
    /// Python's requests without a timeout.
    Requests,
    /// py-consul, which calls requests with timeouts.
    PyConsul,
    /// The command curl, which makes a connection for each request.
    Curl,
}

/// How an HTTP client keeps its connections, waits for answers and repeats reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How long it waits for a connection; `None` if only the kernel gives up.
    pub dial_timeout: Option<Duration>,
    /// The probes with which an idle connection is found dead; `None` without probes.
    pub keep_alive: Option<KeepAlive>,
    /// How long it keeps an idle connection; `None` if it keeps it until the server closes it.
    pub idle_timeout: Option<Duration>,
    /// How long it waits for an answer.
    pub response_timeout: ResponseTimeout,
    /// Whether it repeats a read by itself if a connection that it has used before breaks.
    pub repeats_reads: bool,
}

/// The probes of an idle connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// How long after the last packet that was received the first probe is sent.
    pub idle: Duration,
    /// The interval of further probes.
    pub interval: Duration,
    /// How many unanswered probes end the connection.
    pub probes: u32,
}

/// How long a client waits for an answer, from the time when it sent its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseTimeout {
    /// For ever.
    Never,
    /// This long, whatever it asks for.
    After(Duration),
    /// This long, and for a blocking query longer by its longest wait.
    AfterWait(Duration),
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

// The measured times of probes are later than those that the clients ask for, because the kernel
// rounds its timers up.
const GO: Profile = Profile {
    dial_timeout: Some(millis(30_000)),
    keep_alive: Some(KeepAlive { idle: millis(30_400), interval: millis(15_130), probes: 9 }),
    idle_timeout: Some(millis(90_000)),
    response_timeout: ResponseTimeout::Never,
    repeats_reads: true,
};
const NODE: Profile = Profile {
    dial_timeout: Some(millis(10_450)),
    keep_alive: Some(KeepAlive { idle: millis(61_300), interval: millis(1_020), probes: 10 }),
    idle_timeout: Some(millis(4_000)),
    response_timeout: ResponseTimeout::After(millis(300_700)),
    repeats_reads: false,
};
const REQUESTS: Profile = Profile {
    dial_timeout: None,
    keep_alive: None,
    idle_timeout: None,
    response_timeout: ResponseTimeout::Never,
    repeats_reads: false,
};
const PY_CONSUL: Profile = Profile {
    dial_timeout: Some(millis(30_000)),
    response_timeout: ResponseTimeout::AfterWait(millis(30_000)),
    ..REQUESTS
};
const CURL: Profile = Profile {
    keep_alive: Some(KeepAlive { idle: millis(61_300), interval: millis(61_300), probes: 9 }),
    idle_timeout: Some(Duration::ZERO),
    ..REQUESTS
};

impl HttpClient {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Go, Self::Node, Self::Requests, Self::PyConsul, Self::Curl];

    /// Its properties.
    pub const fn profile(self) -> &'static Profile {
        match self {
            Self::Go => &GO,
            Self::Node => &NODE,
            Self::Requests => &REQUESTS,
            Self::PyConsul => &PY_CONSUL,
            Self::Curl => &CURL,
        }
    }
}

impl KeepAlive {
    /// How long after the last packet that was received a connection is found dead.
    pub fn dead_after(&self) -> Duration {
        self.idle.saturating_add(self.interval.saturating_mul(self.probes))
    }

    /// How long after the last packet that was received the last probe is sent.
    pub fn last_probe(&self) -> Duration {
        self.idle.saturating_add(self.interval.saturating_mul(self.probes.saturating_sub(1)))
    }

    /// How long after the last packet the first probe is sent that is not before this span. The
    /// number of probes is no limit here.
    pub fn next_probe(&self, since: Duration) -> Duration {
        let late = since.saturating_sub(self.idle).as_nanos();
        let intervals = late.div_ceil(self.interval.as_nanos().max(1));
        let intervals = u32::try_from(intervals).unwrap_or(u32::MAX);
        self.idle.saturating_add(self.interval.saturating_mul(intervals))
    }
}

impl ResponseTimeout {
    /// How long the answer to an operation is waited for; `None` if for ever.
    pub fn of(self, operation: Option<&Operation>) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::After(span) => Some(span),
            Self::AfterWait(span) => Some(match operation.and_then(Operation::blocking_wait) {
                Some(wait) => span.saturating_add(wait.timeout).saturating_add(wait.timeout / 16),
                None => span,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_connections_are_found_dead_after_the_measured_times() {
        let dead = |client: HttpClient| {
            client.profile().keep_alive.map(|it| it.dead_after().as_millis() / 100)
        };
        assert!(dead(HttpClient::Go).is_some_and(|tenths| (1_660..1_680).contains(&tenths)));
        assert!(dead(HttpClient::Node).is_some_and(|tenths| (710..720).contains(&tenths)));
        assert_eq!(dead(HttpClient::Requests), None);
    }

    #[test]
    fn the_next_probe_is_not_in_the_past() {
        let probes = KeepAlive { idle: millis(30), interval: millis(15), probes: 9 };
        let next = |since| probes.next_probe(millis(since)).as_millis();
        assert_eq!([next(0), next(30), next(31), next(45), next(46)], [30, 30, 45, 45, 60]);
    }
}
