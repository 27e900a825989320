//! Sets of characters in regular expressions: classes in brackets, classes such as `\d`, and
//! escapes of single characters.

use alloc::vec::Vec;

use super::error::{Fault, RegexpError, error};
use super::program::{CharItem, CharSet, is_word};

/// Reads the class in brackets with which a text begins. Returns it, and the text after it.
pub(super) fn bracketed(text: &str, ignores_case: bool) -> Result<(CharSet, &str), RegexpError> {
    let inside = text.strip_prefix('[').unwrap_or(text);
    let (is_negated, mut rest) = match inside.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let mut items = Vec::new();
    // A bracket that comes first is a character.
    while items.is_empty() || !rest.starts_with(']') {
        let item;
        (item, rest) = match named(rest)? {
            Some(found) => found,
            None => single_or_range(rest, text)?,
        };
        items.push(item);
    }
    Ok((CharSet { items, is_negated, ignores_case }, rest.get(1..).unwrap_or_default()))
}

/// Reads a class such as `[:alpha:]`, if the text begins with one.
fn named(text: &str) -> Result<Option<(CharItem, &str)>, RegexpError> {
    let named = text.strip_prefix("[:").and_then(|inside| inside.split_once(":]"));
    let Some((name, rest)) = named else { return Ok(None) };
    let (is_negated, plain) = match name.strip_prefix('^') {
        Some(plain) => (true, plain),
        None => (false, name),
    };
    match posix(plain) {
        Some(has) => Ok(Some((CharItem::Class { has, is_negated }, rest))),
        None => error(Fault::Range, &text[..text.len() - rest.len()]),
    }
}

fn single_or_range<'a>(text: &'a str, class: &str) -> Result<(CharItem, &'a str), RegexpError> {
    let (low, rest) = if text.starts_with('\\') {
        match escape(text)? {
            (CharItem::Range(code, _), rest) => (code, rest),
            found => return Ok(found),
        }
    } else {
        plain(text, class)?
    };
    // A dash that comes last is a character.
    let Some(end) = rest.strip_prefix('-').filter(|end| !end.is_empty() && !end.starts_with(']'))
    else {
        return Ok((CharItem::Range(low, low), rest));
    };
    let (high, rest) =
        if end.starts_with('\\') { escaped_character(end)? } else { plain(end, class)? };
    if high < low {
        return error(Fault::Range, &text[..text.len() - rest.len()]);
    }
    Ok((CharItem::Range(low, high), rest))
}

/// A character that stands for itself, inside the given class.
fn plain<'a>(text: &'a str, class: &str) -> Result<(u32, &'a str), RegexpError> {
    let mut chars = text.chars();
    match chars.next() {
        Some(c) => Ok((c.into(), chars.as_str())),
        None => error(Fault::OpenClass, class),
    }
}

/// Reads the escape of a class or of a single character with which a text begins.
pub(super) fn escape(text: &str) -> Result<(CharItem, &str), RegexpError> {
    let mut chars = text.chars();
    chars.next();
    let name = chars.next().unwrap_or_default();
    let has: fn(&char) -> bool = match name.to_ascii_lowercase() {
        'd' => char::is_ascii_digit,
        's' => char::is_ascii_whitespace,
        'w' => is_word,
        'p' => return error(Fault::UnicodeClass, unicode_class(text)),
        _ => {
            let (code, rest) = escaped_character(text)?;
            return Ok((CharItem::Range(code, code), rest));
        }
    };
    Ok((CharItem::Class { has, is_negated: name.is_ascii_uppercase() }, chars.as_str()))
}

/// Reads the escape of a single character.
fn escaped_character(text: &str) -> Result<(u32, &str), RegexpError> {
    let mut chars = text.chars();
    chars.next();
    let Some(name) = chars.next() else { return error(Fault::TrailingBackslash, "") };
    let code = match name {
        'a' => 0x7,
        'f' => 0xc,
        'n' => u32::from('\n'),
        'r' => u32::from('\r'),
        't' => u32::from('\t'),
        'v' => 0xb,
        'x' => return hexadecimal(text, chars.as_str()),
        '0'..='7' => return octal(text, chars.as_str()),
        name if name.is_ascii() && !name.is_ascii_alphanumeric() => name.into(),
        _ => return error(Fault::Escape, &text[..text.len() - chars.as_str().len()]),
    };
    Ok((code, chars.as_str()))
}

/// The escape of a character by its code: two digits, or any number of them in braces.
fn hexadecimal<'a>(text: &'a str, digits: &'a str) -> Result<(u32, &'a str), RegexpError> {
    let mut chars = digits.chars();
    let mut code = 0;
    if digits.starts_with('{') {
        chars.next();
        while let Some(digit) = chars.next().and_then(|c| c.to_digit(16)) {
            code = code * 16 + digit;
            if code > u32::from(char::MAX) {
                break;
            }
            if let Some(rest) = chars.as_str().strip_prefix('}') {
                return Ok((code, rest));
            }
        }
    } else {
        let mut digit = || chars.next().and_then(|c| c.to_digit(16));
        if let (Some(high), Some(low)) = (digit(), digit()) {
            return Ok((high * 16 + low, chars.as_str()));
        }
    }
    error(Fault::Escape, &text[..text.len() - chars.as_str().len()])
}

/// The escape of a character by up to three octal digits. One digit alone, except 0, would be a
/// backreference.
fn octal<'a>(text: &'a str, after: &'a str) -> Result<(u32, &'a str), RegexpError> {
    let digits = &text[1..];
    let count = digits.bytes().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
    if count == 1 && !digits.starts_with('0') {
        return error(Fault::Escape, &text[..text.len() - after.len()]);
    }
    let (digits, rest) = digits.split_at(count);
    Ok((u32::from_str_radix(digits, 8).unwrap_or_default(), rest))
}

/// The text of a class such as `\pL` or `\p{Greek}`.
fn unicode_class(text: &str) -> &str {
    let name = &text[2..];
    let end = if name.starts_with('{') {
        name.find('}').map(|at| at + 1)
    } else {
        name.chars().next().map(char::len_utf8)
    };
    end.map_or(text, |end| &text[..2 + end])
}

/// The characters of a class such as `[:alpha:]`.
fn posix(name: &str) -> Option<fn(&char) -> bool> {
    Some(match name {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "ascii" => char::is_ascii,
        "blank" => |c| matches!(c, '\t' | ' '),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |c| matches!(c, ' '..='~'),
        "punct" => char::is_ascii_punctuation,
        "space" => |c| c.is_ascii_whitespace() || *c == '\u{b}',
        "upper" => char::is_ascii_uppercase,
        "word" => is_word,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    })
}
