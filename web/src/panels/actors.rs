//! The actors: the clients, what each holds, and the buttons for what the guides do. Below 1024 px
//! the panel is a sheet that the bar at the foot opens.

use leptos::html::Li;
use leptos::prelude::*;
use lictor_recipes::Phase;
use lictor_sandbox::actions::{ActorAction, SessionOption};
use lictor_sandbox::badge::Badge;
use lictor_sandbox::faults::FaultKind;
use lictor_sandbox::i18n::{Word, Words};
use lictor_sandbox::view::rows::{ActorRow, Health, HostState, LinkState};
use lictor_sim::{Act, Condition, Fault, Plan};

use crate::components::crowd::while_in_view;
use crate::components::{
    ActorBadge, BadgeLook, Button, Choice, Closer, Glyph, Icon, Opener, Pick, ServerBadge,
    crowd_class, in_view,
};
use crate::panels::programs::{ProgramForm, ProgramLine};
use crate::platform::settings::words;
use crate::state::controller::use_controller;
use crate::state::dispatch::Dispatch;
use crate::state::store::Row;

/// The id of the sheet.
const SHEET: &str = "actors";

/// A button: its action, its text, its longer text, its test id.
type ActionText = (ActorAction, Word, Word, &'static str);

/// The buttons of every actor; beside them is the one of its node's health.
const FIRST: [ActionText; 3] = [
    (ActorAction::CreateSession, |w| w.new_session, |w| w.new_session_hint, "create-session"),
    (ActorAction::Acquire, |w| w.acquire, |w| w.acquire, "acquire"),
    (ActorAction::Release, |w| w.release, |w| w.release, "release"),
];
/// Those that only the selected actor shows.
const MORE: [ActionText; 4] = [
    (ActorAction::Renew, |w| w.renew, |w| w.renew, "renew"),
    (ActorAction::Destroy, |w| w.destroy, |w| w.destroy, "destroy"),
    (ActorAction::Read, |w| w.read, |w| w.read_hint, "read"),
    (ActorAction::Watch, |w| w.watch, |w| w.watch_hint, "watch"),
];

/// The button that opens the sheet.
#[component]
pub fn SheetButton(class: &'static str) -> impl IntoView {
    view! {
        <Opener id=SHEET class>
            <Icon glyph=Glyph::Sheet/>
            {move || words().actions}
        </Opener>
    }
}

#[component]
pub fn Actors() -> impl IntoView {
    let controller = use_controller();
    let actors = controller.store.actors;
    let add = move || {
        let number = actors.current_keys().len() + 1;
        controller.join(&format!("web-{number}"));
    };
    let actor = |row: Row<Badge, ActorRow>| view! { <Actor badge=row.key row=row.signal/> };
    view! {
        <section class="panel actors" id=SHEET popover="" aria-labelledby="h-actors">
            <div class="head">
                <h2 id="h-actors">{move || words().actors}</h2>
                <Button class="btn btn-small push" test_id="add-actor" on_press=add>
                    <Icon glyph=Glyph::Plus small=true/>
                    {move || words().add_actor}
                </Button>
                <Closer
                    id=SHEET
                    class="btn btn-icon btn-small narrow-only"
                    test_id="close-actors"
                    label=move || words().close
                >
                    <Icon glyph=Glyph::Cross/>
                </Closer>
            </div>
            <ol class=move || crowd_class("actor-list", actors.len())>
                <For each=move || actors.list().to_vec() key=|row| row.id children=actor/>
                <Server/>
            </ol>
            <Options/>
        </section>
    }
}

/// The server, and what can happen to it.
#[component]
fn Server() -> impl IntoView {
    let controller = use_controller();
    let fail = move || {
        controller.perform(Act::Inject { fault: Fault::Failover, plan: Plan::NOW });
    };
    view! {
        <li class="actor">
            <div class="actor-line">
                <ServerBadge/>
                <h3>{move || words().world.server}</h3>
                <Button
                    class="btn btn-small push"
                    test_id="failover"
                    title=move || words().world.failover_hint
                    on_press=fail
                >
                    {move || words().world.failover}
                </Button>
            </div>
        </li>
    }
}

#[component]
fn Actor(badge: Badge, row: ArcRwSignal<ActorRow>) -> impl IntoView {
    let controller = use_controller();
    let item = NodeRef::<Li>::new();
    let name = row.with_untracked(|row| row.who.name.to_string());
    let row = while_in_view(in_view(item), move || row.get());
    let is_selected = Memo::new(move |_| controller.selected.get() == badge);
    let status = Memo::new(move |_| row.with(|row| status(words(), row)));
    let status = move || status_view(status.get());
    let programs = Memo::new(move |_| row.with(|row| row.programs.clone()));
    let is_down = Memo::new(move |_| row.with(|row| row.host.condition == Condition::Down));
    let programs = move || {
        let is_down = is_down.get();
        let lines = programs.get().into_iter();
        lines.map(|row| view! { <ProgramLine row is_down/> }).collect_view()
    };
    let labels = name.clone();
    let more = {
        let name = name.clone();
        move || {
            let name = name.clone();
            is_selected.get().then(|| view! { <MoreButtons badge name row/> })
        }
    };
    let title = {
        let name = name.clone();
        move || (words().select_actor)(&name)
    };
    view! {
        <li
            node_ref=item
            class="actor"
            data-testid=format!("actor-{name}")
            aria-current=move || is_selected.get().to_string()
            on:click=move |_| controller.selected.set(badge)
        >
            <div class="actor-line">
                <ActorBadge badge look=BadgeLook::Normal/>
                <h3>
                    <button
                        class="name"
                        type="button"
                        title=title
                        data-testid=format!("select-{name}")
                    >
                        {name.clone()}
                    </button>
                </h3>
                <p data-testid=format!("status-{name}")>{status}</p>
            </div>
            {programs}
            <div class="faults" role="group" aria-label=move || (words().acts_of)(&labels)>
                <ActionButtons badge name=name.clone() row actions=&FIRST/>
                <HealthButton badge name=name.clone() row/>
            </div>
            {more}
        </li>
    }
}

/// The buttons that only the selected actor shows: more requests, and what can go wrong.
#[component]
fn MoreButtons(badge: Badge, name: String, row: Memo<ActorRow>) -> impl IntoView {
    let (acts, faults) = (name.clone(), name.clone());
    let fault_buttons = FaultKind::ALL.iter().map(|&kind| {
        view! { <FaultButton name=name.clone() row kind/> }
    });
    let fault_buttons = fault_buttons.collect_view();
    view! {
        <div class="faults" role="group" aria-label=move || (words().acts_of)(&acts)>
            <ActionButtons badge name row actions=&MORE/>
        </div>
        <div class="faults" role="group" aria-label=move || (words().world.faults_of)(&faults)>
            {fault_buttons}
        </div>
    }
}

#[component]
fn ActionButtons(
    badge: Badge,
    name: String,
    row: Memo<ActorRow>,
    actions: &'static [ActionText],
) -> impl IntoView {
    let buttons = actions.iter().map(|&text| {
        view! { <ActionButton badge name=name.clone() row text/> }
    });
    buttons.collect_view()
}

#[component]
fn ActionButton(
    badge: Badge,
    name: String,
    row: Memo<ActorRow>,
    text: ActionText,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let (action, says, hint, test_id) = text;
    let is_possible = Memo::new(move |_| {
        let session = row.with(|row| row.session.as_ref().map(|(id, _)| *id));
        dispatch.form.with(|form| action.is_possible(session, form))
    });
    let title = move || if is_possible.get() { hint(words()) } else { words().needs_session };
    view! {
        <Button
            class="btn btn-small"
            test_id=format!("{test_id}-{name}")
            disabled=Signal::derive(move || !is_possible.get())
            title
            on_press=move || dispatch.carry_out(badge, action)
        >
            {move || says(words())}
        </Button>
    }
}

/// Fails and restores the check of the node.
#[component]
fn HealthButton(badge: Badge, name: String, row: Memo<ActorRow>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let is_critical = Memo::new(move |_| row.with(|row| row.health == Health::Critical));
    let act = move || {
        let is_critical = is_critical.get_untracked();
        let action = if is_critical { ActorAction::RestoreCheck } else { ActorAction::FailCheck };
        dispatch.carry_out(badge, action);
    };
    let title = move || if is_critical.get() { words().restore_hint } else { words().fail_hint };
    view! {
        <Button
            class="btn btn-small"
            test_id=format!("health-{name}")
            pressed=Signal::from(is_critical)
            title
            on_press=act
        >
            {move || if is_critical.get() { words().failing } else { words().health }}
        </Button>
    }
}

/// What can go wrong with its host.
#[component]
fn FaultButton(name: String, row: Memo<ActorRow>, kind: FaultKind) -> impl IntoView {
    let controller = use_controller();
    let id = match kind {
        FaultKind::Pause => "pause",
        FaultKind::Crash => "crash",
        FaultKind::Cut => "cut",
        FaultKind::SlowClock => "clock",
    };
    let text = move || {
        let world = &words().world;
        match kind {
            FaultKind::Pause => (world.pause, world.pause_hint),
            FaultKind::Crash => (world.crash, world.crash_hint),
            FaultKind::Cut => (world.cut, world.cut_hint),
            FaultKind::SlowClock => (world.slow_clock, world.slow_clock_hint),
        }
    };
    let is_on = Memo::new(move |_| row.with(|row| kind.is_on(&row.host)));
    let act = move || {
        controller.perform(row.with_untracked(|row| kind.toggle_act(&row.who.name, &row.host)));
    };
    view! {
        <Button
            class="btn btn-small"
            test_id=format!("{id}-{name}")
            pressed=Signal::from(is_on)
            title=move || text().1
            on_press=act
        >
            {move || text().0}
        </Button>
    }
}

/// The state of an actor in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    text: String,
    title: Option<String>,
    is_problem: bool,
}

