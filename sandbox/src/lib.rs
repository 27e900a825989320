//! The model of the sandbox page, without a browser: the simulated world over time, the rows that
//! the page shows as plain values, and their texts in each language.

pub mod actions;
pub mod announcer;
pub mod badge;
pub mod card_texts;
pub mod console;
pub mod direction;
pub mod embed;
pub mod event_filter;
pub mod faults;
pub mod format;
pub mod forms;
pub mod fresh_world;
pub mod i18n;
pub mod language;
pub mod lessons;
pub mod next_up;
pub mod pacer;
pub mod programs;
pub mod request_text;
pub mod scripting;
pub mod settings;
pub mod share;
#[cfg(test)]
mod test_world;
pub mod time_travel;
pub mod timeline;
pub mod view;
