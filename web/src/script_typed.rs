//! The functions for scripts behind `window.lictor` (docs/scripting.md), for tests in a browser and for
//! pages that embed this one. Each returns plain JavaScript values; an error has a `code`, and changes
//! nothing. www/boot.js binds them; www/lictor.d.ts has their types, which a page test compares.

use core::time::Duration;
use std::cell::RefCell;

use js_sys::{Error, JSON, Reflect};
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sandbox::share;
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{TraceLine, TraceWriter, act_of};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use thiserror::Error as ThisError;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::panels::console::terminal::Terminal;
use crate::platform::settings::{settings, words};
use crate::state::controller::Controller;
use crate::state::tutorial::Tutorial;

/// The functions of one mounted page.
#[wasm_bindgen]
pub struct Lictor {
    tutorial: Tutorial,
    terminal: Terminal,
    narrator: RefCell<Narrator>,
}

/// Why a call of a script failed.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
enum ScriptError {
    #[error("the page is not there")]
    Closed,
    #[error("{0} is no whole number of milliseconds")]
    NotANumber(String),
    #[error("{0}")]
    NotUnderstood(String),
    #[error("{0}")]
    NotPossible(String),
    #[error("there is no client called {0}")]
    UnknownClient(String),
    #[error("ask only reads; act or paste what changes something")]
    NotARead,
    #[error("{0}")]
    Unreadable(String),
}

impl ScriptError {
    fn code(&self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::NotANumber(_) => "not-a-number",
            Self::NotUnderstood(_) => "not-understood",
            Self::NotPossible(_) => "not-possible",
            Self::UnknownClient(_) => "unknown-client",
            Self::NotARead => "not-a-read",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

impl From<ScriptError> for JsValue {
    fn from(error: ScriptError) -> Self {
        let thrown = Error::new(&error.to_string());
        // Setting a property of a new object cannot fail.
        let _ = Reflect::set(&thrown, &"code".into(), &error.code().into());
        thrown.into()
    }
}

/// One event as scripts see it.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct EventObject {
    /// Milliseconds of virtual time.
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
    actor: String,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
}

impl From<TraceLine> for EventObject {
    fn from(line: TraceLine) -> Self {
        Self {
            at: line.at.as_millis(),
            index: line.index.map(|index| index.0),
            actor: line.actor,
            what: line.what,
            outcome: line.outcome,
        }
    }
}

#[wasm_bindgen]
impl Lictor {
    /// Performs an action of a client, in the words of a story.
    pub fn act(&self, client: JsValue, words: JsValue) -> Result<JsValue, JsValue> {
        let (client, words) = (text(&client, "a client")?, text(&words, "an action")?);
        let controller = self.tutorial.controller;
        let act = {
            let mut narrator = self.narrator()?;
            narrator.catch_up(controller);
            act_of(&client, &words, &narrator.writer.names)
                .map_err(|error| ScriptError::NotUnderstood(error.to_string()))?
        };
        controller
            .with_world(|world| world.check_act(&act))
            .map_err(|error| ScriptError::NotPossible(error.to_string()))?;
        controller.perform(act);
        self.events_since_last()
    }

    /// Advances virtual time by whole milliseconds.
    pub fn advance(&self, ms: JsValue) -> Result<JsValue, JsValue> {
        let span = millis(&ms)?;
        self.narrator()?.catch_up(self.tutorial.controller);
        self.tutorial.controller.pass(span);
        self.events_since_last()
    }

    /// Moves the cursor to a time of the past.
    pub fn seek(&self, ms: JsValue) -> Result<(), JsValue> {
        self.tutorial.controller.seek(Instant::EPOCH.after(millis(&ms)?));
        Ok(())
    }

    /// The virtual time at the cursor, in milliseconds.
    pub fn now(&self) -> f64 {
        self.tutorial.controller.now.get_untracked().as_millis() as f64
    }

