//! The inputs that were sent, for recall with the arrow keys. The unsent draft is restored after
//! the newest one.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputHistory {
    sent: Vec<String>,
    /// The position in `sent`, and the draft.
    at: Option<(usize, String)>,
}

/// The largest number of inputs that are kept.
const MOST: usize = 100;

impl InputHistory {
    pub fn remember(&mut self, input: &str) {
        self.at = None;
        self.sent.retain(|old| old != input);
        self.sent.push(input.into());
        if self.sent.len() > MOST {
            self.sent.remove(0);
        }
    }

    /// The input before the one shown, if there is one.
    pub fn older(&mut self, shown: &str) -> Option<String> {
        let (at, draft) = match self.at.take() {
            Some((at, draft)) => (at, draft),
            None => (self.sent.len(), shown.into()),
        };
        let older = at.checked_sub(1);
        self.at = Some((older.unwrap_or(at), draft));
        self.sent.get(older?).cloned()
    }

    /// The input after the one shown; after the last one comes the draft.
    pub fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.at.take()?;
        match self.sent.get(at + 1) {
            Some(newer) => {
                self.at = Some((at + 1, draft));
                Some(newer.clone())
            }
            None => Some(draft),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_recalled_in_order_and_the_draft_last() {
        let mut inputs = InputHistory::default();
        for input in ["one", "two", "one"] {
            inputs.remember(input);
        }
        assert_eq!(inputs.older("draft").as_deref(), Some("one"));
        assert_eq!(inputs.older("one").as_deref(), Some("two"));
        assert_eq!(inputs.older("two"), None);
        assert_eq!(inputs.newer().as_deref(), Some("one"));
        assert_eq!(inputs.newer().as_deref(), Some("draft"));
        assert_eq!(inputs.newer(), None);
    }

    #[test]
    fn nothing_is_recalled_before_anything_was_sent() {
        let mut inputs = InputHistory::default();
        assert_eq!(inputs.older("draft"), None);
        assert_eq!(inputs.newer().as_deref(), Some("draft"));
    }
}
