//! JSON as it was written: members are in their order and may occur twice, and whole numbers differ
//! from fractions.
//!
//! `serde_json::Value` keeps the order only with a feature, which would be on for every package of
//! the same build, and never keeps a second member of the same name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A JSON value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum RawJson {
    Null,
    Bool(bool),
    Whole(i128),
    Fraction(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl RawJson {
    /// Reads one JSON value and nothing after it.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The first member of this name, if this is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for RawJson {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Whole(number) => serializer.serialize_i128(*number),
            Self::Fraction(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = RawJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<RawJson, E> {
        Ok(RawJson::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<RawJson, E> {
        Ok(RawJson::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<RawJson, E> {
        Ok(RawJson::Whole(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<RawJson, E> {
        Ok(RawJson::Whole(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<RawJson, E> {
        Ok(RawJson::Fraction(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<RawJson, E> {
        Ok(RawJson::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<RawJson, E> {
        Ok(RawJson::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawJson, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(RawJson::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<RawJson, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(RawJson::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_repeated_members_and_the_types_of_numbers_are_kept() -> serde_json::Result<()> {
        let text = r#"{"b":1,"a":[1.0,-2,18446744073709551615,null,true],"b":"é\n"}"#;
        assert_eq!(RawJson::parse(text)?.to_string(), text);
        assert_eq!(RawJson::parse("1.0")?, RawJson::Fraction(1.0));
        assert_ne!(RawJson::parse("1.0")?, RawJson::parse("1")?);
        Ok(())
    }

    #[test]
    fn a_member_is_found_by_its_name() -> serde_json::Result<()> {
        let object = RawJson::parse(r#"{"ID":"x"}"#)?;
        assert_eq!(object.get("ID").and_then(RawJson::as_text), Some("x"));
        assert_eq!(object.get("id"), None);
        Ok(())
    }
}
