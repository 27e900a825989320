//! Finds the links of a chapter whose title names events or a setting of a demo, or a value in the
//! commands that follow:
//!
//! - `[60 s](#demo-ttl-twice "server A ends")` is the time of the first event with these words;
//! - `[33.5 s](#demo-NAME "web-1 crashes .. waiter believes")` is the time between two events;
//! - `[20 s](#demo-ttl-twice "ttl=20s|10s")` is a setting that the reader can change, which begins
//!   with the value of the script, and `[20 s](#demo-ttl-twice "ttl")` repeats its value;
//! - `[5 s](#commands "TTL=5s|10s")` is a part of the next commands that the reader can change.
//!
//! The text of such a link has to be the value of its title, so a wrong number fails the build.

use core::ops::Range;
use core::time::Duration;
use std::sync::LazyLock;

use lictor_view::language::Language;
use regex::Regex;

const BETWEEN: &str = " .. ";

/// A link with its text and its target.
pub(crate) struct Mention {
    /// The bytes of the link in the chapter.
    pub range: Range<usize>,
    pub line: usize,
    pub text: String,
    pub target: Target,
}

pub(crate) enum Target {
    Demo { name: String, place: Place },
    Commands(Setting),
}

/// What a link to a demo names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Words of two events, between which the time is measured. A title with one event has it
    /// twice, and its time is meant.
    Events(String, String),
    /// The present value of a setting.
    Value(String),
    /// A setting with its values.
    Setting(Setting),
}

/// An option of a script and its values; the script has the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub word: String,
    pub values: Vec<String>,
}

impl Mention {
    /// What the link names in this demo. `None` if it names another demo, or commands.
    pub(crate) fn place_in(&self, demo: &str) -> Option<&Place> {
        match &self.target {
            Target::Demo { name, place } => Some(place).filter(|_| name == demo),
            Target::Commands(_) => None,
        }
    }
}

/// The links of a chapter to a demo or to commands, if they have a title, in the chapter's order.
pub(crate) fn mentions(text: &str) -> Vec<Mention> {
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        let link = r#"\[([^\[\]]+)\]\(#(commands|demo-[a-z0-9.-]+)[ \n]+"([^"]*)"\)"#;
        Regex::new(link).expect("a regular expression")
    });
    let mention = |found: regex::Captures<'_>| {
        let range = found.get(0).map(|whole| whole.range()).unwrap_or_default();
        let title = found[3].split_whitespace().collect::<Vec<_>>().join(" ");
        let target = match found[2].strip_prefix("demo-") {
            Some(name) => Target::Demo { name: name.to_owned(), place: place(&title) },
            None => Target::Commands(setting(&title)),
        };
        let line = 1 + text[..range.start].matches('\n').count();
        Mention { range, line, text: found[1].to_owned(), target }
    };
    LINK.captures_iter(text).map(mention).collect()
}

fn place(title: &str) -> Place {
    if title.contains('|') {
        return Place::Setting(setting(title));
    }
    match title.split_once(BETWEEN) {
        Some((from, to)) => Place::Events(from.to_owned(), to.to_owned()),
        None if title.contains(' ') => Place::Events(title.to_owned(), title.to_owned()),
        None => Place::Value(title.to_owned()),
    }
}

/// Reads `ttl=20s|10s`.
fn setting(title: &str) -> Setting {
    let (word, values) = title.split_once('=').unwrap_or(("", title));
    Setting { word: word.to_owned(), values: values.split('|').map(str::to_owned).collect() }
}

/// A span of time as a sentence has it.
pub(crate) fn span_in_words(span: Duration, language: Language) -> String {
    let seconds = format!("{:.3}", span.as_secs_f64());
    let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
    format!("{seconds} {}", unit("s", language))
}

/// The value of an option as a sentence has it: `20s` is "20 s".
pub(crate) fn value_in_words(value: &str, language: Language) -> String {
    let digits = value.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(value.len());
    match value.split_at(digits) {
        (number, "s") => format!("{number} {}", unit("s", language)),
        (number, "m") => format!("{number} {}", unit("m", language)),
        (number, "h") => format!("{number} {}", unit("h", language)),
        _ => value.to_owned(),
    }
}

/// An option of a script as sentences name it.
pub(crate) fn option_in_words(word: &str, language: Language) -> &str {
    match (word, language) {
        ("ttl", _) => "TTL",
        ("delay", _) => "LockDelay",
        ("limit", Language::English) => "Limit",
        ("limit", Language::Chinese) => "上限",
        (word, _) => word,
    }
}

pub(crate) fn unit(short: &'static str, language: Language) -> &'static str {
    match (short, language) {
        (short, Language::English) => short,
        ("s", Language::Chinese) => "秒",
        ("m", Language::Chinese) => "分钟",
        (_, Language::Chinese) => "小时",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_events_values_or_settings_by_its_title() {
        let text = "It ends at [60 s](#demo-ttl-twice \"server A ends\"), with\n\
            [20 s](#demo-ttl-twice\n\"ttl=20s|10s\") and [20 s](#demo-ttl-twice \"ttl\"), or\n\
            [40 s](#demo-x \"20.000s a .. server A ends\"). [a](#demo-x) [b](c.md \"title\")";
        let found = mentions(text);
        assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let places: Vec<_> = found
            .iter()
            .map(|it| match &it.target {
                Target::Demo { place, .. } => place.clone(),
                Target::Commands(_) => panic!("a demo"),
            })
            .collect();
        let setting = Setting { word: "ttl".into(), values: vec!["20s".into(), "10s".into()] };
        let events = |from: &str, to: &str| Place::Events(from.into(), to.into());
        let expected = [
            events("server A ends", "server A ends"),
            Place::Setting(setting),
            Place::Value("ttl".into()),
            events("20.000s a", "server A ends"),
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn spans_and_values_have_the_unit_of_the_language() {
        let span = Duration::from_millis(33_500);
        assert_eq!(span_in_words(span, Language::English), "33.5 s");
        assert_eq!(span_in_words(Duration::from_secs(60), Language::Chinese), "60 秒");
        assert_eq!(value_in_words("24h", Language::Chinese), "24 小时");
        assert_eq!(value_in_words("5s", Language::English), "5 s");
        assert_eq!(value_in_words("2", Language::English), "2");
    }
}
