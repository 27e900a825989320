//! What only the reader can choose for a guide, asked once for all of its steps.

use leptos::prelude::*;
use lictor_sandbox::console::GuideQuestion;

use crate::components::page_id;
use crate::platform::settings::words;
use crate::state::guide_reader::GuideReader;

#[component]
pub fn Ask() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let heading = page_id("h-guide-ask");
    move || {
        let questions = reader.guide.with(|guide| guide.as_ref().map(|it| it.questions()));
        let fields = questions.unwrap_or_default().into_iter().map(|question| match question {
            GuideQuestion::Prefix => view! { <Prefix/> }.into_any(),
            GuideQuestion::Body => view! { <Body/> }.into_any(),
            GuideQuestion::Limit => view! { <Limit/> }.into_any(),
        });
        let fields = fields.collect_view();
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

#[component]
fn Prefix() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let prefix = reader.choices.with_untracked(|choices| choices.prefix.clone());
    view! {
        <label>
            <code>"<prefix>"</code>
            <input
                type="text"
                autocapitalize="off"
                spellcheck="false"
                data-testid="guide-prefix"
                aria-label=move || words().guide.prefix
                prop:value=prefix
                on:input=move |event| {
                    let prefix = event_target_value(&event);
                    reader.choices.update(|choices| choices.prefix = prefix);
                }
            />
        </label>
    }
}

/// A text for the contender keys; without one they get the name of their sender.
#[component]
fn Body() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let body = reader.choices.with_untracked(|choices| choices.body.clone().unwrap_or_default());
    view! {
        <label>
            <code>"<body>"</code>
            <input
                type="text"
                spellcheck="false"
                data-testid="guide-body"
                aria-label=move || words().guide.body
                placeholder=move || words().guide.body_is_sender
                prop:value=body
                on:input=move |event| {
                    let body = Some(event_target_value(&event)).filter(|body| !body.is_empty());
                    reader.choices.update(|choices| choices.body = body);
                }
            />
        </label>
    }
}

/// How many slots a semaphore has; an input that is no number from 1 on is refused.
#[component]
fn Limit() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let limit = reader.choices.with_untracked(|choices| choices.limit.to_string());
    let is_wrong = RwSignal::new(false);
    let write = move |event| {
        let limit = event_target_value(&event).trim().parse::<u64>().ok().filter(|it| *it > 0);
        is_wrong.set(limit.is_none());
        if let Some(limit) = limit {
            reader.choices.update(|choices| choices.limit = limit);
        }
    };
    let note = page_id("guide-limit-note");
    view! {
        <label class="guide-limit">
            <code>"Limit"</code>
            <input
                type="text"
                inputmode="numeric"
                data-testid="guide-limit"
                aria-label=move || words().guide.limit
                aria-invalid=move || is_wrong.get().then_some("true")
                aria-describedby=note.clone()
                prop:value=limit
                on:input=write
            />
        </label>
        <p class="guide-wrong" id=note role="status">
            {move || is_wrong.get().then(|| words().guide.whole_number)}
        </p>
    }
}
