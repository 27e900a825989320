//! The functions that js/npm/client.js calls: a client program as a value, whose requests it sends
//! and whose clock it reads.

use js_sys::Array;
use lictor_core::http::HttpResponse;
use lictor_core::time::Instant;
use lictor_recipes::{CallId, Contender, ContenderStep};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::bindings::{read, thrown, written};
use crate::options::{ContenderOptions, from_millis};
use crate::types::client::ClientStep;
use crate::types::millis;

/// A contender as JavaScript sees it. Times are milliseconds of its clock, which never goes back.
#[wasm_bindgen]
pub struct ClientProgram(Contender);

#[wasm_bindgen]
impl ClientProgram {
    /// A contender that waits for its first order.
    #[wasm_bindgen(constructor)]
    pub fn new(key: &str, value: &[u8], options: JsValue) -> Result<Self, JsValue> {
        let options: ContenderOptions = read(options)?;
        options.contender(key, value).map(Self).map_err(thrown)
    }

    /// Begins to contend.
    pub fn start(&mut self, now: f64) -> Result<Array, JsValue> {
        steps(self.0.start(instant(now)?))
    }

    /// Releases what it holds, or gives up.
    pub fn stop(&mut self, now: f64) -> Result<Array, JsValue> {
        steps(self.0.stop(instant(now)?))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) -> Result<Array, JsValue> {
        steps(self.0.tick(instant(now)?))
    }

    /// The answer to a call; `headers` are pairs of texts.
    pub fn answered(
        &mut self,
        now: f64,
        call: f64,
        status: u16,
        headers: JsValue,
        body: Vec<u8>,
    ) -> Result<Array, JsValue> {
        let response = HttpResponse { status, headers: read(headers)?, body };
        steps(self.0.answered(instant(now)?, CallId(call as u64), &response))
    }

    /// A call could not be made.
    pub fn unreachable(&mut self, now: f64, call: f64) -> Result<Array, JsValue> {
        steps(self.0.unreachable(instant(now)?, CallId(call as u64)))
    }

    /// When it must be stepped next at the latest.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&self) -> Option<f64> {
        self.0.next_deadline().map(millis)
    }

    /// Whether its user may act now.
    #[wasm_bindgen(js_name = mayAct)]
    pub fn may_act(&self, now: f64) -> Result<bool, JsValue> {
        Ok(self.0.may_act(instant(now)?))
    }
}

fn instant(now: f64) -> Result<Instant, JsValue> {
    Ok(Instant::EPOCH.plus(from_millis(now).map_err(thrown)?))
}

fn steps(steps: Vec<ContenderStep>) -> Result<Array, JsValue> {
    steps.into_iter().map(|step| written(&ClientStep::from(step))).collect()
}
