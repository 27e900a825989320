//! The options of a server, a session and a contender, as JavaScript passes them after it has
//! checked their names and types. The bounds that Consul checks, such as those of a TTL, are not
//! checked here.

use std::time::Duration;

use lictor_core::duration::{self, DurationError};
use lictor_core::engine::Config;
use lictor_core::id::CheckId;
use lictor_core::message::SessionDraft;
use lictor_core::{ConsulVersion, UnknownVersion};
use lictor_recipes::{Contender, ContenderError, Contention, Tries};
use serde::Deserialize;

/// Why an option cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OptionError {
    #[error("{0} milliseconds is no time that a clock can reach")]
    Millis(String),
    #[error(transparent)]
    Span(#[from] DurationError),
    #[error("{0} is negative, and time never goes back")]
    Negative(String),
    #[error(transparent)]
    Version(#[from] UnknownVersion),
    #[error(transparent)]
    Contender(#[from] ContenderError),
    #[error("{0}")]
    Type(String),
}

/// A duration: milliseconds, or a text such as `10s` or `1m30s`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub(crate) enum Span {
    Millis(f64),
    Text(String),
}

/// The options of a server.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ServerOptions {
    /// The version of Consul whose answers the server gives: `1.22` (the default) or `1.13`.
    version: Option<String>,
    /// Decides the ids of sessions and the jitter of blocking queries; 1 by default.
    #[cfg_attr(test, ts(optional, type = "number | bigint"))]
    pub(crate) seed: Option<u64>,
    /// The name of the server's node; `n1` by default.
    node: Option<String>,
    /// The name of the datacenter; `dc1` by default.
    datacenter: Option<String>,
    /// The shortest TTL of a session; 10 s by default, as in Consul.
    session_ttl_min: Option<Span>,
}

/// The options of a lock, a candidate or a semaphore; `limit` makes it a semaphore.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ContenderOptions {
    limit: Option<f64>,
    is_election: bool,
    name: Option<String>,
    ttl: Option<Span>,
    lock_delay: Option<Span>,
    session: Option<String>,
    wait_time: Option<Span>,
    watch_wait: Option<Span>,
    once: bool,
    monitor_retries: Option<f64>,
    request_timeout: Option<Span>,
}

/// The options of a session.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SessionOptions {
    /// A name for people.
    name: Option<String>,
    /// How long the session lives without a renewal, at least: it ends after twice this time.
    /// Without a TTL it lives until it is destroyed, or until a check fails.
    ttl: Option<Span>,
    /// How long a key that the session holds when it ends cannot be acquired; 15 s by default.
    lock_delay: Option<Span>,
    /// What the end of the session does to the keys that it holds; they are released by default.
    #[cfg_attr(test, ts(optional, type = "\"release\" | \"delete\""))]
    behavior: Option<String>,
    /// The node of the session; the server's own by default.
    node: Option<String>,
    /// The checks of that node on which the session depends; `["serfHealth"]` by default.
    node_checks: Option<Vec<String>>,
}

impl Span {
    /// The duration, which is not negative.
    pub(crate) fn duration(&self) -> Result<Duration, OptionError> {
        match self {
            Self::Millis(millis) => from_millis(*millis),
            Self::Text(text) => u64::try_from(duration::parse(text)?)
                .map(Duration::from_nanos)
                .map_err(|_| OptionError::Negative(text.clone())),
        }
    }

    /// The duration in Go's notation, as Consul accepts it.
    fn text(&self) -> String {
        match self {
            Self::Millis(millis) => format!("{millis}ms"),
            Self::Text(text) => text.clone(),
        }
    }

    /// The duration in nanoseconds, which may be negative.
    fn nanos(&self) -> Result<i64, OptionError> {
        Ok(duration::parse(&self.text())?)
    }
}

