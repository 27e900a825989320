//! Runs one contender: a task sends its requests and steps it at its deadlines, and a handle shares
//! its state with the code of the user. All decisions are the contender's; here are only I/O and
//! clocks.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use lictor_core::http::HttpResponse;
use lictor_core::time::Instant;
use lictor_recipes::{CallId, Contender, ContenderStep, HostClock, LockLoss, Outcome, Token};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinError, JoinSet};

use crate::client::Client;
use crate::error::{Error, LockedUntil, ReleaseError};

/// The longest time between two readings of the clocks. While the machine sleeps, the timers of
/// tokio do not advance, but the lease runs out.
const READING_MAX: Duration = Duration::from_secs(1);

/// The results of the contender so far, which the task publishes to the handle.
#[derive(Clone, Debug, Default)]
struct Status {
    token: Option<Token>,
    lost: Option<LockLoss>,
    ended: Option<Outcome>,
}

/// The state that the task and the handles share. It is never locked while something is awaited.
#[derive(Debug)]
struct Shared {
    contender: Contender,
    clock: HostClock,
    began: std::time::Instant,
    wall_began: SystemTime,
}

type LeaderFunction = dyn FnMut(Option<&[u8]>) + Send;

/// A function of the user that is called with each leader.
#[derive(Default)]
pub(crate) struct LeaderCallback(Option<Box<LeaderFunction>>);

/// The user's end of a contender. Dropping it orders the contender to stop.
#[derive(Debug)]
pub(crate) struct Handle {
    shared: Arc<Mutex<Shared>>,
    stop: mpsc::UnboundedSender<()>,
    status: watch::Receiver<Status>,
}

/// The task of one contender.
pub(crate) struct Driver {
    client: Client,
    shared: Arc<Mutex<Shared>>,
    on_leader: LeaderCallback,
    status: watch::Sender<Status>,
    calls: JoinSet<(CallId, Option<HttpResponse>)>,
    pending: HashMap<CallId, AbortHandle>,
}

impl Shared {
    fn now(&mut self) -> Instant {
        // A wall clock that was set back counts as one that has not advanced.
        let wall = self.wall_began.elapsed().unwrap_or_default();
        self.clock.read(self.began.elapsed(), wall)
    }
}

/// Locks the state. A poisoned lock is used, too: functions of the user are called while it is not
/// locked, so their panics leave nothing half changed.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Starts the task on the current runtime.
    pub(crate) fn spawn(client: Client, contender: Contender, on_leader: LeaderCallback) -> Handle {
        let (began, wall_began) = (std::time::Instant::now(), SystemTime::now());
        let shared = Shared { contender, clock: HostClock::new(), began, wall_began };
        let shared = Arc::new(Mutex::new(shared));
        let (stop, orders) = mpsc::unbounded_channel();
        let (status, published) = watch::channel(Status::default());
        let driver = Self {
            client,
            shared: shared.clone(),
            on_leader,
            status,
            calls: JoinSet::new(),
            pending: HashMap::new(),
        };
        tokio::spawn(driver.run(orders));
        Handle { shared, stop, status: published }
    }

    /// Runs until the contender has ended.
    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<()>) {
        let mut may_stop = true;
        self.step(Contender::start);
        while self.status.borrow().ended.is_none() {
            let wait = self.wait();
            tokio::select! {
                // The channel closes when the handle is dropped, which is an order to stop, too.
                _ = orders.recv(), if may_stop => {
                    may_stop = false;
                    self.step(Contender::stop);
                }
                Some(ended) = self.calls.join_next() => self.call_ended(ended),
                () = tokio::time::sleep(wait) => self.step(Contender::tick),
            }
        }
    }

    /// The time until the contender must be stepped.
    fn wait(&self) -> Duration {
        let mut shared = lock(&self.shared);
        let now = shared.now();
        shared.contender.next_deadline().map_or(READING_MAX, |at| at.since(now)).min(READING_MAX)
    }

    fn call_ended(&mut self, ended: Result<(CallId, Option<HttpResponse>), JoinError>) {
        // A call that was abandoned has been cancelled.
        let Ok((call, response)) = ended else { return };
        if self.pending.remove(&call).is_some() {
            self.step(|contender, now| match &response {
                Some(response) => contender.answered(now, call, response),
                None => contender.unreachable(now, call),
            });
        }
    }

    fn step(&mut self, action: impl FnOnce(&mut Contender, Instant) -> Vec<ContenderStep>) {
        let mut shared = lock(&self.shared);
        let now = shared.now();
        let steps = action(&mut shared.contender, now);
        drop(shared);
        for step in steps {
            self.follow(step);
        }
    }

    fn follow(&mut self, step: ContenderStep) {
        match step {
            ContenderStep::Send { call, request } => {
                let client = self.client.clone();
                let sent = self.calls.spawn(async move {
                    let response = client.send(request).await;
                    let response = response.inspect_err(|error| {
                        tracing::debug!(%error, "a request to Consul has no answer");
                    });
                    (call, response.ok())
                });
                self.pending.insert(call, sent);
            }
            ContenderStep::Abandon(call) => {
                if let Some(call) = self.pending.remove(&call) {
                    call.abort();
                }
            }
            ContenderStep::Acquired(token) => {
                self.status.send_modify(|status| status.token = Some(token));
            }
            ContenderStep::Lost(loss) => {
                self.status.send_modify(|status| status.lost = Some(loss));
            }
            ContenderStep::Leader(value) => self.on_leader.call(value.as_deref()),
            ContenderStep::Ended(outcome) => {
                self.status.send_modify(|status| status.ended = Some(outcome));
            }
        }
    }
}

