//! Texts and JSON with variables. The ids of sessions and the indexes have other values in each run
//! of a server, so an exported test keeps them in variables.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// The length of an id's text.
const ID_LENGTH: usize = 36;
/// Members of an answer that depend on what else the server has seen, and on its name.
const IGNORED: [&str; 3] = ["CreateIndex", "ModifyIndex", "Node"];

/// A value that differs from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variable {
    /// The id that the server created as the one with this number, counted from 1.
    Id(usize),
    /// The same in upper case, which servers accept.
    UpperId(usize),
    /// The `ModifyIndex` of a key, which had this value in the world.
    Index(u64),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Variable(Variable),
}

/// A text with variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template(pub(crate) Vec<Part>);

/// JSON with variables in its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(Template),
    /// The base64 of a text.
    Base64(Template),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// The ids that a server has created, with their numbers from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    ids: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Variable {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Id(number) => format!("s{number}"),
            Self::UpperId(number) => format!("s{number}_upper"),
            Self::Index(index) => format!("i{index}"),
        }
    }
}

impl Ids {
    pub(crate) fn push(&mut self, id: String) {
        self.ids.push(id.clone());
        self.numbers.insert(id, self.ids.len());
    }

    /// The number of an id. `None` if the server has not created it.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    pub(crate) fn id(&self, number: usize) -> Option<&str> {
        self.ids.get(number.checked_sub(1)?).map(String::as_str)
    }

    /// The text with variables in place of the ids, in lower or upper case.
    pub(crate) fn template(&self, text: &str) -> Template {
        let mut template = Template::default();
        let (mut done, mut start) = (0_usize, 0_usize);
        while let Some(end) = start.checked_add(ID_LENGTH).filter(|end| *end <= text.len()) {
            match text.get(start..end).and_then(|window| self.variable(window)) {
                Some(variable) => {
                    template.push_text(&text[done..start]);
                    template.0.push(Part::Variable(variable));
                    (done, start) = (end, end);
                }
                None => start += 1,
            }
        }
        template.push_text(&text[done..]);
        template
    }

    /// The variable for exactly this text, which is as long as an id.
    fn variable(&self, text: &str) -> Option<Variable> {
        // Most windows of a text have no hyphen there, so most need no look-up.
        if text.as_bytes()[8] != b'-' {
            return None;
        }
        if let Some(number) = self.numbers.get(text) {
            return Some(Variable::Id(*number));
        }
        let number = *self.numbers.get(&text.to_ascii_lowercase())?;
        let is_upper = text == text.to_ascii_uppercase();
        is_upper.then_some(Variable::UpperId(number))
    }

    /// The JSON of an answer, without the members that differ from server to server.
    pub(crate) fn json(&self, value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.to_string()),
            Value::String(text) => Json::Text(self.template(text)),
            Value::Array(values) => {
                let mut list: Vec<Json> = values.iter().map(|value| self.json(value)).collect();
                // Some lists are in the order of ids, which differ from run to run.
                list.sort_by_cached_key(|value| format!("{value:?}"));
                Json::List(list)
            }
            Value::Object(members) => Json::Object(self.members(members)),
        }
    }

    fn members(&self, members: &Map<String, Value>) -> Vec<(String, Json)> {
        let kept = members.iter().filter(|(name, _)| !IGNORED.contains(&name.as_str()));
        let member = |(name, value): (&String, &Value)| {
            let text = value.as_str().filter(|_| name == "Value").and_then(text_of_base64);
            let json = match text {
                Some(text) => Json::Base64(self.template(&text)),
                None => self.json(value),
            };
            (name.clone(), json)
        };
        let mut members: Vec<_> = kept.map(member).collect();
        // The order of a map depends on a feature of serde_json, which another crate may enable.
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        members
    }
}

/// The text that base64 encodes. `None` if it is no UTF-8, contains a NUL, which a variable of bash
/// cannot hold, or if the base64 is not what encoding the text returns.
fn text_of_base64(base64: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    (STANDARD.encode(&text) == base64).then_some(text)
}

