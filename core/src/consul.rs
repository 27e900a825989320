//! [`Consul`]: one server with a virtual clock of its own, for tests and tools. Begin here.
//!
//! A method that makes a request returns its answer; time passes only in [`Consul::advance`] and
//! [`Consul::advance_to_next`]. The type is a thin layer over [`Engine::step`] and
//! [`http::decode`]: use those directly to bring your own clock.

mod watch;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use self::watch::WatchAnswer;
pub use self::watch::{Watch, Watched};
use crate::engine::{ClusterState, Config, Effect, Engine, Input, Stamped, Timer};
use crate::error::{Error, Reason};
use crate::http::{self, Agent, AnswerFormat, HttpRequest, HttpResponse};
use crate::id::{Index, Key, RequestId, SessionId, SessionRef};
use crate::message::{Answer, Consistency, Operation, Refusal, Request, Response, SessionDraft};
use crate::store::txn::{TxnOp, TxnOutcome};
use crate::store::{Behavior, Contradiction, Entry, Found, KvVerb, Query, Session, Write};
use crate::time::{Instant, nanos};

/// One Consul server in a value: state, virtual clock and waiting queries.
///
/// The same seed and the same calls give the same session ids, indexes and answers everywhere.
///
/// ```
/// use core::time::Duration;
/// use lictor_core::Consul;
///
/// let mut consul = Consul::seeded(1);
/// let session = consul.session().ttl(Duration::from_secs(10)).create()?;
/// assert!(consul.acquire("service/db/leader", "web-1", session)?.is_true());
///
/// // Nobody renews the session: it ends after twice its TTL (TTL-03). Then a lock-delay of 15 s
/// // begins, during which no session can acquire the key (DLY-04).
/// consul.advance(Duration::from_secs(20));
/// assert!(consul.get_session(session)?.is_none());
///
/// let other = consul.session().create()?;
/// let refused = consul.acquire("service/db/leader", "web-2", other)?;
/// assert!(!refused.is_true());
/// assert!(refused.to_string().starts_with("false: lock-delay until 35.000s"));
///
/// consul.advance(Duration::from_secs(15));
/// assert!(consul.acquire("service/db/leader", "web-2", other)?.is_true());
/// # Ok::<(), lictor_core::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Consul {
    engine: Engine,
    agent: Agent,
    now: Instant,
    last_request: u64,
    /// HTTP requests that have no answer yet, with the form that the answer takes.
    waiting: BTreeMap<RequestId, AnswerFormat>,
    answers: BTreeMap<RequestId, HttpResponse>,
    /// The blocking queries of [`Consul::watch`] whose answers were not taken; `None` while one
    /// waits.
    watches: BTreeMap<RequestId, Option<WatchAnswer>>,
    events: Vec<Stamped>,
}

/// The outcome of a write: applied, or answered `false` with a reason.
///
/// `false` is an ordinary answer of Consul (a lock held by another session, an index that has
/// moved), so it is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a write can be answered `false`"]
pub struct Written {
    /// The log index of the write; 0 if the leader refused it before it reached the log.
    pub index: Index,
    /// Why the answer is `false`; `None` if the write was applied.
    pub reason: Option<Reason>,
}

impl Written {
    /// What Consul answers: `true` if the write was applied.
    pub fn is_true(&self) -> bool {
        self.reason.is_none()
    }
}

/// An HTTP request made with [`Consul::request`]; [`Consul::poll`] takes its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(RequestId);

impl Consul {
    /// A fresh server in the default configuration (node `n1`, datacenter `dc1`, the newest
    /// [`ConsulVersion`](crate::ConsulVersion)).
    pub fn seeded(seed: u64) -> Self {
        Self::with_config(Config::default(), seed)
    }

    /// A fresh server. The seed determines the ids that it creates and the jitter of blocking
    /// queries.
    pub fn with_config(config: Config, seed: u64) -> Self {
        Self::around(Engine::new(config, seed))
    }

    /// A server that begins in the state of a running cluster ([`Engine::in_state`]). The moment of
    /// the state is the epoch of its time.
    ///
    /// # Errors
    ///
    /// Fails if the state contradicts itself.
    pub fn in_state(
        config: Config,
        seed: u64,
        state: &ClusterState,
    ) -> Result<Self, Contradiction> {
        Engine::in_state(config, seed, state).map(Self::around)
    }

