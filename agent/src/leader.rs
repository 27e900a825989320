//! The task that owns the engine. It alone knows the time; everybody else sends it requests and
//! waits.
//!
//! All that waits in its inbox is carried out, then written to disk where there is one, then
//! answered: nobody hears of what a restarted agent would not know.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lictor_core::engine::{Effect, Engine, Input};
use lictor_core::id::RequestId;
use lictor_core::message::{Refusal, Request, Response};
use lictor_core::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tokio::time;

use crate::disk::{Disk, DiskError};

/// What came of a request.
pub(crate) type Outcome = Result<Response, Refusal>;

/// The engine, its clock and those who wait for answers.
pub(crate) struct Leader {
    engine: Engine,
    disk: Option<Disk>,
    began: time::Instant,
    inbox: mpsc::UnboundedReceiver<Message>,
    /// Each caller of a request that is not answered yet.
    waiting: BTreeMap<RequestId, oneshot::Sender<Outcome>>,
    /// Answers that are not sent yet.
    answers: Vec<(oneshot::Sender<Outcome>, Outcome)>,
}

/// One end of the line to the leader.
#[derive(Clone)]
pub(crate) struct Line {
    /// Unbounded, as a connection sends its next request only when the last one was answered: there
    /// are never more messages than connections.
    to_leader: mpsc::UnboundedSender<Message>,
    next_id: Arc<AtomicU64>,
}

/// The agent stops; there will be no answer.
#[derive(Debug, thiserror::Error)]
#[error("the agent stops")]
pub(crate) struct Stopped;

enum Message {
    Request {
        id: RequestId,
        request: Request,
        caller: oneshot::Sender<Outcome>,
    },
    /// The caller has gone.
    Cancel(RequestId),
    Stop,
}

/// The most messages that are carried out before their answers go out.
const BATCH_MAX: usize = 256;

/// The leader wakes at least this often; an idle step changes nothing (E4).
const NAP_MAX: Duration = Duration::from_secs(3600);

impl Leader {
    /// A leader whose time begins now, and the line to it.
    pub(crate) fn new(mut engine: Engine, disk: Option<Disk>) -> (Self, Line) {
        if disk.is_some() {
            engine.keep_records();
        }
        let (to_leader, inbox) = mpsc::unbounded_channel();
        let began = time::Instant::now();
        let (waiting, answers) = (BTreeMap::new(), Vec::new());
        let leader = Self { engine, disk, began, inbox, waiting, answers };
        (leader, Line { to_leader, next_id: Arc::new(AtomicU64::new(1)) })
    }

    /// Serves until it is told to stop, or cannot write to the disk any more.
    pub(crate) async fn run(mut self) -> Result<(), DiskError> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let alarm = self.alarm();
            tokio::select! {
                biased;
                count = self.inbox.recv_many(&mut batch, BATCH_MAX) => {
                    if count == 0 || self.carry_out(&mut batch).is_err() {
                        return self.end();
                    }
                }
                () = time::sleep_until(alarm) => self.step(Input::Tick),
            }
            self.write_down()?;
            for (caller, outcome) in self.answers.drain(..) {
                // A caller who has gone meanwhile needs no answer.
                let _ = caller.send(outcome);
            }
        }
    }

    fn carry_out(&mut self, batch: &mut Vec<Message>) -> Result<(), Stopped> {
        for message in batch.drain(..) {
            match message {
                Message::Request { id, request, caller } => {
                    self.waiting.insert(id, caller);
                    self.step(Input::Request { id, request });
                }
                Message::Cancel(id) => {
                    if self.waiting.remove(&id).is_some() {
                        self.step(Input::Cancel(id));
                    }
                }
                Message::Stop => return Err(Stopped),
            }
        }
        Ok(())
    }

    fn step(&mut self, input: Input) {
        let now = self.now();
        for effect in self.engine.step(now, input) {
            if let Effect::Reply { id, result } = effect
                && let Some(caller) = self.waiting.remove(&id)
            {
                self.answers.push((caller, result));
            }
        }
    }

    /// Whatever was done is on disk before it is answered for.
    fn write_down(&mut self) -> Result<(), DiskError> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        let records = self.engine.take_records();
        if records.is_empty() {
            return Ok(());
        }
        disk.append(&records)?;
        if disk.is_due() {
            disk.rewrite(self.engine.kept());
        }
        Ok(())
    }

    fn end(mut self) -> Result<(), DiskError> {
        self.write_down()?;
        self.disk.map_or(Ok(()), |disk| disk.sync())
    }

    fn now(&self) -> Instant {
        Instant::EPOCH.after(self.began.elapsed())
    }

    /// When the engine must be stepped although nobody calls.
    fn alarm(&self) -> time::Instant {
        let nap = match self.engine.next_deadline() {
            Some((at, _)) => at.since(self.now()).min(NAP_MAX),
            None => NAP_MAX,
        };
        time::Instant::now() + nap
    }
}

impl Line {
    /// Sends a request and waits for what comes of it. Whoever stops waiting cancels the request.
    pub(crate) async fn ask(&self, request: Request) -> Result<Outcome, Stopped> {
        let id = RequestId(self.next_id.fetch_add(1, Ordering::Relaxed));
        let (caller, outcome) = oneshot::channel();
        self.to_leader.send(Message::Request { id, request, caller }).map_err(|_| Stopped)?;
        let mut waiting = Waiting { line: self, id: Some(id) };
        let outcome = outcome.await;
        waiting.id = None;
        outcome.map_err(|_| Stopped)
    }

    pub(crate) fn stop(&self) {
        // Where nobody listens any more, the leader has stopped already.
        let _ = self.to_leader.send(Message::Stop);
    }
}

/// A request that was not answered yet.
struct Waiting<'a> {
    line: &'a Line,
    id: Option<RequestId>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let _ = self.line.to_leader.send(Message::Cancel(id));
        }
    }
}
