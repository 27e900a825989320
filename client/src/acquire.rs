//! The options of a lock, a slot or a leadership. Awaiting them waits until it is acquired.

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use lictor_recipes::{ContenderOptions, Contention, Tries};

use crate::client::Client;
use crate::driver::{Driver, LeaderCallback};
use crate::error::Error;
use crate::guard::Guard;

/// A request for a lock, a slot or a leadership. Awaiting it acquires it.
#[must_use = "nothing is sent before it is awaited"]
#[derive(Debug)]
pub struct Acquire {
    client: Client,
    options: ContenderOptions,
    on_leader: LeaderCallback,
}

impl Acquire {
    pub(crate) fn new(client: Client, contention: Contention, key: &str) -> Self {
        let options = ContenderOptions::new(contention, key);
        Self { client, options, on_leader: LeaderCallback::default() }
    }

    /// What the holder writes to its key; empty by default.
    pub fn value(mut self, value: impl AsRef<[u8]>) -> Self {
        self.options.value = Arc::from(value.as_ref());
        self
    }

    /// The TTL of the session, which is renewed at half of it; 15 s by default. Zero is refused.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.options.ttl = ttl;
        self
    }

    /// The lock-delay of the session; 15 s by default. Zero disables it.
    pub fn lock_delay(mut self, lock_delay: Duration) -> Self {
        self.options.lock_delay = lock_delay;
        self
    }

    /// The name of the session, for people.
    pub fn session_name(mut self, name: &str) -> Self {
        self.options.name = name.into();
        self
    }

    /// A session of the caller, who renews and destroys it. Then [`ttl`](Self::ttl) is how long a
    /// read of the key counts.
    pub fn session(mut self, id: &str) -> Self {
        self.options.session = Some(id.into());
        self
    }

    /// Gives up with [`Error::NotAcquired`] if the lock is not free within this time.
    pub fn once(mut self, wait: Duration) -> Self {
        (self.options.tries, self.options.wait_time) = (Tries::Once, wait);
        self
    }

    /// How often in a row the watch is repeated after a failure that is probably permanent, such as
    /// 403; 0 by default. After other failures it is always repeated.
    pub fn monitor_retries(mut self, retries: u32) -> Self {
        self.options.monitor_retries = retries;
        self
    }

    /// How long an answer may take beyond the wait of its request; 10 s by default.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.options.request_timeout = timeout;
        self
    }

    /// For an election: calls a function with the value of each leader that is seen while this
    /// client waits or leads, and with `None` when there is no leader. It runs on the runtime, and
    /// must not block.
    pub fn on_leader(mut self, seen: impl FnMut(Option<&[u8]>) + Send + 'static) -> Self {
        self.on_leader = LeaderCallback::new(seen);
        self
    }
}

impl Client {
    /// The lock of a key.
    pub fn lock(&self, key: &str) -> Acquire {
        Acquire::new(self.clone(), Contention::Lock, key)
    }

    /// One of the slots of a semaphore. The limit is the same for all its clients.
    pub fn semaphore(&self, prefix: &str, limit: u32) -> Acquire {
        Acquire::new(self.clone(), Contention::Semaphore { limit: limit.into() }, prefix)
    }

    /// The leadership that a key represents. The other candidates read the value of the key, which
    /// [`Acquire::value`] sets.
    pub fn elect(&self, key: &str) -> Acquire {
        Acquire::new(self.clone(), Contention::Election, key)
    }
}

impl IntoFuture for Acquire {
    type Output = Result<Guard, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Must be polled on a tokio runtime with time and I/O enabled. Dropping the future gives up,
    /// and the session is ended in the background.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let contender = self.options.contender()?;
            let handle = Driver::spawn(self.client, contender, self.on_leader);
            let (handle, token) = handle.acquired().await?;
            Ok(Guard::new(handle, token))
        })
    }
}