    /// Reads at the cursor, as `GET target` does.
    pub fn ask(&self, target: JsValue) -> Result<JsValue, JsValue> {
        let target = text(&target, "a path")?;
        let answer = self.tutorial.controller.with_world(|world| world.look(&target));
        let answer = answer.ok_or(ScriptError::NotARead)?;
        let body = String::from_utf8_lossy(&answer.body);
        let object = js_sys::Object::new();
        let index = answer.header("X-Consul-Index").and_then(|index| index.parse::<f64>().ok());
        let body = JSON::parse(&body).unwrap_or_else(|_| body.as_ref().into());
        for (name, value) in [
            ("Status", Some(f64::from(answer.status).into())),
            ("Index", index.map(JsValue::from)),
            ("Body", Some(body)),
        ] {
            if let Some(value) = value {
                Reflect::set(&object, &name.into(), &value)?;
            }
        }
        Ok(object.into())
    }

    /// The story up to the cursor, one line for each event.
    pub fn story(&self) -> String {
        let mut narrator = Narrator::default();
        lines_of(narrator.events_since_last(self.tutorial.controller))
    }

    /// Sends commands as the console accepts them.
    pub fn paste(&self, commands: JsValue, client: Option<String>) -> Result<JsValue, JsValue> {
        let commands = text(&commands, "commands")?;
        let controller = self.tutorial.controller;
        self.narrator()?.catch_up(controller);
        let actor = match &client {
            None => controller.selected_now(),
            Some(name) => {
                controller.with_record(|history| history.who(&name.as_str().into()).cloned())
            }
        };
        let actor = actor.ok_or_else(|| ScriptError::UnknownClient(client.unwrap_or_default()))?;
        match self.terminal.paste(&actor.name, &commands) {
            Ok(()) => self.events_since_last(),
            Err(Some(error)) => Err(ScriptError::NotUnderstood(words().console.trouble(&error)).into()),
            Err(None) => Err(ScriptError::NotPossible(
                "the rest was not sent: a command before it has no answer yet".into(),
            )
            .into()),
        }
    }

    /// Starts the page's clock.
    pub fn run(&self) {
        self.tutorial.controller.run();
    }

    /// Stops the page's clock.
    pub fn pause(&self) {
        self.tutorial.controller.pause();
    }

    /// Opens a link, or the text of a log file.
    pub fn load(&self, text_or_link: JsValue) -> Result<(), JsValue> {
        let given = text(&text_or_link, "a link or a log")?;
        self.tutorial
            .receive(&given)
            .map_err(|error| ScriptError::Unreadable((words().share.trouble)(&error)).into())
    }

    /// The current branch as the text of a log file.
    pub fn log(&self) -> String {
        self.tutorial.controller.with_timeline(|timeline| timeline_log(timeline))
    }

    /// The current branch as the fragment of a link.
    pub fn link(&self) -> Result<String, JsValue> {
        let spacing = settings().spacing.get_untracked();
        let link = self.tutorial.controller.with_timeline(|timeline| share::link(timeline, spacing));
        link.map_err(|error| ScriptError::NotPossible(error.to_string()).into())
    }
}

impl Lictor {
    pub(crate) fn new(tutorial: Tutorial, terminal: Terminal) -> Self {
        Self { tutorial, terminal, narrator: RefCell::default() }
    }

    fn narrator(&self) -> Result<std::cell::RefMut<'_, Narrator>, ScriptError> {
        self.narrator.try_borrow_mut().map_err(|_| ScriptError::Closed)
    }

    fn events_since_last(&self) -> Result<JsValue, JsValue> {
        let lines = self.narrator()?.events_since_last(self.tutorial.controller);
        let objects: Vec<EventObject> = lines.into_iter().map(EventObject::from).collect();
        Ok(objects.serialize(&Serializer::json_compatible())?)
    }
}

/// Writes the events of the page's branch in the words of a story.
#[derive(Default)]
struct Narrator {
    writer: TraceWriter,
    /// The world and branch that it follows.
    of: (u32, u64),
    /// How many events it has written.
    written: u64,
}

impl Narrator {
    /// Learns the names of everything up to the cursor.
    fn catch_up(&mut self, controller: Controller) {
        self.events_since_last(controller);
    }

    /// The events between the last call and the cursor.
    fn events_since_last(&mut self, controller: Controller) -> Vec<TraceLine> {
        let of = (controller.world.get_untracked(), controller.store.branch.get_untracked());
        controller.with_timeline(|timeline| {
            let end = timeline.position().moments;
            if of != self.of || end < self.written {
                *self = Self { of, ..Self::default() };
            }
            let events = timeline.here().moments(self.written + 1..end + 1);
            self.written = end;
            self.writer.tell(&events)
        })
    }
}
