//! Every string of the page in every language. The sentences that explain what happened and why are
//! here and nowhere else. `words` and `console_words` are the table, with one folder for each
//! language; Consul's own texts (errors, keys, paths) are never translated.

mod chinese;
mod console_words;
mod english;
mod words;

pub use console_words::{ConsoleWords, GuideWords};
pub use words::{
    CheckWords, KeepWords, LearnWords, PastWords, SERVER, ShareWords, ViewWords, Word, Words,
    WorldWords,
};

use crate::language::Language;

impl Language {
    /// The words of the language.
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::Chinese => &chinese::WORDS,
        }
    }
}
