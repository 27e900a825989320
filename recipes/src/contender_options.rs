//! The options of a [`Contender`], with their defaults and checks. What Consul checks itself, such
//! as the bounds of a TTL, is not checked here.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::{Key, SessionRef};
use lictor_core::message::SessionDraft;
use lictor_core::time::nanos;

use crate::contender::Contender;
use crate::election::Candidate;
use crate::lock::{Lock, LockOptions};
use crate::parts::attempts::Tries;
use crate::parts::monitor::MonitorOptions;
use crate::parts::session_renewer::SessionOptions;
use crate::parts::upkeep::OnFailure;
use crate::parts::user_policy::{OnLoss, UserPolicy};
use crate::program::Program;
use crate::program_error::ProgramError;
use crate::recipe::Recipe;
use crate::semaphore::{Semaphore, SemaphoreOptions};

/// What a contender contends for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contention {
    /// The lock of a key.
    Lock,
    /// The lock of a key whose value names the leader.
    Election,
    /// One of the slots under a prefix.
    Semaphore {
        /// How many slots there are.
        limit: i64,
    },
}

/// The options of a [`Contender`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContenderOptions {
    /// What it contends for.
    pub contention: Contention,
    /// The key, or the prefix of a semaphore.
    pub key: Key,
    /// The value that the holder writes to its key.
    pub value: Arc<[u8]>,
    /// The name of the session, which Consul only stores; empty for that of the Go client.
    pub name: Arc<str>,
    /// The TTL of the session.
    pub ttl: Duration,
    /// The lock-delay of the session; zero is sent as zero.
    pub lock_delay: Duration,
    /// A session of the caller, which the caller renews and destroys. `None` if the contender
    /// creates one.
    pub session: Option<SessionRef>,
    /// How long one read waits for the lock, and how long a single try lasts.
    pub wait_time: Duration,
    /// Whether it waits for its turn.
    pub tries: Tries,
    /// How long one read of the watch waits for a change while the lock is held.
    pub watch_wait: Duration,
    /// How many failures in a row the watch survives of those that will probably recur, such as
    /// 403. Other failures are always repeated.
    pub monitor_retries: u32,
    /// How long an answer may take beyond the wait of its request.
    pub request_timeout: Duration,
}

/// Why options cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContenderError {
    /// A key or a prefix whose path a server or a proxy changes to that of another key.
    #[error("the key {0:?} begins with `/` or has a segment that is empty, `.` or `..`")]
    UncleanKey(String),
    /// A session without a TTL, which would never end by itself.
    #[error("a TTL of zero makes a session that never ends by itself")]
    ZeroTtl,
    /// A wait of zero, which the server would replace by its default.
    #[error("a wait of zero makes no read wait")]
    ZeroWait,
    /// A request that could never be answered in time.
    #[error("a request timeout of zero leaves no time for an answer")]
    ZeroRequestTimeout,
    /// The recipe refuses an option.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl ContenderOptions {
    /// The defaults: those of Consul's Go client, a request timeout of 10 s, and a watch of 30 s.
    pub fn new(contention: Contention, key: &str) -> Self {
        Self {
            contention,
            key: key.into(),
            value: Arc::default(),
            name: Arc::default(),
            ttl: Duration::from_secs(15),
            lock_delay: Duration::from_secs(15),
            session: None,
            wait_time: Duration::from_secs(15),
            tries: Tries::Forever,
            watch_wait: Duration::from_secs(30),
            monitor_retries: 0,
            request_timeout: Duration::from_secs(10),
        }
    }

    /// A contender that has not started. Fails if an option cannot be used.
    pub fn contender(&self) -> Result<Contender, ContenderError> {
        self.check()?;
        let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
        let program = Program::new(self.recipe()?).with_policy(policy);
        Ok(Contender::new(program.with_request_timeout(self.request_timeout)))
    }

    fn check(&self) -> Result<(), ContenderError> {
        if !is_clean(self.key.as_str()) {
            return Err(ContenderError::UncleanKey(self.key.to_string()));
        }
        if self.ttl.is_zero() {
            return Err(ContenderError::ZeroTtl);
        }
        if self.wait_time.is_zero() || self.watch_wait.is_zero() {
            return Err(ContenderError::ZeroWait);
        }
        if self.request_timeout.is_zero() {
            return Err(ContenderError::ZeroRequestTimeout);
        }
        Ok(())
    }

    fn recipe(&self) -> Result<Recipe, ProgramError> {
        let monitor =
            MonitorOptions::default().with_retries(self.monitor_retries).with_wait(self.watch_wait);
        let lock = || {
            LockOptions::new(self.key.as_str(), &self.value)
                .with_session(self.session("Consul API Lock", "release"))
                .with_monitor(monitor)
                .with_wait_time(self.wait_time)
                .with_tries(self.tries)
                .with_on_failure(OnFailure::Repeat)
        };
        Ok(match self.contention {
            Contention::Lock => Recipe::Lock(Box::new(Lock::new(lock())?)),
            Contention::Election => Recipe::Candidate(Box::new(Candidate::new(lock())?)),
            Contention::Semaphore { limit } => {
                let options = SemaphoreOptions::new(self.key.as_str(), limit)
                    .with_value(self.value.clone())
                    .with_session(self.session("Consul API Semaphore", "delete"))
                    .with_monitor(monitor)
                    .with_wait_time(self.wait_time)
                    .with_tries(self.tries)
                    .with_on_failure(OnFailure::Repeat);
                Recipe::Semaphore(Box::new(Semaphore::new(options)?))
            }
        })
    }

    /// The exact session to create: the Go client would not send a lock-delay of zero (RCL-21).
    fn session(&self, usual_name: &str, behavior: &str) -> SessionOptions {
        let name = if self.name.is_empty() { usual_name } else { &self.name };
        let ttl = go_duration(self.ttl);
        let mut draft = SessionDraft::named(name);
        draft.ttl = ttl.as_str().into();
        draft.lock_delay = i64::try_from(nanos(self.lock_delay)).unwrap_or(i64::MAX);
        draft.behavior = behavior.into();
        let options = SessionOptions::named(name).with_ttl(&ttl).with_draft(draft);
        SessionOptions { existing: self.session.clone(), ..options }
    }
}

