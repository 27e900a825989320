//! Members of a JSON object as Go's decoder reads them into a struct: names in any case, `null` as
//! absent, wrong types refused in its words.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ordered::BTreeMap;

use crate::gather::TryGather as _;
use crate::json::Json;
use crate::store::catalog::Pairs;

/// What Go's decoder says of a value that does not fit.
pub(super) type Misfit = String;

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
    pub(super) fn lenient(value: &'a Json, go_type: &str) -> Result<Self, Misfit> {
        match value {
            Json::Object(_) | Json::Null => Ok(Self(value)),
            other => {
                let kind = other.kind();
                Err(format!("json: cannot unmarshal {kind} into Go value of type {go_type}"))
            }
        }
    }

    /// An object that may have the named members only.
    pub(super) fn strict(value: &'a Json, go_type: &str, known: &[&str]) -> Result<Self, Misfit> {
        if let Json::Object(members) = value {
            let is_known = |name: &str| known.iter().any(|k| k.eq_ignore_ascii_case(name));
            if let Some((name, _)) = members.iter().find(|(name, _)| !is_known(name)) {
                return Err(format!("json: unknown field {}", crate::id::go_quoted(name)));
            }
        }
        Self::lenient(value, go_type)
    }

    /// A member that is there and not `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        self.0.member(name).filter(|value| **value != Json::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Misfit> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(other) => Err(misfit(other, name, "string")),
        }
    }

    /// A text that is empty when absent.
    pub(super) fn shared(&self, name: &str) -> Result<Arc<str>, Misfit> {
        Ok(Arc::from(self.text(name)?.unwrap_or_default()))
    }

    pub(super) fn unsigned(&self, name: &str) -> Result<u64, Misfit> {
        match self.get(name) {
            None => Ok(0),
            Some(Json::Unsigned(number)) => Ok(*number),
            Some(other) => Err(misfit(other, name, "uint64")),
        }
    }

    pub(super) fn signed(&self, name: &str) -> Result<i64, Misfit> {
        match self.get(name) {
            None => Ok(0),
            Some(Json::Signed(number)) => Ok(*number),
            Some(value @ Json::Unsigned(number)) => {
                i64::try_from(*number).map_err(|_| misfit(value, name, "int"))
            }
            Some(other) => Err(misfit(other, name, "int")),
        }
    }

    pub(super) fn is_set(&self, name: &str) -> Result<bool, Misfit> {
        match self.get(name) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(other) => Err(misfit(other, name, "bool")),
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<List, Misfit> {
        match self.0.member(name) {
            None => Ok(List::Absent),
            Some(Json::Null) => Ok(List::Null),
            Some(Json::Array(items)) => {
                let texts = items.iter().map(|item| element(item, name));
                Ok(List::Given(texts.try_gather()?))
            }
            Some(other) => Err(misfit(other, name, "[]string")),
        }
    }

    /// A list of texts, absent and `null` alike.
    pub(super) fn tags(&self, name: &str) -> Result<Option<Vec<Arc<str>>>, Misfit> {
        Ok(match self.list(name)? {
            List::Absent | List::Null => None,
            List::Given(texts) => Some(texts.into_iter().map(Arc::from).collect()),
        })
    }

    pub(super) fn items(&self, name: &str) -> Result<&'a [Json], Misfit> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Json::Array(items)) => Ok(items),
            Some(other) => Err(misfit(other, name, "slice")),
        }
    }

    /// A map of texts, absent and `null` alike.
    pub(super) fn pairs(&self, name: &str) -> Result<Pairs, Misfit> {
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

fn element(item: &Json, name: &str) -> Result<String, Misfit> {
    match item {
        Json::Text(text) => Ok(text.clone()),
        Json::Null => Ok(String::new()),
        other => Err(misfit(other, name, "string")),
    }
}

pub(super) fn misfit(value: &Json, name: &str, wanted: &str) -> Misfit {
    let number = match value {
        Json::Unsigned(number) => format!(" {number}"),
        Json::Signed(number) => format!(" {number}"),
        _ => String::new(),
    };
    let kind = value.kind();
    format!("json: cannot unmarshal {kind}{number} into Go struct field {name} of type {wanted}")
}
