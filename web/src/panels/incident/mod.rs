//! Lists and logs of a real Consul as a person pasted them: who can take each key, and when. The
//! world that begins at this moment can be opened.

pub mod live;
pub mod picture;
pub mod report;

use leptos::prelude::*;
use lictor_desk::examples;
use lictor_desk::i18n::LiveWords;
use lictor_desk::incident_texts::IncidentText;
use lictor_desk::programs::clients_of_sessions;
use lictor_incident::collect_commands;
use web_sys::{File, HtmlInputElement, KeyboardEvent};

use crate::components::{Button, CloseButton, Glyph, Icon, Opener, focus, page_id};
use crate::panels::side_panel::{SidePanel, close_side_panels};
use crate::platform::words::words;
use crate::state::incident_reader::{IncidentReadError, IncidentReader, SourceSummary};
use crate::state::lesson_reader::LessonReader;
use crate::state::live_reader::LiveReader;
use live::{LiveLines, LiveStatus};
use report::{ANSWER, Command, Report};

/// The id of the panel.
pub const INCIDENT: &str = "incident";
const HEADING: &str = "h-incident";
/// The id of the field for a text, and its test id.
const TEXT: &str = "incident-text";
/// The test id of the button that opens the panel.
const BUTTON: &str = "incident-button";
/// The test id of the button that opens the world.
const RUN_ON: &str = "incident-run-on";
/// The test id of the button that lets time run in a world.
const RUN: &str = "run";

/// The button that opens the panel.
#[component]
pub fn IncidentButton() -> impl IntoView {
    let live = expect_context::<LiveReader>();
    view! {
        <Opener
            id=INCIDENT
            class="tab tab-incident"
            title=move || if live.is_on.get() { live_words().hint } else { words().incident.hint }
        >
            {move || heading(live)}
        </Opener>
    }
}

/// The name of the panel. Subscribes.
fn heading(live: LiveReader) -> &'static str {
    if live.is_on.get() { live_words().heading } else { words().incident.heading }
}

fn live_words() -> &'static LiveWords {
    &words().incident.live
}

#[component]
pub fn Incident() -> impl IntoView {
    let (reader, live) = (expect_context::<IncidentReader>(), expect_context::<LiveReader>());
    let has_report = Memo::new(move |_| reader.report.with(Option::is_some));
    let error = move || {
        reader.error.get().map(|error| match error {
            IncidentReadError::NoReader => words().incident.no_reader.to_owned(),
            IncidentReadError::Failed => words().incident.failed.to_owned(),
            IncidentReadError::Unreadable(text) => text,
        })
    };
    let first = move || if has_report.get() { ANSWER } else { TEXT };
    view! {
        <SidePanel id=INCIDENT is_open=reader.is_open first>
            <Head/>
            <div
                class="guide-steps incident"
                tabindex="0"
                role="group"
                aria-labelledby=page_id(HEADING)
            >
                <Report/>
                <p class="guide-none" role="alert" data-testid="incident-error">{error}</p>
                <Show when=move || live.is_on.get() fallback=Sources><LiveLines/></Show>
            </div>
            <Show when=move || has_report.get()><Foot/></Show>
        </SidePanel>
    }
}

#[component]
fn Head() -> impl IntoView {
    let (reader, live) = (expect_context::<IncidentReader>(), expect_context::<LiveReader>());
    let found = move || match reader.report.get() {
        Some(report) => {
            let is_assumed = report.lists.iter().any(|list| list.by.is_assumed());
            (words().incident.found)(report.answers.len(), &report.as_of, is_assumed)
        }
        None if live.is_on.get() => String::new(),
        None => words().incident.private.to_owned(),
    };
    view! {
        <header class="guide-head">
            <div>
                <h2 id=page_id(HEADING)>{move || heading(live)}</h2>
                <Show when=move || live.is_on.get() || live.failure.with(Option::is_some)>
                    <LiveStatus/>
                </Show>
                <p data-testid="incident-found">{found}</p>
            </div>
            <CloseButton id=INCIDENT class="btn btn-icon"/>
        </header>
    }
}

