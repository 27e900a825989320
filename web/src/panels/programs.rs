//! The programs of the selected actor: what each does next, and the form that starts one. `pad`
//! opens the panel with them.

use leptos::prelude::*;
use lictor_core::id::ProgramName;
use lictor_core::time::Instant;
use lictor_recipes::{Due, Order, Phase};
use lictor_sandbox::faults::{PROGRAM_KINDS, default_program_options, spawn_act};
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::ActorRow;
use lictor_sim::{Act, Condition};

use crate::components::{Button, Choice, Pick};
use crate::platform::settings::words;
use crate::state::controller::{Controller, use_controller};
use crate::state::dispatch::Dispatch;

/// The programs of the selected actor, and the form that starts one. The form is last, so that its
/// place does not depend on how many programs there are.
#[component]
pub fn Programs() -> impl IntoView {
    let controller = use_controller();
    let actor = Memo::new(move |_| controller.selected_row().map(|row| row.get()));
    let names = Memo::new(move |_| {
        actor.with(|actor| {
            let programs = actor.iter().flat_map(|actor| &actor.programs);
            programs.map(|program| program.name.clone()).collect::<Vec<_>>()
        })
    });
    view! {
        <div class="programs">
            <For each=move || names.get() key=ProgramName::clone let:name>
                <ProgramLine actor name/>
            </For>
        </div>
        <ProgramForm/>
    }
}

/// A line for a program: its state, what it does next, and the button that starts or stops it.
#[component]
fn ProgramLine(actor: Memo<Option<ActorRow>>, name: ProgramName) -> impl IntoView {
    let controller = use_controller();
    let (test_id, order_id) = (format!("program-{name}"), format!("order-{name}"));
    let label = name.to_string();
    let row = {
        let name = name.clone();
        Memo::new(move |_| {
            actor.with(|actor| {
                let mut programs = actor.iter().flat_map(|actor| &actor.programs);
                programs.find(|program| program.name == name).cloned()
            })
        })
    };
    let is_down = Memo::new(move |_| {
        actor.with(|actor| actor.as_ref().is_some_and(|it| it.host.condition == Condition::Down))
    });
    let is_running = Memo::new(move |_| {
        actor.with(|actor| actor.as_ref().is_some_and(|it| it.host.condition == Condition::Up))
    });
    let state = move || match (is_down.get(), row.with(|row| row.as_ref().map(|row| row.state))) {
        (true, _) => words().world.is_down,
        (false, state) => state.unwrap_or_default(),
    };
    let next = move || {
        let next = row.with(|row| row.as_ref()?.next).filter(|_| !is_down.get());
        next.map(|next| next_act(words(), next, controller.coarse_now.get()))
    };
    let order = Memo::new(move |_| match row.with(|row| row.as_ref().map(|row| row.phase)) {
        Some(Phase::Busy | Phase::Holding | Phase::Lost) => Order::Stop,
        Some(Phase::Idle) | None => Order::Start,
    });
    let says = move || match order.get() {
        Order::Start => words().world.start,
        _ => words().world.stop,
    };
    let act = move || {
        controller.perform(Act::Order { program: name.clone(), order: order.get_untracked() });
    };
    view! {
        <p class="program" data-testid=test_id>
            <b>{label}</b>
            <code>{state}</code>
            <span class="num quiet">{next}</span>
            <Button
                class="btn btn-small btn-line"
                test_id=order_id
                disabled=Signal::derive(move || !is_running.get())
                title=move || if is_running.get() { says() } else { words().needs_process }
                on_press=act
            >
                {says}
            </Button>
        </p>
    }
}

/// Starts a program on the selected actor. The kind fills in the options; they can be changed.
#[component]
fn ProgramForm() -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let kind = RwSignal::new(PROGRAM_KINDS[0]);
    // `None` while the options are those of the kind.
    let written = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<String>);
    let options =
        Memo::new(move |_| written.get().unwrap_or_else(|| options_of(dispatch, kind.get())));
    let kinds = PROGRAM_KINDS.iter().map(|&kind| Choice::new(kind, kind, "")).collect();
    let pick = move |picked| {
        written.set(None);
        kind.set(picked);
    };
    let start = move || {
        let result = start(dispatch, kind.get_untracked(), &options.get_untracked());
        problem.set(result.err());
    };
    let problem = move || {
        problem.get().map(|why| {
        let says = (words().world.why_not)(&why);
        view! { <p class="is-danger small" role="alert" data-testid="program-trouble">{says}</p> }
    })
    };
    view! {
        <div class="program-form">
            {problem}
            <Pick
                class=""
                test_id="program-kind"
                label=move || words().world.program_kind
                options=kinds
                chosen=kind
                on_pick=pick
            />
            <Button class="btn btn-small btn-line" test_id="program-start" on_press=start>
                {move || words().world.start}
            </Button>
            <input
                type="text"
                spellcheck="false"
                autocomplete="off"
                data-testid="program-words"
                aria-label=move || words().world.program_words
                prop:value=move || options.get()
                on:input=move |event| written.set(Some(event_target_value(&event)))
            />
        </div>
    }
}

/// The options of a kind for the selected actor; subscribes to it and to the form.
fn options_of(dispatch: Dispatch, kind: &str) -> String {
    let actor = dispatch.controller.selected_actor().map(|who| who.name.to_string());
    dispatch.form.with(|form| default_program_options(kind, &actor.unwrap_or_default(), form))
}

/// Spawns a program on the selected actor and starts it.
fn start(dispatch: Dispatch, kind: &str, words: &str) -> Result<(), String> {
    let controller = dispatch.controller;
    let Some(actor) = controller.selected_now() else { return Ok(()) };
    let name = free_name(controller, kind);
    let spawn = spawn_act(&actor.name, &name, &format!("{kind} {words}"))?;
    controller.with_world(|world| world.check_act(&spawn).map_err(|error| error.to_string()))?;
    controller.perform(spawn);
    let program = ProgramName::from(name.as_str());
    controller.perform(Act::Order { program, order: Order::Start });
    Ok(())
}

/// The kind with the first number that no program has.
fn free_name(controller: Controller, kind: &str) -> String {
    let is_free = |name: &String| controller.with_world(|world| world.program(name).is_none());
    let mut names = (1_u32..).map(|number| format!("{kind}-{number}"));
    names.find(is_free).unwrap_or_default()
}

/// What a program does next, and in what time.
pub fn next_act(words: &Words, (at, due): (Instant, Due), now: Instant) -> String {
    format!("{} {}", (words.in_span)(at.since(now)), (words.world.due)(due))
}
