//! The programs of the selected actor: what each does next, and the form that starts one.

use leptos::prelude::*;
use lictor_core::id::{ActorName, ProgramName};
use lictor_core::time::Instant;
use lictor_desk::forms::program_form::{ProgramField, ProgramForm as Form, ProgramFormError};
use lictor_recipes::{Due, Order, Phase};
use lictor_sim::record::Record;
use lictor_sim::trace::{OptionValue, PROGRAM_KINDS};
use lictor_sim::{Act, Condition};
use lictor_view::format::between;
use lictor_view::rows::ActorRow;

use crate::components::{Button, ChoiceOption, Glyph, Icon, PageIds, Pick, close_panel, page_id};
use crate::panels::selected::Selected;
use crate::platform::words::{form_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::dispatch::Dispatch;

/// The id of the panel.
pub const PROGRAMS: &str = "programs";

/// The programs of the selected actor, and the form that starts one. The form is last, so that its
/// place does not depend on how many programs there are.
#[component]
pub fn Programs(selected: Selected) -> impl IntoView {
    let names = Memo::new(move |_| {
        let names = |row: &ActorRow| row.programs.iter().map(|it| it.name.clone()).collect();
        selected.map::<Vec<_>>(names)
    });
    view! {
        <div class="programs">
            <For each=move || names.get() key=ProgramName::clone let:name>
                <ProgramLine selected name/>
            </For>
        </div>
        <StartForm/>
    }
}

/// A line for a program: its state, what it does next, and the button that starts or stops it.
#[component]
fn ProgramLine(selected: Selected, name: ProgramName) -> impl IntoView {
    let controller = use_controller();
    let (test_id, order_id) = (format!("program-{name}"), format!("order-{name}"));
    let shown_name = name.to_string();
    let row = {
        let name = name.clone();
        Memo::new(move |_| {
            selected.map(|row| row.programs.iter().find(|it| it.name == name).cloned())
        })
    };
    let is_down = Memo::new(move |_| selected.map(|row| row.host.condition == Condition::Down));
    let is_running = Memo::new(move |_| selected.is_up());
    let state = move || match (is_down.get(), row.with(|row| row.as_ref().map(|row| row.state))) {
        (true, _) => words().world.is_down,
        (false, state) => (words().world.program_state)(state.unwrap_or_default()),
    };
    let next = move || {
        if is_down.get() || controller.is_hidden() {
            return None;
        }
        let next = row.with(|row| row.as_ref()?.next)?;
        Some(next_act(next, controller.coarse_now.get()))
    };
    let order = Memo::new(move |_| match row.with(|row| row.as_ref().map(|row| row.phase)) {
        Some(Phase::Busy | Phase::Holding | Phase::Lost) => Order::Stop,
        Some(Phase::Idle) | None => Order::Start,
    });
    let label = move || match order.get() {
        Order::Start => form_words().program.start,
        _ => form_words().program.stop,
    };
    let act = move || {
        controller.perform(Act::Order { program: name.clone(), order: order.get_untracked() });
    };
    view! {
        <p class="program" data-testid=test_id>
            <b>{shown_name}</b>
            <code>{state}</code>
            <span class="num quiet">{next}</span>
            <Button
                class="btn btn-small btn-line"
                test_id=order_id
                disabled=Signal::derive(move || !is_running.get())
                title=move || if is_running.get() { label() } else { words().needs_process }
                on_press=act
            >
                {label}
            </Button>
        </p>
    }
}

/// The form that starts a program on the selected actor. Its kind sets the options, which can then
/// be changed.
#[component]
fn StartForm() -> impl IntoView {
    let start = ProgramStart::new(expect_context());
    let kinds = PROGRAM_KINDS.iter().map(|&kind| ChoiceOption::new(kind, kind, "")).collect();
    let text = move |error: &ProgramFormError| {
        (form_words().program.why_not)(&(form_words().program.error)(error))
    };
    let problem = move || {
        start.error.with(|error| {
            let text = text(error.as_ref()?);
            Some(view! {
                <p class="is-danger small" role="alert" data-testid="program-trouble">{text}</p>
            })
        })
    };
    let fields = |is_main: bool| {
        let each = move || start.options(is_main);
        view! { <For each key=|option| *option let:option><Field start option/></For> }
    };
    view! {
        <div class="program-form">
            {problem}
            <Pick
                test_id="program-kind"
                label=move || form_words().program.kind
                options=kinds
                chosen=start.kind
                autofocus=true
                on_pick=move |kind| start.choose(kind)
            />
            <Button
                class="btn btn-small btn-line"
                test_id="program-start"
                on_press=move || start.start()
            >
                {move || form_words().program.start}
            </Button>
            <p class="program-about quiet small" data-testid="program-about">
                {move || (form_words().program.about)(start.kind.get())}
            </p>
            <label class="program-option">
                <span>{move || row_words().program_key}</span>
                <input
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    data-testid="program-key"
                    aria-invalid=move || start.is_key_missing().then_some("true")
                    prop:value=move || start.form.with(|form| form.key.clone())
                    on:input=move |event| {
                        start.write(|form| form.key = event_target_value(&event));
                    }
                />
            </label>
            {fields(true)}
            <details class="more-options">
                <summary data-testid="program-more">
                    {move || form_words().program.more_options}
                </summary>
                {fields(false)}
            </details>
        </div>
    }
}

/// An option with its meaning.
#[component]
fn Field(start: ProgramStart, option: &'static str) -> impl IntoView {
    let text = move || (row_words().program_option)(option).unwrap_or_default();
    let input = match start.choices(option) {
        Some(choices) => view! { <ChoiceInput start option choices/> }.into_any(),
        None => view! { <TextInput start option/> }.into_any(),
    };
    view! {
        <label class="program-option">
            <span>{move || text().0}</span>
            {input}
            <small id=meaning_id(option)>{move || text().1}</small>
            {move || {
                start
                    .form
                    .with(|form| form.is_unsent_zero(option))
                    .then(|| {
                        view! {
                            <small class="is-warn" role="status">
                                {form_words().program.unsent_zero}
                            </small>
                        }
                    })
            }}
        </label>
    }
}

/// The id of the meaning of an option.
fn meaning_id(option: &str) -> String {
    page_id(&format!("program-{option}-meaning"))
}

#[component]
fn TextInput(start: ProgramStart, option: &'static str) -> impl IntoView {
    let is_wrong = Memo::new(move |_| {
        start.error.with(|error| match error {
            Some(ProgramFormError::Option { option: wrong, .. }) => wrong.name == option,
            _ => false,
        })
    });
    view! {
        <input
            type="text"
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            data-testid=format!("program-{option}")
            aria-describedby=meaning_id(option)
            aria-invalid=move || is_wrong.get().then_some("true")
            placeholder=move || start.default_value(option)
            prop:value=move || start.value(option)
            on:input=move |event| start.write_option(option, event_target_value(&event))
        />
    }
}

/// A list of the words that an option can have.
#[component]
fn ChoiceInput(
    start: ProgramStart,
    option: &'static str,
    choices: Vec<&'static str>,
) -> impl IntoView {
    let value = Memo::new(move |_| Some(start.value(option)).filter(|value| !value.is_empty()));
    let value = move || value.get().unwrap_or_else(|| start.default_value(option));
    let options = choices.into_iter().map(|choice| {
        let is_chosen = move || value() == choice;
        view! {
            <option value=choice selected=is_chosen prop:selected=is_chosen>
                {choice}
            </option>
        }
    });
    view! {
        <span class="pick">
            <select
                data-testid=format!("program-{option}")
                aria-describedby=meaning_id(option)
                on:change=move |event| start.write_option(option, event_target_value(&event))
            >
                {options.collect_view()}
            </select>
            <Icon glyph=Glyph::Down/>
        </span>
    }
}

/// The options of most interest, which are shown at once.
const MAIN: [&str; 4] = ["limit", "value", "ttl", "delay"];

/// The state of the form that starts a program. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
struct ProgramStart {
    dispatch: Dispatch,
    ids: PageIds,
    kind: RwSignal<&'static str>,
    /// The form as it was filled in, and for which actor; `None` while nothing was written.
    written: RwSignal<Option<(ActorName, Form)>>,
    form: Memo<Form>,
    error: RwSignal<Option<ProgramFormError>>,
}

impl ProgramStart {
    fn new(dispatch: Dispatch) -> Self {
        let kind = RwSignal::new(PROGRAM_KINDS[0]);
        let written = RwSignal::new(None::<(ActorName, Form)>);
        let form = Memo::new(move |_| {
            let actor = dispatch.controller.selected_actor().map(|actor| actor.name);
            let actor = actor.unwrap_or_else(|| ActorName::from(""));
            let of_actor = written.with(|written| {
                let (writer, form) = written.as_ref()?;
                (*writer == actor).then(|| form.clone())
            });
            of_actor.unwrap_or_else(|| {
                dispatch.form.with(|form| Form::new(kind.get(), actor.as_str(), form))
            })
        });
        let ids = PageIds::of_page();
        Self { dispatch, ids, kind, written, form, error: RwSignal::new(None) }
    }

    fn choose(self, kind: &'static str) {
        self.written.set(None);
        self.error.set(None);
        self.kind.set(kind);
    }

    /// The options of the kind, either those that are shown at once or the others; subscribes.
    fn options(self, is_main: bool) -> Vec<&'static str> {
        self.form.with(|form| {
            let options = form.fields.iter().map(|field| field.option.name);
            options.filter(|option| MAIN.contains(option) == is_main).collect()
        })
    }

    /// A property of the field of an option; the default value if the kind has no such option.
    /// Subscribes.
    fn field<T: Default>(self, option: &str, read: impl FnOnce(&ProgramField) -> T) -> T {
        self.form.with(|form| form.field(option).map(read).unwrap_or_default())
    }

    /// The text of an option; subscribes.
    fn value(self, option: &str) -> String {
        self.field(option, |field| field.value.clone())
    }

    /// The value that an option has while its text is empty; subscribes.
    fn default_value(self, option: &str) -> String {
        self.field(option, |field| field.option.default.clone())
    }

    /// The words that an option can have, if it is a choice. They never change.
    fn choices(self, option: &str) -> Option<Vec<&'static str>> {
        self.form.with_untracked(|form| match &form.field(option)?.option.value {
            OptionValue::Choice(words) => Some(words.clone()),
            _ => None,
        })
    }

    fn write_option(self, option: &str, value: String) {
        self.write(|form| form.write(option, value));
    }

    fn is_key_missing(self) -> bool {
        self.error.with(|error| *error == Some(ProgramFormError::NoKey))
    }

    fn write(self, change: impl FnOnce(&mut Form)) {
        let Some(actor) = self.dispatch.controller.selected_now() else { return };
        let mut form = self.form.get_untracked();
        change(&mut form);
        self.written.set(Some((actor.name, form)));
        self.error.set(None);
    }

    /// Spawns the program on the selected actor, starts it and closes the form; or shows the reason
    /// why that is not possible.
    fn start(self) {
        let controller = self.dispatch.controller;
        let Some(actor) = controller.selected_now() else { return };
        let form = self.form.get_untracked();
        let names = controller.with_record(Record::session_names);
        let acts = controller.with_world(|world| form.start(world, &actor.name, &names));
        self.error.set(acts.as_ref().err().cloned());
        if let Ok(acts) = acts {
            for act in acts {
                controller.perform(act);
            }
            // The panel is closed, as it covers the rows of the other clients.
            close_panel(self.ids, PROGRAMS);
        }
    }
}

/// The text of a program's next action, and the time until then.
pub fn next_act((at, due): (Instant, Due), now: Instant) -> String {
    format!("{} {}", (row_words().in_span)(between(now, at)), (row_words().due)(due))
}
