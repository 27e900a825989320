//! A filter after it was checked against the type of the rows that it is for, and its evaluation on
//! a row in JSON. A member that the JSON omits has the zero value of its type.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::error::FilterError;
use super::expression::{Expression, Match, Operator};
use super::rows::{FieldType, RowType};
use super::syntax;
use crate::json::Json;
use crate::regexp::Regexp;
use crate::strconv::{self, Base, ValueError};

/// Which rows of a list are wanted: conditions in postfix order, each after those that it joins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Condition {
    /// A test of a field, perhaps negated.
    Field { path: Vec<Step>, test: Test, is_negated: bool },
    /// The condition before does not hold.
    Not,
    /// All of this number of conditions before hold.
    All(usize),
    /// One of this number of conditions before holds.
    Any(usize),
}

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    /// To a field.
    Member(String),
    /// To the value under a name, if there is one.
    Entry(String),
    /// To each item of a list; the test must hold for one of them (FLT-06).
    Item,
}

/// A test of the value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Test {
    Equals(Value),
    /// A text contains a text.
    Contains(String),
    /// A list has an item.
    HasItem(Value),
    /// A map has a name.
    HasName(String),
    IsEmpty,
    /// A text matches a regular expression, which was checked. Its program, which can be much
    /// larger, is made for each evaluation.
    Matches(String),
}

/// A value of a filter, of the type of its field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Value {
    Text(String),
    Bool(bool),
    Int(i64),
    Uint(u64),
}

impl Filter {
    /// Reads a filter for rows of a type.
    ///
    /// # Errors
    /// Those of Consul, in its words where it answers (FLT-03, FLT-04).
    pub fn new(text: &str, rows: &impl RowType) -> Result<Self, FilterError> {
        let expression = syntax::parse(text)?;
        let mut checker = Checker { rows, conditions: Vec::new() };
        checker.add(&expression)?;
        Ok(Self(checker.conditions))
    }

    /// Whether a row, which is of the type that the filter was read for, is wanted.
    pub fn admits(&self, row: &Json) -> bool {
        let mut results: Vec<bool> = Vec::new();
        for condition in &self.0 {
            let joined = |count: &usize| results.len().saturating_sub(*count)..;
            let holds = match condition {
                Condition::Field { path, test, is_negated } => {
                    holds_at(row, path, test, *is_negated)
                }
                Condition::Not => !results.pop().unwrap_or_default(),
                Condition::All(count) => results.drain(joined(count)).all(|holds| holds),
                Condition::Any(count) => results.drain(joined(count)).any(|holds| holds),
            };
            results.push(holds);
        }
        results.pop().unwrap_or_default()
    }
}

/// Checks an expression against a type of rows.
struct Checker<'a, T> {
    rows: &'a T,
    /// What was checked so far.
    conditions: Vec<Condition>,
}

impl<'a, T: RowType> Checker<'a, T> {
    fn add(&mut self, expression: &Expression) -> Result<(), FilterError> {
        let condition = match expression {
            Expression::Match(found) => self.field(found)?,
            Expression::Not(inner) => {
                self.add(inner)?;
                Condition::Not
            }
            Expression::And(parts) => {
                parts.iter().try_for_each(|part| self.add(part))?;
                Condition::All(parts.len())
            }
            Expression::Or(parts) => {
                parts.iter().try_for_each(|part| self.add(part))?;
                Condition::Any(parts.len())
            }
        };
        self.conditions.push(condition);
        Ok(())
    }

    fn field(&self, found: &Match) -> Result<Condition, FilterError> {
        let (path, row_type) = self.path(&found.selector)?;
        let is_negated = found.operator.is_negated();
        match self.test(row_type, found)? {
            Some(test) => Ok(Condition::Field { path, test, is_negated }),
            None => Err(FilterError::Operator {
                operator: found.operator.name(),
                selector: found.selector.join("."),
            }),
        }
    }

    /// The path of a selector, and the type of what it leads to.
    fn path(&self, selector: &[String]) -> Result<(Vec<Step>, &'a T), FilterError> {
        let (mut path, mut row_type) = (Vec::new(), self.rows);
        for (at, name) in selector.iter().enumerate() {
            if let FieldType::List(item) = row_type.field_type() {
                path.push(Step::Item);
                row_type = item;
            }
            let step = match row_type.field_type() {
                FieldType::Struct => {
                    row_type.member(name).map(|row_type| (Step::Member(name.clone()), row_type))
                }
                FieldType::Map(row_type) => Some((Step::Entry(name.clone()), row_type)),
                _ => None,
            };
            let Some((step, inner)) = step else {
                return Err(FilterError::Selector(selector[..=at].join(".")));
            };
            path.push(step);
            row_type = inner;
        }
        Ok((path, row_type))
    }

