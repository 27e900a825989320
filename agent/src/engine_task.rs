//! The task that owns the engine and its clock. Connections send it requests through an
//! [`EngineHandle`] and wait for the answers.
//!
//! It takes the messages that wait, up to a limit, carries them out, and then sends the answers.
//! With a snapshot file the answers wait until the log entries before them are written, so that a
//! restarted server has every write that was answered.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use lictor_core::engine::{Effect, Engine, Input};
use lictor_core::id::{RequestId, SessionId};
use lictor_core::message::{LogLevel, Request};
use lictor_core::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tokio::time;

use crate::answers::{ControlResult, EngineAnswer, ReadingCaller, UnsentAnswers};
use crate::clock::ServerClock;
use crate::clock_api::{ClockReading, ControlCommand};
use crate::control_error::{ControlError, Stopped};
use crate::log::Log;
use crate::log::engine_lines::{self, InputNote};
use crate::snapshot_file::SnapshotError;
use crate::snapshot_writer::{Batch, SnapshotWriter};

/// The engine, its clock, and the callers that wait for answers.
pub(crate) struct EngineTask {
    engine: Engine,
    writer: Option<SnapshotWriter>,
    clock: ServerClock,
    log: Arc<Log>,
    inbox: mpsc::UnboundedReceiver<Message>,
    /// The callers of requests that are not answered yet.
    callers: BTreeMap<RequestId, oneshot::Sender<EngineAnswer>>,
    answers: UnsentAnswers,
    /// Tests that wait until at least this many blocking queries wait.
    awaited: Vec<(usize, oneshot::Sender<ClockReading>)>,
}

/// Sends requests to the engine task.
#[derive(Clone, Debug)]
pub(crate) struct EngineHandle {
    /// Unbounded, as each connection sends its next request only when the last one was answered: it
    /// has at most one request and its cancellation in the channel.
    to_task: mpsc::UnboundedSender<Message>,
    next_id: Arc<AtomicU64>,
}

enum Message {
    Request {
        id: RequestId,
        request: Request,
        caller: oneshot::Sender<EngineAnswer>,
    },
    /// The caller has disconnected.
    Cancel(RequestId),
    Clock {
        command: ControlCommand,
        caller: ReadingCaller,
    },
    AwaitQueries {
        count: usize,
        caller: oneshot::Sender<ClockReading>,
    },
    State(SyncSender<Engine>),
    Stop,
}

/// The largest number of messages that are carried out before their answers are sent.
const BATCH_MAX: usize = 256;

impl EngineTask {
    /// A task that has not started, and a handle to it.
    pub(crate) fn new(
        mut engine: Engine,
        writer: Option<SnapshotWriter>,
        log: Arc<Log>,
    ) -> (Self, EngineHandle) {
        if writer.is_some() {
            engine.keep_records();
        }
        let (to_task, inbox) = mpsc::unbounded_channel();
        let (callers, answers) = (BTreeMap::new(), UnsentAnswers::default());
        let clock = log.clock.clone();
        let task =
            Self { engine, writer, clock, log, inbox, callers, answers, awaited: Vec::new() };
        (task, EngineHandle { to_task, next_id: Arc::new(AtomicU64::new(1)) })
    }

