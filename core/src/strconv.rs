//! Numbers, flags and quoted texts as Go's `strconv` reads them, with its errors.

use alloc::string::String;
use alloc::vec::Vec;
use core::str::Chars;

use thiserror::Error;

use crate::id::{go_quoted, go_text};

/// Why a text is no value of a type, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("strconv.{function}: parsing {}: {fault}", go_quoted(.text))]
pub struct ValueError {
    function: &'static str,
    text: String,
    fault: Fault,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
enum Fault {
    #[error("invalid syntax")]
    Syntax,
    #[error("value out of range")]
    Range,
}

/// How the digits of a number are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// As decimal digits.
    Ten,
    /// As its prefix determines (`0x`, `0o`, `0`, `0b`), with underscores between digits.
    OfPrefix,
}

/// Reads a number without a sign that has at most the given bits.
pub fn parse_uint(text: &str, base: Base, bits: u32) -> Result<u64, ValueError> {
    let max = u64::MAX >> (64 - bits);
    magnitude(text, base, max).map_err(|fault| error("ParseUint", text, fault))
}

/// Reads a number of 64 bits that may have a sign; its base is that of its prefix.
pub(crate) fn parse_int(text: &str) -> Result<i64, ValueError> {
    let negative = text.strip_prefix('-');
    let digits = negative.or(text.strip_prefix('+')).unwrap_or(text);
    let max = i64::MAX as u64 + u64::from(negative.is_some());
    match magnitude(digits, Base::OfPrefix, max) {
        Ok(number) if negative.is_some() => Ok(0i64.wrapping_sub_unsigned(number)),
        Ok(number) => Ok(0i64.wrapping_add_unsigned(number)),
        Err(fault) => Err(error("ParseInt", text, fault)),
    }
}

/// Reads a flag.
pub fn parse_bool(text: &str) -> Result<bool, ValueError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(error("ParseBool", text, Fault::Syntax)),
    }
}

fn error(function: &'static str, text: &str, fault: Fault) -> ValueError {
    ValueError { function, text: text.into(), fault }
}

/// The first digit that does not fit decides between the two faults.
fn magnitude(text: &str, base: Base, max: u64) -> Result<u64, Fault> {
    let (radix, digits) = match base {
        Base::Ten => (10, text),
        Base::OfPrefix => radix(text),
    };
    if text.is_empty() {
        return Err(Fault::Syntax);
    }
    let mut number: u64 = 0;
    for c in digits.chars() {
        if c == '_' && base == Base::OfPrefix {
            continue;
        }
        let digit = c.to_digit(radix).ok_or(Fault::Syntax)?;
        let longer = number.checked_mul(radix.into()).and_then(|it| it.checked_add(digit.into()));
        number = longer.filter(|number| *number <= max).ok_or(Fault::Range)?;
    }
    if separates_digits(digits, radix != 10) { Ok(number) } else { Err(Fault::Syntax) }
}

/// The base that the beginning of a number stands for, and its digits.
fn radix(text: &str) -> (u32, &str) {
    let Some(rest) = text.strip_prefix('0') else { return (10, text) };
    let digits = rest.get(1..).unwrap_or_default();
    match rest.as_bytes().first() {
        Some(b'x' | b'X') if !digits.is_empty() => (16, digits),
        Some(b'b' | b'B') if !digits.is_empty() => (2, digits),
        Some(b'o' | b'O') if !digits.is_empty() => (8, digits),
        _ => (8, rest),
    }
}

/// Whether each underscore is between two digits, of which the first may be a prefix.
fn separates_digits(digits: &str, has_prefix: bool) -> bool {
    let begins_well = has_prefix || !digits.starts_with('_');
    begins_well && !digits.ends_with('_') && !digits.contains("__")
}

/// The text of a literal in quotes or backquotes; `None` if Go refuses it. Bytes that are not UTF-8
/// become U+FFFD.
pub(crate) fn unquoted(literal: &str) -> Option<String> {
    let mut chars = literal.chars();
    let quote = chars.next()?;
    chars.next_back()?;
    let body = chars.as_str();
    if quote == '`' {
        return Some(body.replace('\r', ""));
    }
    let mut bytes = Vec::new();
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '\n' => return None,
            '\\' => escaped(&mut chars, &mut bytes)?,
            c => push(c, &mut bytes),
        }
    }
    Some(go_text(&bytes))
}

