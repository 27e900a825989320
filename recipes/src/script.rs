//! A fixed list of calls with pauses between them: a custom client, or an operator at a keyboard.
//! The steps `DestroyHolder`, `ForceRelease` and `Edit` first read their key: the first two to find
//! the session that holds it, `Edit` as a user interface does.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::{Key, SessionRef};
use lictor_core::message::{Answer, Failure, Operation, Response};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{Entry, KvVerb, Query, Write};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::interface::{Due, Order, Phase};
use crate::parts::answers;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::{StepContext, StepInput};
use crate::program_error::ProgramError;
use crate::report::{GaveUp, Report};

/// A placeholder for the session that the script created last.
pub const OWN_SESSION: &str = "@";

/// A list of steps, each of which waits for the answer to the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// The session that the script created last.
    session: Option<SessionRef>,
    /// The index of the step that is next or pending.
    current: usize,
    state: ScriptState,
}

/// A step, and the pause after the answer to the step before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The pause before the step.
    pub after: Duration,
    /// The task of the step.
    pub task: Task,
}

/// The task of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Sends this operation; the session [`OWN_SESSION`] in it is the script's own.
    Do(Operation),
    /// Destroys the session that holds a key; any client may (DST-09).
    DestroyHolder(Key),
    /// Releases a key with the session of its holder; value and flags stay (LCK-13).
    ForceRelease(Key),
    /// Writes a new value with a plain PUT, as a user interface does, so that Flags become 0
    /// (KV-02).
    Edit {
        /// The key.
        key: Key,
        /// The new value.
        value: Arc<[u8]>,
    },
    /// Carries out the step before it again and again, as a loop of a shell does. The pause before
    /// this step is that of the loop.
    Repeat,
}

/// The shortest pause of a loop. Without a pause virtual time would not advance.
const LOOP_PAUSE_MIN: Duration = Duration::from_millis(1);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum ScriptState {
    Idle,
    Pausing {
        until: Instant,
    },
    /// Reads the key before the operation.
    Looking,
    /// Waits for the answer to the operation.
    Asking,
}

impl Script {
    /// A script that has not started.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps, session: None, current: 0, state: ScriptState::Idle }
    }

    pub(super) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state {
            ScriptState::Idle => Phase::Idle,
            ScriptState::Pausing { .. } | ScriptState::Looking | ScriptState::Asking => Phase::Busy,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self.state {
            ScriptState::Pausing { until } => Some((until, Due::NextStep)),
            ScriptState::Idle | ScriptState::Looking | ScriptState::Asking => None,
        }
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match (&self.state, event) {
            (ScriptState::Idle, StepInput::Order(Order::Start)) => {
                self.current = 0;
                self.pause(context);
            }
            (ScriptState::Pausing { .. }, StepInput::Due(Due::NextStep)) => self.begin(context),
            (ScriptState::Looking, StepInput::Reply { slot: CallSlot::Main, result }) => {
                self.was_read(context, result);
            }
            (ScriptState::Asking, StepInput::Reply { slot: CallSlot::Main, result }) => {
                self.answered(context, result);
            }
            (ScriptState::Idle, StepInput::Order(_)) => {}
            (_, StepInput::Order(Order::Stop)) => {
                context.abandon(CallSlot::Main);
                context.report(Report::GaveUp(GaveUp::Stopped));
                self.state = ScriptState::Idle;
            }
            (_, StepInput::Order(_)) => context.fail(ProgramError::Busy),
            (_, StepInput::Reply { .. } | StepInput::Due(_)) => {}
        }
    }

    /// Schedules the next step, if there is one.
    fn pause(&mut self, context: &StepContext) {
        self.state = match self.steps.get(self.current) {
            Some(step) => ScriptState::Pausing { until: context.now.plus(step.pause()) },
            None => ScriptState::Idle,
        };
    }

    fn next(&mut self, context: &StepContext) {
        self.current += 1;
        self.pause(context);
    }

    /// Begins the step that is due.
    fn begin(&mut self, context: &mut StepContext) {
        let Some(step) = self.steps.get(self.current) else { return };
        let mut task = step.task.clone();
        if let (Task::Repeat, Some(before)) = (&task, self.current.checked_sub(1)) {
            task = self.steps[before].task.clone();
            if task != Task::Repeat {
                self.current = before;
            }
        }
        match task {
            Task::Do(operation) => self.send(context, operation),
            // There is no step before it that can be repeated.
            Task::Repeat => self.next(context),
            Task::DestroyHolder(key) | Task::ForceRelease(key) | Task::Edit { key, .. } => {
                context.read(Query::Key(key), None);
                self.state = ScriptState::Looking;
            }
        }
    }

    /// Sends an operation with the script's own session in place of `@`; reports an error if there
    /// is none.
    fn send(&mut self, context: &mut StepContext, mut operation: Operation) {
        let is_named = named_sessions(&mut operation).into_iter().all(|named| {
            let is_own = named.as_str() == OWN_SESSION;
            if let (true, Some(own)) = (is_own, &self.session) {
                *named = own.clone();
            }
            !is_own || self.session.is_some()
        });
        if !is_named {
            context.fail(ProgramError::NoSession);
            return self.next(context);
        }
        context.send(CallSlot::Main, operation);
        self.state = ScriptState::Asking;
    }

    /// Sends the operation for the key that was read, or reports that there is nothing to do.
    fn was_read(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let entry = match answers::entry(result) {
            Ok((_, entry)) => entry,
            Err(failure) => {
                context.fail(ProgramError::Call(failure));
                return self.next(context);
            }
        };
        let task = self.steps.get(self.current).map(|step| step.task.clone());
        match task.and_then(|task| task.operation_for(entry.as_deref())) {
            Some(operation) => self.send(context, operation),
            None => {
                context.report(Report::NothingToDo { step: self.current });
                self.next(context);
            }
        }
    }

    fn answered(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match result {
            Ok(Response { answer, .. }) => {
                if let Answer::Created(id) = answer {
                    self.session = Some(SessionRef::from(id));
                }
                context.report(Report::Answered { step: self.current, answer });
            }
            Err(failure) => context.fail(ProgramError::Call(failure)),
        }
        self.next(context);
    }
}

