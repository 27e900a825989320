//! The functions of `window.lictor` (docs/en/use/scripting.md). Each returns plain JavaScript
//! values; a call that fails throws an error with a `code`.

mod guide;

use core::time::Duration;
use std::cell::{RefCell, RefMut};

use js_sys::{Error, JSON, Reflect};
use leptos::prelude::*;
use lictor_core::UnknownVersion;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;
use lictor_desk::scripting::{self, ErrorCode, HttpAnswer};
use lictor_desk::share;
use lictor_sim::journal::Journal;
use lictor_sim::timeline::{Timeline, TraceLines};
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{Act, ActError, EventKind};
use lictor_view::fresh_world::sandbox;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::platform::settings::settings;
use crate::platform::words::{console_words, share_words};
use crate::state::controller::Controller;
use crate::state::guide_reader::GuideReader;
use crate::state::lesson_reader::LessonReader;
use crate::state::terminal::Terminal;

/// The number up to which a JavaScript number holds every whole number exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// The functions of one mounted page.
#[wasm_bindgen]
pub struct Lictor {
    lesson_reader: LessonReader,
    terminal: Terminal,
    guide_reader: GuideReader,
    /// The lines of the open world, with its number.
    lines: RefCell<(u32, TraceLines)>,
}

/// Why a call of a script failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ScriptError {
    #[error("the page is closed")]
    Closed,
    #[error("{0} is not a text")]
    NotAText(String),
    #[error("{0} is no whole number of milliseconds")]
    NotANumber(String),
    #[error("{0} is no number of a step; steps are counted from 0")]
    NotAStep(String),
    #[error("there is no step {step}: the guide has {steps}, counted from 0")]
    NoSuchStep { step: u64, steps: usize },
    #[error("the guide asks for no value {name}; {}", asked_for(.asked))]
    NoSuchValue { name: String, asked: Vec<String> },
    #[error("the branch ends at {0} ms; `advance` goes on from there")]
    AfterTheEnd(u64),
    #[error("{0}")]
    NotUnderstood(String),
    #[error("{0}")]
    NotPossible(String),
    #[error("there is no client called {0}")]
    UnknownClient(String),
    #[error("{0} is no path, such as /v1/kv/a")]
    NotAPath(String),
    #[error("`read` reads with GET; `request` sends {0} as a client")]
    NotAGet(String),
    #[error("a read of {0} has no answer at once; `request` sends it as a client")]
    NotARead(String),
    #[error("{0}")]
    Unreadable(String),
    #[error(transparent)]
    UnknownVersion(#[from] UnknownVersion),
}

impl ScriptError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Closed => ErrorCode::Closed,
            Self::NotAText(_)
            | Self::NotANumber(_)
            | Self::NotAStep(_)
            | Self::NotAPath(_)
            | Self::NotAGet(_)
            | Self::NotARead(_)
            | Self::UnknownVersion(_) => ErrorCode::InvalidArgument,
            Self::NotUnderstood(_) => ErrorCode::NotUnderstood,
            Self::UnknownClient(_)
            | Self::NotPossible(_)
            | Self::AfterTheEnd(_)
            | Self::NoSuchStep { .. }
            | Self::NoSuchValue { .. } => ErrorCode::NotPossible,
            Self::Unreadable(_) => ErrorCode::Unreadable,
        }
    }
}

impl From<ActError> for ScriptError {
    fn from(error: ActError) -> Self {
        match error {
            ActError::UnknownActor(actor) => Self::UnknownClient(actor.to_string()),
            other => Self::NotPossible(other.to_string()),
        }
    }
}

impl From<ScriptError> for JsValue {
    fn from(error: ScriptError) -> Self {
        let thrown = Error::new(&error.to_string());
        // The name of a code is a text, and a property of a new object can always be set.
        let code = serde_wasm_bindgen::to_value(&error.code()).unwrap_or_default();
        let _ = Reflect::set(&thrown, &"code".into(), &code);
        thrown.into()
    }
}

#[wasm_bindgen]
impl Lictor {
    /// Performs an action of a client, in the line language.
    pub fn act(&self, client: &JsValue, words: &JsValue) -> Result<JsValue, JsValue> {
        let (client, words) = (text(client)?, text(words)?);
        let (controller, since) = self.begin()?;
        let names = self.names(controller)?;
        let names = controller.with_world(|world| names.with_server(world.config()));
        let act = act_of(&client, &words, &names)
            .map_err(|error| ScriptError::NotUnderstood(error.to_string()))?;
        controller.try_perform(act).map_err(ScriptError::from)?;
        self.events_after(since)
    }

    /// Advances virtual time by a whole number of milliseconds.
    pub fn advance(&self, ms: &JsValue) -> Result<JsValue, JsValue> {
        let span = Duration::from_millis(millis(ms)?);
        let (controller, since) = self.begin()?;
        controller.run_to(controller.now.get_untracked().plus(span));
        self.events_after(since)
    }

