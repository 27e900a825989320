//! The members of a record in JSON: under their exact names, each at most once.

use alloc::format;
use alloc::string::String;

use lictor_core::json::Json;

/// The members of one object.
pub(super) struct Members<'a>(&'a [(String, Json)]);

impl<'a> Members<'a> {
    /// An object that may have the named members only.
    pub(super) fn only(value: &'a Json, known: &[&str]) -> Result<Self, String> {
        let members = Self::among(value, known)?;
        let is_known = |(name, _): &&(String, Json)| known.contains(&name.as_str());
        match members.0.iter().find(|member| !is_known(member)) {
            Some((name, _)) => Err(format!("unknown field `{name}`")),
            None => Ok(members),
        }
    }

    /// An object whose other members are ignored.
    pub(super) fn among(value: &'a Json, known: &[&str]) -> Result<Self, String> {
        let Json::Object(members) = value else {
            return Err(format!("an object is expected, not {}", value.kind()));
        };
        let times = |name: &str| members.iter().filter(|(other, _)| other == name).count();
        match known.iter().find(|name| times(name) > 1) {
            Some(name) => Err(format!("duplicate field `{name}`")),
            None => Ok(Self(members)),
        }
    }

    /// A member that is there and not `null`.
    pub(super) fn optional(&self, name: &str) -> Option<&'a Json> {
        self.get(name).filter(|value| **value != Json::Null)
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        self.optional(name).map(|value| text(name, value)).transpose()
    }

    pub(super) fn optional_number(&self, name: &str) -> Result<Option<u64>, String> {
        self.optional(name).map(|value| number(name, value)).transpose()
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        text(name, self.needed(name)?)
    }

    pub(super) fn number(&self, name: &str) -> Result<u64, String> {
        number(name, self.needed(name)?)
    }

    /// A number that fits where it is kept.
    pub(super) fn narrow<T: TryFrom<u64>>(&self, name: &str) -> Result<T, String> {
        let number = self.number(name)?;
        T::try_from(number).map_err(|_| format!("`{name}` is too large: {number}"))
    }

    pub(super) fn needed(&self, name: &str) -> Result<&'a Json, String> {
        self.get(name).ok_or_else(|| format!("missing field `{name}`"))
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

pub(super) fn text<'a>(name: &str, value: &'a Json) -> Result<&'a str, String> {
    value.as_text().ok_or_else(|| misfit(name, value, "a text"))
}

fn number(name: &str, value: &Json) -> Result<u64, String> {
    match value {
        Json::Unsigned(number) => Ok(*number),
        other => Err(misfit(name, other, "a whole number from 0")),
    }
}

pub(super) fn misfit(name: &str, value: &Json, wanted: &str) -> String {
    format!("`{name}` takes {wanted}, not {}", value.kind())
}
