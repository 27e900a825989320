//! The log of the program on its error output, as text or as JSON.

use std::io::{self, Write};

use lictor_agent::{LogLevel, LogLine};

/// The level of the lines that are logged, and their form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSettings {
    pub(crate) level: LogLevel,
    pub(crate) is_json: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { level: LogLevel::Info, is_json: false }
    }
}

impl LogSettings {
    /// Prints a line. A failure is ignored: the log is the only place to report it.
    pub(crate) fn print(self, line: &LogLine) {
        let text = if self.is_json { line.to_json() } else { line.to_string() };
        let _ = io::stderr().write_all((text + "\n").as_bytes());
    }

    /// Logs a warning that a setting has no effect.
    pub(crate) fn without_effect(self, name: &str) {
        if self.level >= LogLevel::Warn {
            let line = LogLine::new(LogLevel::Warn, "lictor", "setting has no effect");
            self.print(&line.with("name", name));
        }
    }
}