    fn around(engine: Engine) -> Self {
        Self {
            agent: Agent::of(engine.config()),
            engine,
            now: Instant::EPOCH,
            last_request: 0,
            waiting: BTreeMap::new(),
            answers: BTreeMap::new(),
            watches: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    /// The engine of this server, for reading its state.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The current virtual time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// When something will happen without a request, and what; `None` if nothing will.
    pub fn next_deadline(&self) -> Option<(Instant, &Timer)> {
        self.engine.next_deadline()
    }

    /// Lets virtual time pass. Everything that falls due happens at its own time, in order:
    /// sessions expire, lock-delays end, blocking queries time out.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// let mut consul = Consul::seeded(1);
    /// let session = consul.session().ttl(Duration::from_secs(10)).create()?;
    /// consul.advance(Duration::from_millis(19_999));
    /// assert!(consul.get_session(session)?.is_some());
    /// consul.advance(Duration::from_millis(1));
    /// assert!(consul.get_session(session)?.is_none());
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn advance(&mut self, span: Duration) {
        self.now = self.now.plus(span);
        self.step(Input::Tick);
    }

    /// Advances to the next deadline and returns its time; `None`, without a change, if there is
    /// none.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// let mut consul = Consul::seeded(1);
    /// assert_eq!(consul.advance_to_next(), None);
    /// consul.session().ttl(Duration::from_secs(10)).create()?;
    /// assert_eq!(consul.advance_to_next().map(|at| at.as_millis()), Some(20_000));
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn advance_to_next(&mut self) -> Option<Instant> {
        let (at, _) = self.engine.next_deadline()?;
        self.now = self.now.max(at);
        self.step(Input::Tick);
        Some(self.now)
    }

    /// Makes another server the leader: the TTL of every session starts again in full (TTL-05);
    /// lock-delays continue (DLY-09).
    pub fn fail_over(&mut self) {
        self.step(Input::Failover);
    }

    /// The events since this was last called: changes, timers, waits.
    pub fn take_events(&mut self) -> Vec<Stamped> {
        core::mem::take(&mut self.events)
    }

    /// A builder of a session; [`SessionBuilder::create`] creates the session.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// use lictor_core::error::Error;
    ///
    /// let mut consul = Consul::seeded(1);
    /// let short = consul.session().ttl(Duration::from_secs(1)).create();
    /// assert!(matches!(short, Err(Error::TtlOutOfBounds { .. })), "at least 10 s (SES-15)");
    /// let session = consul.session().name("web-1").lock_delay(Duration::ZERO).create()?;
    /// assert_eq!(&*consul.get_session(session)?.expect("it was just made").name, "web-1");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn session(&mut self) -> SessionBuilder<'_> {
        SessionBuilder { draft: SessionDraft::named(""), consul: self }
    }

    /// Starts the TTL of a session again (TTL-02).
    ///
    /// # Errors
    /// [`Error::SessionNotFound`] if it has ended or never existed (SES-34).
    pub fn renew(&mut self, session: impl Into<SessionRef>) -> Result<(), Error> {
        self.call(Operation::RenewSession(session.into())).map(|_| ())
    }

    /// Ends a session. Ending one that does not exist succeeds, as in Consul (DST-01).
    ///
    /// # Errors
    /// Those of Consul; none is known for a well-formed id.
    pub fn destroy(&mut self, session: impl Into<SessionRef>) -> Result<(), Error> {
        self.call(Operation::DestroySession(session.into())).map(|_| ())
    }

    /// The session of this id, if it has not ended.
    ///
    /// # Errors
    /// Those of a read; none is known.
    pub fn get_session(
        &mut self,
        session: impl Into<SessionRef>,
    ) -> Result<Option<Arc<Session>>, Error> {
        match self.read(Query::Session(session.into()))? {
            Found::Session(session) => Ok(session),
            _ => Ok(None),
        }
    }

    /// Writes a value, even if another session holds the lock: locks are advisory (KV-03).
    ///
    /// ```
    /// # use lictor_core::Consul;
    /// let mut consul = Consul::seeded(1);
    /// assert!(consul.put("config", "v1")?.is_true());
    /// let entry = consul.get("config")?.expect("it was just written");
    /// assert_eq!(&*entry.value, b"v1");
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MissingKey`] for an empty key.
    pub fn put(&mut self, key: &str, value: impl AsRef<[u8]>) -> Result<Written, Error> {
        self.write(key, KvVerb::Set(write(value)))
    }

    /// Writes a value if the key's ModifyIndex is `expected`; 0 means that the key must not exist
    /// (KV-11).
    ///
    /// ```
    /// # use lictor_core::Consul;
    /// use lictor_core::id::Index;
    ///
    /// let mut consul = Consul::seeded(1);
    /// assert!(consul.cas("config", "v1", Index::ZERO)?.is_true());
    /// assert!(!consul.cas("config", "v2", Index::ZERO)?.is_true());
    /// let modified = consul.get("config")?.expect("it exists").modify_index;
    /// assert!(consul.cas("config", "v2", modified)?.is_true());
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MissingKey`] for an empty key.
    pub fn cas(
        &mut self,
        key: &str,
        value: impl AsRef<[u8]>,
        expected: Index,
    ) -> Result<Written, Error> {
        self.write(key, KvVerb::Cas { write: write(value), expected })
    }

    /// Takes the lock of a key for a session (LCK-01).
    ///
    /// # Errors
    /// [`Error::InvalidSession`] if the session does not exist (LCK-08), [`Error::MissingSession`]
    /// for an empty one, [`Error::MissingKey`] for an empty key. During a lock-delay the session
    /// is not checked, and the answer is `false` (DLY-07).
    pub fn acquire(
        &mut self,
        key: &str,
        value: impl AsRef<[u8]>,
        session: impl Into<SessionRef>,
    ) -> Result<Written, Error> {
        self.write(key, KvVerb::Acquire { write: write(value), session: session.into() })
    }

    /// Releases the lock of a key, and writes the value (LCK-11).
    ///
    /// # Errors
    /// [`Error::MissingSession`] for an empty session, [`Error::MissingKey`] for an empty key.
    pub fn release(
        &mut self,
        key: &str,
        value: impl AsRef<[u8]>,
        session: impl Into<SessionRef>,
    ) -> Result<Written, Error> {
        self.write(key, KvVerb::Release { write: write(value), session: session.into() })
    }

    /// Deletes a key, even if it is locked; a missing key counts as deleted (KV-15).
    ///
    /// # Errors
    /// [`Error::MissingKey`] for an empty key.
    pub fn delete(&mut self, key: &str) -> Result<Written, Error> {
        self.write(key, KvVerb::Delete)
    }

    /// The entry of a key.
    ///
    /// # Errors
    /// Those of a read; none is known.
    pub fn get(&mut self, key: &str) -> Result<Option<Arc<Entry>>, Error> {
        match self.read(Query::Key(Key::from(key)))? {
            Found::Entry(entry) => Ok(entry),
            _ => Ok(None),
        }
    }

    /// The entries whose key starts with `prefix`, in the order of their keys (GET-06).
    ///
    /// # Errors
    /// Those of a read; none is known.
    pub fn list(&mut self, prefix: &str) -> Result<Vec<Arc<Entry>>, Error> {
        match self.read(Query::Tree(Key::from(prefix)))? {
            Found::Entries(entries) => Ok(entries),
            _ => Ok(Vec::new()),
        }
    }

    /// Runs a transaction: all operations or none (TXN-08, TXN-11).
    ///
    /// ```
    /// # use lictor_core::Consul;
    /// use lictor_core::id::Key;
    /// use lictor_core::store::txn::{TxnOp, TxnVerb};
    ///
    /// let mut consul = Consul::seeded(1);
    /// let absent = TxnOp::Kv { key: Key::from("job"), verb: TxnVerb::CheckNotExists };
    /// assert!(consul.txn(vec![absent.clone()])?.is_ok());
    /// let _ = consul.put("job", "done")?;
    /// let errors = consul.txn(vec![absent])?.expect_err("the key exists now");
    /// assert_eq!(errors[0].position, 0);
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the server; operations that fail are in the outcome.
    pub fn txn(&mut self, operations: Vec<TxnOp>) -> Result<TxnOutcome, Error> {
        match self.call(Operation::Txn(operations))?.answer {
            Answer::Txn { outcome, .. } => Ok(outcome),
            answer => unreachable!("a transaction is answered by its outcome, not {answer:?}"),
        }
    }

    /// Sends an HTTP request as a client would. Its answer is there at once, unless it is a
    /// blocking query that waits; [`poll`](Self::poll) takes it. [`watch_key`](Self::watch_key) and
    /// its neighbours make blocking queries without HTTP.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// use lictor_core::http::HttpRequest;
    ///
    /// let mut consul = Consul::seeded(1);
    /// let _ = consul.put("config", "v1")?;
    /// let index = consul.get("config")?.expect("it exists").modify_index;
    /// let target = format!("/v1/kv/config?index={index}&wait=60s");
    /// let watch = consul.request(&HttpRequest::new("GET", &target, b""));
    /// assert_eq!(consul.poll(watch), None, "nothing has changed yet");
    ///
    /// let _ = consul.put("config", "v2")?;
    /// let answer = consul.poll(watch).expect("the key has changed");
    /// assert_eq!(answer.status, 200);
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn request(&mut self, request: &HttpRequest) -> Handle {
        let id = self.next_id();
        match http::decode(&self.agent, request) {
            Ok(call) => {
                self.waiting.insert(id, call.format);
                self.step(Input::Request { id, request: call.request });
            }
            Err(refused) => {
                self.answers.insert(id, refused.response(&self.agent, &request.method));
            }
        }
        Handle(id)
    }

    /// Takes the answer to a request. `None` while a blocking query waits, and after its answer
    /// was taken or it was cancelled.
    pub fn poll(&mut self, handle: Handle) -> Option<HttpResponse> {
        self.answers.remove(&handle.0)
    }

    /// Cancels a blocking query, as a client does by closing its connection.
    pub fn cancel(&mut self, handle: Handle) {
        if self.waiting.remove(&handle.0).is_some() {
            self.step(Input::Cancel(handle.0));
        }
        self.answers.remove(&handle.0);
    }

    fn next_id(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    fn write(&mut self, key: &str, verb: KvVerb) -> Result<Written, Error> {
        let response = self.call(Operation::Kv { key: Key::from(key), verb })?;
        Ok(Written { index: response.index, reason: response.reason })
    }

    fn read(&mut self, query: Query) -> Result<Found, Error> {
        let consistency = Consistency::Default;
        match self.call(Operation::Read { query, wait: None, consistency })?.answer {
            Answer::Found(found) => Ok(found),
            answer => unreachable!("a read is answered by what it found, not {answer:?}"),
        }
    }

    /// Makes a request that is answered in the same step.
    fn call(&mut self, operation: Operation) -> Result<Response, Error> {
        let id = self.next_id();
        let request = Request { agent: self.agent.node.clone(), operation };
        let answer = self.step_for(Input::Request { id, request }, Some(id));
        let answer = answer.expect("only a blocking query waits, and this is none");
        answer.map_err(|refusal| refusal.error)
    }

    fn step(&mut self, input: Input) {
        self.step_for(input, None);
    }

    /// Steps the engine, keeps answers and events, and returns the answer to `own`.
    fn step_for(
        &mut self,
        input: Input,
        own: Option<RequestId>,
    ) -> Option<Result<Response, Refusal>> {
        let mut answer = None;
        for effect in self.engine.step(self.now, input) {
            match effect {
                Effect::Reply { id, result, .. } if Some(id) == own => answer = Some(result),
                Effect::Reply { id, result, wake } => {
                    if let Some(format) = self.waiting.remove(&id) {
                        self.answers.insert(id, http::encode(&self.agent, &format, &result));
                    } else if let Some(answer) = self.watches.get_mut(&id) {
                        *answer = Some(watch::answer(result, wake));
                    }
                }
                Effect::Event(event) => self.events.push(event),
                // `next_id` never repeats an id.
                Effect::Rejected { .. } => {}
            }
        }
        answer
    }
}

fn write(value: impl AsRef<[u8]>) -> Write {
    Write { value: Arc::from(value.as_ref()), flags: 0 }
}

/// A session to be created. By default it has no TTL, a lock-delay of 15 s and the behavior
/// `release`, and it ends when the `serfHealth` check of the server's node becomes critical
/// (SES-01, SES-17, SES-21).
#[derive(Debug)]
#[must_use = "`create` makes the session"]
pub struct SessionBuilder<'a> {
    consul: &'a mut Consul,
    draft: SessionDraft,
}

impl SessionBuilder<'_> {
    /// A name for people.
    pub fn name(mut self, name: &str) -> Self {
        self.draft.name = name.into();
        self
    }