/// The texts that were read, and the fields for another one.
#[component]
fn Sources() -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            reader.read_text();
        }
    };
    let label = move || {
        let words = &words().incident;
        if reader.report.with(Option::is_some) { words.paste_more } else { words.paste }
    };
    view! {
        <div class="incident-sources">
            {source_list(reader)}
            <label for=page_id(TEXT)>{label}</label>
            <textarea
                id=page_id(TEXT)
                data-testid=TEXT
                spellcheck="false"
                autocomplete="off"
                prop:value=move || reader.text.get()
                on:input=move |event| reader.text.set(event_target_value(&event))
                on:keydown=press
            ></textarea>
            {ways(reader)}
            <Show when=move || reader.report.with(Option::is_none)>
                <Button
                    class="btn btn-line"
                    test_id="incident-example"
                    focus_fallback=TEXT
                    on_press=move || reader.open(examples::INCIDENT)
                >
                    {move || words().try_example}
                </Button>
            </Show>
            <label class="switch">
                <input
                    type="checkbox"
                    data-testid="incident-redact"
                    prop:checked=move || reader.redacts.get()
                    on:change=move |event| reader.set_redacts(event_target_checked(&event))
                />
                {move || words().incident.redact}
            </label>
            <p class="quiet small">{move || words().incident.helps}</p>
            <details class="small">
                <summary data-testid="incident-collect">{move || words().incident.collect}</summary>
                <p class="quiet">{move || words().incident.collect_hint}</p>
                <Command test_id="incident-collect-copy" text=collect_commands(None)/>
            </details>
        </div>
    }
}

/// The field for files, and the button that reads or stops reading.
fn ways(reader: IncidentReader) -> impl IntoView {
    let choose = move |event| {
        let input: HtmlInputElement = event_target(&event);
        let files = input.files();
        let files = files.iter().flat_map(|files| (0..files.length()).map(|at| files.get(at)));
        reader.add(files.flatten().collect());
        input.set_value("");
    };
    let is_idle = move || !reader.is_reading();
    let is_blank = Signal::derive(move || reader.text.with(|text| text.trim().is_empty()));
    view! {
        <p class="incident-ways">
            <label class="btn btn-line incident-files">
                <input type="file" multiple data-testid="incident-files" on:change=choose/>
                {move || words().incident.files}
            </label>
            <Show
                when=is_idle
                fallback=move || view! {
                    <span role="status">{move || words().incident.reading}</span>
                    <progress value=move || reader.progress.get().to_string()></progress>
                    <Button
                        class="btn btn-line"
                        test_id="incident-stop"
                        focus_fallback=TEXT
                        on_press=move || reader.stop()
                    >
                        {move || words().incident.stop}
                    </Button>
                }
            >
                <Button
                    class="btn btn-main"
                    test_id="incident-read"
                    disabled=is_blank
                    focus_fallback="incident-stop"
                    on_press=move || reader.read_text()
                >
                    {move || words().incident.read}
                </Button>
            </Show>
        </p>
    }
}

/// The texts with what each one holds, and the clocks of their logs.
fn source_list(reader: IncidentReader) -> impl IntoView {
    let rows = move || {
        let report = reader.report.get();
        let summary = |index| report.as_ref().and_then(|it| it.sources.get(index)).cloned();
        let texts = reader.shown.get().into_iter().enumerate();
        let row = |(index, text)| view! { <SourceRow index text summary=summary(index)/> };
        texts.map(row).collect_view()
    };
    view! { <ul class="incident-list" data-testid="incident-sources">{rows}</ul> }
}

