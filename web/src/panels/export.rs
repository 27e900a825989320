//! The current branch as a test, a diagram or a trace, to copy or to save. A worker writes it, so
//! that the page stays usable meanwhile. While a question of a lesson is open, it ends at the
//! cursor. The sentences of the exporter are in English.

use js_sys::Array;
use leptos::prelude::*;
use lictor_sim::journal::Journal;
use wasm_bindgen::{JsCast, JsValue};

use crate::components::{Button, ChoiceOption, CopyButton, Glyph, Icon, Opener, Pick, Popover};
use crate::platform::words::words;
use crate::platform::worker::PageWorker;
use crate::platform::world_store::WorldStore;
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, use_controller};

/// The id of the panel.
const EXPORT: &str = "export";
/// The address of the worker, relative to the page.
const WORKER: &str = "export-worker.js";
/// The formats: the exporter's name, and the name of the language if it is a test.
const FORMATS: [(&str, &str); 7] = [
    ("rust", "Rust"),
    ("go", "Go"),
    ("python", "Python"),
    ("javascript", "JavaScript"),
    ("bash", "bash"),
    ("mermaid", ""),
    ("perfetto", ""),
];

/// What the worker has answered.
#[derive(Clone)]
enum Answer {
    Written {
        text: String,
        name: String,
        needs: String,
    },
    /// Why the format cannot express the world.
    Refused(String),
    NotLoaded,
}

impl Answer {
    /// Reads the list that the worker sends: a text, the name of its file and what it needs; or a
    /// reason; or nothing.
    fn of(message: &JsValue) -> Self {
        let texts = message.dyn_ref::<Array>().map(Array::to_vec).unwrap_or_default();
        let texts: Vec<String> = texts.iter().filter_map(JsValue::as_string).collect();
        match <[String; 3]>::try_from(texts) {
            Ok([text, name, needs]) => Self::Written { text, name, needs },
            Err(texts) => texts.into_iter().next().map_or(Self::NotLoaded, Self::Refused),
        }
    }
}

/// The export of a page. A `Copy` handle.
#[derive(Clone, Copy)]
struct Exporter {
    controller: Controller,
    /// Its place among the formats.
    format: RwSignal<usize>,
    /// `None` while the worker writes, and while the panel is closed.
    answer: RwSignal<Option<Answer>>,
    worker: RwSignal<Option<PageWorker>, LocalStorage>,
}

impl Exporter {
    fn new() -> Self {
        Self {
            controller: use_controller(),
            format: RwSignal::new(0),
            answer: RwSignal::new(None),
            worker: RwSignal::new_local(None),
        }
    }

    /// Writes the branch in a format; what was written before is dropped.
    fn write(self, format: usize) {
        self.answer.set(None);
        let request = Array::of2(&self.world().into(), &FORMATS[format].0.into());
        match PageWorker::start(WORKER, &request, move |message| self.receive(message)) {
            Ok(worker) => self.worker.set(Some(worker)),
            Err(_) => self.receive(None),
        }
    }

    /// The log of the branch, which ends at the cursor while the forecast is hidden.
    fn world(self) -> String {
        let is_hidden = self.controller.forecast_visibility.get_untracked().is_hidden();
        self.controller.with_timeline(|timeline| {
            let mut journal = Journal::of(timeline);
            if is_hidden {
                let position = timeline.position();
                journal.entries.truncate(position.acts);
                journal.end = position.at;
            }
            journal.to_lines()
        })
    }

    fn receive(self, message: Option<JsValue>) {
        let answer = message.as_ref().map_or(Answer::NotLoaded, Answer::of);
        self.answer.set(Some(answer));
        self.worker.set(None);
    }

    /// The text and the name of its file, once it is written; subscribes.
    fn file(self) -> Option<(String, String)> {
        match self.answer.get() {
            Some(Answer::Written { text, name, .. }) => Some((text, name)),
            _ => None,
        }
    }

    fn save(self) {
        let Some((text, name)) = untrack(|| self.file()) else { return };
        self.controller
            .world_store()
            .inspect(|world_store: &WorldStore| world_store.save_file(&text, &name));
    }
}

#[component]
pub fn ExportButton() -> impl IntoView {
    view! {
        <Opener id=EXPORT class="btn menu-item" title=move || words().export.hint>
            <Icon glyph=Glyph::Sheet/>
            {move || words().export.heading}
        </Opener>
    }
}

#[component]
pub fn Export() -> impl IntoView {
    let exporter = Exporter::new();
    let is_open = RwSignal::new(false);
    Effect::new(move |_| {
        if is_open.get() {
            exporter.write(exporter.format.get());
        } else {
            exporter.worker.set(None);
            exporter.answer.set(None);
        }
    });
    let says = move || match exporter.answer.get() {
        None => words().export.writing.to_owned(),
        Some(Answer::Written { needs, .. }) => needs,
        Some(Answer::Refused(why)) => (words().export.refused)(&why),
        Some(Answer::NotLoaded) => words().export.not_loaded.to_owned(),
    };
    let has_none =
        move || matches!(exporter.answer.get(), Some(Answer::Refused(_) | Answer::NotLoaded));
    let text = move || exporter.file().map(|(text, _)| text).unwrap_or_default();
    view! {
        <Popover id=EXPORT class="help export" heading=move || words().export.hint is_open>
            <FormatChoice exporter/>
            <p role="status" data-testid="export-needs">{says}</p>
            <textarea
                readonly=true
                spellcheck="false"
                data-testid="export-text"
                hidden=has_none
                aria-label=move || words().export.heading
                prop:value=text
            ></textarea>
        </Popover>
    }
}

/// The choice of the format, and the buttons that copy or save its text.
#[component]
fn FormatChoice(exporter: Exporter) -> impl IntoView {
    let options = FORMATS.iter().enumerate().map(|(index, (name, language))| {
        let label = move || match *name {
            "mermaid" => words().export.diagram.to_owned(),
            "perfetto" => words().export.trace.to_owned(),
            _ => (words().export.test)(language),
        };
        ChoiceOption::new(index, label, "")
    });
    view! {
        <p class="share-line">
            <Pick
                test_id="export-format"
                label=move || words().export.format
                options=options.collect()
                chosen=exporter.format
                on_pick=move |format| exporter.format.set_if_changed(format)
            />
            <CopyButton
                class="btn btn-line"
                test_id="export-copy"
                text=Signal::derive(move || exporter.file().map(|(text, _)| text))
            />
            <Button
                class="btn btn-line"
                test_id="export-save"
                disabled=Signal::derive(move || exporter.file().is_none())
                on_press=move || exporter.save()
            >
                {move || words().export.save}
            </Button>
        </p>
    }
}