impl Template {
    #[cfg(test)]
    pub(crate) fn text(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text);
        template
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.0.push(Part::Text(text.into())),
        }
    }

    /// Replaces each known index that follows the marker, such as `cas=`, by its variable.
    pub(crate) fn with_index(self, marker: &str, known: &BTreeSet<u64>) -> Self {
        let mut template = Self::default();
        for part in self.0 {
            let Part::Text(text) = &part else {
                template.0.push(part);
                continue;
            };
            let mut rest = text.as_str();
            while let Some(start) = rest.find(marker) {
                let (before, after) = rest.split_at(start + marker.len());
                let after_space = after.trim_start_matches(' ');
                let digits = after_space.bytes().take_while(u8::is_ascii_digit).count();
                template.push_text(before);
                rest = after;
                let index = after_space[..digits].parse().ok();
                if let Some(index) = index.filter(|index| known.contains(index)) {
                    template.0.push(Part::Variable(Variable::Index(index)));
                    rest = &after_space[digits..];
                }
            }
            template.push_text(rest);
        }
        template
    }

    /// The text with these values in place of the variables. `None` if a variable has no value.
    pub(crate) fn filled(&self, value: impl Fn(Variable) -> Option<String>) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Variable(variable) => value(*variable),
        };
        self.0.iter().map(part).collect()
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = Variable> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Variable(variable) => Some(*variable),
        })
    }
}

impl Json {
    /// Adds the variables of all texts to a set.
    pub(crate) fn add_variables(&self, variables: &mut BTreeSet<Variable>) {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => {}
            Self::Text(text) | Self::Base64(text) => variables.extend(text.variables()),
            Self::List(list) => list.iter().for_each(|value| value.add_variables(variables)),
            Self::Object(members) => {
                members.iter().for_each(|(_, value)| value.add_variables(variables));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "adf4238a-882b-9ddc-4a9d-5b6758e4159e";

    fn ids() -> Ids {
        let mut ids = Ids::default();
        ids.push(ONE.into());
        ids
    }

    #[test]
    fn ids_become_variables_beside_any_text() {
        let id = || Part::Variable(Variable::Id(1));
        let text = format!("é{ONE}{ONE}/x");
        let expected = [Part::Text("é".into()), id(), id(), Part::Text("/x".into())];
        assert_eq!(ids().template(&text).0, expected);
        let value = |_| Some(ONE.into());
        assert_eq!(ids().template(&text).filled(value), Some(text));
    }

    #[test]
    fn only_known_indexes_become_variables() {
        let known = BTreeSet::from([12]);
        let template = Template::text("/a?cas=12&x=12&cas=1&cas=123").with_index("cas=", &known);
        let expected = [
            Part::Text("/a?cas=".into()),
            Part::Variable(Variable::Index(12)),
            Part::Text("&x=12&cas=1&cas=123".into()),
        ];
        assert_eq!(template.0, expected);
    }

    #[test]
    fn an_answer_has_no_indexes_and_its_values_are_texts() {
        let answer = serde_json::json!([
            {"Key": "b", "Value": "AAE=", "ModifyIndex": 7},
            {"Key": "a", "Value": STANDARD.encode(ONE), "Session": ONE},
        ]);
        let Json::List(rows) = ids().json(&answer) else { panic!("a list") };
        let id = Template(vec![Part::Variable(Variable::Id(1))]);
        let text = |text| Json::Text(Template::text(text));
        let a = Json::Object(vec![
            ("Key".into(), text("a")),
            ("Session".into(), Json::Text(id.clone())),
            ("Value".into(), Json::Base64(id)),
        ]);
        let b = Json::Object(vec![("Key".into(), text("b")), ("Value".into(), text("AAE="))]);
        assert_eq!(rows, [a, b]);
    }
}
