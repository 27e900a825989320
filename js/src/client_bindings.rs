//! A contender as a class of JavaScript, whose user sends its requests and reads the clocks. A
//! method that steps it or asks about its lease takes the readings of the monotonic clock and of
//! the wall clock in milliseconds; one that steps it returns the steps to carry out.

use std::time::Duration;

use js_sys::Array;
use lictor_core::http::HttpResponse;
use lictor_core::time::Instant;
use lictor_recipes::{CallId, Contender, ContenderStep, HostClock};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::boundary::{read, thrown, written};
use crate::options::{ContenderOptions, from_millis};
use crate::types::client::ClientStep;
use crate::types::millis;

/// A contender and its clock.
#[wasm_bindgen]
pub struct ClientProgram {
    contender: Contender,
    clock: HostClock,
    now: Instant,
}

#[wasm_bindgen]
impl ClientProgram {
    /// A contender that has not started.
    #[wasm_bindgen(constructor)]
    pub fn new(key: &str, value: &[u8], options: JsValue) -> Result<Self, JsValue> {
        let options: ContenderOptions = read(options)?;
        let contender = options.contender(key, value).map_err(thrown)?;
        Ok(Self { contender, clock: HostClock::new(), now: Instant::EPOCH })
    }

    /// Begins to contend.
    pub fn start(&mut self, monotonic: f64, wall: f64) -> Result<Array, JsValue> {
        self.read_clocks(monotonic, wall);
        self.written(Contender::start)
    }

    /// Releases what it holds, or gives up.
    pub fn stop(&mut self, monotonic: f64, wall: f64) -> Result<Array, JsValue> {
        self.read_clocks(monotonic, wall);
        self.written(Contender::stop)
    }

    /// Steps the contender because time has passed.
    pub fn tick(&mut self, monotonic: f64, wall: f64) -> Result<Array, JsValue> {
        self.read_clocks(monotonic, wall);
        self.written(Contender::tick)
    }

    /// Steps the contender with the answer to a call; `headers` are pairs of texts.
    pub fn answered(
        &mut self,
        monotonic: f64,
        wall: f64,
        call: f64,
        status: u16,
        headers: JsValue,
        body: Vec<u8>,
    ) -> Result<Array, JsValue> {
        let response = HttpResponse { status, headers: read(headers)?, body };
        self.read_clocks(monotonic, wall);
        self.written(|contender, now| contender.answered(now, CallId(call as u64), &response))
    }

    /// Steps the contender with a call that got no answer.
    pub fn unreachable(&mut self, monotonic: f64, wall: f64, call: f64) -> Result<Array, JsValue> {
        self.read_clocks(monotonic, wall);
        self.written(|contender, now| contender.unreachable(now, CallId(call as u64)))
    }

    /// The milliseconds until it must be stepped at the latest; `None` if it waits for answers
    /// only.
    #[wasm_bindgen(js_name = nextDelay)]
    pub fn next_delay(&self) -> Option<f64> {
        let next = self.contender.next_deadline()?;
        Some(millis(Instant::EPOCH.plus(next.since(self.now))))
    }

    /// Whether its user may act now.
    #[wasm_bindgen(js_name = mayAct)]
    pub fn may_act(&mut self, monotonic: f64, wall: f64) -> bool {
        self.read_clocks(monotonic, wall);
        self.contender.may_act(self.now)
    }
}

impl ClientProgram {
    fn read_clocks(&mut self, monotonic: f64, wall: f64) {
        // The clock of a test may return a number that is no time. It counts as 0.
        let reading = |millis: f64| from_millis(millis).unwrap_or(Duration::ZERO);
        self.now = self.clock.read(reading(monotonic), reading(wall));
    }

    fn written(
        &mut self,
        step: impl FnOnce(&mut Contender, Instant) -> Vec<ContenderStep>,
    ) -> Result<Array, JsValue> {
        let steps = step(&mut self.contender, self.now);
        steps.into_iter().map(|step| written(&ClientStep::new(step, self.now))).collect()
    }
}