    /// Serves until it is stopped. Fails when the snapshot file cannot be written any more.
    pub(crate) async fn run(mut self) -> Result<(), SnapshotError> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let alarm = self.clock.alarm(self.engine.next_deadline().map(|(at, _)| at));
            tokio::select! {
                biased;
                count = self.inbox.recv_many(&mut batch, BATCH_MAX) => {
                    if count == 0 || self.carry_out(&mut batch).is_err() {
                        break;
                    }
                }
                () = time::sleep_until(alarm) => self.step(Input::Tick),
                () = ended(self.writer.as_mut()) => break,
            }
            self.send_answers();
            self.answer_awaited();
        }
        self.send_answers();
        self.writer.map_or(Ok(()), SnapshotWriter::finish)
    }

    /// Carries out messages. Fails at a message that stops the task; later ones are dropped, so
    /// that their callers get [`Stopped`], too.
    fn carry_out(&mut self, batch: &mut Vec<Message>) -> Result<(), Stopped> {
        for message in batch.drain(..) {
            match message {
                Message::Request { id, request, caller } => {
                    self.callers.insert(id, caller);
                    self.step(Input::Request { id, request });
                }
                Message::Cancel(id) => {
                    if self.callers.remove(&id).is_some() {
                        self.step(Input::Cancel(id));
                    }
                }
                Message::Clock { command, caller } => {
                    let reading = self.clock(command);
                    self.answers.add_reading(caller, reading);
                }
                Message::AwaitQueries { count, caller } => self.awaited.push((count, caller)),
                // A caller that has disconnected needs no answer.
                Message::State(caller) => drop(caller.send(self.engine.clone())),
                Message::Stop => return Err(Stopped),
            }
        }
        Ok(())
    }

    fn clock(&mut self, command: ControlCommand) -> ControlResult {
        match command {
            ControlCommand::Read => {}
            ControlCommand::Advance(span) => self.advance_to(self.clock.now().plus(span)),
            ControlCommand::AdvanceToNext => {
                if let Some((at, _)) = self.engine.next_deadline() {
                    self.advance_to(at);
                }
            }
            ControlCommand::Failover => self.step(Input::Failover),
            ControlCommand::ExpireSession(id) => self.expire(id)?,
        }
        Ok(self.reading())
    }

    fn reading(&self) -> ClockReading {
        let next = self.engine.next_deadline().map(|(at, timer)| (at, timer.clone()));
        ClockReading { now: self.clock.now(), next, waiting: self.engine.parked().count() }
    }

    fn expire(&mut self, id: SessionId) -> Result<(), ControlError> {
        // A session whose TTL has passed does not exist any more.
        self.step(Input::Tick);
        let session = self.engine.store().sessions().get(id).ok_or(ControlError::NoSession(id))?;
        session.ttl.duration().ok_or(ControlError::NoTtl(id))?;
        self.step(Input::ExpireSession(id));
        Ok(())
    }

    /// Answers the tests for which enough blocking queries wait by now.
    fn answer_awaited(&mut self) {
        let waiting = if self.awaited.is_empty() { 0 } else { self.engine.parked().count() };
        for (count, caller) in std::mem::take(&mut self.awaited) {
            if count <= waiting {
                // A caller that has disconnected needs no answer.
                let _ = caller.send(self.reading());
            } else if !caller.is_closed() {
                self.awaited.push((count, caller));
            }
        }
    }

    fn advance_to(&mut self, at: Instant) {
        self.clock.advance_to(at);
        self.step(Input::Tick);
    }

    fn step(&mut self, input: Input) {
        let now = self.clock.now();
        // Timers that are due get a step of their own, so that the log can tell their effects from
        // those of the input.
        if input != Input::Tick && self.engine.next_deadline().is_some_and(|(due, _)| due <= now) {
            self.step_at(now, Input::Tick);
        }
        self.step_at(now, input);
    }

    fn step_at(&mut self, now: Instant, input: Input) {
        let note = self.log.is_on(LogLevel::Warn).then(|| InputNote::from(&input));
        let effects = self.engine.step(now, input);
        if let Some(note) = note {
            engine_lines::write(&self.log, &self.engine.config().node, &note, &effects);
        }
        for effect in effects {
            match effect {
                Effect::Reply { id, result, wake } => {
                    if let Some(caller) = self.callers.remove(&id) {
                        self.answers.add(caller, EngineAnswer { result, wake });
                    }
                }
                Effect::Event(_) => {}
                // Cannot happen, as each request has its own id. Dropping the caller ends its wait.
                Effect::Rejected { id, .. } => {
                    self.callers.remove(&id);
                }
            }
        }
    }

    /// Sends the answers, or has the writer send them after the log entries that they depend on.
    fn send_answers(&mut self) {
        let Some(writer) = &mut self.writer else { return self.answers.send() };
        let records = self.engine.take_records();
        if records.is_empty() && writer.is_idle() {
            return self.answers.send();
        }
        let snapshot = writer.take_due_snapshot().then(|| self.engine.snapshot());
        writer.write(Batch { records, answers: std::mem::take(&mut self.answers), snapshot });
    }
}

/// Completes when the writer has failed; never without a writer.
async fn ended(writer: Option<&mut SnapshotWriter>) {
    match writer {
        Some(writer) => writer.ended().await,
        None => pending().await,
    }
}

impl EngineHandle {
    /// Sends a request and waits for the answer. Dropping the future cancels the request.
    pub(crate) async fn request(&self, request: Request) -> Result<EngineAnswer, Stopped> {
        let id = RequestId(self.next_id.fetch_add(1, Ordering::Relaxed));
        let (caller, answer) = oneshot::channel();
        self.send(Message::Request { id, request, caller })?;
        let mut guard = CancelOnDrop { engine: self, id: Some(id) };
        let answer = answer.await;
        guard.id = None;
        answer.map_err(|_| Stopped)
    }

    /// Carries out a clock command and waits until all that it caused is answered.
    pub(crate) async fn clock(&self, command: ControlCommand) -> ControlResult {
        let (caller, reading) = oneshot::channel();
        let caller = Box::new(|it| drop(caller.send(it)));
        self.send(Message::Clock { command, caller })?;
        reading.await.map_err(|_| Stopped)?
    }

    /// Waits until this many blocking queries wait. Fails with their number at the time-out.
    pub(crate) async fn await_queries(&self, count: usize, timeout: Duration) -> ControlResult {
        let (caller, reading) = oneshot::channel();
        self.send(Message::AwaitQueries { count, caller })?;
        match time::timeout(timeout, reading).await {
            Ok(reading) => Ok(reading.map_err(|_| Stopped)?),
            Err(_) => {
                let waiting = self.clock(ControlCommand::Read).await?.waiting;
                Err(ControlError::Waiting { count, waiting, timeout })
            }
        }
    }

    /// Carries out a command and blocks the thread until it is answered.
    pub(crate) fn clock_blocking(&self, command: ControlCommand) -> ControlResult {
        let (caller, reading) = std::sync::mpsc::sync_channel(1);
        let caller = Box::new(move |it| drop(caller.send(it)));
        self.send(Message::Clock { command, caller })?;
        reading.recv().map_err(|_| Stopped)?
    }

    /// A copy of the engine; blocks the thread until the task has made it.
    pub(crate) fn state_blocking(&self) -> Result<Engine, Stopped> {
        let (caller, state) = std::sync::mpsc::sync_channel(1);
        self.send(Message::State(caller))?;
        state.recv().map_err(|_| Stopped)
    }

    pub(crate) fn stop(&self) {
        // A task that has ended needs no message.
        let _ = self.send(Message::Stop);
    }

    fn send(&self, message: Message) -> Result<(), Stopped> {
        self.to_task.send(message).map_err(|_| Stopped)
    }
}

/// Cancels a request whose caller stops waiting.
struct CancelOnDrop<'a> {
    engine: &'a EngineHandle,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let _ = self.engine.send(Message::Cancel(id));
        }
    }
}
