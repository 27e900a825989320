//! A line of the log, and its forms as text and as JSON, which are byte for byte those of `hclog`,
//! the logger of Consul.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use jiff::Zoned;
use lictor_core::id::is_printable;
use lictor_core::json;
use lictor_core::message::LogLevel;
use serde::Serialize;

/// A line of the log of a server.
///
/// Its text is that of Consul's log: `2026-11-25T00:30:56.223Z [DEBUG] agent.server: Session TTL
/// expired: session=42323d93-b9fb-14dc-ba3f-3367f3feb108`.
#[derive(Clone, Debug)]
pub struct LogLine {
    date: Zoned,
    level: LogLevel,
    module: &'static str,
    message: &'static str,
    fields: Vec<(&'static str, FieldValue)>,
}

/// The value of a field of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FieldValue {
    /// A text.
    Text(String),
    /// A number.
    Number(u64),
}

impl LogLine {
    /// A line of the current time, without fields.
    pub fn new(level: LogLevel, module: &'static str, message: &'static str) -> Self {
        Self::dated(Zoned::now(), level, module, message)
    }

    pub(crate) fn dated(
        date: Zoned,
        level: LogLevel,
        module: &'static str,
        message: &'static str,
    ) -> Self {
        Self { date, level, module, message, fields: Vec::new() }
    }

    /// Adds a field after the others.
    pub fn with(mut self, name: &'static str, value: impl Into<FieldValue>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// When it was written.
    pub fn time(&self) -> SystemTime {
        self.date.timestamp().into()
    }

    /// Its severity.
    pub fn level(&self) -> LogLevel {
        self.level
    }

    /// The part of the server that wrote it, such as `agent.server`; `lictor` for lines that Consul
    /// does not have.
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// What happened.
    pub fn message(&self) -> &'static str {
        self.message
    }

    /// The value of a field; `None` if the line has no such field.
    pub fn field(&self, name: &str) -> Option<&FieldValue> {
        self.fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The line as JSON, as Consul writes it with `log_json`.
    pub fn to_json(&self) -> String {
        let date = self.stamp("%Y-%m-%dT%H:%M:%S%.6f", "%:z");
        let level = level_name(self.level).trim_end().to_lowercase();
        let head = [
            ("@level", level),
            ("@message", self.message.into()),
            ("@module", self.module.into()),
            ("@timestamp", date),
        ];
        let head = head.map(|(name, text)| (name, FieldValue::Text(text)));
        let members: BTreeMap<_, _> = head.into_iter().chain(self.fields.iter().cloned()).collect();
        String::from_utf8_lossy(&json::to_go_bytes(&members)).trim_end().into()
    }

    /// The message with its fields.
    pub(crate) fn text(&self) -> String {
        let fields = self.fields.iter().map(|(name, value)| field_text(name, value));
        let fields = fields.collect::<String>();
        let colon = if fields.is_empty() { "" } else { ":" };
        format!("{}{colon}{fields}", self.message)
    }

    /// The date; the zone is `Z` in UTC, as in Go.
    fn stamp(&self, format: &str, zone: &str) -> String {
        let zone = if self.date.offset().is_zero() { "Z" } else { zone };
        self.date.strftime(&format!("{format}{zone}")).to_string()
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.stamp("%Y-%m-%dT%H:%M:%S%.3f", "%z");
        let level = format!("[{}]", level_name(self.level));
        write!(f, "{date} {level:7} {}: {}", self.module, self.text())
    }
}

impl From<String> for FieldValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for FieldValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "ERROR",
        LogLevel::Warn => "WARN",
        LogLevel::Info => "INFO",
        LogLevel::Debug => "DEBUG",
        LogLevel::Trace => "TRACE",
    }
}