    /// The test that a match makes of its field; `None` if its operator does not apply to fields of
    /// this type (FLT-05).
    fn test(&self, row_type: &T, found: &Match) -> Result<Option<Test>, FilterError> {
        use Operator::{Equal, In, IsEmpty, IsNotEmpty, Matches, NotEqual, NotIn, NotMatches};
        let text = found.value.as_str();
        let value = |row_type: &T| {
            value(&row_type.field_type(), text).map_err(|error| FilterError::Value {
                value: text.into(),
                selector: found.selector.join("."),
                error,
            })
        };
        Ok(match (row_type.field_type(), found.operator) {
            (_, Equal | NotEqual) => value(row_type)?.map(Test::Equals),
            (FieldType::Text, In | NotIn) => Some(Test::Contains(text.into())),
            (FieldType::Text, Matches | NotMatches) => {
                let invalid = |error| FilterError::Pattern { pattern: text.into(), error };
                Regexp::new(text).map_err(invalid)?;
                Some(Test::Matches(text.into()))
            }
            (FieldType::List(item), In | NotIn) => value(item)?.map(Test::HasItem),
            (FieldType::Map(_), In | NotIn) => Some(Test::HasName(text.into())),
            (FieldType::List(_) | FieldType::Map(_), IsEmpty | IsNotEmpty) => Some(Test::IsEmpty),
            _ => None,
        })
    }
}

/// A value of a type; `None` for a type without single values.
fn value<T>(row_type: &FieldType<T>, text: &str) -> Result<Option<Value>, ValueError> {
    Ok(Some(match row_type {
        FieldType::Text => Value::Text(text.into()),
        FieldType::Bool => Value::Bool(strconv::parse_bool(text)?),
        FieldType::Int => Value::Int(strconv::parse_int(text)?),
        FieldType::Uint(bits) => Value::Uint(strconv::parse_uint(text, Base::OfPrefix, *bits)?),
        _ => return Ok(None),
    }))
}

/// Whether a test holds for what a path leads to, or does not hold if it is negated.
fn holds_at(value: &Json, path: &[Step], test: &Test, is_negated: bool) -> bool {
    match path.split_first() {
        None => test.holds(value) != is_negated,
        Some((Step::Item, rest)) => {
            value.items().iter().any(|item| holds_at(item, rest, test, is_negated))
        }
        Some((Step::Member(name), rest)) => {
            holds_at(member(value, name).unwrap_or(&Json::Null), rest, test, is_negated)
        }
        Some((Step::Entry(name), rest)) => match member(value, name) {
            Some(entry) => holds_at(entry, rest, test, is_negated),
            // What is not there matches and does not match any expression (FLT-07).
            None => is_negated || matches!(test, Test::IsEmpty | Test::Matches(_)),
        },
    }
}

/// The value under exactly this name.
fn member<'a>(value: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(members) = value else { return None };
    members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

impl Test {
    fn holds(&self, value: &Json) -> bool {
        let text = || value.as_text().unwrap_or_default();
        match self {
            Self::Equals(expected) => expected.equals(value),
            Self::Contains(part) => text().contains(part.as_str()),
            Self::HasItem(expected) => value.items().iter().any(|item| expected.equals(item)),
            Self::HasName(name) => member(value, name).is_some(),
            Self::IsEmpty => match value {
                Json::Object(members) => members.is_empty(),
                list => list.items().is_empty(),
            },
            Self::Matches(pattern) => {
                Regexp::new(pattern).is_ok_and(|regexp| regexp.is_match(text()))
            }
        }
    }
}

impl Value {
    fn equals(&self, value: &Json) -> bool {
        match self {
            Self::Text(expected) => value.as_text().unwrap_or_default() == expected,
            Self::Bool(expected) => (*value == Json::Bool(true)) == *expected,
            Self::Int(expected) => value.as_i64().unwrap_or_default() == *expected,
            Self::Uint(expected) => {
                let number = if let Json::Unsigned(number) = value { *number } else { 0 };
                number == *expected
            }
        }
    }
}
