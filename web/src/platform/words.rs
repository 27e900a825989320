//! The words of each part in the language that the reader has chosen. Each function subscribes to
//! that choice.

use leptos::prelude::*;
use lictor_sandbox::console;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::language::Language;
use lictor_sandbox::{forms, lessons, share, timeline, view};

use super::settings::settings;

/// Selects a string in the language that the reader has chosen.
pub type Word = fn() -> &'static str;

/// The words of the page.
pub fn words() -> &'static Words {
    language().words()
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

/// The texts of the rows.
pub fn row_words() -> &'static view::Words {
    view::words(language())
}

/// The language as the components of one page read it. A signal has an entry for each subscriber
/// as long as the signal exists, so this one ends with its page.
#[derive(Clone, Copy)]
struct PageLanguage(Memo<Language>);

/// Provides the language to the components of a page.
pub fn provide_language() {
    provide_context(PageLanguage(Memo::new(|_| settings().language.get())));
}

/// The chosen language; subscribes. Outside of a page, as in an event handler, nothing follows it.
pub fn language() -> Language {
    match use_context::<PageLanguage>() {
        Some(PageLanguage(language)) => language.get(),
        None => settings().language.get_untracked(),
    }
}
