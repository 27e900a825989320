//! The program's log, on the error output: lines of text, or of JSON. main.rs starts it.
//!
//! The library logs through `tracing`; a test that wants its log installs a subscriber of its own.

use std::io;

use tracing::level_filters::LevelFilter;

/// What is logged, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSettings {
    pub(crate) level: LevelFilter,
    pub(crate) is_json: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { level: LevelFilter::INFO, is_json: false }
    }
}

pub(crate) fn start(settings: LogSettings) {
    let log = tracing_subscriber::fmt()
        .with_max_level(settings.level)
        .with_writer(io::stderr)
        .with_target(false)
        .with_ansi(false);
    if settings.is_json {
        log.json().flatten_event(true).init();
    } else {
        log.init();
    }
}