#[component]
fn SourceRow(
    index: usize,
    text: IncidentText<File>,
    summary: Option<SourceSummary>,
) -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    let id = text.id;
    let name = StoredValue::new(text.name);
    let remove = move || name.with_value(|name| (words().incident.remove)(name));
    let has_log = summary.as_ref().is_some_and(|summary| summary.lines > 0);
    let holds = summary.as_ref().map(|summary| summary.holds.clone());
    let texts = summary.as_ref().and_then(|summary| summary.patterns.clone());
    let is_given = text.patterns.is_some();
    let patterns = texts.map(|texts| patterns((index, id), name, texts, is_given));
    let proposal = summary.and_then(|summary| summary.proposal).map(|proposal| {
        let offset = proposal.clock_offset;
        view! {
            <p class="is-warn small">
                {proposal.sentence}
                <Button
                    class="btn btn-small btn-line"
                    test_id=format!("incident-use-offset-{}", index + 1)
                    focus_fallback=TEXT
                    on_press=move || reader.set_clock_offset(id, offset)
                >
                    {move || (words().incident.use_offset)(offset / 1000.0)}
                </Button>
            </p>
        }
    });
    let clock = has_log.then(|| {
        let label = move || name.with_value(|name| (words().incident.clock_offset)(name));
        let write = move |event| {
            // What is no number leaves the offset as it is.
            if let Ok(seconds) = event_target_value(&event).parse::<f64>() {
                reader.set_clock_offset(id, (seconds * 1000.0).round());
            }
        };
        view! {
            <input
                type="number"
                step="0.1"
                class="incident-clock"
                data-testid=format!("incident-clock-{}", index + 1)
                aria-label=label
                title=label
                prop:value=(text.clock_offset / 1000.0).to_string()
                on:change=write
            />
            <span class="quiet small">"s"</span>
        }
    });
    view! {
        <li>
            <span class="incident-name">{name.get_value()}</span>
            <span class="incident-holds quiet small">{holds}</span>
            {clock}
            <Button
                class="btn btn-icon btn-small"
                test_id=format!("incident-remove-{}", index + 1)
                label=remove
                focus_fallback=TEXT
                on_press=move || reader.remove(id)
            >
                <Icon glyph=Glyph::Cross small=true/>
            </Button>
            {proposal} {patterns}
        </li>
    }
}

/// The field for the patterns of the lines of an application, one in a line. Once they are edited,
/// a button puts the proposed ones back.
fn patterns(
    (index, id): (usize, usize),
    name: StoredValue<String>,
    texts: String,
    is_given: bool,
) -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    let is_edited = RwSignal::new(is_given);
    let label = move || name.with_value(|name| (words().incident.patterns)(name));
    view! {
        <details class="small">
            <summary data-testid=format!("incident-application-{}", index + 1)>{label}</summary>
            <textarea
                data-testid=format!("incident-patterns-{}", index + 1)
                aria-label=label
                spellcheck="false"
                prop:value=texts
                on:input=move |_| is_edited.set(true)
                on:change=move |event| reader.set_patterns(id, &event_target_value(&event))
            ></textarea>
            <Show when=move || is_edited.get()>
                <Button
                    class="btn btn-small btn-line"
                    test_id=format!("incident-propose-{}", index + 1)
                    focus_fallback=TEXT
                    on_press=move || reader.propose_patterns(id)
                >
                    {move || words().incident.propose}
                </Button>
            </Show>
        </details>
    }
}

/// The button that opens the world of the incident, or why there is none.
#[component]
fn Foot() -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    let lesson_reader = expect_context::<LessonReader>();
    let no_world = move || {
        let report = reader.report.get()?;
        report.no_world.as_ref().map(|why| (words().incident.no_world)(why))
    };
    let run_on = move || {
        let report = reader.report.get_untracked();
        if let Some(world) = report.as_ref().and_then(|report| report.world.as_ref())
            && lesson_reader.receive(world).is_ok()
        {
            // The commands of the report need a client that sends them.
            let controller = lesson_reader.controller;
            let clients = controller.with_world(clients_of_sessions);
            clients.into_iter().for_each(|act| controller.perform(act));
            close_side_panels();
            focus(RUN).or_else(|| focus(BUTTON));
        }
    };
    let run_on = move || {
        view! {
            <Button
                class="btn btn-main"
                test_id=RUN_ON
                title=move || words().incident.run_on_hint
                on_press=run_on
            >
                <Icon glyph=Glyph::Play/>
                {move || words().incident.run_on}
            </Button>
        }
    };
    view! {
        <footer class="guide-foot" data-testid="incident-foot">
            {move || match no_world() {
                Some(why) => view! { <p class="small">{why}</p> }.into_any(),
                None => run_on().into_any(),
            }}
        </footer>
    }
}
