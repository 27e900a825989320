//! A server as a class of JavaScript. Methods receive and return plain values. One that fails
//! throws a plain object with a code, and changes no key and no session; the index increases if
//! Consul refuses the request only while it applies the log entry.

use js_sys::Array;
use lictor_core::http::HttpRequest;
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Answer, Consistency, Operation, Response};
use lictor_core::store::{Found, KvVerb, Query, Write};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::boundary::{read, thrown, written};
use crate::options::{ServerOptions, SessionOptions, from_millis};
use crate::server::Server;
use crate::types::millis;
use crate::types::record::{Deadline, EntryRecord, HttpAnswer, SessionRecord, WriteResult};

/// A server with a virtual clock.
#[wasm_bindgen]
pub struct ConsulServer(Server);

#[wasm_bindgen]
impl ConsulServer {
    /// A fresh server.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: ServerOptions = read(options)?;
        let config = options.config().map_err(thrown)?;
        Ok(Self(Server::new(config, options.seed.unwrap_or(1))))
    }

    /// A server that was saved.
    pub fn load(saved: &[u8]) -> Result<Self, JsValue> {
        Server::load(saved).map(Self).map_err(thrown)
    }

    /// The server as bytes.
    pub fn save(&self) -> Vec<u8> {
        self.0.save()
    }

    /// The version of Consul.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.0.engine().config().version.name().to_owned()
    }

    /// The time in milliseconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        millis(self.0.now())
    }

    /// The index of the last log entry.
    #[wasm_bindgen(getter)]
    pub fn index(&self) -> f64 {
        self.0.engine().index().0 as f64
    }

    /// The next thing that happens without a request, and when; null if nothing will.
    #[wasm_bindgen(js_name = nextDeadline)]
    pub fn next_deadline(&self) -> Result<JsValue, JsValue> {
        let next = self.0.next_deadline();
        written(&next.map(|(at, timer)| Deadline { at: millis(at), reason: timer.into() }))
    }

    /// Advances the clock by milliseconds.
    pub fn advance(&mut self, millis: f64) -> Result<(), JsValue> {
        self.0.advance(from_millis(millis).map_err(thrown)?);
        Ok(())
    }

    /// Advances to the next deadline; false if there is none.
    #[wasm_bindgen(js_name = advanceToNext)]
    pub fn advance_to_next(&mut self) -> bool {
        self.0.advance_to_next()
    }

    /// Makes another server the leader.
    #[wasm_bindgen(js_name = failOver)]
    pub fn fail_over(&mut self) {
        self.0.fail_over();
    }

    /// Begins to collect events, or stops.
    pub fn observe(&mut self, is_observed: bool) {
        self.0.observe(is_observed);
    }

    /// The events since this was last called.
    #[wasm_bindgen(js_name = takeEvents)]
    pub fn take_events(&mut self) -> Result<JsValue, JsValue> {
        written(&self.0.take_events())
    }

    /// Carries out an HTTP request and returns its number; `headers` are pairs of texts.
    pub fn request(
        &mut self,
        method: String,
        target: String,
        headers: JsValue,
        body: Vec<u8>,
    ) -> Result<f64, JsValue> {
        let headers = read(headers)?;
        Ok(self.0.request(&HttpRequest { method, target, headers, body }) as f64)
    }

    /// The answers since this was last called, with the numbers of their requests.
    #[wasm_bindgen(js_name = takeAnswers)]
    pub fn take_answers(&mut self) -> Result<Array, JsValue> {
        let answers = self.0.take_answers();
        answers.into_iter().map(|(id, answer)| written(&HttpAnswer::new(id, answer))).collect()
    }

    /// Cancels a blocking query.
    pub fn cancel(&mut self, request: f64) {
        self.0.cancel(request as u64);
    }

    /// Creates a session and returns its id.
    #[wasm_bindgen(js_name = createSession)]
    pub fn create_session(&mut self, options: JsValue) -> Result<String, JsValue> {
        let options: SessionOptions = read(options)?;
        let draft = options.draft().map_err(thrown)?;
        match self.call(&Operation::CreateSession(draft.into()))?.answer {
            Answer::Created(id) => Ok(id.to_string()),
            _ => unreachable!("a new session is answered by its id"),
        }
    }

    /// Starts the TTL of a session again.
    #[wasm_bindgen(js_name = renewSession)]
    pub fn renew_session(&mut self, session: &str) -> Result<(), JsValue> {
        self.call(&Operation::RenewSession(session.into())).map(|_| ())
    }

    /// Ends a session.
    #[wasm_bindgen(js_name = destroySession)]
    pub fn destroy_session(&mut self, session: &str) -> Result<(), JsValue> {
        self.call(&Operation::DestroySession(session.into())).map(|_| ())
    }

    /// One session; null if it does not exist.
    pub fn session(&mut self, session: &str) -> Result<JsValue, JsValue> {
        match self.read(Query::Session(session.into()))? {
            Found::Session(session) => written(&session.map(|it| SessionRecord::from(&*it))),
            _ => unreachable!("the query asks for a session"),
        }
    }

    /// All sessions.
    pub fn sessions(&mut self) -> Result<JsValue, JsValue> {
        match self.read(Query::Sessions)? {
            Found::Sessions(all) => {
                written(&all.iter().map(|it| SessionRecord::from(&**it)).collect::<Vec<_>>())
            }
            _ => unreachable!("the query asks for sessions"),
        }
    }

    /// The entry of a key; null if the key does not exist.
    pub fn entry(&mut self, key: &str) -> Result<JsValue, JsValue> {
        match self.read(Query::Key(Key::from(key)))? {
            Found::Entry(entry) => written(&entry.map(|it| EntryRecord::from(&*it))),
            _ => unreachable!("the query asks for an entry"),
        }
    }

    /// The entries whose keys begin with a prefix.
    pub fn entries(&mut self, prefix: &str) -> Result<JsValue, JsValue> {
        match self.read(Query::Tree(Key::from(prefix)))? {
            Found::Entries(all) => {
                written(&all.iter().map(|it| EntryRecord::from(&**it)).collect::<Vec<_>>())
            }
            _ => unreachable!("the query asks for entries"),
        }
    }

    /// Writes a value; with `cas` only if the key has this ModifyIndex.
    pub fn put(
        &mut self,
        key: &str,
        value: &[u8],
        flags: u64,
        cas: Option<u64>,
    ) -> Result<JsValue, JsValue> {
        let write = Write { value: value.into(), flags };
        self.write(
            key,
            match cas {
                None => KvVerb::Set(write),
                Some(expected) => KvVerb::Cas { write, expected: Index(expected) },
            },
        )
    }

    /// Takes the lock of a key for a session.
    pub fn acquire(
        &mut self,
        key: &str,
        value: &[u8],
        flags: u64,
        session: &str,
    ) -> Result<JsValue, JsValue> {
        let write = Write { value: value.into(), flags };
        self.write(key, KvVerb::Acquire { write, session: SessionRef::from(session) })
    }

    /// Releases the lock of a key.
    pub fn release(
        &mut self,
        key: &str,
        value: &[u8],
        flags: u64,
        session: &str,
    ) -> Result<JsValue, JsValue> {
        let write = Write { value: value.into(), flags };
        self.write(key, KvVerb::Release { write, session: SessionRef::from(session) })
    }

    /// Deletes a key; with `cas` only if it has this ModifyIndex.
    pub fn delete(&mut self, key: &str, cas: Option<u64>) -> Result<JsValue, JsValue> {
        self.write(
            key,
            match cas {
                None => KvVerb::Delete,
                Some(expected) => KvVerb::DeleteCas { expected: Index(expected) },
            },
        )
    }

    /// Deletes all keys with a prefix.
    #[wasm_bindgen(js_name = deleteTree)]
    pub fn delete_tree(&mut self, prefix: &str) -> Result<JsValue, JsValue> {
        self.write(prefix, KvVerb::DeleteTree)
    }
}

impl ConsulServer {
    fn call(&mut self, operation: &Operation) -> Result<Response, JsValue> {
        self.0.call(operation).map_err(thrown)
    }

    fn write(&mut self, key: &str, verb: KvVerb) -> Result<JsValue, JsValue> {
        let response = self.call(&Operation::Kv { key: Key::from(key), verb })?;
        written(&WriteResult::from(&response))
    }

    fn read(&mut self, query: Query) -> Result<Found, JsValue> {
        let consistency = Consistency::Default;
        match self.call(&Operation::Read { query, wait: None, consistency })?.answer {
            Answer::Found(found) => Ok(found),
            _ => unreachable!("a read is answered by what it found"),
        }
    }
}