impl Handle {
    /// Waits until the lock is acquired, and returns its token. Fails if the contender ends before.
    /// Dropping the future drops the handle, which gives up.
    pub(crate) async fn acquired(mut self) -> Result<(Self, Token), Error> {
        let decided = |status: &Status| status.token.is_some() || status.ended.is_some();
        let status = self.status.wait_for(decided).await.map_err(|_| Error::Shutdown)?.clone();
        match (status.token, status.ended) {
            (Some(token), _) => Ok((self, token)),
            (None, Some(Outcome::NotAcquired)) => Err(Error::NotAcquired),
            (None, Some(Outcome::Lost(loss))) => Err(Error::Lost(loss)),
            (None, Some(Outcome::Failed(error) | Outcome::NotReleased { error, .. })) => {
                Err(Error::Failed(error))
            }
            (None, Some(Outcome::Released) | None) => Err(Error::Shutdown),
        }
    }

    pub(crate) fn may_act(&self) -> bool {
        let mut shared = lock(&self.shared);
        let now = shared.now();
        shared.contender.may_act(now)
    }

    pub(crate) async fn lost(&self) -> LockLoss {
        let mut status = self.status.clone();
        let lost = status.wait_for(|status| status.lost.is_some()).await;
        // If the task was stopped, the session is not renewed any more.
        lost.ok().and_then(|status| status.lost.clone()).unwrap_or(LockLoss::LeaseEnded)
    }

    pub(crate) async fn release(mut self) -> Result<(), ReleaseError> {
        self.stop.send(()).ok();
        let status = self.status.wait_for(|status| status.ended.is_some()).await;
        let status = status.map_err(|_| ReleaseError::Shutdown)?.clone();
        match status.ended {
            Some(Outcome::NotReleased { error, until }) => {
                let until = LockedUntil::new(until, lock(&self.shared).now());
                Err(ReleaseError::Unconfirmed { error, until })
            }
            _ => Ok(()),
        }
    }
}

impl LeaderCallback {
    pub(crate) fn new(function: impl FnMut(Option<&[u8]>) + Send + 'static) -> Self {
        Self(Some(Box::new(function)))
    }

    /// Calls the function. One that panics is not called again, and the contender continues.
    fn call(&mut self, leader: Option<&[u8]>) {
        let Some(function) = &mut self.0 else { return };
        let call = std::panic::AssertUnwindSafe(|| function(leader));
        if std::panic::catch_unwind(call).is_err() {
            tracing::error!("the function of on_leader panicked and is not called again");
            self.0 = None;
        }
    }
}

impl fmt::Debug for LeaderCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LeaderCallback").field(&self.0.is_some()).finish()
    }
}