    /// Moves the cursor to a time of the branch. Fails for a time after its end.
    pub fn seek(&self, ms: &JsValue) -> Result<(), JsValue> {
        let time = Instant::from_millis(millis(ms)?);
        let controller = self.controller()?;
        let end = controller.with_timeline(|timeline| timeline.here().end().at);
        if time > end {
            return Err(ScriptError::AfterTheEnd(end.as_millis()).into());
        }
        controller.seek(time);
        Ok(())
    }

    /// The virtual time at the cursor, in milliseconds.
    pub fn now(&self) -> Result<f64, JsValue> {
        Ok(self.controller()?.now.get_untracked().as_millis() as f64)
    }

    /// The answer to `GET target` at the cursor. Fails for a read that has no answer at once.
    pub fn read(&self, target: &JsValue) -> Result<JsValue, JsValue> {
        let controller = self.controller()?;
        let target = read_target(&text(target)?)?;
        let target = self.names(controller)?.in_target(&target);
        let answer = controller.with_world(|world| world.read_now(&target));
        returned(&answer_of(&answer.ok_or(ScriptError::NotARead(target))?))
    }

    /// Sends a request as a client. Returns its answer, or null if there is none yet.
    pub fn request(
        &self,
        client: &JsValue,
        method: &JsValue,
        target: &JsValue,
        body: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let (client, method, target) = (text(client)?, text(method)?, text(target)?);
        let body = if body.is_undefined() { String::new() } else { text(body)? };
        let controller = self.controller()?;
        let target = self.names(controller)?.in_target(&target);
        let request = HttpRequest::new(&method, &target, body.as_bytes());
        let act = Act::Request { actor: client.as_str().into(), request };
        let events = controller.try_perform(act).map_err(ScriptError::from)?;
        let sent = events.iter().find_map(|event| match &event.kind {
            EventKind::Sent(call) => Some(call.id),
            _ => None,
        });
        let answer = events.iter().find_map(|event| match &event.kind {
            EventKind::Answered { call, outcome } if Some(call.id) == sent => Some(outcome),
            _ => None,
        });
        returned(&answer.map(|outcome| answer_of(&outcome.response)))
    }

    /// The trace up to the cursor, one line for each event.
    pub fn trace(&self) -> Result<String, JsValue> {
        Ok(self.controller()?.with_timeline(Timeline::trace))
    }

    /// Sends commands as the console accepts them, as a client or, if `client` is undefined, as the
    /// selected one.
    pub fn paste(&self, commands: &JsValue, client: &JsValue) -> Result<JsValue, JsValue> {
        let commands = text(commands)?;
        let client = if client.is_undefined() { None } else { Some(text(client)?) };
        let (controller, since) = self.begin()?;
        let actor = match &client {
            None => controller.selected_now(),
            Some(name) => {
                let name = name.as_str().into();
                controller.with_record(|history| history.actor_tag(&name).cloned())
            }
        };
        let actor = actor.ok_or_else(|| match client {
            Some(name) => ScriptError::UnknownClient(name),
            None => ScriptError::NotPossible("the world has no client".into()),
        })?;
        let nothing =
            Act::Request { actor: actor.name.clone(), request: HttpRequest::new("GET", "/", b"") };
        controller.with_world(|world| world.check_act(&nothing)).map_err(ScriptError::from)?;
        match self.terminal.paste(&actor.name, &commands) {
            Ok(()) => self.events_after(since),
            Err(Some(error)) => {
                Err(ScriptError::NotUnderstood(console_words().error_text(&error)).into())
            }
            Err(None) => {
                let reason = "the rest was not sent: a command before it has no answer yet";
                Err(ScriptError::NotPossible(reason.into()).into())
            }
        }
    }

    /// Starts the page's clock.
    pub fn run(&self) -> Result<(), JsValue> {
        self.controller()?.run();
        Ok(())
    }

    /// Stops the page's clock.
    pub fn pause(&self) -> Result<(), JsValue> {
        self.controller()?.pause();
        Ok(())
    }

    /// Opens a new world with three clients, whose server answers as a version of Consul or, if
    /// `version` is undefined, as the one that the reader has chosen.
    #[wasm_bindgen(js_name = newWorld)]
    pub fn new_world(&self, version: &JsValue) -> Result<(), JsValue> {
        let version = if version.is_undefined() {
            settings().consul.get_untracked()
        } else {
            text(version)?.parse().map_err(ScriptError::from)?
        };
        self.controller()?;
        self.lesson_reader.session.open(sandbox(version));
        Ok(())
    }

    /// The version of Consul that the server of the open world answers as.
    pub fn version(&self) -> Result<String, JsValue> {
        Ok(self.controller()?.version.get_untracked().name().to_owned())
    }

    /// Opens a link, or the text of a log file.
    pub fn load(&self, link_or_log: &JsValue) -> Result<(), JsValue> {
        let link_or_log = text(link_or_log)?;
        self.controller()?;
        let loaded = self.lesson_reader.receive(&link_or_log);
        loaded.map_err(|error| ScriptError::Unreadable((share_words().import_error)(&error)).into())
    }

    /// The current branch as the text of a log file.
    pub fn log(&self) -> Result<String, JsValue> {
        Ok(self.controller()?.with_timeline(|timeline| Journal::of(timeline).to_lines()))
    }

