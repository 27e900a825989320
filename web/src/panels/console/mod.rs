//! The console: what was sent and what came back, and a line to send the next request as the
//! selected actor. Requests of the page's buttons are shown as the commands that make them.

pub mod entry;
pub mod fault;
pub mod prompt;
pub mod terminal;

use leptos::html::Pre;
use leptos::prelude::*;

use crate::desk::Desk;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::ui::{Choices, Glyph, Icon, Segments, after_effects, each, holds, live};

use entry::EntryView;
use fault::FaultView;
use prompt::Prompt;
use terminal::Terminal;

/// How commands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As they were typed; those of buttons as curl.
    Curl,
    Http,
}

const FORMS: [(Form, &str); 2] =
    [(Form::Curl, "console-form-curl"), (Form::Http, "console-form-http")];

#[component]
pub fn Console(runtime: Runtime) -> impl IntoView {
    let desk = expect_context::<Desk>();
    let terminal = Terminal::new(runtime);
    let form = RwSignal::new(Form::Curl);
    view! {
        <section
            class="panel console"
            id="console"
            aria-labelledby="h-console"
            data-testid="console"
        >
            <Head terminal form/>
            <Transcript terminal form/>
            <FaultView terminal desk/>
            <Prompt terminal desk/>
        </section>
    }
}

#[component]
fn Head(terminal: Terminal, form: RwSignal<Form>) -> impl IntoView {
    let settings = use_settings();
    let words = move |form| match form {
        Form::Curl => settings.words().console.form_curl.to_owned(),
        Form::Http => settings.words().console.form_http.to_owned(),
    };
    let choices = Choices::of(FORMS, move || form.get(), words, move |picked| form.set(picked));
    let copy = move |_| {
        if let Some(text) = terminal.last_command(form.get_untracked()) {
            // Where the browser refuses, the text can still be selected and copied by hand.
            let _ = window().navigator().clipboard().write_text(&text);
        }
    };
    view! {
        <div class="head">
            <h2 id="h-console">{word(|words| words.console.heading)}</h2>
            <Segments
                label=word(|words| words.console.form)
                choices
                class="seg-small push"
            />
            <button
                class="btn btn-icon btn-small"
                type="button"
                disabled=holds(move || terminal.listed().is_empty())
                aria-label=word(|words| words.console.copy)
                title=word(|words| words.console.copy)
                on:click=copy
                data-testid="console-copy"
            >
                <Icon glyph=Glyph::Copy/>
            </button>
        </div>
    }
}

#[component]
fn Transcript(terminal: Terminal, form: RwSignal<Form>) -> impl IntoView {
    let scroll = NodeRef::<Pre>::new();
    Effect::new(move |_| {
        terminal.listed();
        // The new entry is in the document only after all effects have run.
        after_effects(move || {
            if let Some(element) = scroll.get_untracked() {
                element.set_scroll_top(element.scroll_height());
            }
        });
    });
    let entries = each(
        move || terminal.listed(),
        |(number, version)| format!("{number}.{version}"),
        move |(number, _)| view! { <EntryView terminal form number/> },
    );
    let empty = live(move || {
        let text = word(|words| words.console.empty);
        terminal.listed().is_empty().then(|| view! { <span class="quiet">{text}</span> })
    });
    view! {
        <pre
            node_ref=scroll
            tabindex="0"
            aria-labelledby="h-console"
            data-testid="console-transcript"
        >
            {empty}
            {entries}
        </pre>
    }
}
