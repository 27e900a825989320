//! The panel of a guide: the field into which a published guide is pasted, and then its commands as
//! steps that are sent one by one or all at once.

pub mod answer;
pub mod ask;
pub mod prompt;
pub mod send_bar;
pub mod step;

use leptos::html;
use leptos::prelude::*;
use lictor_desk::console::{MarkedText, TextMark};
use lictor_desk::examples;
use web_sys::KeyboardEvent;

use crate::components::{Button, CloseButton, Opener, focus, page_id};
use crate::panels::side_panel::SidePanel;
use crate::platform::words::{console_words, guide_words, lesson_words, words};
use crate::state::guide_reader::GuideReader;
use crate::state::incident_reader::IncidentReader;
use crate::state::live_reader::LiveReader;
use ask::Ask;
use send_bar::{SEND_NEXT, SendBar};
use step::Step;

/// The id of the panel.
pub const GUIDE: &str = "guide";
/// The ids of its heading and of the field for a text.
const HEADING: &str = "h-guide";
const FIELD: &str = "guide-text-field";
/// The test id of the list of the commands that are left out.
const LEFT_OUT: &str = "guide-left-out";
/// The test id of the field for a text.
const TEXT: &str = "guide-text";

/// The button that opens the panel.
#[component]
pub fn GuideButton() -> impl IntoView {
    view! {
        <Opener id=GUIDE class="tab tab-guide" title=move || guide_words().paste_here>
            {move || lesson_words().tab_guide}
        </Opener>
    }
}

#[component]
pub fn Guide() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let is_read = Memo::new(move |_| reader.is_read());
    let has_steps = Memo::new(move |_| {
        reader.guide.with(|guide| guide.as_ref().is_some_and(|guide| !guide.steps.is_empty()))
    });
    let first = move || if reader.is_read() { SEND_NEXT } else { TEXT };
    view! {
        <SidePanel id=GUIDE is_open=reader.is_open first>
            <Head/>
            <Show when=move || is_read.get() fallback=|| view! { <Paste/> }>
                <Steps/>
                <Show when=move || has_steps.get()>
                    <SendBar/>
                </Show>
            </Show>
        </SidePanel>
    }
}

#[component]
fn Head() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let found = move || {
        reader.guide.get().filter(|_| reader.is_read()).map(|guide| {
            let found = (guide_words().found)(guide.steps.len(), guide.lines, guide.samples);
            match guide.left_out.len() {
                0 => view! { {found} }.into_any(),
                count => {
                    let left_out = move || (guide_words().left_out)(count);
                    view! {
                        {found}
                        "; "
                        <Button
                            class="link"
                            test_id="guide-to-left-out"
                            on_press=show_left_out
                        >
                            {left_out}
                        </Button>
                    }
                    .into_any()
                }
            }
        })
    };
    let another = move || {
        view! {
            <Button
                class="btn btn-small btn-line"
                test_id="guide-another"
                focus_fallback=TEXT
                on_press=move || reader.paste_another()
            >
                {move || guide_words().paste_another}
            </Button>
        }
    };
    view! {
        <header class="guide-head">
            <div>
                <h2 id=page_id(HEADING)>{move || guide_words().heading}</h2>
                <p data-testid="guide-found">{found}</p>
            </div>
            {move || reader.is_read().then(another)}
            <CloseButton id=GUIDE class="btn btn-icon"/>
        </header>
    }
}

/// Scrolls to the commands that are left out.
fn show_left_out() {
    focus(LEFT_OUT);
}

