//! Collects the answers to requests and clock commands, each with its caller, until all are sent.

use lictor_core::engine::Wake;
use lictor_core::message::{Refusal, Response};
use tokio::sync::oneshot;

use crate::clock_api::ClockReading;
use crate::control_error::ControlError;

/// The engine's answer to a request.
#[derive(Debug)]
pub(crate) struct EngineAnswer {
    pub(crate) result: Result<Response, Refusal>,
    /// Why a blocking query is answered now; `None` for any other request.
    pub(crate) wake: Option<Wake>,
}

/// Answers that are not sent yet, with their callers.
#[derive(Default)]
pub(crate) struct UnsentAnswers {
    requests: Vec<(oneshot::Sender<EngineAnswer>, EngineAnswer)>,
    /// Sent last: clients that were woken by a change of the clock have their answers before the
    /// test that changed it.
    readings: Vec<(ReadingCaller, ControlResult)>,
}

/// Sends the answer to a clock command to its caller, an async task or a thread that blocks.
pub(crate) type ReadingCaller = Box<dyn FnOnce(ControlResult) + Send>;

pub(crate) type ControlResult = Result<ClockReading, ControlError>;

impl UnsentAnswers {
    pub(crate) fn add(&mut self, caller: oneshot::Sender<EngineAnswer>, answered: EngineAnswer) {
        self.requests.push((caller, answered));
    }

    pub(crate) fn add_reading(&mut self, caller: ReadingCaller, reading: ControlResult) {
        self.readings.push((caller, reading));
    }

    /// Sends all answers. A caller that has disconnected needs none.
    pub(crate) fn send(&mut self) {
        for (caller, answered) in self.requests.drain(..) {
            let _ = caller.send(answered);
        }
        for (caller, reading) in self.readings.drain(..) {
            caller(reading);
        }
    }
}
