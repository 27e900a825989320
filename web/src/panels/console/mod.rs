//! The console: the commands with their answers, and an input for the next command of the selected
//! actor. Requests of the page's buttons are shown as the commands that make them.

pub mod entry;
pub mod error;
pub mod prompt;

use leptos::html::{Pre, Span};
use leptos::prelude::*;

use crate::components::crowd::in_viewport;
use crate::components::{ChoiceOption, CopyButton, Segments, page_id};
use crate::platform::words::console_words;
use crate::state::terminal::{Form, Terminal};
use entry::EntryView;
use error::InputErrors;
use prompt::Prompt;

/// The id of the panel's heading.
const HEADING: &str = "h-console";

/// The panel, with its children above the input.
#[component]
pub fn Console(#[prop(optional)] children: Option<Children>) -> impl IntoView {
    let form = RwSignal::new(Form::Curl);
    view! {
        <section
            class="panel console"
            id=page_id("console")
            data-testid="console"
            aria-labelledby=page_id(HEADING)
        >
            <Head form/>
            <Transcript form/>
            <InputErrors/>
            {children.map(|children| children())}
            <Prompt/>
        </section>
    }
}

#[component]
fn Head(form: RwSignal<Form>) -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let forms = vec![
        ChoiceOption::new(Form::Curl, || console_words().form_curl, "console-form-curl"),
        ChoiceOption::new(Form::Http, || console_words().form_http, "console-form-http"),
    ];
    let last = Signal::derive(move || terminal.last_command(form.get()));
    view! {
        <div class="head">
            <h2 id=page_id(HEADING)>{move || console_words().heading}</h2>
            <Segments
                class="seg-small push"
                label=move || console_words().form
                options=forms
                chosen=form
                on_pick=move |picked| form.set(picked)
            />
            <CopyButton
                class="btn btn-icon btn-small"
                test_id="console-copy"
                text=last
                label=|| console_words().copy
                title=move || console_words().copy
            />
        </div>
    }
}

/// The number of the newest entries that are in the document. When the reader scrolls up to the
/// first of them, as many earlier entries are added.
const NEWEST: usize = 30;

/// The entries. Its styles keep its distance from the end, so that earlier entries do not move it.
#[component]
fn Transcript(form: RwSignal<Form>) -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let (list, first) = (NodeRef::<Pre>::new(), NodeRef::<Span>::new());
    let count = RwSignal::new(NEWEST);
    Effect::new(move |_| {
        terminal.listed();
        count.set(NEWEST);
        // The new entry is in the document only after all effects have run.
        request_animation_frame(move || {
            if let Some(list) = list.try_get_untracked().flatten() {
                list.set_scroll_top(0);
            }
        });
    });
    let is_at_first = in_viewport(first);
    Effect::new(move |_| {
        if is_at_first.get() {
            count.update(|count| *count += NEWEST);
        }
    });
    let earlier = Memo::new(move |_| terminal.listed().len().saturating_sub(count.get()));
    let entries = move || terminal.listed().into_iter().skip(earlier.get()).collect::<Vec<_>>();
    view! {
        <pre
            node_ref=list
            tabindex="0"
            role="group"
            aria-labelledby=page_id(HEADING)
            data-testid="console-transcript"
        >
            <span class="entries">
                <Show when=move || terminal.listed().is_empty()>
                    <span class="quiet">{move || console_words().empty}</span>
                </Show>
                <Show when=move || { earlier.get() > 0 }>
                    <span node_ref=first class="earlier"></span>
                </Show>
                <For
                    each=entries
                    key=|entry| *entry
                    children=move |(number, _)| {
                        terminal.entry(number).map(|entry| view! { <EntryView entry form/> })
                    }
                />
            </span>
        </pre>
    }
}