    /// The current branch as the fragment of a link.
    #[wasm_bindgen(js_name = toLink)]
    pub fn link(&self) -> Result<String, JsValue> {
        let spacing = settings().spacing.get_untracked();
        let link = self.controller()?.with_timeline(|timeline| share::link(timeline, spacing));
        link.map_err(|error| ScriptError::NotPossible(error.to_string()).into())
    }
}

impl Lictor {
    pub(crate) fn new(lesson_reader: LessonReader, guide_reader: GuideReader) -> Self {
        let terminal = guide_reader.terminal;
        Self { lesson_reader, terminal, guide_reader, lines: RefCell::default() }
    }

    /// Fails once the page is unmounted.
    fn controller(&self) -> Result<Controller, ScriptError> {
        let controller = self.lesson_reader.controller;
        if controller.is_mounted() { Ok(controller) } else { Err(ScriptError::Closed) }
    }

    /// The lines of the open world.
    fn lines(&self, controller: Controller) -> Result<RefMut<'_, TraceLines>, ScriptError> {
        let mut lines = self.lines.try_borrow_mut().map_err(|_| ScriptError::Closed)?;
        let world = controller.world.get_untracked();
        if lines.0 != world {
            *lines = (world, TraceLines::default());
        }
        Ok(RefMut::map(lines, |(_, lines)| lines))
    }

    /// The names that the trace has given up to the cursor.
    fn names(&self, controller: Controller) -> Result<Names, ScriptError> {
        let mut lines = self.lines(controller)?;
        Ok(controller.with_timeline(|timeline| lines.names(timeline).clone()))
    }

    /// The controller, and the number of the last event up to the cursor.
    fn begin(&self) -> Result<(Controller, u64), ScriptError> {
        let controller = self.controller()?;
        Ok((controller, controller.with_timeline(|timeline| timeline.position().event_number)))
    }

    /// The lines of the events after the one of this number, up to the cursor.
    fn events_after(&self, since: u64) -> Result<JsValue, JsValue> {
        let controller = self.lesson_reader.controller;
        let mut lines = self.lines(controller)?;
        let events = controller.with_timeline(|timeline| lines.after(timeline, since));
        let lines = events.into_iter().filter_map(|(_, line)| line);
        returned(&lines.map(scripting::TraceLine::from).collect::<Vec<_>>())
    }
}

fn text(value: &JsValue) -> Result<String, ScriptError> {
    value.as_string().ok_or_else(|| ScriptError::NotAText(described(value)))
}

fn millis(value: &JsValue) -> Result<u64, ScriptError> {
    whole_number(value).ok_or_else(|| ScriptError::NotANumber(described(value)))
}

/// The number of a step of a guide.
fn step_number(value: &JsValue) -> Result<u64, ScriptError> {
    whole_number(value).ok_or_else(|| ScriptError::NotAStep(described(value)))
}

fn whole_number(value: &JsValue) -> Option<u64> {
    let whole = value.as_f64().filter(|it| it.fract() == 0.0 && (0.0..=WHOLE_MAX).contains(it));
    whole.map(|whole| whole as u64)
}

/// The end of an error's message: the values that a guide asks for.
fn asked_for(names: &[String]) -> String {
    match names {
        [] => "it asks for none".to_owned(),
        names => format!("it asks for {}", names.join(", ")),
    }
}

/// A value for the message of an error: a number or boolean as JavaScript writes it, of others the
/// type.
fn described(value: &JsValue) -> String {
    let kind = value.js_typeof().as_string().unwrap_or_default();
    match kind.as_str() {
        _ if value.is_null() => "null".to_owned(),
        "undefined" => kind,
        "number" | "boolean" => js_sys::Object::from(value.clone()).to_string().into(),
        _ => format!("a value of the type {kind}"),
    }
}

/// The target of a read, which is written as a path, or as `GET` and a path. Fails for any other
/// method or text.
fn read_target(text: &str) -> Result<String, ScriptError> {
    let is_method = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
    let target = match text.trim().split_once(' ') {
        Some((method, target)) if method.eq_ignore_ascii_case("GET") => target.trim(),
        Some((method, _)) if is_method(method) => {
            return Err(ScriptError::NotAGet(method.to_owned()));
        }
        _ => text.trim(),
    };
    if target.starts_with("v1/") {
        Ok(format!("/{target}"))
    } else if target.starts_with('/') {
        Ok(target.to_owned())
    } else {
        Err(ScriptError::NotAPath(target.to_owned()))
    }
}

/// The body of an answer, which is a value of JavaScript already.
#[derive(Serialize)]
#[serde(transparent)]
struct Body(#[serde(with = "serde_wasm_bindgen::preserve")] JsValue);

/// An answer for JavaScript. A body of JSON is decoded; any other one is a text.
fn answer_of(response: &HttpResponse) -> HttpAnswer<Body> {
    let body = response.text();
    let body = JSON::parse(&body).unwrap_or_else(|_| body.into());
    HttpAnswer::new(response, Body(body))
}

/// A value as a function returns it to JavaScript.
fn returned(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}