/// A field as text. A value of several lines is written below its name; another one is quoted,
/// unless it has plain characters only.
fn field_text(name: &str, value: &FieldValue) -> String {
    let text = match value {
        FieldValue::Number(number) => return format!(" {name}={number}"),
        FieldValue::Text(text) if text.is_empty() => return format!(" {name}=\"\""),
        FieldValue::Text(text) => text,
    };
    let is_plain = |c: char| ('-'..='~').contains(&c);
    if text.contains('\n') {
        let lines = text.split_terminator('\n').map(|line| format!("  | {}\n", escaped(line)));
        format!("\n  {name}=\n{}  ", lines.collect::<String>())
    } else if text.chars().all(is_plain) {
        format!(" {name}={text}")
    } else {
        format!(" {name}=\"{}\"", escaped(text).replace('"', "\\\""))
    }
}

/// Escapes characters that cannot be printed. Unlike in a quoted text of Go, a backslash is kept.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            c if is_printable(c) => escaped.push(c),
            '\u{7}' => escaped.push_str("\\a"),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{b}' => escaped.push_str("\\v"),
            '\u{c}' => escaped.push_str("\\f"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c => escaped.push_str(&match u32::from(c) {
                code @ ..0x20 => format!("\\x{code:02x}"),
                code @ ..0x1_0000 => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use jiff::tz::{Offset, TimeZone};
    use jiff::{SignedDuration, Timestamp};

    use super::*;

    /// A quarter of a second after three o'clock in UTC.
    fn line(hours_east: i8, level: LogLevel) -> LogLine {
        let zone = TimeZone::fixed(Offset::constant(hours_east));
        let date = Timestamp::UNIX_EPOCH + SignedDuration::from_millis(3 * 3_600_000 + 250);
        LogLine::dated(date.to_zoned(zone), level, "agent.http", "Request finished")
    }

    #[test]
    fn a_text_is_written_as_hclog_writes_it() {
        for (level, text) in [
            (LogLevel::Error, "1970-01-01T03:00:00.250Z [ERROR] agent.http: Request finished"),
            (LogLevel::Warn, "1970-01-01T03:00:00.250Z [WARN]  agent.http: Request finished"),
            (LogLevel::Info, "1970-01-01T03:00:00.250Z [INFO]  agent.http: Request finished"),
            (LogLevel::Debug, "1970-01-01T03:00:00.250Z [DEBUG] agent.http: Request finished"),
            (LogLevel::Trace, "1970-01-01T03:00:00.250Z [TRACE] agent.http: Request finished"),
        ] {
            assert_eq!(line(0, level).to_string(), text);
        }
        let east = line(2, LogLevel::Info).to_string();
        assert!(east.starts_with("1970-01-01T05:00:00.250+0200 [INFO]"), "{east}");
    }

    /// Recorded from Consul 1.22.7: keys of locks, and URLs.
    #[test]
    fn values_are_quoted_as_hclog_quotes_them() {
        for (value, written) in [
            ("k/1", " key=k/1"),
            ("/v1/kv/k?acquire=1", " key=/v1/kv/k?acquire=1"),
            ("/v1/kv/k?stale&wait=1s", " key=\"/v1/kv/k?stale&wait=1s\""),
            ("with space\"q", " key=\"with space\\\"q\""),
            ("café", " key=\"café\""),
            ("c\\d\u{1}", " key=\"c\\d\\x01\""),
            ("120.379µs", " key=\"120.379µs\""),
            ("\u{7f}\u{e0001}\t", " key=\"\\u007f\\U000e0001\\t\""),
            ("", " key=\"\""),
            ("a\nb", "\n  key=\n  | a\n  | b\n  "),
        ] {
            let line = line(0, LogLevel::Warn).with("key", value).with("count", 7);
            assert_eq!(line.text(), format!("Request finished:{written} count=7"));
        }
    }

    #[test]
    fn json_has_the_members_of_hclog_in_the_order_of_their_names() {
        let line = line(2, LogLevel::Warn).with("url", "/?token=<hidden>").with("count", 7);
        let json = "{\"@level\":\"warn\",\"@message\":\"Request finished\",\
                    \"@module\":\"agent.http\",\
                    \"@timestamp\":\"1970-01-01T05:00:00.250000+02:00\",\"count\":7,\
                    \"url\":\"/?token=\\u003chidden\\u003e\"}";
        assert_eq!(line.to_json(), json);
    }
}
