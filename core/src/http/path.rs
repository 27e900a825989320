//! Percent-encoding of paths and query strings as Go's `net/url` does it, and cleaning of paths as
//! its `http.ServeMux` does. A key may be any text that survives both (KV-28).

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::id::{go_quoted, go_text};

/// The characters that Go escapes in a path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b',')
    .remove(b'/')
    .remove(b':')
    .remove(b';')
    .remove(b'=')
    .remove(b'@');

/// The characters that Go escapes in a query value; a space becomes `+` afterwards.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b' ');

/// The query parameters of a request, in the order in which they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Params(Vec<(String, String)>);

impl Params {
    /// Parses a query string; fails if an escape is malformed or a `;` is not escaped (HTTP-08).
    pub(super) fn parse(query: &str) -> Result<Self, QueryError> {
        let pair = |pair: &str| {
            if pair.contains(';') {
                return Err(QueryError::Semicolon);
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((unescaped(key, Plus::IsSpace)?, unescaped(value, Plus::IsSpace)?))
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Ok(Self(pairs.map(pair).collect::<Result<_, _>>()?))
    }

    /// Whether the parameter is there, with or without a value (KV-23).
    pub(super) fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    /// The first value of a parameter (LCK-08).
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value, with absent and empty as the same.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|value| !value.is_empty())
    }

    /// All parameters, form-encoded and sorted by name (KV-21).
    pub(super) fn sorted(&self) -> String {
        let mut pairs = self.0.iter().collect::<Vec<_>>();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        let pair =
            |(key, value): &(String, String)| query_escaped(key) + "=" + &query_escaped(value);
        pairs.into_iter().map(pair).collect::<Vec<_>>().join("&")
    }
}

/// Why a query string is not form-encoded, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum QueryError {
    /// A percent sign without two hexadecimal digits; up to three characters from there on.
    #[error("invalid URL escape {}", go_quoted(.0))]
    Escape(String),
    /// A semicolon that is not escaped.
    #[error("invalid semicolon separator in query")]
    Semicolon,
}

/// The meaning of a plus sign.
#[derive(Clone, Copy)]
pub(super) enum Plus {
    IsSpace,
    IsItself,
}

/// Decodes percent escapes; fails at the first one that is malformed. Bytes that are not UTF-8
/// become U+FFFD (HTTP-16).
pub(super) fn unescaped(text: &str, plus: Plus) -> Result<String, QueryError> {
    let is_escape =
        |it: &str| it.len() >= 2 && it.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if let Some((start, _)) = text.match_indices('%').find(|(at, _)| !is_escape(&text[at + 1..])) {
        let malformed = text.bytes().skip(start).take(3).collect::<Vec<_>>();
        return Err(QueryError::Escape(go_text(&malformed)));
    }
    let text = match plus {
        Plus::IsSpace => Cow::Owned(text.replace('+', " ")),
        Plus::IsItself => Cow::Borrowed(text),
    };
    Ok(go_text(&percent_decode_str(&text).collect::<Vec<_>>()))
}

/// The path without empty, `.` and `..` segments; a final slash stays (HTTP-17).
pub(super) fn cleaned(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let mut clean = String::from("/") + &kept.join("/");
    if path.ends_with('/') && clean != "/" {
        clean.push('/');
    }
    clean
}

/// A path as it was sent; with characters that Go would escape, it is escaped anew.
pub(super) fn well_escaped<'a>(encoded: &'a str, decoded: &str) -> Cow<'a, str> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:@[]%/".contains(c);
    if encoded.chars().all(is_valid) {
        Cow::Borrowed(encoded)
    } else {
        Cow::Owned(path_escaped(decoded))
    }
}

/// A segment of a path, decoded. Its escapes are well-formed, as those of the whole path are.
pub(super) fn segment(encoded: &str) -> Cow<'_, str> {
    unescaped(encoded, Plus::IsItself).map_or(Cow::Borrowed(encoded), Cow::Owned)
}

/// Percent-encodes a path for a URL, as Consul's Go client does; `/` separates its parts.
pub fn path_escaped(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Percent-encodes a name or value of a query string, as Consul's Go client does.
pub fn query_escaped(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string().replace(' ', "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_after_decoding() {
        for (path, clean) in [
            ("/v1/kv//lead", "/v1/kv/lead"),
            ("/v1/kv/a/../b", "/v1/kv/b"),
            ("/v1/kv/..", "/v1"),
            ("/v1/kv/a/./b/", "/v1/kv/a/b/"),
            ("//", "/"),
        ] {
            assert_eq!(cleaned(path), clean);
        }
    }

    #[test]
    fn parameters_are_decoded_strictly() {
        let params = Params::parse("acquire=a&zz=a%20b%26c&release").expect("well-formed");
        assert_eq!(params.sorted(), "acquire=a&release=&zz=a+b%26c");
        let escape = |text: &str| Err(QueryError::Escape(text.into()));
        assert_eq!(Params::parse("x=%zza&y=%4"), escape("%zz"));
        assert_eq!(Params::parse("a=1;b=2"), Err(QueryError::Semicolon));
        assert_eq!(Params::parse("x=%4"), escape("%4"));
    }

    #[test]
    fn each_byte_that_is_not_utf_8_becomes_one_replacement_character() {
        let read = |text| unescaped(text, Plus::IsItself).expect("well-formed escapes");
        assert_eq!(read("u%e2%82a"), "u\u{fffd}\u{fffd}a");
        assert_eq!(read("%ff%C3%A9"), "\u{fffd}é");
    }
}
