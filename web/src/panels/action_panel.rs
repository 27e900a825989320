//! The buttons for the requests and the faults of the selected client. They keep their places and
//! texts whatever happens; the title of a disabled button is the reason why it is disabled.

use leptos::prelude::*;
use lictor_desk::actions::{ActionForm, ActorAction, SessionOption};
use lictor_desk::faults::FaultKind;
use lictor_desk::i18n::Words;
use lictor_sim::Condition;
use lictor_view::rows::{ActorRow, Health};

use crate::components::{
    ActorBadge, BadgeLook, Button, ChoiceOption, Glyph, Icon, Opener, PickField, Popover,
};
use crate::panels::add_check::{ADD_CHECK, AddCheck};
use crate::panels::cut_net::{CutButton, CutNet};
use crate::panels::programs::{PROGRAMS, Programs};
use crate::panels::selected::Selected;
use crate::platform::words::{Word, form_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::dispatch::Dispatch;

/// The id of the panel with the options.
const OPTIONS: &str = "options";

/// A button of a request: its action, its text, its title, its test id.
type ActionText = (ActorAction, Word, Word, &'static str);

const REQUESTS: [ActionText; 7] = [
    (
        ActorAction::CreateSession,
        || words().new_session,
        || words().new_session_hint,
        "create-session",
    ),
    (ActorAction::Acquire, || words().acquire, || words().acquire, "acquire"),
    (ActorAction::Release, || words().release, || words().release, "release"),
    (ActorAction::Renew, || words().renew, || words().renew, "renew"),
    (ActorAction::Destroy, || words().destroy, || words().destroy, "destroy"),
    (ActorAction::Read, || words().read, || words().read_hint, "read"),
    (ActorAction::Watch, || words().watch, || words().watch_hint, "watch"),
];

/// The button of a fault, which lasts until it is pressed again: its kind, its text, its title, its
/// test id.
type FaultText = (FaultKind, Word, Word, &'static str);

const FAULTS: [FaultText; 3] = [
    (FaultKind::Pause, || words().world.pause, || words().world.pause_hint, "pause"),
    (FaultKind::Crash, || words().world.crash, || words().world.crash_hint, "crash"),
    (FaultKind::SlowClock, || words().world.slow_clock, || words().world.slow_clock_hint, "clock"),
];

#[component]
pub fn ActionPanel() -> impl IntoView {
    let controller = use_controller();
    let selected = Selected::of_page();
    let name = selected.name;
    let badge = move || {
        view! { <ActorBadge badge=controller.selected.get() look=BadgeLook::Normal/> }
    };
    let requests = REQUESTS.map(|text| view! { <RequestButton selected text/> });
    let [pause, crash, clock] = FAULTS.map(|text| view! { <FaultButton selected text/> });
    let is_there = Memo::new(move |_| selected.row.with(Option::is_some));
    view! {
        <div class="pad" data-testid="pad" class:is-empty=move || !is_there.get()>
            <div class="pad-head">
                {badge}
                <b>{move || name.get()}</b>
                <OptionsButton/>
            </div>
            <div class="pad-keys" role="group" aria-label=move || (words().acts_of)(&name.get())>
                {requests}
                <Opener id=PROGRAMS class="btn">{move || words().world.program}</Opener>
            </div>
            <div
                class="pad-faults"
                role="group"
                aria-label=move || (words().world.faults_of)(&name.get())
            >
                <h3>
                    <Icon glyph=Glyph::Fault small=true/>
                    {move || words().world.faults}
                    <span>{move || words().world.until_pressed_again}</span>
                </h3>
                <div class="pad-keys">
                    {pause}
                    {crash}
                    <CutButton selected/>
                    {clock}
                    <CheckButton selected/>
                    <Opener
                        id=ADD_CHECK
                        class="btn"
                        title=move || words().health_checks.add_hint
                    >
                        {move || words().health_checks.add}
                    </Opener>
                </div>
            </div>
            <Options/>
            <AddCheck selected/>
            <CutNet selected/>
            <Popover
                id=PROGRAMS
                class="help pad-panel"
                heading=move || (form_words().program.heading_of)(&name.get())
            >
                <Programs selected/>
            </Popover>
        </div>
    }
}

/// The reason why the client cannot send a request now; `None` if it can.
fn obstacle(row: &ActorRow, action: ActorAction, form: &ActionForm) -> Option<Word> {
    if row.host.condition != Condition::Up {
        return Some(|| words().needs_process);
    }
    if action.is_possible(row.session_in_use, form) {
        return None;
    }
    let is_key_missing =
        form.key.is_empty() && !matches!(action, ActorAction::Renew | ActorAction::Destroy);
    Some(if is_key_missing { || words().needs_key } else { || words().needs_session })
}

#[component]
fn RequestButton(selected: Selected, text: ActionText) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let (action, label, hint, test_id) = text;
    let obstacle =
        move || dispatch.form.with(|form| selected.map(|row| obstacle(row, action, form)));
    let is_impossible = Memo::new(move |_| obstacle().is_some());
    let act = move || {
        dispatch.carry_out(dispatch.controller.selected.get_untracked(), action);
    };
    view! {
        <Button
            class="btn"
            test_id=selected.test_id(test_id)
            disabled=is_impossible
            title=move || obstacle().unwrap_or(hint)()
            on_press=act
        >
            {move || label()}
        </Button>
    }
}

/// The button that causes a fault of the client's host, and ends it when it is pressed again.
#[component]
fn FaultButton(selected: Selected, text: FaultText) -> impl IntoView {
    let controller = use_controller();
    let (kind, name, hint, id) = text;
    let is_on = Memo::new(move |_| selected.map(|row| kind.is_on(&row.host)));
    // A process that has crashed cannot be paused.
    let is_impossible = Memo::new(move |_| {
        kind == FaultKind::Pause && selected.map(|row| row.host.condition == Condition::Down)
    });
    let act = move || {
        let row = selected.row.get_untracked();
        if let Some(row) = row {
            controller.perform(kind.toggle_act(&row.actor.name, &row.host));
        }
    };
    view! {
        <Button
            class="btn"
            test_id=selected.test_id(id)
            pressed=Signal::from(is_on)
            disabled=is_impossible
            title=move || if is_impossible.get() { words().needs_process } else { hint() }
            on_press=act
        >
            {move || name()}
        </Button>
    }
}

/// Fails and restores the check of the client's node, by a request that the client sends.
#[component]
fn CheckButton(selected: Selected) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let is_critical = Memo::new(move |_| selected.map(|row| row.health == Health::Critical));
    let is_impossible = Memo::new(move |_| !selected.is_up());
    let act = move || {
        let is_critical = is_critical.get_untracked();
        let action = if is_critical { ActorAction::RestoreCheck } else { ActorAction::FailCheck };
        dispatch.carry_out(dispatch.controller.selected.get_untracked(), action);
    };
    let title = move || match (is_impossible.get(), is_critical.get()) {
        (true, _) => words().needs_process,
        (false, true) => words().restore_hint,
        (false, false) => words().fail_hint,
    };
    view! {
        <Button
            class="btn"
            test_id=selected.test_id("health")
            pressed=Signal::from(is_critical)
            disabled=is_impossible
            title
            on_press=act
        >
            {move || words().fail_check}
        </Button>
    }
}

/// Shows the key and the options that the buttons use, and opens the panel that changes them.
#[component]
fn OptionsButton() -> impl IntoView {
    let form = expect_context::<Dispatch>().form;
    let key = Memo::new(move |_| form.with(|form| form.key.clone()));
    let options = move || form.with(|form| chosen_options(words(), form));
    view! {
        <Opener
            id=OPTIONS
            class="pad-options"
            title=move || format!("{}{}{}", words().buttons_use, row_words().colon, options())
        >
            <code>{move || key.get()}</code>
            <span>{options}</span>
            <Icon glyph=Glyph::Down small=true/>
        </Opener>
    }
}

/// The options of new sessions that are not left to the server.
fn chosen_options(words: &Words, form: &ActionForm) -> String {
    let span = |name: &str, value: &str| {
        format!("{name} {}{}", value.trim_end_matches('s'), row_words().second)
    };
    let options = [
        form.ttl.map(|ttl| span(words.ttl, ttl)),
        form.lock_delay.map(|delay| span(words.lock_delay, delay)),
        form.behavior.map(str::to_owned),
    ];
    options.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The list of an option of new sessions: the option, its label, its test id.
type OptionText = (SessionOption, Word, &'static str);

const OPTION_FIELDS: [OptionText; 3] = [
    (SessionOption::Ttl, || words().ttl, "option-ttl"),
    (SessionOption::LockDelay, || words().lock_delay, "option-lock-delay"),
    (SessionOption::Behavior, || words().behavior, "option-behavior"),
];

/// The panel for what the buttons use: the key, and the options of new sessions.
#[component]
fn Options() -> impl IntoView {
    let form = expect_context::<Dispatch>().form;
    let fields = OPTION_FIELDS.map(|(option, label, test_id)| {
        let choices = option.choices().iter();
        let choices = choices
            .map(|&choice| ChoiceOption::new(choice, move || choice.unwrap_or(words().unset), ""));
        view! {
            <PickField
                test_id
                label
                options=choices.collect()
                chosen=Signal::derive(move || form.with(|form| form.get(option)))
                on_pick=move |choice| form.update(|form| form.set(option, choice))
            />
        }
    });
    view! {
        <Popover id=OPTIONS class="help pad-panel" heading=move || words().buttons_use>
            <div class="options">
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
                <div class="fields">{fields.into_iter().collect_view()}</div>
            </div>
        </Popover>
    }
}
