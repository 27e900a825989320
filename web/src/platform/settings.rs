//! The settings of the reader: language, theme, single keys, announcements, the spacing of the
//! timeline, and the version of Consul of new worlds. Language and theme follow the browser until
//! the reader chooses. Settings are stored in the browser, as are the answered questions, the
//! places in lessons and whether the reader has begun; without storage settings last as long as the
//! page. There is one set for each document, as its `lang` and `data-theme` belong to it.

use leptos::prelude::*;
use lictor_core::ConsulVersion;
use lictor_desk::embed::EmbedOptions;
use lictor_desk::lessons::{LessonBookmarks, Scores};
use lictor_desk::open_panels::PanelSet;
use lictor_view::language::Language;
use lictor_view::settings::{Spacing, Theme};
use web_sys::Storage;

use super::look::of_document;

const LANGUAGE_SLOT: &str = "lictor.language";
const THEME_SLOT: &str = "lictor.theme";
const KEYS_SLOT: &str = "lictor.keys";
const VOICE_SLOT: &str = "lictor.voice";
const CONSUL_SLOT: &str = "lictor.consul";
const AXIS_SLOT: &str = "lictor.axis";
const SCORES_SLOT: &str = "lictor.questions";
const LESSONS_SLOT: &str = "lictor.stories";
const BEGUN_SLOT: &str = "lictor.begun";
const PANELS_SLOT: &str = "lictor.panels";

/// The stored values of a setting that is on by default.
const ON: &str = "on";
const OFF: &str = "off";

/// The reader's choices.
#[derive(Clone, Copy)]
pub struct Settings {
    pub language: RwSignal<Language>,
    pub theme: RwSignal<Theme>,
    /// Whether single keys act while no field has the focus (WCAG 2.1.4).
    pub has_single_keys: RwSignal<bool>,
    /// Whether events are announced to screen readers.
    pub has_voice: RwSignal<bool>,
    /// Whether the axis shows time or the order of events.
    pub spacing: RwSignal<Spacing>,
    /// The version of Consul of new worlds.
    pub consul: RwSignal<ConsulVersion>,
}

thread_local! {
    static SETTINGS: (Owner, Settings) = of_document(Settings::of_earlier_visit);
}

/// The settings of the document.
pub fn settings() -> Settings {
    SETTINGS.with(|(_, settings)| *settings)
}

impl Settings {
    fn of_earlier_visit() -> Self {
        let chosen = stored(LANGUAGE_SLOT);
        let browser = window().navigator().language().unwrap_or_default();
        let language = Language::of_browser(chosen.as_deref().unwrap_or(&browser));
        let spacing = stored(AXIS_SLOT).and_then(|name| Spacing::named(&name));
        let consul = stored(CONSUL_SLOT).and_then(|name| name.parse().ok());
        Self {
            language: RwSignal::new(language),
            theme: RwSignal::new(Theme::of_attribute(&stored(THEME_SLOT).unwrap_or_default())),
            has_single_keys: RwSignal::new(is_on(KEYS_SLOT)),
            has_voice: RwSignal::new(is_on(VOICE_SLOT)),
            spacing: RwSignal::new(spacing.unwrap_or(Spacing::Time)),
            consul: RwSignal::new(consul.unwrap_or_default()),
        }
    }

    pub fn choose_language(self, language: Language) {
        self.language.set(language);
        store(LANGUAGE_SLOT, language.tag());
    }

    pub fn choose_theme(self, theme: Theme) {
        self.theme.set(theme);
        store(THEME_SLOT, theme.attribute().unwrap_or_default());
    }

    pub fn choose_single_keys(self, is_on: bool) {
        self.has_single_keys.set(is_on);
        store(KEYS_SLOT, if is_on { ON } else { OFF });
    }

    pub fn choose_voice(self, is_on: bool) {
        self.has_voice.set(is_on);
        store(VOICE_SLOT, if is_on { ON } else { OFF });
    }

    pub fn choose_spacing(self, spacing: Spacing) {
        self.spacing.set(spacing);
        store(AXIS_SLOT, spacing.name());
    }

    pub fn choose_consul(self, version: ConsulVersion) {
        self.consul.set(version);
        store(CONSUL_SLOT, version.name());
    }

    /// Sets the document's `lang` and `data-theme` now and after each change of the settings.
    pub fn apply_to_document(self) {
        Effect::new(move |_| {
            let Some(root) = document().document_element() else { return };
            // Without the attribute the page works, in the browser's own colours.
            let _ = root.set_attribute("lang", self.language.get().tag());
            let _ = match self.theme.get().attribute() {
                Some(theme) => root.set_attribute("data-theme", theme),
                None => root.remove_attribute("data-theme"),
            };
        });
    }
}

/// The storage of the browser; `None` if it has none, and for an embedded page, which neither reads
/// nor writes the choices of the whole page.
fn storage() -> Option<Storage> {
    let query = window().location().search().unwrap_or_default();
    if EmbedOptions::read(&query).is_some() {
        None
    } else {
        window().local_storage().ok().flatten()
    }
}

/// The questions that were answered in earlier visits.
pub fn stored_scores() -> Scores {
    Scores::from_text(&stored(SCORES_SLOT).unwrap_or_default())
}

pub fn store_scores(scores: &Scores) {
    store(SCORES_SLOT, &scores.to_text());
}

/// The places at which the reader left lessons in earlier visits.
pub fn stored_lessons() -> LessonBookmarks {
    LessonBookmarks::from_text(&stored(LESSONS_SLOT).unwrap_or_default())
}

pub fn store_lessons(left: &LessonBookmarks) {
    store(LESSONS_SLOT, &left.to_text());
}

/// Whether the reader has chosen one of the ways to begin, in this or an earlier visit.
pub fn has_begun() -> bool {
    stored(BEGUN_SLOT).is_some()
}

pub fn store_begun() {
    store(BEGUN_SLOT, "yes");
}

/// The panels that were open in the sandbox of an earlier visit; before the first one is closed or
/// opened, the clients.
pub fn stored_panels() -> PanelSet {
    let stored = storage().and_then(|it| it.get_item(PANELS_SLOT).ok().flatten());
    PanelSet::from_text(stored.as_deref().unwrap_or("act"))
}

pub fn store_panels(panels: PanelSet) {
    store(PANELS_SLOT, &panels.to_text());
}

/// Whether a setting is on; it is unless `OFF` is stored.
fn is_on(slot: &str) -> bool {
    stored(slot).as_deref() != Some(OFF)
}

/// A stored text; `None` if it is empty.
fn stored(slot: &str) -> Option<String> {
    let storage = storage()?;
    storage.get_item(slot).ok().flatten().filter(|text| !text.is_empty())
}

fn store(slot: &str, text: &str) {
    if let Some(storage) = storage() {
        // Storage may be full or switched off; then the choice lasts as long as the page.
        let _ = storage.set_item(slot, text);
    }
}
