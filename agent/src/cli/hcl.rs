//! A parser of the language of Consul's configuration files, HCL in version 1: `key = value`,
//! blocks with or without an equals sign, quoted keys, and optional commas between members. All
//! blocks of one name are a list of objects, even a single one. An error names its line and column,
//! as in Consul.

use std::iter::Peekable;
use std::str::CharIndices;

use serde_json::{Map, Number, Value};

/// The place at which a text is not HCL, and the reason.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("At {line}:{column}: {problem}")]
pub(super) struct HclError {
    line: usize,
    column: usize,
    problem: String,
}

/// Parses the text of a file. One that begins with a brace is read as JSON.
pub(super) fn parse(text: &str) -> Result<Value, HclError> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| HclError {
            line: error.line(),
            column: error.column(),
            problem: error.to_string(),
        });
    }
    let mut parser = Parser { text, rest: text.char_indices().peekable(), depth: 0 };
    let object = parser.members(None)?;
    Ok(Value::Object(object))
}

/// The greatest depth of nesting that is accepted, so that a file cannot use up the stack.
const DEPTH_MAX: usize = 64;

struct Parser<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
    depth: usize,
}

impl Parser<'_> {
    /// Reads members up to a closing brace, or to the end of the text if `end` is `None`.
    fn members(&mut self, end: Option<char>) -> Result<Map<String, Value>, HclError> {
        self.descend()?;
        let mut members = Map::new();
        loop {
            self.skip_blank();
            match self.peek() {
                found if found == end => {
                    self.rest.next();
                    self.depth -= 1;
                    return Ok(members);
                }
                None => return Err(self.error("object expected closing RBRACE got: EOF")),
                Some(_) => self.member(&mut members)?,
            }
            self.skip_blank();
            self.eat(',');
        }
    }

    /// Goes one level deeper, which the caller takes back. Fails at the greatest depth.
    fn descend(&mut self) -> Result<(), HclError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(self.error("nested too deeply")) } else { Ok(()) }
    }

    /// Reads a member. Each of its keys after the first one is an object around its value.
    fn member(&mut self, members: &mut Map<String, Value>) -> Result<(), HclError> {
        let depth = self.depth;
        let mut keys = Vec::new();
        let value = loop {
            self.skip_blank();
            match self.peek() {
                Some('=') if keys.len() == 1 => {
                    self.rest.next();
                    self.skip_blank();
                    break self.value(false)?;
                }
                Some('=') if keys.is_empty() => return Err(self.error("no object keys found!")),
                Some('=') => return Err(self.error("nested object expected: LBRACE got: ASSIGN")),
                Some('{') if keys.is_empty() => {
                    return Err(self.error("expected: IDENT | STRING got: LBRACE"));
                }
                Some('{') => break self.value(false)?,
                Some(c) if c == '"' || c.is_alphabetic() || c == '_' => {
                    if !keys.is_empty() {
                        self.descend()?;
                    }
                    keys.push(if c == '"' { self.string()? } else { self.word() });
                }
                _ if keys.is_empty() => {
                    return Err(self.error("expected: IDENT | STRING | ASSIGN | LBRACE"));
                }
                _ => {
                    let keys = keys.join(" ");
                    let expected = "expected start of object ('{') or assignment ('=')";
                    return Err(self.error(&format!("key '{keys}' {expected}")));
                }
            }
        };
        self.depth = depth;
        let mut keys = keys.into_iter();
        let first = keys.next().unwrap_or_default();
        let inner = keys.rev().fold(value, |value, key| {
            let mut object = Map::new();
            insert(&mut object, key, value);
            Value::Object(object)
        });
        insert(members, first, inner);
        Ok(())
    }

    fn value(&mut self, is_in_list: bool) -> Result<Value, HclError> {
        match self.peek() {
            Some('{') => {
                self.rest.next();
                Ok(Value::Object(self.members(Some('}'))?))
            }
            Some('[') => self.list(),
            Some('"') => self.string().map(Value::String),
            Some('<') => self.heredoc().map(Value::String),
            Some(_) if self.is_at_number() => self.number(),
            _ => {
                let error = self.not_a_value(is_in_list);
                match self.word().as_str() {
                    "true" => Ok(Value::Bool(true)),
                    "false" => Ok(Value::Bool(false)),
                    _ => Err(error),
                }
            }
        }
    }

    /// Whether a number begins here: with a digit, or with one after a sign or a point.
    fn is_at_number(&mut self) -> bool {
        let start = self.rest.peek().map_or(self.text.len(), |(start, _)| *start);
        let rest = &self.text[start..];
        rest.strip_prefix(['-', '.']).unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    }

    /// The error of a token that is no value, which HCL names.
    fn not_a_value(&mut self, is_in_list: bool) -> HclError {
        let error = self.error("illegal char");
        let place = format!("{}:{}", error.line, error.column);
        let (kind, text) = match self.peek() {
            None => ("EOF", String::new()),
            Some(c) if c.is_alphabetic() || c == '_' => {
                let rest = self.rest.clone();
                let word = self.word();
                self.rest = rest;
                ("IDENT", word)
            }
            Some(c) => {
                let kind = match c {
                    '-' => "SUB",
                    '+' => "ADD",
                    '.' => "PERIOD",
                    ',' => "COMMA",
                    '=' => "ASSIGN",
                    '}' => "RBRACE",
                    ']' => "RBRACK",
                    _ => return error,
                };
                (kind, c.into())
            }
        };
        let problem = if is_in_list {
            format!("unexpected token while parsing list: {kind}")
        } else {
            format!("Unknown token: {place} {kind} {text}")
        };
        HclError { problem, ..error }
    }

    fn list(&mut self) -> Result<Value, HclError> {
        self.descend()?;
        self.rest.next();
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            if self.eat(']') {
                self.depth -= 1;
                return Ok(Value::Array(items));
            }
            // Commas may repeat.
            if self.eat(',') {
                continue;
            }
            items.push(self.value(true)?);
            self.skip_blank();
            if !self.eat(',') && self.peek() != Some(']') {
                return Err(self.error("error parsing list, expected comma or list end"));
            }
        }
    }

    /// Reads a text in quotation marks. The part from `${` to its closing brace is kept as it is,
    /// with quotation marks.
    fn string(&mut self) -> Result<String, HclError> {
        let unclosed = self.error("literal not terminated");
        self.rest.next();
        let (mut text, mut braces) = (String::new(), 0_usize);
        while let Some((_, c)) = self.rest.next() {
            match c {
                '"' if braces == 0 => return Ok(text),
                '\n' if braces == 0 => return Err(unclosed),
                '\\' if braces == 0 => text.push(self.escape()?),
                '$' if self.peek() == Some('{') => {
                    text.push(c);
                    if braces == 0 {
                        text.push('{');
                        self.rest.next();
                        braces = 1;
                    }
                }
                _ => {
                    match c {
                        '{' if braces > 0 => braces += 1,
                        '}' => braces = braces.saturating_sub(1),
                        _ => {}
                    }
                    text.push(c);
                }
            }
        }
        Err(unclosed)
    }

    fn escape(&mut self) -> Result<char, HclError> {
        let illegal = self.error("illegal char escape");
        let Some((_, c)) = self.rest.next() else { return Err(illegal) };
        let digits = match c {
            'a' => return Ok('\u{7}'),
            'b' => return Ok('\u{8}'),
            'f' => return Ok('\u{c}'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            'v' => return Ok('\u{b}'),
            '\\' | '"' => return Ok(c),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return Err(illegal),
        };
        let code: String = (0..digits).filter_map(|_| Some(self.rest.next()?.1)).collect();
        u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).ok_or(illegal)
    }

    /// Reads `<<END` or `<<-END`, lines, and `END`. With a dash, the indent of `END` is removed
    /// from the lines.
    fn heredoc(&mut self) -> Result<String, HclError> {
        let unclosed = self.error("heredoc not terminated");
        let first: String = self.line();
        let Some(anchor) = first.strip_prefix("<<") else { return Err(unclosed) };
        let (anchor, is_indented) =
            anchor.strip_prefix('-').map_or((anchor, false), |it| (it, true));
        let mut lines = Vec::new();
        while self.peek().is_some() {
            let line = self.line();
            if line.trim() == anchor.trim() {
                let indent = line.len() - line.trim_start().len();
                let prefix = &line[..if is_indented { indent } else { 0 }];
                let cut = |line: &String| line.strip_prefix(prefix).unwrap_or(line).to_owned();
                return Ok(lines.iter().map(|line| cut(line) + "\n").collect());
            }
            lines.push(line);
        }
        Err(unclosed)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        while let Some((_, c)) = self.rest.next()
            && c != '\n'
        {
            line.push(c);
        }
        if line.ends_with('\r') {
            line.pop();
        }
        line
    }

    fn number(&mut self) -> Result<Value, HclError> {
        let refused = self.error("");
        let mut text = String::new();
        while let Some(c) = self.peek()
            && (c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
        {
            text.push(c);
            self.rest.next();
        }
        let problem = || format!("{text:?} is not a number, or too large");
        let number = number(&text).ok_or_else(|| HclError { problem: problem(), ..refused })?;
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek()
            && (c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        {
            word.push(c);
            self.rest.next();
        }
        word
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        while let Some((start, c)) = self.rest.peek().copied() {
            let rest = &self.text[start..];
            if c.is_whitespace() || c == '\u{feff}' {
                self.rest.next();
            } else if c == '#' || rest.starts_with("//") {
                self.line();
            } else if rest.starts_with("/*") {
                let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                while self.rest.next_if(|(next, _)| *next < start + length).is_some() {}
            } else {
                return;
            }
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, c)| *c)
    }

    /// Skips the next character if it is this one, and returns whether it was.
    fn eat(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, c)| *c == wanted).is_some()
    }

    /// An error at the next character.
    fn error(&mut self, problem: &str) -> HclError {
        let end = self.rest.peek().map_or(self.text.len(), |(index, _)| *index);
        let before = &self.text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        HclError { line, column, problem: problem.into() }
    }
}

