//! Identifiers: the log index, ids and names. Each is a type of its own, so that the compiler
//! rejects a node name where a key is expected. Also Go's quoting of texts and its rules for UUIDs,
//! which error messages repeat.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use thiserror::Error;
use uuid::Uuid;

/// A Raft log index: what `X-Consul-Index`, `CreateIndex` and `ModifyIndex` count in.
#[derive(
    Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
)]
pub struct Index(pub u64);

impl Index {
    /// The index before the first log entry.
    pub const ZERO: Self = Self(0);

    /// The index of the log entry that follows.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The index as answers show it: at least 1 (HTTP-12).
    pub fn at_least_one(self) -> Self {
        self.max(Self(1))
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a session: 16 bytes from the engine's generator, printed as a lower-case UUID
/// (SES-05).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SessionId(Uuid);

impl SessionId {
    /// The id of these bytes, of which none has a special meaning.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Parses the 36-character form in any letter case (SES-31). Any other text names no session.
    pub fn parse(text: &str) -> Option<Self> {
        parse_uuid(text).map(Self)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl SessionId {
    /// The smallest id, with which a range of a sorted map begins.
    pub(crate) const FIRST: Self = Self(Uuid::nil());
}

/// The id of a prepared query.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct QueryId(Uuid);

impl QueryId {
    /// The id of these bytes, of which none has a special meaning.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Parses the 36-character form in any letter case.
    pub fn parse(text: &str) -> Option<Self> {
        parse_uuid(text).map(Self)
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        *self.0.as_bytes()
    }
}

impl QueryId {
    /// The smallest id, with which a range of a sorted map begins.
    pub(crate) const FIRST: Self = Self(Uuid::nil());
}

impl fmt::Display for QueryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() == 36 { Uuid::try_parse(text).ok() } else { None }
}

/// A text that many records share: a clone copies at most a few words.
macro_rules! shared_text {
    ($(#[$doc:meta])* $name:ident: $text:ty) => {
        $(#[$doc])*
        #[derive(
            Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name($text);

        impl $name {
            /// The text as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether the text is empty.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(<$text>::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(<$text>::from(text))
            }
        }

        impl core::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

shared_text! {
    /// A key of the key/value store: any text, compared byte by byte (KV-27). Up to 23 bytes are
    /// stored inline, so that a search in the tree of keys follows no pointer to them.
    Key: SmolStr
}

shared_text! {
    /// A session as a caller names it: any text. It is looked up by its canonical id, but a lock
    /// keeps the spelling that acquired it (LCK-08, LCK-16).
    SessionRef: Arc<str>
}

shared_text! {
    /// The name of a node as it was sent; compared without regard to case (SES-09).
    NodeName: Arc<str>
}

shared_text! {
    /// The id of a health check as it was sent; compared without regard to case (SES-25).
    CheckId: Arc<str>
}

shared_text! {
    /// The id of a service on a node; compared without regard to case.
    ServiceId: Arc<str>
}

shared_text! {
    /// The name of a client in a simulated world.
    ActorName: Arc<str>
}

shared_text! {
    /// The name of a program that runs on a client.
    ProgramName: Arc<str>
}

shared_text! {
    /// The name of a guarded resource.
    ResourceName: Arc<str>
}

impl SessionRef {
    /// The session id that this text spells, if it is one.
    pub fn id(&self) -> Option<SessionId> {
        SessionId::parse(&self.0)
    }
}

impl From<SessionId> for SessionRef {
    fn from(id: SessionId) -> Self {
        let mut buffer = Uuid::encode_buffer();
        Self(Arc::from(&*id.0.hyphenated().encode_lower(&mut buffer)))
    }
}

/// The text in lower case as Go's `strings.ToLower` writes it: each character by itself, without
/// Rust's special cases for sequences (a final `Σ` becomes `σ`).
pub(crate) fn go_lower(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

/// A name in the form in which the catalog compares it: lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Folded(Arc<str>);

impl Folded {
    /// The name in lower case.
    pub fn new(text: &str) -> Self {
        Self(Arc::from(go_lower(text)))
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NodeName {
    /// The name in the form in which it is compared.
    pub fn folded(&self) -> Folded {
        Folded::new(&self.0)
    }
}

impl CheckId {
    /// The id in the form in which it is compared.
    pub fn folded(&self) -> Folded {
        Folded::new(&self.0)
    }
}

impl ServiceId {
    /// The id in the form in which it is compared.
    pub fn folded(&self) -> Folded {
        Folded::new(&self.0)
    }
}

/// The number of a request. The caller of the engine chooses it, and the answer repeats it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RequestId(pub u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why a text is not a UUID, in the words of the libraries that Consul parses ids with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UuidError {
    /// A node id of another length.
    #[error("uuid string is wrong length")]
    WrongLength,
    /// A node id whose hyphens are elsewhere.
    #[error("uuid is improperly formatted")]
    Hyphens,
    /// The id of a prepared query of another length.
    #[error("UUID must be 36 characters")]
    QueryLength,
    /// The id of a prepared query with a byte that is no digit.
    #[error("Invalid UUID: {0}")]
    QueryDigit(HexError),
    /// A node id with a byte that is no digit.
    #[error(transparent)]
    Digit(#[from] HexError),
    /// The beginning of a node id that is longer than an id.
    #[error("Invalid UUID length. UUID have 36 characters; got {0}")]
    PrefixTooLong(usize),
    /// The beginning of a node id with more hyphens than an id has.
    #[error("UUID should have maximum of 4 \"-\"; got {0}")]
    PrefixHyphens(usize),
    /// The beginning of a node id that ends in half a byte.
    #[error("UUID (without hyphens) must be even length")]
    PrefixOdd,
    /// The beginning of a node id with a byte that is no digit.
    #[error("invalid UUID: {0}")]
    PrefixDigit(HexError),
}

/// The first byte of a text that is not a hexadecimal digit, in Go's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("encoding/hex: invalid byte: {}", go_code_point(char::from(*byte)))]
pub struct HexError {
    /// The byte.
    pub byte: u8,
}

/// Checks the id that a node is registered with.
pub fn check_uuid(text: &str) -> Result<(), UuidError> {
    const HYPHENS: [usize; 4] = [8, 13, 18, 23];
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return Err(UuidError::WrongLength);
    }
    if HYPHENS.iter().any(|at| bytes[*at] != b'-') {
        return Err(UuidError::Hyphens);
    }
    let digits = (0..36).filter(|at| !HYPHENS.contains(at)).map(|at| bytes[at]);
    Ok(check_hex(digits)?)
}

/// Checks the id of a prepared query.
pub fn check_query_id(text: &str) -> Result<(), UuidError> {
    if text.len() != 36 {
        return Err(UuidError::QueryLength);
    }
    check_hex(text.bytes().filter(|byte| *byte != b'-')).map_err(UuidError::QueryDigit)
}

/// Checks the beginning of an id, by which Consul's store finds nodes.
pub fn check_uuid_prefix(text: &str) -> Result<(), UuidError> {
    let hyphens = text.bytes().filter(|byte| *byte == b'-').count();
    match text.len() {
        length @ 37.. => Err(UuidError::PrefixTooLong(length)),
        _ if hyphens > 4 => Err(UuidError::PrefixHyphens(hyphens)),
        length if (length - hyphens) % 2 == 1 => Err(UuidError::PrefixOdd),
        _ => check_hex(text.bytes().filter(|byte| *byte != b'-')).map_err(UuidError::PrefixDigit),
    }
}

fn check_hex(mut bytes: impl Iterator<Item = u8>) -> Result<(), HexError> {
    bytes.find(|byte| !byte.is_ascii_hexdigit()).map_or(Ok(()), |byte| Err(HexError { byte }))
}

/// A character in Go's Unicode form (`%#U`): its number, and itself in quotation marks if it can be
/// printed.
fn go_code_point(c: char) -> String {
    let number = format!("U+{:04X}", u32::from(c));
    if is_printable(c) { format!("{number} '{c}'") } else { number }
}

/// A text in Go's quoted form (`%q`), as Consul's messages print ids.
pub fn go_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            c if is_printable(c) => quoted.push(c),
            c => quoted.push_str(&match c as u32 {
                code @ ..0x80 => format!("\\x{code:02x}"),
                code @ ..0x1_0000 => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character can be printed (HTTP-16). Go and Rust agree on this: `escape_debug` escapes
/// all others.
pub fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        c if c.is_ascii() => false,
        // `escape_debug` also escapes a combining mark at the start of a text, hence the letter.
        c => String::from_iter(['a', c]).escape_debug().count() == 2,
    }
}

/// Bytes as text, as Go converts them: each byte that is not part of UTF-8 becomes U+FFFD.
pub fn go_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| text.push(char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn invisible_characters_are_found_and_quoted() {
        for (text, quoted) in [
            ("a\nb", r#""a\nb""#),
            ("a\u{a0}b", r#""a\u00a0b""#),
            ("\u{200b}", r#""\u200b""#),
            ("\u{7f}\u{1}", r#""\x7f\x01""#),
            ("\u{e0001}", r#""\U000e0001""#),
        ] {
            assert!(!text.chars().all(is_printable), "{text:?}");
            assert_eq!(go_quoted(text), quoted);
        }
        assert!("/v1/kv/é x 中".chars().all(is_printable));
        assert_eq!(go_quoted("é \"中\\"), r#""é \"中\\""#);
    }

    #[test]
    fn a_byte_that_is_no_digit_is_named_in_quotation_marks_only_if_it_can_be_printed() {
        for (byte, name) in [
            (b'z', "U+007A 'z'"),
            (b'\'', "U+0027 '''"),
            (b' ', "U+0020 ' '"),
            (0x01, "U+0001"),
            (0x7f, "U+007F"),
            (0xa0, "U+00A0"),
            (0xad, "U+00AD"),
            (0xc3, "U+00C3 'Ã'"),
        ] {
            let message = HexError { byte }.to_string();
            assert_eq!(message, format!("encoding/hex: invalid byte: {name}"));
        }
    }

    #[test]
    fn a_session_is_found_by_any_spelling_and_printed_in_lower_case() {
        let upper = "ADF4238A-882B-9DDC-4A9D-5B6758E4159E";
        let id = SessionId::parse(upper).expect("36 characters");
        assert_eq!(id.to_string(), upper.to_lowercase());
        assert_eq!(SessionRef::from(id).as_str(), upper.to_lowercase());
    }

    #[test]
    fn other_forms_of_a_uuid_name_no_session() {
        for text in ["", "adf4238a", "{adf4238a-882b-9ddc-4a9d-5b6758e4159e}"] {
            assert_eq!(SessionId::parse(text), None, "{text}");
        }
        assert_eq!(SessionId::parse("adf4238a882b9ddc4a9d5b6758e4159e"), None);
    }

    #[test]
    fn quoting_follows_go() {
        assert_eq!(go_quoted("say \"hi\"\n"), r#""say \"hi\"\n""#);
        assert_eq!(go_quoted("é\u{1}"), "\"é\\x01\"");
    }
}
