//! What a person does with a world, without a browser: the console and the guides that run in it,
//! lessons, forms for acts, saved worlds and links, and their words in each language.

pub mod actions;
pub mod address;
pub mod console;
pub mod direction;
pub mod embed;
pub mod examples;
pub mod faults;
pub mod forms;
pub mod i18n;
pub mod incident_texts;
pub mod lessons;
pub mod open_panels;
pub mod programs;
#[cfg(test)]
mod rebuilt_incidents;
pub mod scripting;
pub mod share;
