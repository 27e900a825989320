//! The texts of each part of the page in the language that the reader has chosen. Each function
//! subscribes to that choice.

use leptos::prelude::*;
use lictor_desk::i18n::Words;
use lictor_desk::{console, forms, i18n, lessons, share};
use lictor_view::language::Language;
use lictor_view::{rows, timeline};

use super::settings::settings;

/// Selects a string in the language that the reader has chosen.
pub type Word = fn() -> &'static str;

/// The words of the page.
pub fn words() -> &'static Words {
    i18n::words(language())
}

pub fn console_words() -> &'static console::Words {
    console::words(language())
}

pub fn guide_words() -> &'static console::GuideWords {
    console::guide_words(language())
}

pub fn form_words() -> &'static forms::Words {
    forms::words(language())
}

pub fn lesson_words() -> &'static lessons::Words {
    lessons::words(language())
}

/// The words of links and files.
pub fn share_words() -> &'static share::Words {
    share::words(language())
}

pub fn saved_world_words() -> &'static share::SavedWorldWords {
    share::saved_world_words(language())
}

pub fn timeline_words() -> &'static timeline::Words {
    timeline::words(language())
}

/// The texts of rows and events.
pub fn row_words() -> &'static rows::Words {
    rows::words(language())
}

/// The language for the components of one page. A signal keeps an entry for each subscriber, so
/// components subscribe to this one, which ends with the page, and not to the setting.
#[derive(Clone, Copy)]
struct PageLanguage(Memo<Language>);

/// Provides the language to the components of a page.
pub fn provide_language() {
    provide_context(PageLanguage(Memo::new(|_| settings().language.get())));
}

/// The chosen language; subscribes, except outside of a component, as in an event handler.
pub fn language() -> Language {
    match use_context::<PageLanguage>() {
        Some(PageLanguage(language)) => language.get(),
        None => settings().language.get_untracked(),
    }
}
