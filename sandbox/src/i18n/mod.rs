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

use crate::language::Language;

impl Language {
    /// The strings of the language.
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::Chinese => &chinese::WORDS,
        }
    }
}
