//! The form that cuts the network of the selected client, changes the cut, or ends it.

use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use lictor_desk::faults::FaultKind;
use lictor_desk::forms::cut_form::{CutForm, CutFormError};
use lictor_sim::{CutDirection, CutMode, World};
use lictor_view::rows::ActorRow;

use crate::components::{Button, Opener, PageIds, Popover, close_panel, page_id};
use crate::platform::words::{form_words, words};
use crate::state::controller::use_controller;

/// The id of the panel.
const CUT_NET: &str = "cut-net";

/// The button that opens the form; it is pressed while the network is cut.
#[component]
pub fn CutButton(row: Memo<Option<ActorRow>>) -> impl IntoView {
    let is_cut = Memo::new(move |_| row.with(|row| row.as_ref()?.host.cut).is_some());
    view! {
        <Opener
            id=CUT_NET
            class="btn"
            pressed=Signal::from(is_cut)
            title=move || words().world.cut_hint
        >
            {move || words().world.cut}
        </Opener>
    }
}

#[component]
pub fn CutNet(row: Memo<Option<ActorRow>>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let name = Memo::new(move |_| {
        row.with(|row| row.as_ref().map(|row| row.actor.name.to_string()).unwrap_or_default())
    });
    // The form is built again whenever it opens, and for another client.
    let form = move || {
        name.track();
        is_open.get().then(|| view! { <Form row/> })
    };
    view! {
        <Popover
            id=CUT_NET
            class="help pad-panel"
            heading=move || (form_words().cut.heading_of)(&name.get())
            is_open
        >
            {form}
        </Popover>
    }
}

#[component]
fn Form(row: Memo<Option<ActorRow>>) -> impl IntoView {
    let controller = use_controller();
    let ids = PageIds::of_page();
    let host = row.with_untracked(|row| row.as_ref().map(|row| row.host));
    let form = RwSignal::new(host.as_ref().map_or_else(CutForm::silent, CutForm::of));
    let error = RwSignal::new(None::<CutFormError>);
    let is_cut = Memo::new(move |_| row.with(|row| row.as_ref()?.host.cut).is_some());
    let cut = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(actor) = row.get_untracked().map(|row| row.actor.name) else { return };
        let now = controller.with_world(World::now);
        match form.with_untracked(|form| form.act(&actor, now)) {
            Ok(act) => {
                controller.perform(act);
                close_panel(ids, CUT_NET);
            }
            Err(form_error) => error.set(Some(form_error)),
        }
    };
    let other = move || {
        if let Some(row) = row.get_untracked().filter(|row| row.host.cut.is_some()) {
            controller.perform(FaultKind::Cut.toggle_act(&row.actor.name, &row.host));
        }
        close_panel(ids, CUT_NET);
    };
    let modes = form.with_untracked(CutForm::modes).map(Choice::Mode);
    let modes = modes.map(|choice| radio(form, choice)).collect_view();
    let directions = CutForm::DIRECTIONS.into_iter().map(Choice::Direction);
    let directions = directions.map(|choice| radio(form, choice)).collect_view();
    let message = move || error.get().map(|error| (form_words().cut.error)(&error));
    let [other_text, cut_text] = [false, true].map(|is_main| {
        move || {
            let network = &form_words().cut;
            match (is_cut.get(), is_main) {
                (true, true) => network.change,
                (true, false) => network.heal,
                (false, true) => network.cut_now,
                (false, false) => network.cancel,
            }
        }
    });
    view! {
        <form class="cut-form" on:submit=cut>
            <fieldset>
                <legend>{move || form_words().cut.mode}</legend>
                {modes}
            </fieldset>
            // Some modes cut both directions.
            <fieldset class="cut-ways" disabled=move || !form.with(CutForm::has_direction)>
                <legend>{move || form_words().cut.way}</legend>
                {directions}
            </fieldset>
            {until(form, error)}
            <p class="is-danger" role="alert" data-testid="cut-error">{message}</p>
            <p class="act-ways">
                <Button class="btn btn-line" test_id="cut-net-other" on_press=other>
                    {other_text}
                </Button>
                <button type="submit" class="btn btn-main" data-testid="cut-net-cut">
                    {cut_text}
                </button>
            </p>
        </form>
    }
}

/// The field for the time at which the cut ends.
fn until(form: RwSignal<CutForm>, error: RwSignal<Option<CutFormError>>) -> AnyView {
    view! {
        <label class="cut-until">
            <span>{move || form_words().cut.until}</span>
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                data-testid="cut-until"
                aria-invalid=move || error.with(|error| error.is_some().then_some("true"))
                prop:value=form.with_untracked(|form| form.until.clone())
                on:input=move |event| {
                    form.update(|form| form.until = event_target_value(&event));
                    error.set(None);
                }
            />
            <span>{move || form_words().cut.no_end}</span>
        </label>
    }
    .into_any()
}

/// A value of the form to choose.
#[derive(Clone, Copy)]
enum Choice {
    Mode(CutMode),
    Direction(CutDirection),
}

impl Choice {
    fn is_in(self, form: &CutForm) -> bool {
        match self {
            Self::Mode(mode) => form.mode == mode,
            Self::Direction(direction) => form.direction() == direction,
        }
    }

    fn write(self, form: &mut CutForm) {
        match self {
            Self::Mode(mode) => form.mode = mode,
            Self::Direction(direction) => form.direction = direction,
        }
    }

    /// The name of its group, its name in the line language, its text, and what it means.
    fn texts(self) -> [&'static str; 4] {
        let network = &form_words().cut;
        match self {
            Self::Mode(mode) => {
                let (text, meaning) = (network.modes)(mode);
                ["cut-mode", mode.word(), text, meaning]
            }
            Self::Direction(direction) => {
                ["cut-way", direction.word(), (network.ways)(direction), ""]
            }
        }
    }
}

/// A choice of the form. The chosen mode has the focus when the form opens.
fn radio(form: RwSignal<CutForm>, choice: Choice) -> AnyView {
    let [group, word, ..] = untrack(|| choice.texts());
    let has_focus =
        matches!(choice, Choice::Mode(_)) && form.with_untracked(|form| choice.is_in(form));
    let is_chosen = move || form.with(|form| choice.is_in(form));
    let input = NodeRef::<html::Input>::new();
    if has_focus {
        input.on_load(|input| drop(input.focus()));
    }
    view! {
        <label class:is-chosen=is_chosen>
            <input
                node_ref=input
                type="radio"
                name=page_id(group)
                data-testid=format!("cut-{word}")
                prop:checked=is_chosen
                on:change=move |_| form.update(|form| choice.write(form))
            />
            <b>{move || choice.texts()[2]}</b>
            <span>{move || choice.texts()[3]}</span>
        </label>
    }
    .into_any()
}