/// The field for a text.
#[component]
fn Paste() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let area = NodeRef::<html::Textarea>::new();
    let read = move || {
        if let Some(area) = area.get_untracked() {
            reader.read(&area.value());
        }
    };
    let (incident_reader, live) =
        (expect_context::<IncidentReader>(), expect_context::<LiveReader>());
    let as_incident = move || {
        if let Some(area) = area.get_untracked() {
            incident_reader.open(&area.value());
        }
    };
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            read();
        }
    };
    view! {
        <div class="guide-paste">
            <label for=page_id(FIELD)>{move || guide_words().paste_here}</label>
            <textarea
                node_ref=area
                id=page_id(FIELD)
                data-testid=TEXT
                data-focus-fallback=SEND_NEXT
                spellcheck="false"
                autocomplete="off"
                prop:value=move || reader.text.get()
                on:keydown=press
            ></textarea>
            <p class="guide-none" role="alert" data-testid="guide-none">
                {move || reader.is_without_commands.get().then(|| guide_words().nothing_found)}
            </p>
            // What is followed of a cluster would replace the text.
            <Show when=move || reader.is_without_commands.get() && !live.is_on.get()>
                <Button class="btn btn-line" test_id="guide-as-incident" on_press=as_incident>
                    {move || words().incident.read_as_incident}
                </Button>
            </Show>
            <Button
                class="btn btn-main"
                test_id="guide-read"
                focus_fallback=SEND_NEXT
                on_press=read
            >
                {move || guide_words().find_commands}
            </Button>
            <ExampleButton/>
            <Show when=move || reader.guide.with(Option::is_some)>
                <Button
                    class="btn btn-line"
                    test_id="guide-cancel"
                    focus_fallback=SEND_NEXT
                    on_press=move || reader.return_to_guide()
                >
                    {move || console_words().cancel}
                </Button>
            </Show>
        </div>
    }
}

/// The button that fills the field with an example, while there is no guide.
#[component]
fn ExampleButton() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    view! {
        <Show when=move || reader.guide.with(Option::is_none)>
            <Button
                class="btn btn-line"
                test_id="guide-example"
                focus_fallback=SEND_NEXT
                on_press=move || reader.read(examples::GUIDE)
            >
                {move || words().try_example}
            </Button>
        </Show>
    }
}

/// The pasted text, the questions that are asked once, the steps, and the commands left out.
#[component]
fn Steps() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let steps = move || {
        let count = reader.guide.with(|guide| guide.as_ref().map_or(0, |it| it.steps.len()));
        (0..count).map(|step| view! { <Step step/> }).collect_view()
    };
    view! {
        <div class="guide-steps" tabindex="0" role="group" aria-labelledby=page_id(HEADING)>
            <details class="guide-source">
                <summary data-testid="guide-show">{move || guide_words().show_text}</summary>
                <pre tabindex="0" data-testid="guide-source">
                    <Source/>
                </pre>
            </details>
            <Ask/>
            <ol class="steps">{steps}</ol>
            <LeftOut/>
        </div>
    }
}

/// The text, with its commands marked.
#[component]
fn Source() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let marked = move || {
        let guide = reader.guide.get()?;
        Some(reader.text.with(|text| guide.marked(text)))
    };
    let piece = |MarkedText { text, mark }| {
        let text = text + "\n";
        match mark {
            TextMark::Prose => text.into_any(),
            TextMark::Step(step) => {
                let title = move || (guide_words().send_step)(step + 1);
                view! { <mark class="is-step" title=title>{text}</mark> }.into_any()
            }
            TextMark::LeftOut(_) => {
                let title = move || (guide_words().left_out)(1);
                view! { <mark class="is-left-out" title=title>{text}</mark> }.into_any()
            }
        }
    };
    move || marked().map(|marked| marked.into_iter().map(piece).collect_view())
}

/// The commands that the console refuses, each with its line and the reason.
#[component]
fn LeftOut() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    move || {
        let guide = reader.guide.get()?;
        let count = guide.left_out.len();
        let items = guide.left_out.iter().map(|it| {
            let (line, text, kind) = (it.line, it.text.clone(), it.kind.clone());
            view! {
                <li>
                    <span class="num quiet">{move || (guide_words().line)(line)}</span>
                    " "
                    <code>{text}</code>
                    <p class="guide-note">{move || console_words().error_text(&kind)}</p>
                </li>
            }
        });
        let items = items.collect_view();
        (count > 0).then(|| {
            view! {
                <div class="guide-left-out" tabindex="-1" data-testid=LEFT_OUT>
                    <h3>{move || (guide_words().left_out)(count)}</h3>
                    <ul>{items}</ul>
                </div>
            }
        })
    }
}
