//! The programs of the actors: what each does next, and the form that starts one.

use std::rc::Rc;

use leptos_dom::helpers::event_target_value;
use lictor_core::id::ProgramName;
use lictor_recipes::{Order, Phase};
use lictor_sandbox::faults::{PROGRAM_KINDS, default_program_options, spawn_act};
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::{ActorRow, ProgramRow};
use lictor_sim::{Act, Condition};
use reactive_graph::graph::untrack;

use crate::desk::Desk;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{Choices, El, Part, button, el, live, pick, text, word};
use crate::var::Var;

/// A line for each program of an actor.
pub fn programs(runtime: &'static Runtime, words: &'static Words, actor: &ActorRow) -> Part {
    let is_down = actor.host.condition == Condition::Down;
    let line = |row| if is_down { ended(words, row) } else { line(runtime, words, row) };
    actor.programs.iter().map(line).collect()
}

/// A program that went down with its host.
fn ended(words: &Words, row: &ProgramRow) -> El {
    let line = el("p", "program").test(format!("program-{}", row.name));
    let name = el("b", "").with(row.name.as_str());
    line.with(name).with(el("span", "quiet").with(words.world.is_down))
}

fn line(runtime: &'static Runtime, words: &'static Words, row: &ProgramRow) -> El {
    let next = row.next;
    let next = text(move || match next {
        Some((at, due)) => {
            let left = (words.in_span)(at.since(runtime.coarse_now.get()));
            format!("{left} {}", (words.world.due)(due))
        }
        None => String::new(),
    });
    let (order, label) = match row.phase {
        Phase::Idle => (Order::Start, words.world.start),
        Phase::Busy | Phase::Holding | Phase::Lost => (Order::Stop, words.world.stop),
    };
    let name = row.name.clone();
    let act = button("btn btn-small", &format!("order-{}", row.name), move || {
        runtime.perform(Act::Order { program: name.clone(), order });
    });
    el("p", "program").test(format!("program-{}", row.name)).with(parts![
        el("b", "").with(row.name.as_str()),
        el("code", "").with(row.state),
        el("span", "num quiet").with(next),
        act.with(label),
    ])
}

/// Starts a program on the selected actor. The kind fills in the words; they can be changed.
pub fn program_form(desk: &'static Desk) -> El {
    let kind = Rc::new(Var::new(PROGRAM_KINDS[0]));
    // None while the reader has not changed the words.
    let written: Rc<Var<Option<String>>> = Rc::new(Var::new(None));
    let trouble: Rc<Var<Option<String>>> = Rc::new(Var::new(None));
    let said = {
        let (kind, written) = (kind.clone(), written.clone());
        move || written.get().unwrap_or_else(|| plain_words(desk, kind.get()))
    };
    let field = el("input", "").attr("type", "text").attr("spellcheck", "false");
    let field = field.attr("autocomplete", "off").test("program-words");
    let field = field.label(word(|words| words.world.program_words)).value(text(said.clone()));
    let typed = written.clone();
    let field = field.on("input", move |event| typed.set(Some(event_target_value(event))));
    let start = {
        let (kind, written, trouble) = (kind.clone(), written.clone(), trouble.clone());
        move || {
            let plain = || untrack(|| plain_words(desk, kind.now()));
            let words = written.now().unwrap_or_else(plain);
            trouble.set(start(desk, kind.now(), &words).err());
        }
    };
    let problem = live(move || {
        let trouble = trouble.get();
        trouble.map(|why| {
            let says = (words().world.why_not)(&why);
            el("p", "is-danger small").attr("role", "alert").test("program-trouble").with(says)
        })
    });
    el("div", "program-form").attr("role", "group").label(word(|words| words.world.programs)).with(
        parts![
            kind_picker(kind, written),
            button("btn btn-small btn-line", "program-start", start)
                .with(word(|words| words.world.start)),
            field,
            problem,
        ],
    )
}

fn kind_picker(kind: Rc<Var<&'static str>>, written: Rc<Var<Option<String>>>) -> El {
    let kinds = PROGRAM_KINDS.iter().map(|&kind| (kind, text(move || kind), ""));
    let chosen = kind.clone();
    let choices = Choices::of(
        kinds,
        move || chosen.get(),
        move |picked| {
            written.set(None);
            kind.set(picked);
        },
    );
    pick("", "program-kind", word(|words| words.world.program_kind), choices)
}

fn plain_words(desk: &Desk, kind: &str) -> String {
    let actor = desk.runtime.selected_actor().map(|who| who.name.to_string());
    desk.wishes.with(|wishes| default_program_options(kind, &actor.unwrap_or_default(), wishes))
}

/// Brings a program to the selected actor and starts it.
fn start(desk: &Desk, kind: &str, words: &str) -> Result<(), String> {
    let runtime = desk.runtime;
    let Some(actor) = runtime.selected_now() else { return Ok(()) };
    let name = free_name(runtime, kind);
    let spawn = spawn_act(&actor.name, &name, &format!("{kind} {words}"))?;
    let declined =
        runtime.with_world(|world| world.check_act(&spawn).err().map(|error| error.to_string()));
    declined.map_or(Ok(()), Err)?;
    runtime.perform(spawn);
    let program = ProgramName::from(name.as_str());
    runtime.perform(Act::Order { program, order: Order::Start });
    Ok(())
}

/// The kind with the first number that no program has.
fn free_name(runtime: &Runtime, kind: &str) -> String {
    let is_free = |name: &String| runtime.with_world(|world| world.program(name).is_none());
    let mut names = (1_u32..).map(|number| format!("{kind}-{number}"));
    names.find(is_free).unwrap_or_default()
}
