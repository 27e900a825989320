//! The fields for the values of a guide that only the reader can choose: the prefix, the limit, the
//! body, the content of files, the clients of copied session ids, and each placeholder whose value
//! comes from no step. A value counts for all steps.

use leptos::prelude::*;
use lictor_desk::console::{AS_WRITTEN, GuideQuestion, QuestionKind, file_of};
use web_sys::Event;

use crate::components::page_id;
use crate::platform::words::guide_words;
use crate::state::guide_reader::GuideReader;

#[component]
pub fn Ask() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let heading = page_id("h-guide-ask");
    move || {
        let questions = reader.guide.with(|guide| guide.as_ref().map(|it| it.questions()));
        let fields = questions.unwrap_or_default().into_iter();
        let fields = fields.map(|question| view! { <Field question/> }).collect_view();
        let values = reader.guide.with(|guide| guide.as_ref().map(|it| it.filled_in()));
        let values = values.filter(|values| !values.is_empty());
        let filled_in =
            values.map(|values| view! { <p>{move || (guide_words().filled_in)(&values)}</p> });
        (!fields.is_empty()).then(|| {
            view! {
                <div class="guide-ask" role="group" aria-labelledby=heading.clone()>
                    <h3 id=heading.clone()>{move || guide_words().asked_once}</h3>
                    <div class="guide-fields">{fields}</div>
                    {filled_in}
                </div>
            }
        })
    }
}

/// The field for a value. Its test id is `guide-` and the name, in lower case with hyphens.
#[component]
fn Field(question: GuideQuestion) -> impl IntoView {
    let choices = expect_context::<GuideReader>().choices;
    let id = question.name.trim_start_matches('@').to_lowercase().replace([' ', '/'], "-");
    let test_id = format!("guide-{id}");
    let text = choices.with_untracked(|choices| choices.text(&question));
    let name = question.name.clone();
    let enter = Callback::new(move |event: Event| {
        choices.update(|choices| choices.enter(&name, &event_target_value(&event)));
    });
    match question.kind {
        QuestionKind::File => view! { <FileField question test_id text enter/> }.into_any(),
        QuestionKind::Session => view! { <SessionField question test_id text enter/> }.into_any(),
        _ => view! { <ValueField question test_id text enter/> }.into_any(),
    }
}

/// The field for the content of a file.
#[component]
fn FileField(
    question: GuideQuestion,
    test_id: String,
    text: String,
    enter: Callback<Event>,
) -> impl IntoView {
    let file = file_of(&question.name).unwrap_or_default().to_owned();
    view! {
        <label class="guide-file">
            <code>{move || (guide_words().content_of)(&file)}</code>
            <textarea
                spellcheck="false"
                data-testid=test_id
                prop:value=text
                on:input=move |event| enter.run(event)
            ></textarea>
        </label>
    }
}

/// The list of the clients. The id of a session in the guide is replaced by that of the chosen
/// client's session. For an id in the sample answer of a step, the first entry is the session that
/// the sender creates with that step.
#[component]
fn SessionField(
    question: GuideQuestion,
    test_id: String,
    text: String,
    enter: Callback<Event>,
) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let store = reader.terminal.controller.store;
    let short = short_id(&question.name).to_owned();
    let step = reader.guide.with_untracked(|guide| guide.as_ref()?.step_of_id(&question.name));
    let is_as_written = text == AS_WRITTEN;
    let first = move || match step {
        Some(step) => (guide_words().session_of_step)(step + 1),
        None => guide_words().as_written.to_owned(),
    };
    let nobody = step.map(|_| {
        view! {
            <option value=AS_WRITTEN selected=is_as_written>
                {move || guide_words().as_written}
            </option>
        }
    });
    let clients = move || {
        let rows = store.actors.list();
        let names =
            rows.iter().map(|row| row.signal.with_untracked(|row| row.actor.name.to_string()));
        let options = names.map(|name| {
            let (is_chosen, value) = (name == text, name.clone());
            view! { <option value=value selected=is_chosen>{name}</option> }
        });
        options.collect_view()
    };
    view! {
        <label>
            <span>{move || (guide_words().session_of)(&short)}</span>
            <select data-testid=test_id on:change=move |event| enter.run(event)>
                <option value="">{first}</option>
                {clients}
                {nobody}
            </select>
        </label>
    }
}

/// The part of an id before its first hyphen.
pub fn short_id(id: &str) -> &str {
    id.split('-').next().unwrap_or_default()
}

/// The field for a value in one line. Its placeholder is the value that is used while the field is
/// empty, if one is known.
#[component]
fn ValueField(
    question: GuideQuestion,
    test_id: String,
    text: String,
    enter: Callback<Event>,
) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let (name, kind) = (question.name.clone(), question.kind);
    let label = name.clone();
    let note = page_id(&format!("{test_id}-note"));
    let is_limit = kind == QuestionKind::Limit;
    let written = if is_limit { name.clone() } else { format!("<{name}>") };
    let is_wrong = Memo::new(move |_| reader.choices.with(|choices| !choices.is_valid(&question)));
    let hint = move || match kind {
        QuestionKind::Body => guide_words().body_is_sender.to_owned(),
        _ => reader.known(&name).unwrap_or_default(),
    };
    let problem = move || {
        let text = if is_limit { guide_words().whole_number } else { guide_words().no_path };
        is_wrong.get().then_some(text)
    };
    view! {
        <label class:guide-limit=is_limit>
            <code>{written}</code>
            <input
                type="text"
                autocapitalize="off"
                spellcheck="false"
                inputmode=is_limit.then_some("numeric")
                data-testid=test_id
                aria-label=label
                aria-invalid=move || is_wrong.get().then_some("true")
                aria-describedby=note.clone()
                placeholder=hint
                prop:value=text
                on:input=move |event| enter.run(event)
            />
        </label>
        <p class="guide-wrong" id=note role="status">
            {problem}
        </p>
    }
}