impl Step {
    fn pause(&self) -> Duration {
        match self.task {
            Task::Repeat => self.after.max(LOOP_PAUSE_MIN),
            _ => self.after,
        }
    }
}

impl Task {
    /// The operation for the entry that was read. `None` if it needs a holder and there is none,
    /// and for `Repeat`.
    fn operation_for(self, entry: Option<&Entry>) -> Option<Operation> {
        let holder = entry.and_then(Entry::holder).cloned();
        match self {
            Self::Do(operation) => Some(operation),
            Self::Repeat => None,
            Self::DestroyHolder(_) => holder.map(Operation::DestroySession),
            Self::ForceRelease(key) => {
                let Entry { value, flags, .. } = entry?.clone();
                let verb = KvVerb::Release { write: Write { value, flags }, session: holder? };
                Some(Operation::Kv { key, verb })
            }
            Self::Edit { key, value } => {
                Some(Operation::Kv { key, verb: KvVerb::Set(Write { value, flags: 0 }) })
            }
        }
    }
}

/// The sessions that an operation names.
fn named_sessions(operation: &mut Operation) -> Vec<&mut SessionRef> {
    match operation {
        Operation::DestroySession(session) | Operation::RenewSession(session) => {
            Vec::from([session])
        }
        Operation::Kv { verb, .. } => session_of(verb).into_iter().collect(),
        Operation::Read { query: Query::Session(session), .. } => Vec::from([session]),
        Operation::Txn(ops) => {
            let verbs = ops.iter_mut().filter_map(|op| match op {
                TxnOp::Kv { verb, .. } => Some(verb),
                TxnOp::Node { .. } | TxnOp::Service { .. } | TxnOp::Check { .. } => None,
            });
            let sessions = verbs.filter_map(|verb| match verb {
                TxnVerb::Write(verb) => session_of(verb),
                TxnVerb::CheckSession(session) => Some(session),
                _ => None,
            });
            sessions.collect()
        }
        _ => Vec::new(),
    }
}

fn session_of(verb: &mut KvVerb) -> Option<&mut SessionRef> {
    match verb {
        KvVerb::Acquire { session, .. } | KvVerb::Release { session, .. } => Some(session),
        KvVerb::Set(_)
        | KvVerb::Cas { .. }
        | KvVerb::Delete
        | KvVerb::DeleteCas { .. }
        | KvVerb::DeleteTree => None,
    }
}
