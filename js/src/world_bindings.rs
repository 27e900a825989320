//! A world with its past, as a class of JavaScript. A method that fails throws a plain object with
//! a code, and changes nothing.

use lictor_core::http::HttpRequest;
use lictor_core::time::Instant;
use lictor_sim::timeline::SeekTarget;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::boundary::{read, thrown, written};
use crate::options::{ServerOptions, from_millis};
use crate::types::millis;
use crate::types::record::{EntryRecord, HttpAnswer};
use crate::types::world::WorldEvent;
use crate::world::{WorldError, WorldTimeline};

/// A world with a timeline.
#[wasm_bindgen]
pub struct SimulatedWorld(WorldTimeline);

#[wasm_bindgen]
impl SimulatedWorld {
    /// A world without clients.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: ServerOptions = read(options)?;
        let config = options.config().map_err(thrown)?;
        Ok(Self(WorldTimeline::new(config, options.seed.unwrap_or(1))))
    }

    /// The world of a log or a link.
    pub fn load(text: &str) -> Result<Self, JsValue> {
        WorldTimeline::read(text).map(Self).map_err(thrown)
    }

    /// The version of Consul.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.0.world().config().version.name().to_owned()
    }

    /// The time at the cursor, in milliseconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        millis(self.0.world().now())
    }

    /// A number that is equal for equal worlds.
    #[wasm_bindgen(getter)]
    pub fn digest(&self) -> u32 {
        self.0.digest()
    }

    /// Performs an act of a client or of the server, in the line language, and returns its events.
    pub fn act(&mut self, actor: &str, words: &str) -> Result<JsValue, JsValue> {
        events(self.0.act(actor, words))
    }

    /// Sends a request of a client. Returns the number of its call and the events.
    pub fn request(
        &mut self,
        client: &str,
        method: String,
        target: String,
        headers: JsValue,
        body: Vec<u8>,
    ) -> Result<JsValue, JsValue> {
        let request = HttpRequest { method, target, headers: read(headers)?, body };
        let (call, events) = self.0.request(client, request).map_err(thrown)?;
        written(&(call as f64, events))
    }

    /// Cancels a call.
    pub fn cancel(&mut self, call: f64) -> Result<JsValue, JsValue> {
        events(self.0.cancel(call as u64))
    }

    /// The ends of calls since this was last called.
    #[wasm_bindgen(js_name = takeEnds)]
    pub fn take_ends(&mut self) -> Result<JsValue, JsValue> {
        written(&self.0.take_ends())
    }

    /// Advances the clock by milliseconds, and returns the events.
    pub fn advance(&mut self, millis: f64) -> Result<JsValue, JsValue> {
        written(&self.0.advance(from_millis(millis).map_err(thrown)?))
    }

    /// Advances to the next deadline.
    #[wasm_bindgen(js_name = advanceToNext)]
    pub fn advance_to_next(&mut self) -> Result<JsValue, JsValue> {
        written(&self.0.advance_to_next())
    }

    /// The next thing that happens without an act, and when; null if nothing will.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&self) -> Result<JsValue, JsValue> {
        written(&self.0.next_deadline())
    }

    /// All events up to the cursor.
    pub fn events(&self) -> Result<JsValue, JsValue> {
        written(&self.0.events())
    }

    /// The trace up to the cursor.
    pub fn trace(&self) -> String {
        self.0.trace()
    }

    /// The chain of events that led to one.
    pub fn explain(&self, event: f64) -> Result<JsValue, JsValue> {
        events(self.0.explain(event as u64))
    }

    /// The clients in the order in which they joined.
    pub fn clients(&self) -> Result<JsValue, JsValue> {
        written(&self.0.clients())
    }

    /// The entry of a key in the server; null if there is none.
    pub fn entry(&self, key: &str) -> Result<JsValue, JsValue> {
        written(&self.0.entry(key).map(EntryRecord::from))
    }

    /// The server's answer to a read, which is not recorded in the world.
    pub fn look(&self, target: &str) -> Result<JsValue, JsValue> {
        let response = self.0.look(target).map_err(thrown)?;
        written(&HttpAnswer::new(0, response))
    }

    /// Those that believe that they hold a lock.
    pub fn beliefs(&self, key: &str) -> Result<JsValue, JsValue> {
        written(&self.0.beliefs(key))
    }

    /// The times during which more clients or programs believed that they held a lock than may hold
    /// it.
    pub fn overlaps(&self, key: &str) -> Result<JsValue, JsValue> {
        written(&self.0.overlaps(key))
    }

    /// When a lock can change its holder at the earliest.
    #[wasm_bindgen(js_name = earliestTakeover)]
    pub fn earliest_takeover(&self, key: &str) -> Result<JsValue, JsValue> {
        written(&self.0.earliest_takeover(key))
    }

    /// Moves the cursor to a time.
    #[wasm_bindgen(js_name = seekTime)]
    pub fn seek_time(&mut self, millis: f64) -> Result<(), JsValue> {
        let at = Instant::EPOCH.plus(from_millis(millis).map_err(thrown)?);
        self.0.seek(SeekTarget::Time(at)).map_err(thrown)
    }

    /// Moves the cursor to an event.
    #[wasm_bindgen(js_name = seekEvent)]
    pub fn seek_event(&mut self, event: f64) -> Result<(), JsValue> {
        self.0.seek(SeekTarget::SimEvent(event as u64)).map_err(thrown)
    }

    /// Begins a branch at the cursor.
    pub fn fork(&mut self, name: String) -> u32 {
        self.0.fork(name)
    }

    /// Moves the cursor to another branch.
    pub fn switch(&mut self, branch: u32) -> Result<(), JsValue> {
        self.0.switch(branch).map_err(thrown)
    }

    /// All branches.
    pub fn branches(&self) -> Result<JsValue, JsValue> {
        written(&self.0.branches())
    }

    /// How two branches differ.
    pub fn compare(&self, one: u32, other: u32) -> Result<JsValue, JsValue> {
        written(&self.0.compare(one, other).map_err(thrown)?)
    }

    /// The current branch as a link.
    pub fn link(&self) -> Result<String, JsValue> {
        self.0.link().map_err(thrown)
    }

    /// The current branch as a log.
    pub fn log(&self) -> String {
        self.0.log()
    }
}

fn events(result: Result<Vec<WorldEvent>, WorldError>) -> Result<JsValue, JsValue> {
    written(&result.map_err(thrown)?)
}