impl Status {
    fn fine(text: impl Into<String>) -> Self {
        Self { text: text.into(), title: None, is_problem: false }
    }

    fn problem(text: &str) -> Self {
        Self { text: text.to_owned(), title: None, is_problem: true }
    }
}

fn status_view(status: Status) -> impl IntoView {
    let Status { text, title, is_problem } = status;
    let alert = is_problem.then(|| view! { <Icon glyph=Glyph::Alert small=true/> });
    let class = if is_problem { "state-text is-danger" } else { "state-text" };
    view! { <span class=class title=title>{alert}{text}</span> }
}

fn status(words: &Words, row: &ActorRow) -> Status {
    if row.health == Health::Critical {
        return Status::problem(words.node_failing);
    }
    if let Some(key) = &row.wrongly_believes {
        let title = Some((words.believes_to_hold)(key));
        return Status { title, ..Status::problem(words.believes) };
    }
    if let Some(problem) = host_problem(words, &row.host) {
        return Status::problem(problem);
    }
    let is_holding = row.programs.iter().any(|program| program.phase == Phase::Holding);
    match (&row.session, row.waiting) {
        // A program that holds a lock also waits, for its end.
        (_, 1..) if !is_holding => Status::fine(words.waits),
        (Some(_), _) if !row.holds.is_empty() => {
            Status::fine((words.holds_keys)(&row.holds.join(", ")))
        }
        (Some((_, label)), _) => Status::fine((words.has_session)(label)),
        (None, _) => Status::fine(words.idle),
    }
}

