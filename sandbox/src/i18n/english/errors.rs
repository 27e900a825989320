//! What is wrong with an act or with the words of a program, in English.

use lictor_sim::ActError;
use lictor_sim::journal::LinkError;
use lictor_sim::trace::WordsError;

use super::PAST;
use crate::act_form::{ActFormError, ActParam};
use crate::format::clock;
use crate::programs::StartError;
use crate::time_travel::EditError;

/// The errors of the simulation have their English words with them.
pub(super) fn words_error(error: &WordsError) -> String {
    match error {
        WordsError::Value { name, text, kind: "value" } => {
            format!("{text:?} is not a value of {name}")
        }
        WordsError::Value { name, text, kind: "span" } => {
            format!("{name}: {text:?} is not a duration such as 1.5s")
        }
        WordsError::Program { error, .. } => error.to_string(),
        error => error.to_string(),
    }
}

pub(super) fn act_error(error: &ActError) -> String {
    error.to_string()
}

pub(super) fn start_error(error: &StartError) -> String {
    match error {
        StartError::Options(error) => words_error(error),
        StartError::Act(error) => act_error(error),
    }
}

pub(super) fn act_form_error(error: &ActFormError) -> String {
    match error {
        ActFormError::Duration { param, error } => {
            format!("{}: {error}. Write it like 15s.", (PAST.act_param)(*param))
        }
        ActFormError::Missing(param) => format!("{} is missing", (PAST.act_param)(*param)),
        ActFormError::Time => {
            format!("{}: write a number like 12.5", (PAST.act_param)(ActParam::Time))
        }
        ActFormError::Edit(EditError::NoSuchAct) => "this action is no longer there".into(),
        ActFormError::Edit(EditError::NoSuchTime { begin, end }) => {
            format!(
                "{}: from {} to {}",
                (PAST.act_param)(ActParam::Time),
                clock(*begin),
                clock(*end)
            )
        }
        ActFormError::Edit(EditError::Words(error)) => words_error(error),
        ActFormError::Edit(EditError::Act(error)) => act_error(error),
    }
}

pub(super) fn no_link(error: &LinkError) -> String {
    match error {
        LinkError::NoSeed => {
            "The beginning of this past is no longer kept, so no link can contain \
                              it. Save it as a file instead."
                .into()
        }
        error => format!("There is no link to this world ({error}). Save it as a file instead."),
    }
}