/// Appends what the escape after a backslash stands for.
fn escaped(chars: &mut Chars, bytes: &mut Vec<u8>) -> Option<()> {
    let octal = chars.clone();
    let byte = match chars.next()? {
        'a' => 0x7,
        'b' => 0x8,
        'f' => 0xc,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0xb,
        '\\' => b'\\',
        'x' => u8::try_from(code(chars, 2, 16)?).ok()?,
        'u' => return char::from_u32(code(chars, 4, 16)?).map(|c| push(c, bytes)),
        'U' => return char::from_u32(code(chars, 8, 16)?).map(|c| push(c, bytes)),
        '0'..='7' => {
            *chars = octal;
            u8::try_from(code(chars, 3, 8)?).ok()?
        }
        _ => return None,
    };
    bytes.push(byte);
    Some(())
}

/// The number that the next digits make.
fn code(chars: &mut Chars, digits: usize, radix: u32) -> Option<u32> {
    (0..digits).try_fold(0u32, |number, _| {
        number.checked_mul(radix)?.checked_add(chars.next()?.to_digit(radix)?)
    })
}

fn push(c: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn numbers_are_read_with_the_base_that_their_prefix_says() {
        for (text, number) in [
            ("0", 0),
            ("19301", 19301),
            ("+1", 1),
            ("-8", -8),
            ("0x4b65", 19301),
            ("0B11", 3),
            ("0o17", 15),
            ("017", 15),
            ("1_000", 1000),
            ("0x_1", 1),
            ("0_1", 1),
            ("-0x8000000000000000", i64::MIN),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(parse_int(text), Ok(number), "{text}");
        }
        for text in ["", "-", "1.5", "019", "1__2", "_1", "1_", "0x", "0x_", "0b2", "1e3", "--1"] {
            let error = parse_int(text).expect_err(text).to_string();
            assert_eq!(error, format!("strconv.ParseInt: parsing {text:?}: invalid syntax"));
        }
        for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999x"] {
            let error = parse_int(text).expect_err(text).to_string();
            assert_eq!(error, format!("strconv.ParseInt: parsing {text:?}: value out of range"));
        }
    }

    #[test]
    fn an_unsigned_number_has_no_sign_and_fits_its_bits() {
        assert_eq!(parse_uint("255", Base::OfPrefix, 8), Ok(255));
        assert_eq!(parse_uint("18446744073709551615", Base::Ten, 64), Ok(u64::MAX));
        for (text, base, fault) in [
            ("256", Base::OfPrefix, "value out of range"),
            ("-1", Base::OfPrefix, "invalid syntax"),
            ("+1", Base::Ten, "invalid syntax"),
            ("0x1", Base::Ten, "invalid syntax"),
            ("1_0", Base::Ten, "invalid syntax"),
        ] {
            let error = parse_uint(text, base, 8).expect_err(text).to_string();
            assert_eq!(error, format!("strconv.ParseUint: parsing {text:?}: {fault}"));
        }
    }

    #[test]
    fn literals_are_unquoted_with_the_escapes_of_go() {
        for (literal, text) in [
            (r#""""#, ""),
            (r#""a\tb""#, "a\tb"),
            (r#""\x41\102\u00e9\U0001f600\\""#, "ABé😀\\"),
            (r#""\xc3\xa9\xff""#, "é\u{fffd}"),
            ("`a\\n\r\n`", "a\\n\n"),
        ] {
            assert_eq!(unquoted(literal).as_deref(), Some(text), "{literal}");
        }
        for literal in [
            r#""\q""#,
            r#""\'""#,
            r#""\""#,
            r#""\400""#,
            r#""\08""#,
            r#""\ud800""#,
            "\"a\nb\"",
            r#""\x4""#,
        ] {
            assert_eq!(unquoted(literal), None, "{literal}");
        }
    }
}
