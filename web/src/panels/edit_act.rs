//! The form that edits, moves or removes an act of the past, and the buttons of the event list that
//! open it. The later acts are then performed again.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_desk::forms::act_form::{ActField, ActForm, ActFormError, ActParam};
use lictor_sim::record::EventRow;
use lictor_view::rows::{ActSummary, BranchTitle};
use wasm_bindgen::JsCast;

use crate::components::{Button, Glyph, Icon, PageIds, Popover, focus};
use crate::platform::words::{form_words, row_words, words};
use crate::state::controller::Controller;
use crate::state::shortcuts::EDIT_BUTTON;

/// The id of the panel.
const PANEL: &str = "act";
/// The test id of the button that carries the edit out.
const REPLAY: &str = "act-replay";

/// The state of the form. A cheap copy: all copies share the state.
#[derive(Clone, Copy)]
pub struct ActEditor {
    controller: Controller,
    ids: PageIds,
    /// The form as it opened, from which its fields are rendered; `None` while no act is edited.
    opened: RwSignal<Option<ActForm>>,
    /// The form as it is filled in.
    form: RwSignal<Option<ActForm>>,
    summary: RwSignal<Option<ActSummary>>,
    error: RwSignal<Option<ActFormError>>,
    /// How many later acts were left out by the last edit, if any were.
    left_out: RwSignal<Option<usize>>,
}

impl ActEditor {
    pub fn new(controller: Controller) -> Self {
        Self {
            controller,
            ids: PageIds::of_page(),
            opened: RwSignal::new(None),
            form: RwSignal::new(None),
            summary: RwSignal::new(None),
            error: RwSignal::new(None),
            left_out: RwSignal::new(None),
        }
    }

    /// Opens the form of the act that a row shows; does nothing if the row shows none.
    fn open_row(self, row: &EventRow) {
        self.open(self.controller.act_form_of_row(row));
    }

    fn open(self, act: Option<(ActForm, ActSummary)>) {
        let Some((form, summary)) = act else { return };
        self.form.set(Some(form.clone()));
        self.opened.set(Some(form));
        self.summary.set(Some(summary));
        self.error.set(None);
        self.left_out.set(None);
        if let Some(panel) = self.ids.element(PANEL) {
            let _ = panel.show_popover();
        }
        // The fields are in the document after the effects have run.
        request_animation_frame(|| drop(focus(REPLAY)));
    }

    /// Makes the edit; an unchanged form is only closed.
    fn replay(self) {
        let Some(form) = self.form.get_untracked() else { return };
        if form.is_changed() {
            self.finish(self.controller.edit_act(&form));
        } else {
            self.close();
        }
    }

    fn remove(self) {
        let Some(form) = self.form.get_untracked() else { return };
        self.finish(self.controller.remove_act(form.act.number));
    }

    /// Closes the panel, or shows in it why the edit failed or how many acts it left out.
    fn finish(self, result: Result<usize, ActFormError>) {
        match result {
            Err(error) => self.error.set(Some(error)),
            Ok(0) => self.close(),
            Ok(left_out) => {
                self.left_out.set(Some(left_out));
                self.clear();
            }
        }
    }

    fn close(self) {
        if let Some(panel) = self.ids.element(PANEL) {
            let _ = panel.hide_popover();
        }
        self.clear();
        if document().active_element() == document().body().map(JsCast::unchecked_into) {
            focus(EDIT_BUTTON);
        }
    }

    fn clear(self) {
        self.opened.set(None);
        self.form.set(None);
    }
}

/// The button on a row of the events, which is hidden while the row shows no act. Keyboards reach
/// the act by the cursor and [`EditAtCursor`], so that Tab does not stop at every row.
#[component]
pub fn EditButton(row: Memo<Option<Arc<EventRow>>>) -> impl IntoView {
    let editor = expect_context::<ActEditor>();
    let label = move || {
        row.with(|row| {
            let call = &row.as_ref().filter(|row| row.act.is_some())?.call;
            Some((form_words().act.heading_of)(&row_words().call(call)))
        })
    };
    view! {
        <button
            type="button"
            class="edit-act"
            tabindex="-1"
            hidden=move || label().is_none()
            data-testid="edit-act"
            aria-label=label
            title=move || words().past.edit_act
            on:click=move |event| {
                event.stop_propagation();
                if let Some(row) = row.get_untracked() {
                    editor.open_row(&row);
                }
            }
        >
            <Icon glyph=Glyph::Edit small=true/>
        </button>
    }
}

