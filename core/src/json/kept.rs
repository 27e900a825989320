//! JSON that a record carries without looking into it, such as the settings of a proxy in the
//! catalog. Records are compared and serialized, so that it is kept as a text.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Json, only_value, to_text};

/// A part of a record that is only kept and returned: JSON in the form in which Go writes it. It is
/// empty where all of it has its zero value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptJson(Arc<str>);

impl KeptJson {
    /// Keeps a value.
    pub fn new(value: &Json) -> Self {
        Self(Arc::from(to_text(value)))
    }

    /// Whether it has its zero value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of the JSON.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value; `null` for the zero value.
    pub fn value(&self) -> Json {
        only_value(&self.0).unwrap_or(Json::Null)
    }
}
