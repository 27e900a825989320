//! The labels of the page in each language. A missing translation does not compile.

mod catalog_words;
mod chinese;
mod english;
mod export_words;
mod incident_words;
mod words;

pub use catalog_words::{HealthCheckWords, VersionWords};
pub use export_words::ExportWords;
pub use incident_words::IncidentWords;
pub use words::{CheckWords, PastWords, ViewWords, Words, WorldWords};

use lictor_view::language::Language;

/// The strings of a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}
