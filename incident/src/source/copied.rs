//! What a terminal prints and breaks into rows, and what programs that show logs make of a line:
//! key tables, lists in rows, and lines of Consul inside those of others.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::Reader;
use crate::clock_time::{self, TimedLine};
use crate::lists::{self, List};
use crate::log::{self, LogLine};
use crate::{foreign_line, key_table, wrapped};

/// The mark in a request for the values of `consul kv get` in base64.
const BASE64: &str = "-base64";
/// The commands with which people get lists and lines of a log.
const COMMANDS: [&str; 16] = [
    "curl",
    "wget",
    "http",
    "consul",
    "cat",
    "tail",
    "head",
    "less",
    "grep",
    "zgrep",
    "journalctl",
    "kubectl",
    "docker",
    "ssh",
    "date",
    "jq",
];

/// Whether a line is a prompt with a command, whose output follows.
pub(super) fn is_command(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_mark = |word: &str| word.ends_with(['$', '#', '%', '>', '❯']);
    if !words.by_ref().take(PROMPT_WORDS).any(is_mark) {
        return false;
    }
    let command = words.find(|word| *word != "sudo").map(|word| word.trim_end_matches(';'));
    command.is_some_and(|command| COMMANDS.contains(&command))
}

/// The mark of a prompt ends one of its first words.
const PROMPT_WORDS: usize = 3;

impl Reader<'_> {
    /// Reads the table of a key at the beginning of a text, and returns its length.
    pub(super) fn key_table(&mut self, rest: &str, number: usize) -> Option<usize> {
        let is_base64 = self.command.is_some_and(|command| command.contains(BASE64));
        let table = key_table::read(rest, is_base64)?;
        self.end_skipped();
        match table {
            Ok((key, length)) => {
                let text = alloc::format!("Key {}", key.key);
                self.list(List::Keys([key].into()), true, number, &text);
                Some(length)
            }
            Err(reason) => {
                self.refuse(number, &reason);
                Some(rest.find('\n').map_or(rest.len(), |end| end + 1))
            }
        }
    }

    /// Reads a list that a terminal broke into rows, and returns its length.
    pub(super) fn list_in_rows(
        &mut self,
        place: usize,
        rest: &str,
        number: usize,
    ) -> Option<usize> {
        if place < self.unclosed {
            return None;
        }
        let (json, length) = match wrapped::json(rest) {
            Ok(joined) => joined,
            Err(length) => {
                self.unclosed = place + length;
                return None;
            }
        };
        self.unclosed = place + length;
        let json: &RawValue = serde_json::from_str(&json).ok()?;
        let list = lists::recognize(json).ok().flatten()?;
        self.end_skipped();
        let text = json.get().chars().take(ROW_MAX).collect::<String>();
        let is_object = json.get().starts_with('{');
        self.list(list, is_object, number, &text);
        if !is_object {
            self.end_answer();
        }
        Some(length)
    }

    /// Reads a line of Consul that a terminal broke into rows, and returns the length of the rows
    /// after the first one.
    pub(super) fn line_in_rows(&mut self, first: &str, rest: &str, number: usize) -> Option<usize> {
        let row = self.row.filter(|row| wrapped::width(first) == *row)?;
        log::parse_text(first)?;
        let may_continue = |line: &str| {
            !line.is_empty()
                && log::parse_text(line).is_none()
                && clock_time::at_start(line).is_none()
                && !super::may_be_json(line)
        };
        let (joined, length) = wrapped::line(first, rest, row, may_continue)?;
        let parsed = log::parse_text(&joined)?;
        self.end_skipped();
        self.log_line(parsed, &joined, number);
        Some(length)
    }

    /// The line of Consul in a line of another program.
    pub(super) fn foreign_line(&self, line: &str) -> Option<LogLine> {
        let in_text = foreign_line::consul_line(line, self.near);
        in_text.and_then(|line| log::parse_text(&line)).or_else(|| json_line(line))
    }

    /// Whether JSON is an answer to a request for the names of keys.
    pub(super) fn are_key_names(&self, json: &RawValue) -> bool {
        let is_named = matches!(super::list_in(&self.content.name), Some("kv" | "key"));
        (is_named || self.command.is_some_and(|command| command.contains("keys")))
            && serde_json::from_str::<Vec<String>>(json.get()).is_ok()
    }

    /// Reads the lines of Consul in JSON that is no list. Returns whether there are any.
    pub(super) fn lines_in_json(&mut self, json: &str, number: usize) -> bool {
        let found = foreign_line::lines_in_json(json, self.near);
        // Containers and journald write each line; other records are the result of a search.
        let is_written =
            ["\"stream\"", "\"__REALTIME_TIMESTAMP\""].iter().any(|it| json.contains(it));
        self.content.is_picked |= !found.is_empty() && !is_written;
        for (place, text) in &found {
            let json = || serde_json::from_str(text.trim()).ok();
            let line = log::parse_text(text).or_else(|| log::parse_json(&json()?));
            if let Some(line) = line {
                self.end_skipped();
                self.log_line(line, text, number + place);
            }
        }
        !found.is_empty()
    }
}

