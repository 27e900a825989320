//! Go's types of JSON bodies: each endpoint declares the struct that Consul decodes into, and
//! [`check`] reports the first value that does not fit, in the words of Go's `encoding/json`. After
//! the check, members can be read without errors.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use thiserror::Error;

use super::bad_request::BadRequest;
use super::go_base64;
use crate::duration::{self, DurationError};
use crate::id::go_quoted;
use crate::json::{Json, JsonError};
use crate::version::ConsulVersion;

/// Why a body cannot be decoded, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum DecodeError {
    #[error(transparent)]
    Syntax(#[from] JsonError),
    #[error("json: cannot unmarshal {value} into Go value of type {go_type}")]
    WrongType { value: String, go_type: &'static str },
    #[error("json: cannot unmarshal {value} into Go struct field {field} of type {go_type}")]
    WrongFieldType { value: String, field: String, go_type: &'static str },
    #[error("json: unknown field {}", go_quoted(.0))]
    UnknownField(String),
    #[error("illegal base64 data at input byte {0}")]
    Base64(usize),
    #[error(transparent)]
    Duration(#[from] DurationError),
}

impl From<DecodeError> for BadRequest {
    fn from(error: DecodeError) -> Self {
        Self::Invalid(format!("Request decode failed: {error}"))
    }
}

/// The Go type that a JSON value is decoded into.
pub(super) enum GoType {
    /// `string`, or a named type of it such as `types.CheckID`.
    Text(&'static str),
    Int,
    Uint,
    Uint8,
    Uint16,
    Uint64,
    /// A `uint64` in the embedded struct `RaftIndex`, which error texts name in some versions.
    RaftIndex,
    Bool,
    /// `[]byte`, which in JSON is base64 or a list of numbers.
    Bytes,
    /// `interface{}`: any value, except for one with a number that is too large for a float.
    Any,
    /// `time.Duration` in a type that reads it from a text or a number.
    Duration,
    /// A type whose content has no effect here; nothing in it is checked.
    Unchecked,
    /// `map[string]string`.
    Pairs,
    /// Any other map with texts as keys: its name, and the type of its values.
    Map(&'static str, &'static Self),
    /// A slice: its name, and the type of its items.
    List(&'static str, &'static Self),
    Struct(&'static GoStruct),
    /// The fields of an embedded struct, which in JSON are members of the outer one. Consul has one
    /// in each type with an `UnmarshalJSON` of its own. In a struct around such a type, errors name
    /// that struct.
    Embedded(&'static [(&'static str, Self)]),
    /// A field that exists from this version on; before, its name is unknown.
    Since(ConsulVersion, &'static Self),
    /// A field that exists before this version only.
    Before(ConsulVersion, &'static Self),
    /// The first type before this version, and the second since.
    Changed(ConsulVersion, &'static Self, &'static Self),
    /// A member that Go writes even if it has its zero value.
    Shown(&'static Self),
    /// `*struct`: like [`GoType::Struct`], but not `null` in a list. Consul's handler crashes at
    /// such an item; here the request is refused.
    Pointer(&'static GoStruct),
}

/// A Go struct type: what Consul decodes a JSON object into.
pub(super) struct GoStruct {
    /// The type with its package, such as `structs.Node`.
    pub(super) go_type: &'static str,
    /// The name without its package; empty for a struct without a name.
    pub(super) name: &'static str,
    /// Whether an unknown member is an error.
    pub(super) is_strict: bool,
    /// The members by their JSON names, which match without regard to case.
    pub(super) fields: Fields,
}

pub(super) type Fields = &'static [(&'static str, GoType)];

pub(super) const STRING: GoType = GoType::Text("string");
pub(super) const STRINGS: GoType = GoType::List("[]string", &STRING);

impl GoType {
    /// The type as Go's error texts print it.
    fn name(&self) -> &'static str {
        match self {
            Self::Text(name) | Self::List(name, _) | Self::Map(name, _) => name,
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint64 | Self::RaftIndex => "uint64",
            Self::Bool => "bool",
            Self::Bytes => "[]uint8",
            Self::Any | Self::Duration | Self::Unchecked => "interface {}",
            Self::Pairs => "map[string]string",
            Self::Struct(go_struct) | Self::Pointer(go_struct) => go_struct.go_type,
            Self::Embedded(_) => "*structs.Alias",
            Self::Since(_, inner) | Self::Before(_, inner) | Self::Changed(_, _, inner) => {
                inner.name()
            }
            Self::Shown(inner) => inner.name(),
        }
    }
}

impl GoStruct {
    /// The path to a field and its type. A field has precedence over an embedded one.
    fn field(
        &self,
        name: &str,
        version: ConsulVersion,
    ) -> Option<(Vec<&'static str>, &'static GoType)> {
        let own =
            find(self.fields, name, version).map(|(known, inner)| (Vec::from([known]), inner));
        own.or_else(|| {
            let (alias, fields) = self.embedded()?;
            find(fields, name, version).map(|(known, inner)| (Vec::from([alias, known]), inner))
        })
    }

    /// The members by the names that Go's fields have: those of the embedded struct, if there is
    /// one, as the others are further spellings.
    pub(super) fn members(&self) -> Fields {
        self.embedded().map_or(self.fields, |(_, fields)| fields)
    }

    /// The name of the embedded struct, and its fields.
    fn embedded(&self) -> Option<(&'static str, Fields)> {
        self.fields.iter().find_map(|(name, go_type)| match go_type {
            GoType::Embedded(fields) => Some((*name, *fields)),
            _ => None,
        })
    }
}

/// The field of this name in a version.
fn find(
    fields: Fields,
    name: &str,
    version: ConsulVersion,
) -> Option<(&'static str, &'static GoType)> {
    fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).find_map(
        |(known, go_type)| match go_type {
            GoType::Embedded(_) => None,
            GoType::Since(first, inner) => (version >= *first).then_some((*known, *inner)),
            GoType::Before(first, inner) => (version < *first).then_some((*known, *inner)),
            go_type => Some((*known, go_type)),
        },
    )
}

/// Checks that a value can be decoded into a type of a version. Fails at the first place, in the
/// order of the text, where Go's decoder does.
pub(super) fn check(
    value: &Json,
    go_type: &GoType,
    version: ConsulVersion,
) -> Result<(), DecodeError> {
    Checker { version, owner: None, keeps_owner: false, path: Vec::new() }.value(value, go_type)
}

/// Walks through a value and its type side by side.
struct Checker {
    version: ConsulVersion,
    /// The name of the struct that errors name: the innermost one around the value, except that a
    /// type with its own `UnmarshalJSON`, and all that it contains, keeps that of the struct
    /// around.
    owner: Option<&'static str>,
    /// Whether the value is inside of such a type, so that the owner stays.
    keeps_owner: bool,
    /// The fields that lead to the current value.
    path: Vec<&'static str>,
}

impl Checker {
    fn value(&mut self, value: &Json, go_type: &GoType) -> Result<(), DecodeError> {
        match (go_type, value) {
            (GoType::Unchecked, _) | (_, Json::Null) => Ok(()),
            (GoType::Shown(go_type), value) => self.value(value, go_type),
            (GoType::Text(_), Json::Text(_)) | (GoType::Bool, Json::Bool(_)) => Ok(()),
            (GoType::Int, number) if number.as_i64().is_some() => Ok(()),
            (GoType::Uint | GoType::Uint64 | GoType::RaftIndex, Json::Unsigned(_)) => Ok(()),
            (GoType::Int | GoType::Uint | GoType::Uint64 | GoType::RaftIndex, number) => {
                Err(self.not_in_range(number, go_type.name()))
            }
            (GoType::Bytes, Json::Text(text)) => {
                go_base64::decode(text).map(drop).map_err(DecodeError::Base64)
            }
            (GoType::Bytes, Json::Array(items)) => items.iter().try_for_each(|item| match item {
                Json::Unsigned(0..=255) | Json::Null => Ok(()),
                other => Err(self.not_in_range(other, "uint8")),
            }),
            (GoType::Duration, Json::Text(text)) => Ok(duration::parse(text).map(drop)?),
            (GoType::Any | GoType::Duration, value) => self.any(value),
            (GoType::Pairs, Json::Object(members)) => {
                members.iter().try_for_each(|(_, value)| self.value(value, &STRING))
            }
            (GoType::Map(_, go_type), Json::Object(members)) => {
                members.iter().try_for_each(|(_, value)| self.value(value, go_type))
            }
            (GoType::List(_, item), Json::Array(items)) => self.items(items, item),
            (GoType::Struct(go_struct) | GoType::Pointer(go_struct), Json::Object(members)) => {
                self.members(members, go_struct)
            }
            (GoType::Since(_, inner) | GoType::Before(_, inner), value) => self.value(value, inner),
            (GoType::Changed(first, before, since), value) => {
                self.value(value, if self.version < *first { before } else { since })
            }
            (_, value) => Err(self.wrong_type(value.kind().into(), go_type.name())),
        }
    }

    fn items(&mut self, items: &[Json], go_type: &GoType) -> Result<(), DecodeError> {
        for item in items {
            if let (GoType::Pointer(go_struct), Json::Null) = (go_type, item) {
                let value = item.kind().into();
                return Err(DecodeError::WrongType { value, go_type: go_struct.go_type });
            }
            self.value(item, go_type)?;
        }
        Ok(())
    }

    fn members(
        &mut self,
        members: &[(String, Json)],
        go_struct: &GoStruct,
    ) -> Result<(), DecodeError> {
        let (outer, was_kept) = (self.owner, self.keeps_owner);
        match outer {
            Some(_) if was_kept || go_struct.embedded().is_some() => self.keeps_owner = true,
            _ => self.owner = Some(go_struct.name),
        }
        for (name, value) in members {
            match go_struct.field(name, self.version) {
                Some((path, go_type)) => {
                    let depth = self.path.len();
                    self.path.extend(path);
                    if matches!(go_type, GoType::RaftIndex)
                        && self.version.rules().names_embedded_structs
                    {
                        self.path.insert(self.path.len() - 1, "RaftIndex");
                    }
                    self.value(value, go_type)?;
                    self.path.truncate(depth);
                }
                None if go_struct.is_strict => return Err(DecodeError::UnknownField(name.clone())),
                None => {}
            }
        }
        (self.owner, self.keeps_owner) = (outer, was_kept);
        Ok(())
    }

    /// Go reads the numbers of an `interface{}` as floats.
    fn any(&mut self, value: &Json) -> Result<(), DecodeError> {
        match value {
            Json::Decimal(text) if value.as_f64().is_none() => {
                Err(self.wrong_type(format!("number {text}"), "float64"))
            }
            Json::Array(items) => items.iter().try_for_each(|item| self.any(item)),
            Json::Object(members) => members.iter().try_for_each(|(_, value)| self.any(value)),
            _ => Ok(()),
        }
    }

    /// The error of a value that a type of integers does not have.
    fn not_in_range(&self, value: &Json, go_type: &'static str) -> DecodeError {
        match value.number_text() {
            Some(text) => self.wrong_type(format!("number {text}"), go_type),
            None => self.wrong_type(value.kind().into(), go_type),
        }
    }

    fn wrong_type(&self, value: String, go_type: &'static str) -> DecodeError {
        match self.owner {
            None => DecodeError::WrongType { value, go_type },
            Some(owner) => {
                let field = [&[owner], self.path.as_slice()].concat().join(".");
                DecodeError::WrongFieldType { value, field, go_type }
            }
        }
    }
}