/// Whether a path with this key reaches Consul unchanged. Consul's router, proxies and `fetch`
/// remove empty segments and dots from paths. A slash at the end stays.
fn is_clean(key: &str) -> bool {
    let segments = key.strip_suffix('/').unwrap_or(key).split('/');
    key.is_empty() || segments.into_iter().all(|it| !matches!(it, "" | "." | ".."))
}

/// A duration as Go reads it, in seconds, milliseconds or nanoseconds: the largest unit of these
/// that is exact.
fn go_duration(span: Duration) -> String {
    let nanos = nanos(span);
    match nanos {
        _ if nanos.is_multiple_of(1_000_000_000) => format!("{}s", nanos / 1_000_000_000),
        _ if nanos.is_multiple_of(1_000_000) => format!("{}ms", nanos / 1_000_000),
        _ => format!("{nanos}ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(change: impl FnOnce(&mut ContenderOptions)) -> Option<ContenderError> {
        let mut options = ContenderOptions::new(Contention::Lock, "jobs/nightly");
        change(&mut options);
        options.contender().err()
    }

    #[test]
    fn keys_that_a_path_would_change_are_refused() {
        for key in ["/a", "a//b", "a/./b", "../a", "a/..", ".", "a//", "/"] {
            let found = error(|options| options.key = key.into());
            assert_eq!(found, Some(ContenderError::UncleanKey(key.into())), "{key}");
        }
        for key in ["a", "a/", "a/b", "...", ".a", "a..b", "a%2e%2e/b"] {
            assert_eq!(error(|options| options.key = key.into()), None, "{key}");
        }
    }

    #[test]
    fn options_that_could_never_work_are_refused() {
        assert_eq!(error(|it| it.ttl = Duration::ZERO), Some(ContenderError::ZeroTtl));
        let timeout = error(|it| it.request_timeout = Duration::ZERO);
        assert_eq!(timeout, Some(ContenderError::ZeroRequestTimeout));
        let missing = Some(ContenderError::Program(ProgramError::MissingKey));
        assert_eq!(error(|it| it.key = "".into()), missing);
        let limit = error(|it| it.contention = Contention::Semaphore { limit: 0 });
        assert_eq!(limit, Some(ContenderError::Program(ProgramError::LimitNotPositive)));
    }

    #[test]
    fn durations_are_written_as_go_reads_them() {
        for (nanos, text) in [
            (15_000_000_000, "15s"),
            (1_500_000_000, "1500ms"),
            (10_000_500_000, "10000500000ns"),
            (90_000_000_000, "90s"),
        ] {
            assert_eq!(go_duration(Duration::from_nanos(nanos)), text);
        }
    }
}