/// What is wrong with the host of an actor.
fn host_problem(words: &Words, host: &HostState) -> Option<&'static str> {
    match (host.condition, host.link) {
        (Condition::Down, _) => Some(words.world.is_down),
        (Condition::Paused, _) => Some(words.world.is_paused),
        (Condition::Up, LinkState::Cut) => Some(words.world.is_cut),
        (Condition::Up, LinkState::Whole) => None,
    }
}

/// What the buttons work with: the key, and the options of new sessions.
#[component]
fn Options() -> impl IntoView {
    let form = expect_context::<Dispatch>().form;
    view! {
        <section class="options" aria-labelledby="h-options">
            <div class="head"><h2 id="h-options">{move || words().buttons_use}</h2></div>
            <label class="field field-key">
                <span>{move || words().key}</span>
                <input
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    data-testid="option-key"
                    prop:value=move || form.with(|form| form.key.clone())
                    on:input=move |event| {
                        form.update(|form| form.key = event_target_value(&event));
                    }
                />
            </label>
            <div class="fields">
                <OptionField
                    option=SessionOption::Ttl
                    label=|words| words.ttl
                    test_id="option-ttl"
                />
                <OptionField
                    option=SessionOption::LockDelay
                    label=|words| words.lock_delay
                    test_id="option-lock-delay"
                />
                <OptionField
                    option=SessionOption::Behavior
                    label=|words| words.behavior
                    test_id="option-behavior"
                />
            </div>
            <ProgramForm/>
        </section>
    }
}

#[component]
fn OptionField(option: SessionOption, label: Word, test_id: &'static str) -> impl IntoView {
    let form = expect_context::<Dispatch>().form;
    let options = option
        .choices()
        .iter()
        .map(|&choice| Choice::new(choice, move || choice.unwrap_or(words().unset), ""));
    let chosen = Signal::derive(move || form.with(|form| form.get(option)));
    view! {
        <div class="field">
            <span aria-hidden="true">{move || label(words())}</span>
            <Pick
                class=""
                test_id
                label=move || label(words())
                options=options.collect()
                chosen
                on_pick=move |choice| form.update(|form| form.set(option, choice))
            />
        </div>
    }
}