/// The duration of a number of milliseconds: exact for a whole number, else rounded to a nanosecond
/// as far as a float can be. Fails if it is negative, not a number, or does not fit a clock of 64
/// bits.
pub(crate) fn from_millis(millis: f64) -> Result<Duration, OptionError> {
    let span = Duration::try_from_secs_f64(millis / 1e3).ok();
    let span = span.filter(|span| u64::try_from(span.as_nanos()).is_ok());
    let invalid = || OptionError::Millis(millis.to_string());
    // A whole number of milliseconds is not divided, so that it stays exact.
    let whole = (millis.fract() == 0.0).then(|| Duration::from_millis(millis as u64));
    span.map(|span| whole.unwrap_or(span)).ok_or_else(invalid)
}

impl ServerOptions {
    pub(crate) fn config(&self) -> Result<Config, OptionError> {
        let version = self.version.as_deref().map(str::parse::<ConsulVersion>).transpose()?;
        let mut config = Config::of(version.unwrap_or_default());
        if let Some(node) = &self.node {
            config.node = node.as_str().into();
        }
        if let Some(datacenter) = &self.datacenter {
            config.datacenter.clone_from(datacenter);
        }
        if let Some(ttl) = &self.session_ttl_min {
            config.session_ttl_min = ttl.duration()?;
        }
        Ok(config)
    }
}

impl ContenderOptions {
    /// A contender for a lock or an election on a key, or for a slot of a semaphore under a prefix.
    pub(crate) fn contender(&self, key: &str, value: &[u8]) -> Result<Contender, OptionError> {
        let contention = match self.limit {
            Some(limit) => Contention::Semaphore { limit: limit as i64 },
            None if self.is_election => Contention::Election,
            None => Contention::Lock,
        };
        let mut options = lictor_recipes::ContenderOptions::new(contention, key);
        options.value = value.into();
        options.name = self.name.as_deref().unwrap_or_default().into();
        options.session = self.session.as_deref().map(Into::into);
        options.tries = if self.once { Tries::Once } else { Tries::Forever };
        options.monitor_retries = self.monitor_retries.unwrap_or_default() as u32;
        for (span, option) in [
            (&self.ttl, &mut options.ttl),
            (&self.lock_delay, &mut options.lock_delay),
            (&self.wait_time, &mut options.wait_time),
            (&self.watch_wait, &mut options.watch_wait),
            (&self.request_timeout, &mut options.request_timeout),
        ] {
            if let Some(span) = span {
                *option = span.duration()?;
            }
        }
        Ok(options.contender()?)
    }
}

impl SessionOptions {
    pub(crate) fn draft(&self) -> Result<SessionDraft, OptionError> {
        let mut draft = SessionDraft::named(self.name.as_deref().unwrap_or_default());
        if let Some(ttl) = &self.ttl {
            draft.ttl = ttl.text().into();
        }
        if let Some(lock_delay) = &self.lock_delay {
            draft.lock_delay = lock_delay.nanos()?;
        }
        if let Some(behavior) = &self.behavior {
            draft.behavior = behavior.as_str().into();
        }
        draft.node = self.node.as_deref().map(Into::into);
        if let Some(checks) = &self.node_checks {
            draft.node_checks = Some(checks.iter().map(|it| CheckId::from(it.as_str())).collect());
        }
        Ok(draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_exact_and_bounded() {
        for (millis, nanos) in [
            (0.0, Some(0)),
            (20_000.0, Some(20_000_000_000)),
            (0.001, Some(1_000)),
            (9_007_199_254_740.0, Some(9_007_199_254_740_000_000)),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (1e18, None),
        ] {
            let span = from_millis(millis).ok().map(|span| span.as_nanos());
            assert_eq!(span, nanos, "{millis}");
        }
    }

    #[test]
    fn texts_are_gos_durations() {
        let span = |text: &str| Span::Text(text.into()).duration();
        assert_eq!(span("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(span("-1s"), Err(OptionError::Negative("-1s".into())));
        assert!(matches!(span("10"), Err(OptionError::Span(_))));
        assert_eq!(Span::Millis(1e4).nanos(), Ok(10_000_000_000));
    }
}
