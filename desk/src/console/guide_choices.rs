//! The values that a reader enters once for all steps of a guide: the prefix, the limit, and each
//! placeholder whose value comes from no step.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::variables::folded;

/// The default number of slots.
const LIMIT: u64 = 2;
/// The default prefix.
const PREFIX: &str = "service/db";

/// A value that the reader enters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideQuestion {
    /// The placeholder as it is written.
    pub name: String,
    pub kind: QuestionKind,
}

/// The kind of a value, in the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionKind {
    Prefix,
    Key,
    /// A text for `<body>`; without one it is the name of the sender.
    Body,
    Limit,
    Value,
    /// The client whose session replaces an id that the author of the guide copied.
    Session,
    /// The content of a file.
    File,
}

/// The texts that the reader has entered, valid or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuideChoices {
    entered: BTreeMap<String, String>,
}

impl GuideChoices {
    /// The text of a field, which has a default for the prefix and the limit.
    pub fn text(&self, question: &GuideQuestion) -> String {
        let default = match question.kind {
            QuestionKind::Prefix => PREFIX.to_owned(),
            QuestionKind::Limit => LIMIT.to_string(),
            _ => String::new(),
        };
        self.entered.get(&folded(&question.name)).cloned().unwrap_or(default)
    }

    pub fn enter(&mut self, name: &str, text: &str) {
        self.entered.insert(folded(name), text.to_owned());
    }

    /// These choices as if nothing was entered for a name.
    pub(super) fn without(&self, name: &str) -> Self {
        let mut others = self.clone();
        others.entered.remove(&folded(name));
        others
    }

    /// Whether the text of a field can be sent. An empty text is valid except for the prefix and
    /// the limit: it means that the value is missing.
    pub fn is_valid(&self, question: &GuideQuestion) -> bool {
        let text = self.text(question);
        match question.kind {
            QuestionKind::Prefix => prefix_of(&text).is_some(),
            QuestionKind::Limit => limit_of(&text).is_some(),
            QuestionKind::Key => text.is_empty() || is_path(&text),
            _ => true,
        }
    }

    pub(super) fn prefix(&self) -> Option<String> {
        prefix_of(self.entered.get("prefix").map_or(PREFIX, String::as_str))
    }

    pub(super) fn limit(&self) -> Option<u64> {
        self.entered.get("limit").map_or(Some(LIMIT), |text| limit_of(text))
    }

    pub(super) fn body(&self) -> Option<String> {
        self.entered.get("body").filter(|text| !text.is_empty()).cloned()
    }

    /// The value of any other name. `None` if nothing was entered, or if a key is not valid.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let name = folded(name);
        let text = self.entered.get(&name).filter(|text| !text.is_empty())?;
        (name != "key" || is_path(text)).then(|| text.clone())
    }
}

/// A prefix without the slash at its end; `None` for a text that is no prefix of a key.
fn prefix_of(text: &str) -> Option<String> {
    let prefix = text.trim().trim_end_matches('/');
    is_path(prefix).then(|| prefix.to_owned())
}

fn limit_of(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|limit| *limit > 0)
}

/// Whether a key reaches the server as it is: Consul shortens `//`, `.` and `..` in an address.
fn is_path(key: &str) -> bool {
    let is_kept = |part: &str| !matches!(part, "" | "." | "..");
    let parts = key.strip_suffix('/').unwrap_or(key);
    !key.chars().any(char::is_control) && parts.split('/').all(is_kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_that_cannot_be_sent_has_no_value() {
        let mut choices = GuideChoices::default();
        assert_eq!((choices.prefix().as_deref(), choices.limit()), (Some(PREFIX), Some(LIMIT)));
        for text in ["", " ", "/", "/a", "a//b", "a/../b", ".", "a\nb"] {
            choices.enter("prefix", text);
            assert_eq!(choices.prefix(), None, "{text:?}");
        }
        choices.enter("prefix", " a b/ü?x=1&y#z/ ");
        assert_eq!(choices.prefix().as_deref(), Some("a b/ü?x=1&y#z"));
        for (text, limit) in [("3", Some(3)), ("0", None), ("x", None), ("", None)] {
            choices.enter("Limit", text);
            assert_eq!(choices.limit(), limit, "{text:?}");
        }
        choices.enter("<Service Name>", "");
        assert_eq!(choices.value("<Service Name>"), None);
        choices.enter("Service Name", "web");
        assert_eq!(choices.value("service-name").as_deref(), Some("web"));
    }
}