/// The line of Consul in JSON after what another program writes before it.
fn json_line(line: &str) -> Option<LogLine> {
    log::parse_json(&json_of_log(line)?)
}

fn json_of_log(line: &str) -> Option<serde_json::Value> {
    serde_json::from_str(&line[line.find("{\"@")?..]).ok()
}

/// Whether a line of a log in JSON lacks its end.
pub(super) fn is_cut_json(line: &str) -> bool {
    line.contains("\"@level\":") && json_of_log(line).is_none()
}

/// The name of the file that follows, as `head` and `tail` write it between files.
pub(super) fn file_name(line: &str) -> Option<&str> {
    line.strip_prefix("==> ")?.strip_suffix(" <==")
}

/// What `grep -A` and `grep -C` write between groups of lines.
pub(super) const GREP_GAP: &str = "--";

/// Whether a line has the number or the file before it that `grep -n` and `grep -H` write.
pub(super) fn is_of_grep(line: &str) -> bool {
    let is_begin =
        |place: &usize| line[*place..].starts_with("20") || line[*place..].starts_with('{');
    let begin = line.char_indices().map(|(place, _)| place).find(is_begin);
    let before = begin.map_or("", |begin| &line[..begin]);
    before.len() > 1 && before.ends_with([':', '-']) && !before.contains(char::is_whitespace)
}

/// No time with what such a program puts around it is longer.
const LONGEST_TIME: usize = 64;
/// How much of a list in rows is shown as the line that a statement rests on.
const ROW_MAX: usize = 200;

/// Whether a line has a member of an object in JSON, or ends one.
pub(super) fn is_part_of_json(line: &str) -> bool {
    let line = line.trim();
    let is_member = || line.contains("\": ") || line.contains("\":\"");
    let is_end = line.starts_with(['}', ']']) && line.ends_with(['}', ']', ',']);
    is_end || line.ends_with([',', '{', '[', '"']) && is_member()
}

/// Whether a line has nothing but a time.
pub(super) fn is_only(line: &TimedLine<'_>) -> bool {
    is_of_date(line.text) || has_nothing_around(line)
}

/// Whether a line is the output of `date`: `Sat Nov 28 23:34:56 UTC 2026`.
fn is_of_date(line: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let is_year = |word: &&str| word.len() == 4 && word.bytes().all(|it| it.is_ascii_digit());
    matches!(words.len(), 5..=7) && DAYS.contains(&words[0]) && words.last().is_some_and(is_year)
}

fn has_nothing_around(line: &TimedLine<'_>) -> bool {
    let around = [&line.text[..line.time_place.start], &line.text[line.time_place.end..]];
    around.iter().all(|text| !text.contains(char::is_alphanumeric))
}

/// Whether a line is only the time that a program that shows logs has in a column before a line.
fn is_time_of_viewer(line: &str) -> bool {
    let short = Some(line).filter(|line| line.len() <= LONGEST_TIME);
    let timed = short.and_then(|line| TimedLine::new(0, line)).filter(has_nothing_around);
    timed.is_some_and(|timed| clock_time::is_of_viewer(&line[timed.time_place]))
}

/// Whether a line is a row of a table that a program that shows logs has exported or shown, with
/// its own time before the line. Such a table is the result of a search.
pub(super) fn is_of_table(line: &str) -> bool {
    if line.contains(",\"") || line.contains("\",") {
        return true;
    }
    let found = clock_time::at_start(line).filter(|_| !line.starts_with("20"));
    found.is_some_and(|(_, rest)| clock_time::is_of_viewer(&line[..line.len() - rest.len()]))
}

/// The length of the second line of a record, which has the message; 0 for other lines. Records of
/// two lines are those of java.util.logging and of tables that have the time in a column:
///
/// ```text
/// Nov 20, 2026 9:10:57 AM org.example.Leader onLock
/// INFO: acquired lock
/// ```
pub(super) fn message_line(first: &str, rest: &str) -> usize {
    let next = rest.lines().next().unwrap_or_default();
    if is_time_of_viewer(first) && !next.trim().is_empty() && !super::may_be_json(next.trim_start())
    {
        return rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    let levels = ["SEVERE: ", "WARNING: ", "INFO: ", "CONFIG: ", "FINE: ", "FINER: ", "FINEST: "];
    let is_message = levels.iter().any(|level| rest.starts_with(level));
    let is_head = || {
        let begins = first.starts_with(|it: char| it.is_ascii_uppercase());
        let after = clock_time::at_start(first).filter(|_| begins).map(|(_, rest)| rest);
        after.is_some_and(|after| after.split_whitespace().count() == 2)
    };
    if !is_message || !is_head() {
        return 0;
    }
    rest.find('\n').map_or(rest.len(), |end| end + 1)
}