/// The number that a text spells: a whole one of 64 bits, or one with a fraction or an exponent.
fn number(text: &str) -> Option<Number> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, digits),
        _ => (10, digits),
    };
    if digits.chars().all(|c| c.is_digit(radix)) {
        let whole = i64::from_str_radix(&[sign, digits].concat(), radix);
        return whole.ok().map(Number::from);
    }
    // What begins with a point has neither a sign nor an exponent.
    let begins_well = match text.strip_prefix('.') {
        Some(fraction) => !fraction.contains(['e', 'E']),
        None => digits.starts_with(|c: char| c.is_ascii_digit()),
    };
    let is_fraction = radix != 16 && begins_well && digits.contains(['.', 'e', 'E']);
    if is_fraction { text.parse().ok().and_then(Number::from_f64) } else { None }
}

/// Adds a member: an object to the list of its key, any other value in place of an earlier one.
fn insert(object: &mut Map<String, Value>, key: String, value: Value) {
    if !value.is_object() {
        object.insert(key, value);
        return;
    }
    match object.get_mut(&key) {
        Some(Value::Array(objects)) => objects.push(value),
        _ => {
            object.insert(key, Value::Array(vec![value]));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hcl_is_read_as_people_write_it() {
        for (text, tree) in [
            ("", json!({})),
            ("a = 1, # one\nb = \"x\"\nc = true", json!({"a": 1, "b": "x", "c": true})),
            ("a { b = 1, c = false }", json!({"a": [{"b": 1, "c": false}]})),
            ("a { b = 1 c = 2 }", json!({"a": [{"b": 1, "c": 2}]})),
            ("\"a\" { \"b c\" = -1 }", json!({"a": [{"b c": -1}]})),
            ("a = { b = [1, \"x\",] }", json!({"a": [{"b": [1, "x"]}]})),
            ("a \"x\" { b = 1 }\na \"y\" {}", json!({"a": [{"x": [{"b": 1}]}, {"y": [{}]}]})),
            ("a = [\n  \"x\", // first\n  \"y\"\n]", json!({"a": ["x", "y"]})),
            ("a = 0x1f b = 010 c = 1.5 d = 1e3", json!({"a": 31, "b": 8, "c": 1.5, "d": 1000.0})),
            ("a = -0x1f b = -1.5e-3 c = 0.5", json!({"a": -31, "b": -0.0015, "c": 0.5})),
            ("a = .5 b = 1. c = 1.e3 d = 09.5", json!({"a": 0.5, "b": 1.0, "c": 1e3, "d": 9.5})),
            ("a = [, \"x\",, .5,]", json!({"a": ["x", 0.5]})),
            ("a = -9223372036854775808", json!({"a": i64::MIN})),
            (r#"a = "\"\n\u00e9" b = "${x("y")}""#, json!({"a": "\"\né", "b": "${x(\"y\")}"})),
            ("a = <<-E\n  x\n   y\n  E\nb = <<F\n z\nF", json!({"a": "x\n y\n", "b": " z\n"})),
            ("/* a\n b */ a-b.c = \"{{ x }}\"", json!({"a-b.c": "{{ x }}"})),
            (" {\"a\": {\"b\": 1}}", json!({"a": {"b": 1}})),
        ] {
            assert_eq!(parse(text), Ok(tree), "{text}");
        }
    }

    #[test]
    fn an_error_names_its_place() {
        for (text, error) in [
            ("# a\n{ b = 1 }", "At 2:1: expected: IDENT | STRING got: LBRACE"),
            ("a {", "At 1:4: object expected closing RBRACE got: EOF"),
            ("a b = 1", "At 1:5: nested object expected: LBRACE got: ASSIGN"),
            ("a = yes", "At 1:5: Unknown token: 1:5 IDENT yes"),
            ("a = null", "At 1:5: Unknown token: 1:5 IDENT null"),
            ("a = -.5", "At 1:5: Unknown token: 1:5 SUB -"),
            ("a = --5", "At 1:5: Unknown token: 1:5 SUB -"),
            ("a = +5", "At 1:5: Unknown token: 1:5 ADD +"),
            ("a = ..5", "At 1:5: Unknown token: 1:5 PERIOD ."),
            ("a = ,", "At 1:5: Unknown token: 1:5 COMMA ,"),
            ("a = @", "At 1:5: illegal char"),
            ("a = [\"x\", null]", "At 1:11: unexpected token while parsing list: IDENT"),
            ("a = [-.5]", "At 1:6: unexpected token while parsing list: SUB"),
            ("a = [", "At 1:6: unexpected token while parsing list: EOF"),
            ("a 1", "At 1:3: key 'a' expected start of object ('{') or assignment ('=')"),
            ("a = \"x", "At 1:5: literal not terminated"),
            ("a = [1 2]", "At 1:8: error parsing list, expected comma or list end"),
        ] {
            assert_eq!(parse(text).map_err(|it| it.to_string()), Err(error.into()), "{text}");
        }
    }

    #[test]
    fn objects_lists_and_keys_nest_to_a_limit() {
        for text in ["a {".repeat(100_000), format!("a = {}", "[".repeat(100_000))] {
            assert!(parse(&text).is_err());
        }
        let keys = |count| format!("a {}{{}}", "\"x\" ".repeat(count));
        assert!(parse(&keys(DEPTH_MAX - 2)).is_ok());
        let error = parse(&keys(DEPTH_MAX - 1)).map_err(|it| it.problem);
        assert_eq!(error, Err("nested too deeply".into()));
        let nested = "a { b \"x\" {} }\n".repeat(DEPTH_MAX);
        assert!(parse(&nested).is_ok(), "depth is counted, not objects");
    }

    #[test]
    fn a_number_has_one_sign_and_is_not_too_large() {
        for text in [
            ".5e3",
            "-0x-5",
            "0x+5",
            "0-7",
            "08",
            "0x",
            "0x1.5",
            "5-3",
            "9223372036854775808",
            "1e999",
        ] {
            let found = parse(&format!("a = {text}")).map_err(|it| it.to_string());
            let error = format!("At 1:5: {text:?} is not a number, or too large");
            assert_eq!(found, Err(error));
        }
    }
}