/// The button of the panel's head: it edits the latest act up to the cursor.
#[component]
pub fn EditAtCursor() -> impl IntoView {
    let editor = expect_context::<ActEditor>();
    let act = Memo::new(move |_| editor.controller.act_at_cursor());
    let title = move || match act.get() {
        Some(act) => (form_words().act.heading_of)(&(row_words().act)(&act.text)),
        None => words().past.key_edit.to_owned(),
    };
    view! {
        <Button
            class="btn btn-icon btn-small"
            test_id=EDIT_BUTTON
            label=move || words().past.key_edit
            title
            disabled=Signal::derive(move || act.with(Option::is_none))
            on_press=move || editor.open(editor.controller.act_form_at_cursor())
        >
            <Icon glyph=Glyph::Edit/>
        </Button>
    }
}

/// The panel with the form.
#[component]
pub fn EditPanel() -> impl IntoView {
    let editor = expect_context::<ActEditor>();
    let title = move || editor.summary.get().map(BranchTitle::With);
    let summary = move || title().map(|title| (row_words().branch_name)(&title));
    // The fields are not rendered for each change, which would lose the caret.
    let form = move || {
        let fields = editor.opened.with(|form| form.as_ref().map(|form| form.fields.clone()))?;
        let fields = fields.into_iter().enumerate().map(|(index, field)| {
            view! { <Field index field/> }
        });
        Some(view! {
            {fields.collect_view()}
            <p class="is-danger" role="alert" data-testid="act-error">
                {move || editor.error.get().map(|error| (form_words().act.error)(&error))}
            </p>
            <p class="act-ways">
                <Button class="btn btn-main" test_id=REPLAY on_press=move || editor.replay()>
                    {move || form_words().act.replay}
                </Button>
                <Button class="btn btn-line" test_id="act-remove" on_press=move || editor.remove()>
                    {move || form_words().act.remove}
                </Button>
            </p>
        })
    };
    let left_out = move || editor.left_out.get().map(|count| (words().past.left_out)(count));
    view! {
        <Popover id=PANEL class="help act-panel" heading=move || words().past.edit_act>
            <p class="act-of" data-testid="act-of">{summary}</p>
            <p class="is-warn" role="status" data-testid="act-left-out">{left_out}</p>
            {form}
            <p class="quiet small">{move || form_words().act.intro}</p>
        </Popover>
    }
}

#[component]
fn Field(index: usize, field: ActField) -> impl IntoView {
    let editor = expect_context::<ActEditor>();
    let ActField { param, value, .. } = field;
    let is_wrong = Memo::new(move |_| {
        let wrong_param = editor
            .error
            .with(|error| editor.form.with(|form| form.as_ref()?.wrong_field(error.as_ref()?)));
        wrong_param == Some(param)
    });
    let write = move |event| {
        let value = event_target_value(&event);
        editor.form.update(|form| {
            if let Some(field) = form.as_mut().and_then(|form| form.fields.get_mut(index)) {
                field.value = value;
            }
        });
        editor.error.set(None);
    };
    view! {
        <label class="act-field">
            <span>{move || (form_words().act.param)(param)}</span>
            <textarea
                rows="1"
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                data-testid=test_id(param)
                aria-invalid=move || is_wrong.get().then_some("true")
                placeholder=placeholder(param)
                prop:value=value
                on:input=write
                on:keydown=move |event| {
                    if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
                        event.prevent_default();
                        editor.replay();
                    }
                }
            ></textarea>
        </label>
    }
}

fn test_id(param: ActParam) -> String {
    format!("act-{param:?}").to_lowercase()
}

/// The server's default for an empty field.
fn placeholder(param: ActParam) -> Option<&'static str> {
    match param {
        ActParam::LockDelay => Some("15s"),
        ActParam::Behavior => Some("release"),
        ActParam::Checks => Some("serfHealth"),
        _ => None,
    }
}
