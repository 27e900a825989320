//! Go's words for JSON that is malformed. Consul's error bodies repeat them, so a text that the
//! parser refuses is walked once more, as Go's scanner does, to find what it would have said.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What Go's decoder says about the first JSON value of a text; none if it finds no fault.
pub(crate) fn complaint(text: &str) -> Option<String> {
    Scanner::new(text).value().err().map(Fault::said)
}

/// The same about a text that must be one value.
pub(crate) fn whole_complaint(text: &str) -> Option<String> {
    let mut scanner = Scanner::new(text);
    let scanned = scanner.value().and_then(|()| scanner.end());
    scanned.err().map(Fault::said)
}

/// What Go says of a number that no float holds; `column` is where it ends, counted from 1.
pub(crate) fn out_of_range(text: &str, column: usize) -> String {
    let before = text.get(..column).unwrap_or(text);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let member = before.trim_end_matches(is_part);
    let number = &before[member.len()..];
    let name = member.trim_end_matches([' ', ':', '"']).rsplit('"').next().unwrap_or_default();
    format!("json: cannot unmarshal number {number} into Go struct field .{name} of type float64")
}

/// Where the scanner stopped.
enum Fault {
    End,
    Byte(u8, String),
}

struct Scanner {
    rest: Vec<u8>,
    at: usize,
}

impl Fault {
    fn said(self) -> String {
        match self {
            Self::End => "unexpected EOF".into(),
            Self::Byte(byte, context) => format!("invalid character {} {context}", quoted(byte)),
        }
    }
}

impl Scanner {
    fn new(text: &str) -> Self {
        Self { rest: text.bytes().collect(), at: 0 }
    }

    fn value(&mut self) -> Result<(), Fault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.begin_value(&mut open)?;
            loop {
                let Some(kind) = open.last().copied() else { return Ok(()) };
                let byte = self.solid()?;
                match (kind, byte) {
                    (b'{', b'}') | (b'[', b']') => {
                        open.pop();
                    }
                    (b'{', b',') => {
                        self.key()?;
                        break;
                    }
                    (_, b',') => break,
                    (b'{', other) => return Err(fault(other, "after object key:value pair")),
                    (_, other) => return Err(fault(other, "after array element")),
                }
            }
        }
    }

    /// Reads a scalar, or opens containers down to one; an empty container counts as a scalar.
    fn begin_value(&mut self, open: &mut Vec<u8>) -> Result<(), Fault> {
        loop {
            let byte = self.solid()?;
            match byte {
                b'{' => {
                    if self.peek_solid() == Some(b'}') {
                        self.at += 1;
                        return Ok(());
                    }
                    self.key()?;
                    open.push(byte);
                }
                b'[' => {
                    if self.peek_solid() == Some(b']') {
                        self.at += 1;
                        return Ok(());
                    }
                    open.push(byte);
                }
                b'"' => return self.string(),
                b't' => return self.literal("true"),
                b'f' => return self.literal("false"),
                b'n' => return self.literal("null"),
                b'-' | b'0'..=b'9' => return self.number(byte),
                other => return Err(fault(other, "looking for beginning of value")),
            }
        }
    }

    /// An object's next key and its colon.
    fn key(&mut self) -> Result<(), Fault> {
        match self.solid()? {
            b'"' => self.string()?,
            other => return Err(fault(other, "looking for beginning of object key string")),
        }
        match self.solid()? {
            b':' => Ok(()),
            other => Err(fault(other, "after object key")),
        }
    }

    fn string(&mut self) -> Result<(), Fault> {
        loop {
            match self.next()? {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                byte if byte < 0x20 => return Err(fault(byte, "in string literal")),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.next()? {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => {
                for _ in 0..4 {
                    let byte = self.next()?;
                    if !byte.is_ascii_hexdigit() {
                        return Err(fault(byte, "in \\u hexadecimal character escape"));
                    }
                }
                Ok(())
            }
            other => Err(fault(other, "in string escape code")),
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Fault> {
        for wanted in word.bytes().skip(1) {
            let byte = self.next()?;
            if byte != wanted {
                let wanted = wanted as char;
                return Err(fault(byte, &format!("in literal {word} (expecting '{wanted}')")));
            }
        }
        Ok(())
    }

    fn number(&mut self, first: u8) -> Result<(), Fault> {
        let mut lead = first;
        if lead == b'-' {
            lead = self.digit("in numeric literal")?;
        }
        if lead != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(())
    }

    fn digit(&mut self, context: &str) -> Result<u8, Fault> {
        let byte = self.next()?;
        if byte.is_ascii_digit() { Ok(byte) } else { Err(fault(byte, context)) }
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, Fault> {
        let byte = self.peek().ok_or(Fault::End)?;
        self.at += 1;
        Ok(byte)
    }

    fn peek_solid(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.peek()
    }

    fn end(&mut self) -> Result<(), Fault> {
        let more = self.peek_solid();
        more.map_or(Ok(()), |byte| Err(fault(byte, "after top-level value")))
    }

    fn solid(&mut self) -> Result<u8, Fault> {
        self.peek_solid();
        self.next()
    }
}

fn fault(byte: u8, context: &str) -> Fault {
    Fault::Byte(byte, context.into())
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
    fn complaints_are_those_of_go() {
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
            ("[{\"a\":[]", "unexpected EOF"),
        ] {
            assert_eq!(complaint(text).as_deref(), Some(said), "{text}");
        }
        assert_eq!(complaint(r#" {"a":[{},[],-1.5e+3,"x\u00e9"],"b":null} more"#), None);
    }
}
