//! What only the reader can choose for a guide, asked once for all of its steps: a field for each
//! placeholder whose value comes from no step.

use leptos::prelude::*;
use lictor_sandbox::console::{GuideQuestion, QuestionKind, file_of};

use crate::components::page_id;
use crate::platform::settings::words;
use crate::state::guide_reader::GuideReader;

#[component]
pub fn Ask() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let heading = page_id("h-guide-ask");
    move || {
        let questions = reader.guide.with(|guide| guide.as_ref().map(|it| it.questions()));
        let fields = questions.unwrap_or_default().into_iter();
        let fields = fields.map(|question| view! { <Field question/> }).collect_view();
        (!fields.is_empty()).then(|| {
            view! {
                <div class="guide-ask" role="group" aria-labelledby=heading.clone()>
                    <h3 id=heading.clone()>{move || words().guide.asked_once}</h3>
                    <div class="guide-fields">{fields}</div>
                    <p>{move || words().guide.filled_in}</p>
                </div>
            }
        })
    }
}

/// The field for a value, with what the answers say about it as its placeholder.
#[component]
fn Field(question: GuideQuestion) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let shown = match question.kind {
        QuestionKind::Limit => question.name.clone(),
        QuestionKind::File => String::new(),
        _ => format!("<{}>", question.name),
    };
    let id = question.name.trim_start_matches('@').to_lowercase().replace([' ', '/'], "-");
    let (test_id, note) = (format!("guide-{id}"), page_id(&format!("guide-{id}-note")));
    let text = reader.choices.with_untracked(|choices| choices.text(&question));
    let checked = question.clone();
    let is_wrong = Memo::new(move |_| reader.choices.with(|choices| !choices.is_valid(&checked)));
    let (known, labelled) = (question.clone(), question.clone());
    let hint = move || match known.kind {
        QuestionKind::Body => words().guide.body_is_sender.to_owned(),
        _ => reader.known(&known.name).unwrap_or_default(),
    };
    let label = move || match file_of(&labelled.name) {
        Some(file) => (words().guide.content_of)(file),
        None => labelled.name.clone(),
    };
    let file = file_of(&question.name).map(|file| (words().guide.content_of)(file));
    let (name, kind) = (question.name.clone(), question.kind);
    let enter = move |event| {
        let text = event_target_value(&event);
        reader.choices.update(|choices| choices.enter(&name, &text));
    };
    let field = if kind == QuestionKind::File {
        view! {
            <textarea
                spellcheck="false"
                data-testid=test_id
                aria-label=label
                prop:value=text
                on:input=enter
            ></textarea>
        }
        .into_any()
    } else {
        let mode = (kind == QuestionKind::Limit).then_some("numeric");
        view! {
            <input
                type="text"
                autocapitalize="off"
                spellcheck="false"
                inputmode=mode
                data-testid=test_id
                aria-label=label
                aria-invalid=move || is_wrong.get().then_some("true")
                aria-describedby=note.clone()
                placeholder=hint
                prop:value=text
                on:input=enter
            />
        }
        .into_any()
    };
    let wrong = move || match kind {
        _ if !is_wrong.get() => None,
        QuestionKind::Limit => Some(words().guide.whole_number),
        _ => Some(words().guide.no_path),
    };
    view! {
        <label
            class:guide-limit=move || kind == QuestionKind::Limit
            class:guide-file=move || kind == QuestionKind::File
        >
            <code>{file.unwrap_or(shown)}</code>
            {field}
        </label>
        <p class="guide-wrong" id=note role="status">
            {wrong}
        </p>
    }
}
