//! Members of a decoded JSON object as Go leaves them in a struct: names in any case, the last of
//! several counts, `null` leaves what was before. The types must have been checked before: a member
//! of another type reads as absent.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::json::Json;
use crate::store::catalog::Pairs;

/// The members of one object; `null` and other values have none.
#[derive(Clone, Copy)]
pub(super) struct Object<'a>(&'a Json);

/// A member that is a list of texts.
pub(super) enum TextList {
    Absent,
    Null,
    Given(Vec<String>),
}

impl<'a> Object<'a> {
    pub(super) fn new(value: &'a Json) -> Self {
        Self(value)
    }

    /// The last value under a name that is not `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        let members = if let Json::Object(members) = self.0 { members.as_slice() } else { &[] };
        let is_given =
            |(key, value): &&(String, Json)| key.eq_ignore_ascii_case(name) && *value != Json::Null;
        members.iter().rfind(is_given).map(|(_, value)| value)
    }

    /// An object; absent, it has no members.
    pub(super) fn object(&self, name: &str) -> Self {
        Self(self.get(name).unwrap_or(&Json::Null))
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(Json::as_text)
    }

    /// A text that is there and not empty.
    pub(super) fn filled(&self, name: &str) -> Option<&'a str> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// A text of its own; absent, it is empty.
    pub(super) fn string(&self, name: &str) -> String {
        self.text(name).unwrap_or_default().into()
    }

    /// A shared text; absent, it is empty.
    pub(super) fn shared(&self, name: &str) -> Arc<str> {
        Arc::from(self.text(name).unwrap_or_default())
    }

    /// A number without a sign; absent, it is 0.
    pub(super) fn unsigned(&self, name: &str) -> u64 {
        if let Some(Json::Unsigned(number)) = self.get(name) { *number } else { 0 }
    }

    /// A whole number; absent, it is 0.
    pub(super) fn signed(&self, name: &str) -> i64 {
        self.get(name).and_then(Json::as_i64).unwrap_or_default()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.get(name) == Some(&Json::Bool(true))
    }

    /// A list of texts. It begins as `before`: a `null` item leaves what was in its place (SES-21).
    pub(super) fn text_list(&self, name: &str, before: &[&str]) -> TextList {
        let items = match self.0.member(name) {
            Some(Json::Array(items)) => items,
            Some(_) => return TextList::Null,
            None => return TextList::Absent,
        };
        let text = |(index, item): (usize, &Json)| {
            let before = before.get(index).copied().unwrap_or_default();
            item.as_text().unwrap_or(before).into()
        };
        TextList::Given(items.iter().enumerate().map(text).collect())
    }

    /// A list of texts as `T`; `None` if it is absent or `null`.
    pub(super) fn texts<T: From<String>>(&self, name: &str) -> Option<Vec<T>> {
        match self.text_list(name, &[]) {
            TextList::Absent | TextList::Null => None,
            TextList::Given(texts) => Some(texts.into_iter().map(T::from).collect()),
        }
    }

    /// The items of a list; absent, it has none.
    pub(super) fn items(&self, name: &str) -> &'a [Json] {
        if let Some(Json::Array(items)) = self.get(name) { items } else { &[] }
    }

    /// A map of texts; `None` if it is absent or `null`.
    pub(super) fn pairs(&self, name: &str) -> Pairs {
        self.get(name).and_then(pairs)
    }
}

/// An object as a map of texts; `None` for any other value.
pub(super) fn pairs(value: &Json) -> Pairs {
    let Json::Object(members) = value else { return None };
    let pair = |(key, value): &(String, Json)| {
        (Arc::from(key.as_str()), Arc::from(value.as_text().unwrap_or_default()))
    };
    Some(members.iter().map(pair).collect::<BTreeMap<_, _>>())
}
