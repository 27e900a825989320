//! The forms that begin or change something in a world: their fields, and what is wrong with them.

pub mod act_form;
pub mod cut_form;
pub mod program_form;
mod words;

pub use words::{ActFormWords, CutFormWords, ProgramFormWords, Words, words};
