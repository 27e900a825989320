//! JSON in a record that is only stored and returned, such as the settings of a proxy in the
//! catalog. It is kept as a text, because records are compared and serialized.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Json, only_value, to_text};

/// A part of a record that is only stored and returned: JSON in the form in which Go writes it. The
/// default is empty, for a part that is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptJson(Arc<str>);

impl KeptJson {
    /// Keeps a value.
    pub fn new(value: &Json) -> Self {
        Self(Arc::from(to_text(value)))
    }

    /// Whether it is the default, which has no JSON.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of the JSON; empty for the default.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value; `null` for the default.
    pub fn value(&self) -> Json {
        only_value(&self.0).unwrap_or(Json::Null)
    }
}
