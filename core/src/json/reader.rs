//! A JSON parser that accepts what Go's decoder accepts and fails with Go's error texts, which
//! Consul's error bodies repeat. The fields of bodies and their types are not checked here.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Json, JsonError};

/// The deepest nesting of arrays and objects that are not empty in a text from outside. Go allows
/// 10,000 levels, but functions that walk through a value use stack for each level.
const DEPTH_MAX: usize = 1_000;

/// The deepest nesting in a text that was written here: answers put values from outside into a few
/// further objects.
const OWN_DEPTH_MAX: usize = DEPTH_MAX + 10;

/// A text and the offset up to which it was parsed.
pub(super) struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    depth_max: usize,
}

/// An array or object whose end was not reached yet.
enum Open {
    Array(Vec<Json>),
    /// The members so far, and the key of the next one.
    Object(Vec<(String, Json)>, String),
}

impl<'a> JsonReader<'a> {
    /// Reads a text from outside.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth_max: DEPTH_MAX }
    }

    /// Reads a text that was written here.
    pub(super) fn of_own(text: &'a str) -> Self {
        Self { depth_max: OWN_DEPTH_MAX, ..Self::new(text) }
    }

    /// Whether only white space is left.
    pub(super) fn is_empty(&mut self) -> bool {
        self.skip_space().is_none()
    }

    /// Parses the first value and ignores what follows.
    pub(super) fn first(&mut self) -> Result<Json, JsonError> {
        self.value()
    }

    /// Parses a text that is one value and nothing else.
    pub(super) fn only(&mut self) -> Result<Json, JsonError> {
        let value = self.value()?;
        match self.skip_space() {
            Some(byte) => Err(unexpected(byte, "after top-level value")),
            None => Ok(value),
        }
    }

    fn value(&mut self) -> Result<Json, JsonError> {
        let mut open = Vec::new();
        loop {
            let Some(mut value) = self.begin(&mut open)? else { continue };
            loop {
                let Some(last) = open.last_mut() else { return Ok(value) };
                last.take(value);
                if !self.is_at_end(last)? {
                    break;
                }
                let Some(last) = open.pop() else { break };
                value = last.into_json();
            }
        }
    }

    /// Parses a value without others in it, or begins an array or object and returns `None`.
    fn begin(&mut self, open: &mut Vec<Open>) -> Result<Option<Json>, JsonError> {
        let byte = self.next_after_space()?;
        let value = match byte {
            b'{' if self.skip_bracket(b'}') => Json::Object(Vec::new()),
            b'[' if self.skip_bracket(b']') => Json::Array(Vec::new()),
            b'{' | b'[' if open.len() == self.depth_max => {
                return Err(JsonError::Malformed("exceeded max depth".into()));
            }
            b'{' => {
                open.push(Open::Object(Vec::new(), self.key()?));
                return Ok(None);
            }
            b'[' => {
                open.push(Open::Array(Vec::new()));
                return Ok(None);
            }
            b'"' => Json::Text(self.string()?),
            b't' => self.literal("true", Json::Bool(true))?,
            b'f' => self.literal("false", Json::Bool(false))?,
            b'n' => self.literal("null", Json::Null)?,
            b'-' | b'0'..=b'9' => self.number(byte)?,
            other => return Err(unexpected(other, "looking for beginning of value")),
        };
        Ok(Some(value))
    }

    /// Whether an array or object ends after its latest value; otherwise another value follows.
    fn is_at_end(&mut self, open: &mut Open) -> Result<bool, JsonError> {
        match (open, self.next_after_space()?) {
            (Open::Array(_), b']') | (Open::Object(..), b'}') => Ok(true),
            (Open::Array(_), b',') => Ok(false),
            (Open::Object(_, key), b',') => {
                *key = self.key()?;
                Ok(false)
            }
            (Open::Array(_), other) => Err(unexpected(other, "after array element")),
            (Open::Object(..), other) => Err(unexpected(other, "after object key:value pair")),
        }
    }

    /// Parses a key and its colon.
    fn key(&mut self) -> Result<String, JsonError> {
        let key = match self.next_after_space()? {
            b'"' => self.string()?,
            other => return Err(unexpected(other, "looking for beginning of object key string")),
        };
        match self.next_after_space()? {
            b':' => Ok(key),
            other => Err(unexpected(other, "after object key")),
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let mut string = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            string.push_str(self.text_from(from));
            match self.next()? {
                b'"' => return Ok(string),
                b'\\' => string.push(self.escape()?),
                byte => return Err(unexpected(byte, "in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        Ok(match self.next()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            byte @ (b'\\' | b'/' | b'"') => char::from(byte),
            b'u' => self.unicode()?,
            other => return Err(unexpected(other, "in string escape code")),
        })
    }

    /// Parses a `\u` escape, or a pair of them; half of a surrogate pair reads as U+FFFD.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let first = self.four_digits()?;
        let after = self.at;
        if (0xd800..0xdc00).contains(&first) && self.skip(b'\\') && self.skip(b'u') {
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        self.at = after;
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, JsonError> {
        let mut number = 0;
        for _ in 0..4 {
            let byte = self.next()?;
            let digit = char::from(byte).to_digit(16);
            let digit =
                digit.ok_or_else(|| unexpected(byte, "in \\u hexadecimal character escape"))?;
            number = number << 4 | digit;
        }
        Ok(number)
    }

    fn literal(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        for wanted in word.bytes().skip(1) {
            let byte = self.next()?;
            if byte != wanted {
                let wanted = char::from(wanted);
                return Err(unexpected(byte, &format!("in literal {word} (expecting '{wanted}')")));
            }
        }
        Ok(value)
    }

    fn number(&mut self, first: u8) -> Result<Json, JsonError> {
        let from = self.at - 1;
        let mut lead = first;
        if lead == b'-' {
            lead = self.digit("in numeric literal")?;
        }
        if lead != b'0' {
            self.digits();
        }
        if self.skip(b'.') {
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _ = self.skip(b'+') || self.skip(b'-');
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(self.number_of(from))
    }

    /// The number whose text begins at an offset and ends at the current one.
    fn number_of(&self, from: usize) -> Json {
        let text = self.text_from(from);
        if let Ok(number) = text.parse() {
            return Json::Unsigned(number);
        }
        if let Ok(number @ ..0) = text.parse() {
            return Json::Signed(number);
        }
        Json::Decimal(text.into())
    }

    fn digit(&mut self, context: &str) -> Result<u8, JsonError> {
        let byte = self.next()?;
        if byte.is_ascii_digit() { Ok(byte) } else { Err(unexpected(byte, context)) }
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn text_from(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, JsonError> {
        let byte = self.peek().ok_or(JsonError::Truncated)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip_space(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.peek()
    }

    fn next_after_space(&mut self) -> Result<u8, JsonError> {
        self.skip_space();
        self.next()
    }

    /// Skips white space and a bracket, if that comes next.
    fn skip_bracket(&mut self, bracket: u8) -> bool {
        self.skip_space();
        self.skip(bracket)
    }

    /// Skips a byte, if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }
}

impl Open {
    fn take(&mut self, value: Json) {
        match self {
            Self::Array(items) => items.push(value),
            Self::Object(members, key) => members.push((core::mem::take(key), value)),
        }
    }

    fn into_json(self) -> Json {
        match self {
            Self::Array(items) => Json::Array(items),
            Self::Object(members, _) => Json::Object(members),
        }
    }
}

fn unexpected(byte: u8, context: &str) -> JsonError {
    JsonError::Malformed(format!("invalid character {} {context}", quoted(byte)))
}

/// A byte as Go's scanner prints it.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".into(),
        b'"' => "'\"'".into(),
        other => {
            let text = crate::id::go_quoted(char::from(other).encode_utf8(&mut [0; 4]));
            format!("'{}'", &text[1..text.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_texts_are_those_of_go() {
        for (text, said) in [
            ("hello", "invalid character 'h' looking for beginning of value"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
            ("{bad", "invalid character 'b' looking for beginning of object key string"),
            (
                r#"{"TTL":"20s",}"#,
                "invalid character '}' looking for beginning of object key string",
            ),
            (r#"{"Name" "x"}"#, "invalid character '\"' after object key"),
            (r#"{"a":1 2}"#, "invalid character '2' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[01]", "invalid character '1' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
        ] {
            let said = JsonError::Malformed(said.into());
            assert_eq!(JsonReader::new(text).first(), Err(said), "{text}");
        }
        assert_eq!(JsonReader::new("[{\"a\":[]").first(), Err(JsonError::Truncated));
    }

    #[test]
    fn text_after_the_first_value_is_not_consumed() {
        let mut reader =
            JsonReader::new(r#" {"a":[{},[ ],-1.5e+3,"x\u00e9\ud83d\ude00"],"b":null} more"#);
        let items = [
            Json::Object(Vec::new()),
            Json::Array(Vec::new()),
            Json::Decimal("-1.5e+3".into()),
            Json::Text("xé😀".into()),
        ];
        let members = [("a".into(), Json::Array(items.into())), ("b".into(), Json::Null)];
        assert_eq!(reader.first(), Ok(Json::Object(members.into())));
        assert!(!reader.is_empty());
    }

    #[test]
    fn half_a_surrogate_pair_reads_as_the_replacement_character() {
        for text in [r#""\ud83d""#, r#""\ude00""#] {
            assert_eq!(JsonReader::new(text).only(), Ok(Json::Text("\u{fffd}".into())), "{text}");
        }
        let two = JsonReader::new(r#""\ud83d\ud83d\ude00""#).only();
        assert_eq!(two, Ok(Json::Text("\u{fffd}😀".into())));
    }

    #[test]
    fn numbers_are_whole_as_long_as_they_can_be() {
        for (text, number) in [
            ("0", Json::Unsigned(0)),
            ("18446744073709551615", Json::Unsigned(u64::MAX)),
            ("-9223372036854775808", Json::Signed(i64::MIN)),
        ] {
            assert_eq!(JsonReader::new(text).only(), Ok(number), "{text}");
        }
        for (text, number) in [
            ("18446744073709551616", Some(18446744073709551616.0)),
            ("1e3", Some(1000.0)),
            ("0.1", Some(0.1)),
            ("-0", Some(-0.0)),
            ("123456.789e-3", Some(123.456789)),
            ("0e99999999999", Some(0.0)),
            ("1e-99999999999", Some(0.0)),
            ("1e999", None),
        ] {
            let read = JsonReader::new(text).only().expect("a number");
            assert_eq!(read, Json::Decimal(text.into()));
            assert_eq!(read.as_f64(), number, "{text}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(JsonReader::new(&nested(DEPTH_MAX)).only().is_ok());
        let refused = JsonReader::new(&nested(DEPTH_MAX + 2)).only();
        assert_eq!(refused, Err(JsonError::Malformed("exceeded max depth".into())));
    }
}
