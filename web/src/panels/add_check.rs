//! The panel of the checks on the node of the selected client: a form that adds one which follows
//! the sessions of a name, and the list that removes them. Its buttons send requests of the client.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use lictor_core::id::NodeName;
use lictor_sim::record::CheckPath;
use lictor_view::rows::HealthCheckRow;

use crate::components::{Button, Glyph, Icon, Popover};
use crate::panels::health_checks::sign;
use crate::panels::selected::Selected;
use crate::platform::words::words;
use crate::state::controller::use_controller;
use crate::state::dispatch::Dispatch;
use crate::state::store::Row;

/// The id of the panel.
pub const ADD_CHECK: &str = "add-check";

#[component]
pub fn AddCheck(selected: Selected) -> impl IntoView {
    view! {
        <Popover
            id=ADD_CHECK
            class="help pad-panel"
            heading=move || (words().health_checks.heading_of)(&selected.name.get())
        >
            <CheckForm selected/>
            <ChecksOfNode selected/>
        </Popover>
    }
}

/// The reason why the form cannot be sent now; `None` if it can.
fn obstacle(selected: Selected, name: &str) -> Option<String> {
    let version = use_controller().version.get();
    let words = words();
    if !version.has_session_checks() {
        return Some((words.health_checks.not_in)(version));
    }
    if !selected.is_up() {
        return Some(words.needs_process.to_owned());
    }
    name.trim().is_empty().then(|| words.health_checks.needs_name.to_owned())
}

/// The form. Its name is that of the client until the user writes another one, since the sessions
/// that the client creates with its button have that name.
#[component]
fn CheckForm(selected: Selected) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let badge = dispatch.controller.selected;
    let written = RwSignal::new(None::<String>);
    Effect::new(move |_| {
        badge.track();
        written.set(None);
    });
    let name = Memo::new(move |_| written.get().unwrap_or_else(|| selected.name.get()));
    let obstacle = Memo::new(move |_| obstacle(selected, &name.get()));
    let is_impossible = Memo::new(move |_| obstacle.with(Option::is_some));
    let add = move || {
        dispatch.add_session_check(badge.get_untracked(), name.get_untracked().trim());
        written.set(None);
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if !is_impossible.get_untracked() {
            add();
        }
    };
    let note = move || {
        let (class, test_id, text) = match obstacle.get() {
            Some(reason) => ("is-warn", "check-obstacle", reason),
            None => ("quiet", "check-meaning", words().health_checks.meaning.to_owned()),
        };
        view! { <p class=class data-testid=test_id>{text}</p> }
    };
    view! {
        <form class="check-form" on:submit=submit>
            <label>
                <span>{move || words().health_checks.session}</span>
                <input
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    data-testid="check-session"
                    prop:value=move || name.get()
                    on:input=move |event| written.set(Some(event_target_value(&event)))
                />
            </label>
            <Button
                class="btn btn-small btn-line"
                test_id="check-add"
                disabled=is_impossible
                title=move || obstacle.get().unwrap_or_default()
                on_press=add
            >
                {move || words().health_checks.add_it}
            </Button>
            {note}
        </form>
    }
}

/// The checks on the node of the client, each with a button that removes it.
#[component]
fn ChecksOfNode(selected: Selected) -> impl IntoView {
    let checks = use_controller().store.health_checks;
    let of_node = move || {
        let node = selected.map(|row| Some(NodeName::from(row.node.as_str()).folded()));
        let all = checks.list();
        let is_there = |row: &&Row<CheckPath, HealthCheckRow>| Some(&row.key.0) == node.as_ref();
        all.iter().filter(is_there).cloned().collect::<Vec<_>>()
    };
    let check =
        move |row: Row<CheckPath, HealthCheckRow>| view! { <CheckLine selected row=row.signal/> };
    view! {
        <ol class="check-list">
            <For each=of_node key=|row| row.id children=check/>
        </ol>
    }
}

#[component]
fn CheckLine(selected: Selected, row: ArcRwSignal<HealthCheckRow>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let id = row.with_untracked(|row| row.id.clone());
    let (name, test_id) = (id.to_string(), format!("remove-check-{id}"));
    let status = Memo::new(move |_| row.with(|row| row.status.clone()));
    let is_down = Memo::new(move |_| !selected.is_up());
    let label = {
        let name = name.clone();
        move || (words().health_checks.remove)(&name)
    };
    let title = {
        let label = label.clone();
        move || if is_down.get() { words().needs_process.to_owned() } else { label() }
    };
    let remove = move || {
        dispatch.remove_check(dispatch.controller.selected.get_untracked(), &id);
    };
    view! {
        <li>
            {move || sign(&status.get())}
            <code>{name}</code>
            <span class="quiet">{move || status.get().as_str().to_owned()}</span>
            <Button
                class="btn btn-icon btn-small push"
                test_id
                label
                title
                disabled=is_down
                focus_fallback="check-session"
                on_press=remove
            >
                <Icon glyph=Glyph::Cross small=true/>
            </Button>
        </li>
    }
}
