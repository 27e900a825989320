//! The form that cuts the network of the selected client, changes the cut, or ends it.

use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use lictor_desk::faults::FaultKind;
use lictor_desk::forms::cut_form::{CutForm, CutFormError};
use lictor_sim::World;

use crate::components::{Button, Opener, PageIds, Popover, close_panel, page_id};
use crate::panels::selected::Selected;
use crate::platform::words::{form_words, words};
use crate::state::controller::use_controller;

/// The id of the panel.
const CUT_NET: &str = "cut-net";

/// The button that opens the form; it is pressed while the network is cut.
#[component]
pub fn CutButton(selected: Selected) -> impl IntoView {
    let is_cut = Memo::new(move |_| selected.map(|row| row.host.cut.is_some()));
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
pub fn CutNet(selected: Selected) -> impl IntoView {
    let is_open = RwSignal::new(false);
    // The form is built again whenever it opens, and for another client.
    let form = move || {
        selected.name.track();
        is_open.get().then(|| view! { <Form selected/> })
    };
    view! {
        <Popover
            id=CUT_NET
            class="help pad-panel"
            heading=move || (form_words().cut.heading_of)(&selected.name.get())
            is_open
        >
            {form}
        </Popover>
    }
}

#[component]
fn Form(selected: Selected) -> impl IntoView {
    let controller = use_controller();
    let ids = PageIds::of_page();
    let row = selected.row;
    let host = untrack(|| selected.map(|row| Some(row.host)));
    let form = RwSignal::new(host.as_ref().map_or_else(CutForm::silent, CutForm::of));
    let error = RwSignal::new(None::<CutFormError>);
    let is_cut = Memo::new(move |_| selected.map(|row| row.host.cut.is_some()));
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
                {modes(form)}
            </fieldset>
            // Some modes cut both directions.
            <fieldset class="cut-ways" disabled=move || !form.with(CutForm::has_direction)>
                <legend>{move || form_words().cut.way}</legend>
                {directions(form)}
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

/// How the network is cut. The chosen mode has the focus when the form opens.
fn modes(form: RwSignal<CutForm>) -> AnyView {
    let modes = form.with_untracked(CutForm::modes).map(|mode| {
        let is_chosen = Signal::derive(move || form.with(|form| form.mode == mode));
        view! {
            <Radio
                group="cut-mode"
                name=mode.word()
                is_chosen
                has_focus=is_chosen.get_untracked()
                on_choose=move || form.update(|form| form.mode = mode)
            >
                <b>{move || (form_words().cut.modes)(mode).0}</b>
                <span>{move || (form_words().cut.modes)(mode).1}</span>
            </Radio>
        }
    });
    modes.collect_view().into_any()
}

/// The directions in which it is cut.
fn directions(form: RwSignal<CutForm>) -> AnyView {
    let directions = CutForm::DIRECTIONS.map(|direction| {
        let is_chosen = Signal::derive(move || form.with(|form| form.direction() == direction));
        view! {
            <Radio
                group="cut-way"
                name=direction.word()
                is_chosen
                on_choose=move || form.update(|form| form.direction = direction)
            >
                <b>{move || (form_words().cut.ways)(direction)}</b>
            </Radio>
        }
    });
    directions.into_iter().collect_view().into_any()
}

/// A value of the form to choose. `name` is its name in the line language.
#[component]
fn Radio(
    group: &'static str,
    name: &'static str,
    is_chosen: Signal<bool>,
    #[prop(optional)] has_focus: bool,
    on_choose: impl Fn() + 'static,
    children: Children,
) -> impl IntoView {
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
                data-testid=format!("cut-{name}")
                prop:checked=is_chosen
                on:change=move |_| on_choose()
            />
            {children()}
        </label>
    }
}