    /// How long the session lives without a renewal, at least: it ends after twice this time
    /// (TTL-03). Consul accepts 10 s to 24 h, and 0 for no TTL (SES-14, SES-15).
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.draft.ttl = alloc::format!("{}ns", nanos(ttl)).into();
        self
    }

    /// How long no session can acquire a key that this one holds when it ends; at most 60 s
    /// (DLY-03).
    pub fn lock_delay(mut self, delay: Duration) -> Self {
        self.draft.lock_delay = i64::try_from(nanos(delay)).unwrap_or(i64::MAX);
        self
    }

    /// What the end of the session does to the keys that it holds.
    pub fn behavior(mut self, behavior: Behavior) -> Self {
        self.draft.behavior = match behavior {
            Behavior::Release => "release",
            Behavior::Delete => "delete",
        }
        .into();
        self
    }

    /// Binds the session to no health check: without a request only its TTL and the removal of its
    /// node end it.
    pub fn without_checks(mut self) -> Self {
        self.draft.node_checks = None;
        self
    }

    /// Creates the session.
    ///
    /// # Errors
    /// [`Error::TtlOutOfBounds`], or [`Error::CriticalCheck`] if `serfHealth` is critical.
    pub fn create(self) -> Result<SessionId, Error> {
        match self.consul.call(Operation::CreateSession(self.draft.into()))?.answer {
            Answer::Created(id) => Ok(id),
            answer => unreachable!("a new session is answered by its id, not {answer:?}"),
        }
    }
}

impl core::fmt::Display for Written {
    /// `true`, or `false` with the reason.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match &self.reason {
            None => f.write_str("true"),
            Some(reason) => write!(f, "false: {reason}"),
        }
    }
}
