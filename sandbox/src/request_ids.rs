//! The page's own numbers for the requests of the branch that is shown. The controller keeps them;
//! the console shows a request under its number.

use lictor_core::id::RequestId;
use std::collections::BTreeMap;

/// The number of an exchange. The world numbers the requests of each branch anew; the page never
/// uses a number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExchangeId(pub u64);

/// The page's numbers for the requests of the branch that is shown.
#[derive(Clone, Debug, Default)]
pub struct RequestIds {
    of: BTreeMap<RequestId, ExchangeId>,
    given: u64,
}

impl RequestIds {
    /// Gives a new request a number.
    pub fn give(&mut self, id: RequestId) -> ExchangeId {
        self.given += 1;
        let number = ExchangeId(self.given);
        self.of.insert(id, number);
        number
    }

    pub fn of(&self, id: RequestId) -> Option<ExchangeId> {
        self.of.get(&id).copied()
    }

    /// The request with a number, if it belongs to the branch that is shown.
    pub fn request(&self, number: ExchangeId) -> Option<RequestId> {
        self.of.iter().find(|(_, of)| **of == number).map(|(id, _)| *id)
    }

    /// Drops the requests that are not on this branch, and returns their numbers.
    pub fn keep(&mut self, is_there: impl Fn(RequestId) -> bool) -> Vec<ExchangeId> {
        let gone = self.of.iter().filter(|(id, _)| !is_there(**id)).map(|(_, of)| *of).collect();
        self.of.retain(|id, _| is_there(*id));
        gone
    }
}
