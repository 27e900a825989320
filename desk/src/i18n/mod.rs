//! The texts of the page's own controls in each language: its toolbar, its panels and their
//! buttons, hints and headings. A language without one of them does not compile.

mod catalog_words;
mod chinese;
mod english;
mod export_words;
mod incident_words;
mod words;

pub use catalog_words::{HealthCheckWords, VersionWords};
pub use export_words::ExportWords;
pub use incident_words::{IncidentWords, LiveWords};
pub use words::{CheckWords, PastWords, ViewWords, Words, WorldWords};

use lictor_view::language::Language;

/// The texts in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}
