//! The page for scripts: what is behind `window.lictor` (www/boot.js, docs/scripting.md), for tests
//! in a browser and for pages around this one. Whatever is wrong is an error that a script can
//! catch, and then nothing has changed.

use core::time::Duration;
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sandbox::share;
use lictor_sim::journal::Journal;
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{TraceWriter, act_of};
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::panels::console::terminal::Terminal;
use crate::platform::settings::{settings, words};
use crate::state::controller::Controller;
use crate::state::tutorial::Tutorial;

thread_local! {
    static SCRIPT: RefCell<Option<Script>> = const { RefCell::new(None) };
}

struct Script {
    tutorial: Tutorial,
    terminal: Terminal,
    narrator: Narrator,
}

/// Tells in the words of a story what happens on the page's branch.
#[derive(Default)]
struct Narrator {
    teller: TraceWriter,
    /// Which world and branch it knows, and how many of their moments.
    of: (u32, u64),
    told: u64,
}

/// From now on scripts reach the page.
pub fn open(tutorial: Tutorial, terminal: Terminal) {
    let narrator = Narrator::default();
    SCRIPT.with(|script| *script.borrow_mut() = Some(Script { tutorial, terminal, narrator }));
}

/// Does one thing for a script, by its name and what is given to it.
#[wasm_bindgen]
pub fn script(verb: &str, first: &str, second: &str) -> Result<String, JsError> {
    let done = SCRIPT.with(|script| match script.try_borrow_mut() {
        Ok(mut script) => script.as_mut().map(|script| script.go(verb, (first, second))),
        Err(_) => None,
    });
    done.unwrap_or_else(|| Err("the page is not there".into())).map_err(|why| JsError::new(&why))
}

impl Script {
    fn go(&mut self, verb: &str, (first, second): (&str, &str)) -> Result<String, String> {
        let controller = self.tutorial.controller;
        match verb {
            "act" => return self.act(first, second),
            "advance" => return self.advance(span(first)?),
            "paste" => return self.paste(first, second),
            "run" => controller.run(),
            "pause" => controller.pause(),
            "seek" => controller.seek(Instant::EPOCH.after(span(first)?)),
            "now" => return Ok(controller.now.get_untracked().as_millis().to_string()),
            "ask" => return ask(controller, first),
            "story" => return Ok(Narrator::default().tell(controller, 0)),
            "load" => self.tutorial.receive(first).map_err(|why| (words().share.trouble)(&why))?,
            "log" => return Ok(controller.with_timeline(|it| Journal::of(it).to_lines())),
            "link" => {
                return controller
                    .with_timeline(|it| share::link(it, settings().spacing.get_untracked()));
            }
            _ => return Err("scripts have no such word".into()),
        }
        Ok(String::new())
    }

    fn act(&mut self, actor: &str, what: &str) -> Result<String, String> {
        let (controller, since) = (self.tutorial.controller, moments(self.tutorial.controller));
        self.narrator.tell(controller, since);
        let names = &self.narrator.teller.names;
        let act = act_of(actor, what, names).map_err(|why| why.to_string())?;
        if let Err(why) = controller.with_world(|world| world.check_act(&act)) {
            return Err(why.to_string());
        }
        controller.perform(act);
        Ok(self.narrator.tell(controller, since))
    }

    fn paste(&mut self, commands: &str, actor: &str) -> Result<String, String> {
        let (controller, since) = (self.tutorial.controller, moments(self.tutorial.controller));
        self.narrator.tell(controller, since);
        let who = match actor {
            "" => controller.selected_now(),
            name => controller.with_record(|record| record.actor_tag(&name.into()).cloned()),
        };
        let who = who.ok_or_else(|| format!("there is no client called {actor}"))?;
        match self.terminal.paste(&who.name, commands) {
            Ok(()) => Ok(self.narrator.tell(controller, since)),
            Err(Some(trouble)) => Err(words().console.error_text(&trouble)),
            Err(None) => Err("the rest was not sent: an answer is awaited first".into()),
        }
    }

    fn advance(&mut self, span: Duration) -> Result<String, String> {
        let (controller, since) = (self.tutorial.controller, moments(self.tutorial.controller));
        controller.pass(span);
        Ok(self.narrator.tell(controller, since))
    }
}

fn ask(controller: Controller, target: &str) -> Result<String, String> {
    let answer = controller.with_world(|world| world.look(target));
    let answer = answer.ok_or("what changes something is done by a client")?;
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    if answer.status == 200 { Ok(body) } else { Err(format!("{}: {body}", answer.status)) }
}

fn span(text: &str) -> Result<Duration, String> {
    let millis = text.parse().map(Duration::from_millis);
    millis.map_err(|_| format!("{text} is no whole number of milliseconds"))
}

fn moments(controller: Controller) -> u64 {
    controller.with_timeline(|timeline| timeline.position().event_number)
}

impl Narrator {
    /// What happened behind so many moments, up to the cursor.
    fn tell(&mut self, controller: Controller, since: u64) -> String {
        let of = (controller.world.get_untracked(), controller.store.branch.get_untracked());
        controller.with_timeline(|timeline| {
            if of != self.of || timeline.position().event_number < self.told {
                *self = Self { of, ..Self::default() };
            }
            self.go_on(timeline, since);
            self.go_on(timeline, timeline.position().event_number)
        })
    }

    fn go_on(&mut self, timeline: &Timeline, to: u64) -> String {
        let moments = timeline.here().events(self.told + 1..to + 1);
        self.told = self.told.max(to);
        let lines = self.teller.tell(&moments);
        lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().join("")
    }
}
