//! Members of a JSON object as Go's decoder reads them into a struct: names in any case, `null` as
//! absent, wrong types refused in its words.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::json::Json;
use crate::store::catalog::Pairs;
use alloc::collections::BTreeMap;

/// What Go's decoder says of a value that does not fit.
pub(super) type DecodeError = String;

/// The members of one object.
pub(super) struct Fields<'a>(&'a Json);

/// A list member: not there, `null`, or given.
pub(super) enum List {
    Absent,
    Null,
    Given(Vec<String>),
}

impl<'a> Fields<'a> {
    /// An object whose other members are ignored; `null` counts as an empty one.
    pub(super) fn lenient(value: &'a Json, go_type: &str) -> Result<Self, DecodeError> {
        match value {
            Json::Object(_) | Json::Null => Ok(Self(value)),
            other => {
                let kind = other.kind();
                Err(format!("json: cannot unmarshal {kind} into Go value of type {go_type}"))
            }
        }
    }

    /// An object that may have the named members only.
    pub(super) fn strict(
        value: &'a Json,
        go_type: &str,
        known: &[&str],
    ) -> Result<Self, DecodeError> {
        if let Json::Object(members) = value {
            let is_known = |name: &str| known.iter().any(|k| k.eq_ignore_ascii_case(name));
            if let Some((name, _)) = members.iter().find(|(name, _)| !is_known(name)) {
                return Err(format!("json: unknown field {}", crate::id::go_quoted(name)));
            }
        }
        Self::lenient(value, go_type)
    }

    /// All that is given under a name, in order; `null` gives nothing.
    fn given(&self, name: &str) -> impl Iterator<Item = &'a Json> {
        let members = if let Json::Object(members) = self.0 { members.as_slice() } else { &[] };
        let named = move |(key, _): &&'a (String, Json)| key.eq_ignore_ascii_case(name);
        members.iter().filter(named).map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    /// The last that is given under a name.
    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        self.given(name).last()
    }

    /// The same, of a type; whatever else is given under the name must be of it, too.
    fn typed(
        &self,
        name: &str,
        (wanted, fits): (&str, fn(&Json) -> bool),
    ) -> Result<Option<&'a Json>, DecodeError> {
        match self.given(name).find(|value| !fits(value)) {
            Some(other) => Err(misfit(other, name, wanted)),
            None => Ok(self.get(name)),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, DecodeError> {
        let value = self.typed(name, ("string", |value| matches!(value, Json::Text(_))))?;
        Ok(value.and_then(Json::as_text))
    }

    /// A text that is there and not empty.
    pub(super) fn filled(&self, name: &str) -> Result<Option<&'a str>, DecodeError> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    /// A text that is empty when absent.
    pub(super) fn shared(&self, name: &str) -> Result<Arc<str>, DecodeError> {
        Ok(Arc::from(self.text(name)?.unwrap_or_default()))
    }

    pub(super) fn unsigned(&self, name: &str) -> Result<u64, DecodeError> {
        let value = self.typed(name, ("uint64", |value| matches!(value, Json::Unsigned(_))))?;
        Ok(if let Some(Json::Unsigned(number)) = value { *number } else { 0 })
    }

    pub(super) fn signed(&self, name: &str) -> Result<i64, DecodeError> {
        let value = self.typed(name, ("int", |value| signed_of(value).is_some()))?;
        Ok(value.and_then(signed_of).unwrap_or_default())
    }

    pub(super) fn is_set(&self, name: &str) -> Result<bool, DecodeError> {
        let value = self.typed(name, ("bool", |value| matches!(value, Json::Bool(_))))?;
        Ok(value == Some(&Json::Bool(true)))
    }

    /// A list of texts. It begins as `before`, of which a `null` in the same place leaves what is
    /// there (SES-21).
    pub(super) fn list(&self, name: &str, before: &[&str]) -> Result<List, DecodeError> {
        self.typed(name, ("[]string", |value| matches!(value, Json::Array(_))))?;
        let items = match self.0.member(name) {
            Some(Json::Array(items)) => items,
            Some(_) => return Ok(List::Null),
            None => return Ok(List::Absent),
        };
        let text = |(place, item): (usize, &Json)| match (item, before.get(place)) {
            (Json::Null, Some(before)) => Ok((*before).into()),
            _ => element(item, name),
        };
        Ok(List::Given(items.iter().enumerate().map(text).collect::<Result<Vec<_>, _>>()?))
    }

    /// A list of texts, absent and `null` alike.
    pub(super) fn tags(&self, name: &str) -> Result<Option<Vec<Arc<str>>>, DecodeError> {
        Ok(match self.list(name, &[])? {
            List::Absent | List::Null => None,
            List::Given(texts) => Some(texts.into_iter().map(Arc::from).collect()),
        })
    }

    pub(super) fn items(&self, name: &str) -> Result<&'a [Json], DecodeError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Json::Array(items)) => Ok(items),
            Some(other) => Err(misfit(other, name, "slice")),
        }
    }

    /// A map of texts, absent and `null` alike.
    pub(super) fn pairs(&self, name: &str) -> Result<Pairs, DecodeError> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Object(members)) => {
                let mut pairs = BTreeMap::new();
                for (key, value) in members {
                    pairs.insert(Arc::from(key.as_str()), Arc::from(element(value, name)?));
                }
                Ok(Some(pairs))
            }
            Some(other) => Err(misfit(other, name, "map[string]string")),
        }
    }
}

fn signed_of(value: &Json) -> Option<i64> {
    match value {
        Json::Signed(number) => Some(*number),
        Json::Unsigned(number) => i64::try_from(*number).ok(),
        _ => None,
    }
}

fn element(item: &Json, name: &str) -> Result<String, DecodeError> {
    match item {
        Json::Text(text) => Ok(text.clone()),
        Json::Null => Ok(String::new()),
        other => Err(misfit(other, name, "string")),
    }
}

pub(super) fn misfit(value: &Json, name: &str, wanted: &str) -> DecodeError {
    let number = match value {
        Json::Unsigned(number) => format!(" {number}"),
        Json::Signed(number) => format!(" {number}"),
        _ => String::new(),
    };
    let kind = value.kind();
    format!("json: cannot unmarshal {kind}{number} into Go struct field {name} of type {wanted}")
}
