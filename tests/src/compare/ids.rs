//! Ids that a server generates: each recorded name (`{S1}`, or a recorded UUID) matches one actual
//! id.

use std::collections::{BTreeMap, BTreeSet};

use super::uuid;
use crate::vector::{RecordedRequest, Vector, VectorStep};

/// The pairs of recorded names and actual ids that are known so far.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    /// By recorded name.
    actual: BTreeMap<String, String>,
    /// By actual id.
    recorded: BTreeMap<String, String>,
    /// The ids that requests of the vector contain literally. They match themselves.
    sent: BTreeSet<String>,
}

impl Ids {
    pub fn new(vector: &Vector) -> Self {
        let texts =
            vector.steps.iter().filter_map(VectorStep::request).flat_map(RecordedRequest::texts);
        Self { sent: texts.flat_map(uuid::all_in).collect(), ..Self::default() }
    }

    /// The id of a symbol in the letter case of the symbol; `None` if it is not known yet.
    pub fn actual(&self, symbol: &str) -> Option<String> {
        let name = name_of(symbol);
        let id = self.actual.get(&name)?;
        Some(if name == symbol { id.clone() } else { id.to_uppercase() })
    }

    /// The actual text for a recorded UUID, if it is known or was sent.
    pub(super) fn known(&self, uuid: &str) -> Option<String> {
        let low = uuid.to_lowercase();
        if self.sent.contains(&low) {
            return Some(uuid.to_owned());
        }
        let id = self.actual.get(&low)?;
        Some(if low == uuid { id.clone() } else { id.to_uppercase() })
    }

    /// Records the id of a recorded name. Fails if the name has another id, or the id another name.
    pub fn bind(&mut self, name: &str, id: &str) -> Result<(), String> {
        let low = id.to_lowercase();
        if let Some(other) = self.recorded.get(&low).filter(|other| *other != name) {
            return Err(format!("expected a new id {name}, got {id}, which is {other}"));
        }
        if let Some(other) = self.actual.get(name).filter(|other| **other != low) {
            return Err(format!("expected {name} ({other}) again, got {id}"));
        }
        self.actual.insert(name.to_owned(), low.clone());
        self.recorded.insert(low, name.to_owned());
        Ok(())
    }

    /// An actual text with the known ids replaced by their recorded names.
    pub fn symbolic(&self, text: &str) -> String {
        uuid::replace_all(text, |uuid| {
            let low = uuid.to_lowercase();
            let Some(name) = self.recorded.get(&low) else {
                return uuid.to_owned();
            };
            match name.strip_suffix('}') {
                _ if low == uuid => name.clone(),
                Some(symbol) => format!("{symbol}:upper}}"),
                None => name.to_uppercase(),
            }
        })
    }
}

/// The name of the id that a symbol stands for: `{S1}` for `{S1:upper}`.
pub(super) fn name_of(symbol: &str) -> String {
    symbol.replace(":upper}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0d6f5c0c-7a3a-4c5e-9d3d-0123456789ab";

    #[test]
    fn a_symbol_and_its_upper_case_spelling_are_one_id() -> Result<(), String> {
        let mut ids = Ids::default();
        assert_eq!(ids.actual("{S1}"), None);
        ids.bind("{S1}", ID)?;
        assert_eq!(ids.actual("{S1}").as_deref(), Some(ID));
        assert_eq!(ids.actual("{S1:upper}"), Some(ID.to_uppercase()));
        let text = format!("a/{ID}, b/{}", ID.to_uppercase());
        assert_eq!(ids.symbolic(&text), "a/{S1}, b/{S1:upper}");
        Ok(())
    }

    #[test]
    fn names_and_ids_are_one_to_one() -> Result<(), String> {
        let mut ids = Ids::default();
        ids.bind("{S1}", ID)?;
        assert!(ids.bind("{S2}", ID).is_err());
        assert!(ids.bind("{S1}", "11111111-7a3a-4c5e-9d3d-0123456789ab").is_err());
        ids.bind("{S1}", ID)
    }
}
