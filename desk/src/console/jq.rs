//! `| jq` with paths, as guides use it to take one field of an answer: `jq`, `jq -r .ID`,
//! `jq -r '.[0].Value | @base64d'`. Output and errors are those of jq 1.6, but large numbers have
//! no exponent. Filters other than paths are refused.

use lictor_core::json::{Json, first_value};
use serde::{Deserialize, Serialize};

use super::base64_text::jq_decoded;
use super::kv_output::ErrorStream;
use super::word::Token;

/// A path into a JSON answer, and the form in which jq prints what it finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JqFilter {
    steps: Vec<PathStep>,
    /// `-r`: texts are printed without quotes.
    is_raw: bool,
    /// `-S`: the members of an object are sorted.
    is_sorted: bool,
    indent: Indent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Indent {
    /// `-c`: each result is one line.
    Compact,
    Tab,
    Spaces(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PathStep {
    place: PathPlace,
    /// `?`: a value that has no such place is left out without an error.
    is_optional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PathPlace {
    Member(String),
    Item(usize),
    /// `[]`: each item of a list or each value of an object.
    Each,
    /// `@base64d`.
    Decoded,
}

/// The output of jq.
pub(super) struct JqOutput {
    /// The results, each of which is on a line of its own.
    pub(super) results: Vec<String>,
    /// The error that ends them.
    pub(super) error: Option<String>,
}

/// jq's own indentation.
const INDENT: Indent = Indent::Spaces(2);
/// The most spaces for each level that jq accepts.
const INDENT_MAX: usize = 7;

/// The most bytes of a value in an error.
const QUOTED_MAX: usize = 14;

impl JqFilter {
    /// Reads the words after the pipe. `None` if they are no call of jq that this module supports.
    pub(super) fn read(words: &[Token]) -> Option<Self> {
        let mut words = words.iter();
        words.next().filter(|program| program.text == "jq")?;
        let mut filter =
            Self { steps: Vec::new(), is_raw: false, is_sorted: false, indent: INDENT };
        let mut path = None;
        while let Some(word) = words.next() {
            match word.text.as_str() {
                "--raw-output" => filter.is_raw = true,
                "--compact-output" => filter.indent = Indent::Compact,
                "--sort-keys" => filter.is_sorted = true,
                "--tab" => filter.indent = Indent::Tab,
                "--indent" => {
                    let spaces = words.next().and_then(|it| it.text.parse().ok());
                    let spaces = spaces.filter(|spaces| *spaces <= INDENT_MAX);
                    filter.indent = match spaces? {
                        0 => Indent::Compact,
                        spaces => Indent::Spaces(spaces),
                    };
                }
                // The colours and the exit status change nothing here.
                "--monochrome-output" | "--color-output" | "--exit-status" => {}
                text if text.starts_with('-') && text.len() > 1 => {
                    filter.switches(&text[1..])?;
                }
                _ if path.is_none() => path = Some(word),
                _ => return None,
            }
        }
        let text = path.map_or(".", |path| path.text.as_str());
        filter.steps = read_path(text)?;
        Some(filter)
    }

    /// Sets the options of a word of letters such as `-rc`. `None` if a letter is unknown.
    fn switches(&mut self, letters: &str) -> Option<()> {
        for letter in letters.chars() {
            match letter {
                'r' => self.is_raw = true,
                'c' => self.indent = Indent::Compact,
                'S' => self.is_sorted = true,
                'M' | 'C' | 'e' => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// The output of jq for a text.
    pub(super) fn apply(&self, body: &[u8]) -> JqOutput {
        let text = String::from_utf8_lossy(body);
        let mut output = JqOutput { results: Vec::new(), error: None };
        if text.trim().is_empty() {
            return output;
        }
        output.error = literal_error(&text);
        if output.error.is_some() {
            return output;
        }
        let Ok(json) = first_value(body) else {
            let end = Position::end_of(&text);
            output.error = Some(format!("parse error: Unfinished JSON term at EOF at {end}"));
            return output;
        };
        if let Err(error) = self.results(json, &self.steps, &mut output.results) {
            // jq reports the number of line breaks that it has read: one after the value, at most.
            let trimmed = text.trim_end().len();
            let read = text[trimmed..].find('\n').map_or(trimmed, |end| trimmed + end + 1);
            let line = text[..read].matches('\n').count();
            output.error = Some(format!("jq: error (at <stdin>:{line}): {error}"));
        }
        output
    }

    /// Adds the results for a value, up to the first error.
    fn results(
        &self,
        json: Json,
        steps: &[PathStep],
        lines: &mut Vec<String>,
    ) -> Result<(), String> {
        let Some((step, rest)) = steps.split_first() else {
            lines.push(self.printed(&json));
            return Ok(());
        };
        match step.place.values_in(json) {
            Ok(found) => {
                let mut found = found.into_iter();
                let results = found.try_for_each(|json| self.results(json, rest, lines));
                // In jq 1.6, the `?` after a format also drops the errors of the steps after it.
                if step.is_optional && step.place == PathPlace::Decoded { Ok(()) } else { results }
            }
            Err(_) if step.is_optional => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn printed(&self, json: &Json) -> String {
        match json {
            Json::Text(text) if self.is_raw => text.clone(),
            other => {
                let mut line = String::new();
                self.write(other, 0, &mut line);
                line
            }
        }
    }

    fn write(&self, json: &Json, depth: usize, line: &mut String) {
        match json {
            Json::Array(items) => {
                self.write_all(['[', ']'], items, depth, line, |item, line| {
                    self.write(item, depth + 1, line);
                });
            }
            Json::Object(members) => {
                let mut members: Vec<&(String, Json)> = members.iter().collect();
                if self.is_sorted {
                    members.sort_by(|one, other| one.0.cmp(&other.0));
                }
                self.write_all(['{', '}'], &members, depth, line, |(name, value), line| {
                    let colon = if self.indent == Indent::Compact { ":" } else { ": " };
                    *line += &(quoted(name) + colon);
                    self.write(value, depth + 1, line);
                });
            }
            other => *line += &scalar(other),
        }
    }

    fn write_all<T>(
        &self,
        [open, close]: [char; 2],
        items: &[T],
        depth: usize,
        line: &mut String,
        write: impl Fn(&T, &mut String),
    ) {
        line.push(open);
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                line.push(',');
            }
            self.break_line(depth + 1, line);
            write(item, line);
        }
        if !items.is_empty() {
            self.break_line(depth, line);
        }
        line.push(close);
    }

    fn break_line(&self, depth: usize, line: &mut String) {
        match self.indent {
            Indent::Compact => {}
            Indent::Tab => *line += &format!("\n{}", "\t".repeat(depth)),
            Indent::Spaces(count) => *line += &format!("\n{}", " ".repeat(count * depth)),
        }
    }
}

impl JqOutput {
    /// The results as lines, and the error unless the error stream is dropped.
    pub(super) fn printed(mut self, errors: ErrorStream) -> String {
        if errors != ErrorStream::Dropped {
            self.results.extend(self.error);
        }
        self.results.join("\n")
    }
}

impl PathPlace {
    /// The values at this place of a value. Fails with jq's error if the value has no such place.
    fn values_in(&self, json: Json) -> Result<Vec<Json>, String> {
        let kind = kind(&json);
        Ok(match (self, json) {
            (Self::Member(name), json @ Json::Object(_)) => {
                vec![json.member(name).cloned().unwrap_or(Json::Null)]
            }
            (Self::Item(index), Json::Array(items)) => {
                vec![items.into_iter().nth(*index).unwrap_or(Json::Null)]
            }
            (Self::Member(_) | Self::Item(_), Json::Null) => vec![Json::Null],
            (Self::Each, Json::Array(items)) => items,
            (Self::Each, Json::Object(members)) => {
                members.into_iter().map(|(_, value)| value).collect()
            }
            (Self::Decoded, json) => {
                let text = as_text(&json);
                let decoded = jq_decoded(&text)
                    .map_err(|error| format!("string ({}) {error}", cut(&quoted(&text))))?;
                vec![Json::Text(decoded)]
            }
            (Self::Member(name), _) => {
                return Err(format!("Cannot index {kind} with string \"{name}\""));
            }
            (Self::Item(_), _) => return Err(format!("Cannot index {kind} with number")),
            (Self::Each, other) => {
                return Err(format!("Cannot iterate over {kind} ({})", cut(&scalar(&other))));
            }
        })
    }
}

/// jq's name of the type of a value.
fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Unsigned(_) | Json::Signed(_) | Json::Decimal(_) => "number",
        Json::Text(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// A place in a text, as jq counts it.
struct Position {
    line: usize,
    column: usize,
}

impl Position {
    fn end_of(text: &str) -> Self {
        let line = text.matches('\n').count() + 1;
        Self { line, column: text.rsplit('\n').next().map_or(0, str::len) }
    }
}

impl core::fmt::Display for Position {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// jq's error for a text that does not begin with a JSON value, such as the text of an error of
/// Consul. `None` if it does.
fn literal_error(text: &str) -> Option<String> {
    let start = text.len() - text.trim_start().len();
    let is_end =
        |c: char| c.is_ascii_whitespace() || matches!(c, '[' | '{' | ':' | ',' | ']' | '}' | '"');
    let length = text[start..].find(is_end).unwrap_or(text.len() - start);
    let literal = &text[start..start + length];
    let is_value = matches!(literal, "true" | "false" | "null") || literal.parse::<f64>().is_ok();
    if literal.is_empty() || is_value && !literal.starts_with(char::is_alphabetic) {
        return None;
    }
    if matches!(literal, "true" | "false" | "null") {
        return None;
    }
    let what = if literal.starts_with(['t', 'f', 'n']) {
        "Invalid literal"
    } else {
        "Invalid numeric literal"
    };
    // jq counts the character that ends a literal.
    let (end, read) = match text[start + length..].chars().next() {
        Some(c) => ("", start + length + c.len_utf8()),
        None => ("EOF at ", text.len()),
    };
    Some(format!("parse error: {what} at {end}{}", Position::end_of(&text[..read])))
}

/// Reads paths, each of which is applied to the results of the one before: `.[] | .Value |
/// @base64d`. `None` for any other filter.
fn read_path(filter: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    for path in filter.split('|').map(str::trim) {
        let (term, is_optional) = without_marks(path);
        match term {
            "@base64d" => steps.push(PathStep { place: PathPlace::Decoded, is_optional }),
            _ => steps.extend(read_steps(path)?),
        }
    }
    Some(steps)
}

/// A term without the `?` after it, and whether there was one. Blanks may precede each.
fn without_marks(term: &str) -> (&str, bool) {
    let before = term.trim_end_matches(|c: char| c == '?' || c.is_ascii_whitespace());
    (before, term[before.len()..].contains('?'))
}

/// Reads `.`, `.name`, `.[0]`, `.[]` and their sequences such as `.[0].name`; `None` for anything
/// else.
fn read_steps(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('.')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (place, after) = if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            let name = index.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            let place = match (index, name) {
                ("", _) => PathPlace::Each,
                (_, Some(name)) => PathPlace::Member(name.to_owned()),
                (number, None) => PathPlace::Item(number.parse().ok()?),
            };
            (place, after)
        } else {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            (PathPlace::Member(name.to_owned()), after)
        };
        rest = after.trim_start_matches('?');
        steps.push(PathStep { place, is_optional: rest.len() < after.len() });
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                return None;
            }
            rest = after;
        }
    }
    Some(steps)
}

/// A text as it is, or the JSON of another value.
fn as_text(json: &Json) -> String {
    let (steps, indent) = (Vec::new(), Indent::Compact);
    JqFilter { steps, is_raw: true, is_sorted: false, indent }.printed(json)
}

/// The JSON of a value as jq shows it in an error: the beginning of a long one.
fn cut(json: &str) -> String {
    if json.len() <= QUOTED_MAX {
        return json.to_owned();
    }
    String::from_utf8_lossy(&json.as_bytes()[..QUOTED_MAX - 3]).into_owned() + "..."
}

/// A text in JSON; jq escapes U+007F too.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

/// A value without its items or members. jq 1.6 reads numbers as floating-point numbers.
fn scalar(json: &Json) -> String {
    match json {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Unsigned(number) => (*number as f64).to_string(),
        Json::Signed(number) => (*number as f64).to_string(),
        Json::Decimal(number) => number.to_string(),
        Json::Text(text) => quoted(text),
        Json::Array(_) | Json::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer_filter::AnswerFilter;
    use super::*;

    fn filter(line: &str) -> Option<JqFilter> {
        let commands = super::super::parse::read(&format!("curl /a | {line}")).expect("it is read");
        let Some(AnswerFilter::Jq(filter)) = commands[0].filter.clone() else { return None };
        Some(filter)
    }

    fn printed(line: &str, body: &str) -> String {
        let filter = filter(line).unwrap_or_else(|| panic!("{line}"));
        filter.apply(body.as_bytes()).printed(ErrorStream::Shown)
    }

    #[test]
    fn a_path_takes_one_field() {
        let body = r#"[{"ID":"7","Value":"d2ViLTE=","N":[1,{"a":true}]},{"ID":"8"}]"#;
        for (line, expected) in [
            ("jq -r .[0].ID", "7"),
            ("jq '.[0].ID'", "\"7\""),
            ("jq -r '.[].ID'", "7\n8"),
            ("jq -r '.[0].Value | @base64d'", "web-1"),
            ("jq -r '.[] | .ID'", "7\n8"),
            ("jq -c '.[0].N'", "[1,{\"a\":true}]"),
            ("jq '.[0][\"N\"][1].a'", "true"),
            ("jq .[5]", "null"),
            ("jq -e .[5]", "null"),
        ] {
            assert_eq!(printed(line, body), expected, "{line}");
        }
    }

    /// Observed with jq 1.6.
    #[test]
    fn a_value_is_indented_as_jq_does_also_without_a_filter() {
        let body = r#"{"b":[],"a":{"x":[1,"é\u003c"]},"F":18446744073709551615}"#;
        let expected = "{\n  \"b\": [],\n  \"a\": {\n    \"x\": [\n      1,\n      \"é<\"\n    ]\n\
                        \x20 },\n  \"F\": 18446744073709552000\n}";
        for line in ["jq", "jq .", "jq -M", "jq -r ."] {
            assert_eq!(printed(line, body), expected, "{line}");
        }
        let compact = r#"{"F":18446744073709552000,"a":{"x":[1,"é<"]},"b":[]}"#;
        for line in ["jq -cS", "jq -c -S .", "jq --indent 0 -S"] {
            assert_eq!(printed(line, body), compact, "{line}");
        }
        assert_eq!(printed("jq --tab .", "{\"a\":1}"), "{\n\t\"a\": 1\n}");
    }

    /// Observed with jq 1.6.
    #[test]
    fn errors_are_those_of_jq() {
        for (line, body, expected) in [
            ("jq .", "Invalid session", "parse error: Invalid numeric literal at line 1, column 8"),
            ("jq .", "not found", "parse error: Invalid literal at line 1, column 4"),
            ("jq .", "it's", "parse error: Invalid numeric literal at EOF at line 1, column 4"),
            ("jq .", "invalid\n", "parse error: Invalid numeric literal at line 2, column 0"),
            ("jq .", "[1,2", "parse error: Unfinished JSON term at EOF at line 1, column 4"),
            ("jq .ID", "true", "jq: error (at <stdin>:0): Cannot index boolean with string \"ID\""),
            ("jq .ID", "[]\n", "jq: error (at <stdin>:1): Cannot index array with string \"ID\""),
            ("jq .[0]", "{}", "jq: error (at <stdin>:0): Cannot index object with number"),
            ("jq .[]", "null", "jq: error (at <stdin>:0): Cannot iterate over null (null)"),
            (
                "jq .[]",
                "\"abcdefghijklm\"",
                "jq: error (at <stdin>:0): Cannot iterate over string (\"abcdefghij...)",
            ),
            ("jq .ID?", "true", ""),
            ("jq -r '.[] | @base64d?'", r#"["!", "YQ=="]"#, "a"),
            ("jq -r '.[]|@base64d ??|.'", r#"["YQ==", "!", "Yg=="]"#, "a\nb"),
            (
                "jq -r '.[] | @base64d? | @base64d'",
                r#"["YWFhYQ==", "YQ==", "YmJiYg=="]"#,
                "i\u{fffd}\u{fffd}\nm\u{fffd}\u{fffd}",
            ),
            (
                "jq -r '.[].a? | @base64d'",
                r#"[{"a": "x"}]"#,
                "jq: error (at <stdin>:0): string (\"x\") trailing base64 byte found",
            ),
            ("jq .ID", "null", "null"),
            ("jq .ID", "\n", ""),
        ] {
            assert_eq!(printed(line, body), expected, "{line} {body:?}");
        }
    }

    /// Observed with jq 1.6.
    #[test]
    fn any_value_is_decoded_as_its_text() {
        for (body, expected) in [
            ("null", "\u{fffd}\u{fffd}"),
            ("123", "\u{fffd}m"),
            ("\"d2ViLTE\"", "web-1"),
            ("[1]", "string (\"[1]\") is not valid base64 data"),
            ("5", "string (\"5\") trailing base64 byte found"),
            ("5.5", "string (\"5.5\") is not valid base64 data"),
            ("{\"b\": 1}", "string (\"{\\\"b\\\":1}\") is not valid base64 data"),
            ("{\"b\": 1, \"a\": 2}", "string (\"{\\\"b\\\":1,\\...) is not valid base64 data"),
            (
                "\"abcdefghi\u{e9}\u{e9}!\"",
                "string (\"abcdefghi\u{fffd}...) is not valid base64 data",
            ),
        ] {
            let printed = printed("jq -r @base64d", body);
            let output = printed.strip_prefix("jq: error (at <stdin>:0): ").unwrap_or(&printed);
            assert_eq!(output, expected, "{body}");
        }
    }

    #[test]
    fn other_filters_are_refused() {
        for line in ["jq 'map(.ID)'", "jq -x .ID", "jq .a..b", "grep x", "jq '.a | length'"] {
            assert_eq!(filter(line), None, "{line}");
        }
    }
}
