//! All that the sandbox page knows without a browser: what happened in the simulated world, what
//! the page shows of it as plain values, and what it says about it in each language. `lictor-web`
//! draws these values and sends back what people do.

pub mod actions;
pub mod announcer;
pub mod badge;
pub mod branch_diff;
pub mod console;
pub mod embed;
pub mod event_filter;
pub mod faults;
pub mod format;
pub mod fresh_world;
pub mod history;
pub mod i18n;
pub mod language;
pub mod pacer;
pub mod program_form;
pub mod request_log;
pub mod request_text;
pub mod settings;
pub mod share;
pub mod time_travel;
pub mod timeline;
pub mod tutorial;
pub mod view;
