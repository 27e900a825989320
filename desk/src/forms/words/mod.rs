//! The strings of the forms in each language.

mod chinese;
mod english;

use lictor_sim::{CutDirection, CutMode};
use lictor_view::language::Language;

use super::act_form::{ActFormError, ActParam};
use super::cut_form::CutFormError;
use super::program_form::ProgramFormError;
use crate::programs::StartError;

type Text = &'static str;

/// The strings of the forms in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The strings of each form in one language.
pub struct Words {
    pub act: ActFormWords,
    pub cut: CutFormWords,
    pub program: ProgramFormWords,
}

/// The form that edits, moves or removes a recorded act, in one language.
pub struct ActFormWords {
    pub heading_of: fn(&str) -> String,
    pub intro: Text,
    pub replay: Text,
    pub remove: Text,
    pub param: fn(ActParam) -> Text,
    pub error: fn(&ActFormError) -> String,
}

/// The form that cuts the network of a client, in one language.
pub struct CutFormWords {
    pub heading_of: fn(&str) -> String,
    pub mode: Text,
    /// The name of a mode, and what it does.
    pub modes: fn(CutMode) -> (Text, Text),
    pub way: Text,
    pub ways: fn(CutDirection) -> Text,
    pub until: Text,
    pub no_end: Text,
    pub cut_now: Text,
    pub change: Text,
    pub cancel: Text,
    pub heal: Text,
    pub error: fn(&CutFormError) -> String,
}

/// The form that starts a program of a client, and the list of its programs, in one language.
pub struct ProgramFormWords {
    pub heading_of: fn(&str) -> String,
    pub kind: Text,
    /// A sentence that describes the programs of a kind.
    pub about: fn(&str) -> Text,
    pub error: fn(&ProgramFormError) -> String,
    pub start_error: fn(&StartError) -> String,
    pub more_options: Text,
    pub start: Text,
    pub stop: Text,
    /// The note on a LockDelay of 0 that is not sent.
    pub unsent_zero: Text,
    /// The note on a form whose program cannot be started, with the reason.
    pub why_not: fn(&str) -> String,
}
