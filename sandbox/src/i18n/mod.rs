//! Every string of the page in every language; a missing translation does not compile. The
//! sentences that explain events and their reasons are only here. `words`, `learn_words`,
//! `catalog_words` and `console_words` are the table, with one folder for each language. Consul's
//! own texts (errors, keys, paths) are never translated.

mod catalog_words;
mod chinese;
mod console_words;
mod english;
mod learn_words;
mod saved_world_words;
mod words;

pub use catalog_words::{HealthCheckWords, VersionWords};
pub use console_words::{ConsoleWords, GuideWords};
pub use learn_words::LearnWords;
pub use saved_world_words::SavedWorldWords;
pub use words::{CheckWords, PastWords, ShareWords, ViewWords, Word, Words, WorldWords};

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
