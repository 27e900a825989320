//! Compares Raft indexes by their order: the map from recorded to actual ones must be strictly
//! increasing.
//!
//! Indexes below the first write of the vector belong to the state before it. A server may have any
//! history there, so they may be any lower value.

use std::collections::BTreeMap;

use crate::json::RawJson;
use crate::vector::{BodyContent, Vector, VectorStep};

/// The pairs of recorded and actual indexes that a run of a vector has found so far.
#[derive(Clone, Debug, Default)]
pub struct Indexes {
    /// The lowest known index of a write of the vector.
    first: Option<u64>,
    /// From recorded to actual.
    pairs: BTreeMap<u64, u64>,
    /// From actual to recorded, for the state before the vector.
    before: BTreeMap<u64, u64>,
}

impl Indexes {
    pub fn new(vector: &Vector) -> Self {
        Self { first: made_by(vector).min(), ..Self::default() }
    }

    /// The actual index for a recorded one; `None` while it is unknown.
    pub fn actual(&self, recorded: u64) -> Option<u64> {
        let before = || self.before.iter().find(|(_, it)| **it == recorded).map(|(got, _)| *got);
        self.pairs.get(&recorded).copied().or_else(before)
    }

    /// Adds a pair. Fails with the reason if it contradicts the earlier ones; zero is only equal to
    /// itself.
    pub fn pair(&mut self, recorded: u64, got: u64) -> Result<(), String> {
        if recorded == 0 || got == 0 {
            return if recorded == got {
                Ok(())
            } else {
                Err(format!("expected index {recorded}, got {got}"))
            };
        }
        match self.first {
            Some(first) if recorded >= first => self.vector_pair(recorded, got),
            first => self.earlier_pair(first, recorded, got),
        }
    }

    /// The actual index for the recorded one of a write of the vector; `None` while it is unknown.
    pub(super) fn made_in_vector(&self, recorded: u64) -> Option<u64> {
        self.pairs.get(&recorded).copied()
    }

    fn earlier_pair(&mut self, first: Option<u64>, recorded: u64, got: u64) -> Result<(), String> {
        self.before.insert(got, recorded);
        match first.and_then(|first| Some((first, self.pairs.get(&first)?))) {
            Some((first, top)) if got >= *top => Err(format!(
                "expected index {recorded}, from before the vector's first write ({first}, here \
                 {top}), got {got}"
            )),
            _ => Ok(()),
        }
    }

    fn vector_pair(&mut self, recorded: u64, got: u64) -> Result<(), String> {
        if let Some(known) = self.pairs.get(&recorded) {
            return if *known == got {
                Ok(())
            } else {
                Err(format!("expected index {recorded} ({known} so far), got {got}"))
            };
        }
        let below = self.pairs.range(..recorded).next_back();
        if let Some((low, known)) = below.filter(|(_, known)| **known >= got) {
            return Err(format!(
                "expected index {recorded}, above {low} (here {known}), got {got}"
            ));
        }
        let above = self.pairs.range(recorded..).next();
        if let Some((high, known)) = above.filter(|(_, known)| **known <= got) {
            return Err(format!(
                "expected index {recorded}, below {high} (here {known}), got {got}"
            ));
        }
        if let Some((top, earlier)) = self.before.last_key_value().filter(|(top, _)| got <= **top) {
            return Err(format!(
                "expected index {recorded}, above {earlier} from before the vector (here {top}), \
                 got {got}"
            ));
        }
        self.pairs.insert(recorded, got);
        Ok(())
    }
}

/// The known indexes of the vector's writes: those of sessions, entries and their tables.
fn made_by(vector: &Vector) -> impl Iterator<Item = u64> {
    let mut made = Vec::new();
    let mut reads = BTreeMap::new();
    for step in &vector.steps {
        if let VectorStep::Start { id, req, .. } = step {
            reads.insert(id, req);
        }
        let request = match step {
            VectorStep::Call { req, .. } => Some(req),
            VectorStep::Finish { id, .. } => reads.get(id).copied(),
            VectorStep::Start { .. } | VectorStep::Blocked { .. } => None,
        };
        let (Some(request), Some(recorded)) = (request, step.recorded()) else {
            continue;
        };
        let is_table = ["/v1/kv/", "/v1/session/"].iter().any(|it| request.path.starts_with(it));
        made.extend(recorded.index().filter(|index| is_table && *index > 1));
        if let BodyContent::Json(json) | BodyContent::JsonSubset(json) = &recorded.content {
            records(json, &mut made);
        }
    }
    made.into_iter()
}

/// Collects the indexes of the entries and sessions in a body.
fn records(json: &RawJson, made: &mut Vec<u64>) {
    match json {
        RawJson::Object(members) => {
            let is_record = json.get("LockIndex").is_some() || json.get("LockDelay").is_some();
            for (key, value) in members {
                if let (true, true, RawJson::Whole(index)) =
                    (is_record, super::is_index(Some(key)), value)
                {
                    made.extend(u64::try_from(*index).ok().filter(|index| *index > 0));
                }
                records(value, made);
            }
        }
        RawJson::List(items) => items.iter().for_each(|item| records(item, made)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexes() -> Indexes {
        Indexes { first: Some(10), ..Indexes::default() }
    }

    #[test]
    fn the_map_is_strictly_increasing_and_one_to_one() -> Result<(), String> {
        let mut indexes = indexes();
        indexes.pair(10, 7)?;
        indexes.pair(14, 9)?;
        indexes.pair(10, 7)?;
        for (recorded, got) in [(10, 8), (11, 7), (12, 9), (13, 10), (15, 9), (15, 0), (0, 3)] {
            assert!(indexes.pair(recorded, got).is_err(), "{recorded} -> {got}");
        }
        indexes.pair(12, 8)?;
        indexes.pair(0, 0)?;
        assert_eq!(indexes.actual(12), Some(8));
        assert_eq!(indexes.actual(13), None);
        Ok(())
    }

    #[test]
    fn indexes_before_the_first_write_may_have_any_lower_value() -> Result<(), String> {
        let mut indexes = indexes();
        indexes.pair(4, 5)?;
        indexes.pair(9, 3)?;
        assert_eq!(indexes.actual(9), Some(3));
        assert!(indexes.pair(10, 5).is_err());
        indexes.pair(10, 6)?;
        assert!(indexes.pair(8, 6).is_err());
        Ok(())
    }
}
