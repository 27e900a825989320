//! The recipe of a program: an enum with one variant for each kind, which passes each call to the
//! recipe that it contains.

use alloc::boxed::Box;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::consul_lock::ConsulLock;
use crate::election::Candidate;
use crate::interface::{Due, Phase};
use crate::lock::Lock;
use crate::naive::Naive;
use crate::parts::session_renewer::SessionRenewer;
use crate::parts::step_context::{StepContext, StepInput};
use crate::script::Script;
use crate::semaphore::Semaphore;
use crate::watcher::Watcher;
use crate::writer::Writer;

/// The recipe of a program, with its options and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipe {
    /// The lock of the Go client.
    Lock(Box<Lock>),
    /// The semaphore of the Go client, or that of Consul's guide.
    Semaphore(Box<Semaphore>),
    /// A candidate in a leader election.
    Candidate(Box<Candidate>),
    /// `consul lock`.
    ConsulLock(Box<ConsulLock>),
    /// A lock under which a resource is written at intervals.
    Writer(Box<Writer>),
    /// Blocking reads of one key, again and again.
    Watcher(Box<Watcher>),
    /// A lock as a shell script takes it, without renewal or watch.
    Naive(Naive),
    /// A list of steps.
    Script(Script),
}

impl Recipe {
    pub(crate) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match self {
            Self::Lock(lock) => lock.on(context, event),
            Self::Semaphore(semaphore) => semaphore.on(context, event),
            Self::Candidate(candidate) => candidate.on(context, event),
            Self::ConsulLock(command) => command.on(context, event),
            Self::Writer(writer) => writer.on(context, event),
            Self::Watcher(watcher) => watcher.on(context, event),
            Self::Naive(naive) => naive.on(context, event),
            Self::Script(script) => script.on(context, event),
        }
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self {
            Self::Lock(lock) => lock.next_deadline(),
            Self::Semaphore(semaphore) => semaphore.next_deadline(),
            Self::Candidate(candidate) => candidate.lock().next_deadline(),
            Self::ConsulLock(command) => command.next_deadline(),
            Self::Writer(writer) => writer.next_deadline(),
            Self::Watcher(watcher) => watcher.next_deadline(),
            Self::Naive(naive) => naive.next_deadline(),
            Self::Script(script) => script.next_deadline(),
        }
    }

    /// Whether it has `OnFailure::Repeat`, so that it loses the lock when its lease ends.
    pub(crate) fn repeats_failures(&self) -> bool {
        match self {
            Self::Lock(lock) => lock.repeats_failures(),
            Self::Semaphore(semaphore) => semaphore.repeats_failures(),
            Self::Candidate(candidate) => candidate.lock().repeats_failures(),
            Self::Writer(writer) => writer.lock().repeats_failures(),
            Self::ConsulLock(_) | Self::Watcher(_) | Self::Naive(_) | Self::Script(_) => false,
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        match self {
            Self::Lock(lock) => lock.phase(),
            Self::Semaphore(semaphore) => semaphore.phase(),
            Self::Candidate(candidate) => candidate.lock().phase(),
            Self::ConsulLock(command) => command.phase(),
            Self::Writer(writer) => writer.lock().phase(),
            Self::Watcher(watcher) => watcher.phase(),
            Self::Naive(naive) => naive.phase(),
            Self::Script(script) => script.phase(),
        }
    }

    pub(crate) fn state(&self) -> &'static str {
        match self {
            Self::Lock(lock) => lock.state(),
            Self::Semaphore(semaphore) => semaphore.state(),
            Self::Candidate(candidate) => candidate.lock().state(),
            Self::ConsulLock(command) => command.state(),
            Self::Writer(writer) => writer.lock().state(),
            Self::Watcher(watcher) => watcher.state(),
            Self::Naive(naive) => naive.state(),
            Self::Script(script) => script.state(),
        }
    }

    pub(crate) fn renewer(&self) -> Option<&SessionRenewer> {
        match self {
            Self::Lock(lock) => Some(lock.renewer()),
            Self::Semaphore(semaphore) => Some(semaphore.renewer()),
            Self::Candidate(candidate) => Some(candidate.lock().renewer()),
            Self::ConsulLock(command) => Some(command.renewer()),
            Self::Writer(writer) => Some(writer.lock().renewer()),
            Self::Watcher(_) | Self::Naive(_) | Self::Script(_) => None,
        }
    }

    pub(crate) fn watch_state(&self) -> Option<&'static str> {
        match self {
            Self::Lock(lock) => Some(lock.monitor_state()),
            Self::Semaphore(semaphore) => Some(semaphore.monitor_state()),
            Self::Candidate(candidate) => Some(candidate.lock().monitor_state()),
            Self::ConsulLock(command) => Some(command.monitor_state()),
            Self::Writer(writer) => Some(writer.lock().monitor_state()),
            Self::Watcher(_) | Self::Naive(_) | Self::Script(_) => None,
        }
    }
}
