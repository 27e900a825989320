//! The task that owns the engine and its clock. Everybody else sends it requests and waits.
//!
//! All that waits in its inbox is carried out, then written to disk where there is one, then
//! answered: nobody hears of what a restarted agent would not know.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lictor_core::engine::{Effect, Engine, Input};
use lictor_core::id::RequestId;
use lictor_core::message::{Refusal, Request, Response};
use lictor_core::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tokio::time;

use crate::clock::Clock;
use crate::control::{Control, Reading};
use crate::disk::{Disk, DiskError};

/// What came of a request.
pub(crate) type Outcome = Result<Response, Refusal>;

/// The engine, its clock and those who wait for answers.
pub(crate) struct Leader {
    engine: Engine,
    disk: Option<Disk>,
    clock: Clock,
    inbox: mpsc::UnboundedReceiver<Message>,
    /// Each caller of a request that is not answered yet.
    waiting: BTreeMap<RequestId, oneshot::Sender<Outcome>>,
    /// Answers that are not sent yet.
    answers: Vec<(oneshot::Sender<Outcome>, Outcome)>,
    /// Tests that moved time hear of it last: whoever was woken by it is answered by then.
    readings: Vec<(oneshot::Sender<Reading>, Reading)>,
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
    Control {
        control: Control,
        caller: oneshot::Sender<Reading>,
    },
    Stop,
}

/// The most messages that are carried out before their answers go out.
const BATCH_MAX: usize = 256;

impl Leader {
    /// A leader and the line to it.
    pub(crate) fn new(mut engine: Engine, disk: Option<Disk>, clock: Clock) -> (Self, Line) {
        if disk.is_some() {
            engine.keep_records();
        }
        let (to_leader, inbox) = mpsc::unbounded_channel();
        let (waiting, answers, readings) = (BTreeMap::new(), Vec::new(), Vec::new());
        let leader = Self { engine, disk, clock, inbox, waiting, answers, readings };
        (leader, Line { to_leader, next_id: Arc::new(AtomicU64::new(1)) })
    }

    /// Serves until it is told to stop, or cannot write to the disk any more.
    pub(crate) async fn run(mut self) -> Result<(), DiskError> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let alarm = self.clock.alarm(self.engine.next_deadline().map(|(at, _)| at));
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
            for (caller, reading) in self.readings.drain(..) {
                let _ = caller.send(reading);
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
                Message::Control { control, caller } => {
                    let reading = self.control(control);
                    self.readings.push((caller, reading));
                }
                Message::Stop => return Err(Stopped),
            }
        }
        Ok(())
    }

    fn control(&mut self, control: Control) -> Reading {
        match control {
            Control::Look => {}
            Control::Advance(span) => self.run_to(self.clock.now().after(span)),
            Control::ToNext => {
                let due = self.engine.next_deadline().map(|(at, _)| at);
                due.into_iter().for_each(|at| self.run_to(at));
            }
            Control::Failover => self.step(Input::Failover),
        }
        let next = self.engine.next_deadline().map(|(at, timer)| (at, timer.clone()));
        Reading { now: self.clock.now(), next, waiting: self.engine.parked().count() }
    }

    fn run_to(&mut self, at: Instant) {
        self.clock.run_to(at);
        self.step(Input::Tick);
    }

    fn step(&mut self, input: Input) {
        let now = self.clock.now();
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

    /// Does what a test asks, and waits until it is done.
    pub(crate) async fn control(&self, control: Control) -> Result<Reading, Stopped> {
        let (caller, reading) = oneshot::channel();
        self.to_leader.send(Message::Control { control, caller }).map_err(|_| Stopped)?;
        reading.await.map_err(|_| Stopped)
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
