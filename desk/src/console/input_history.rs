//! The inputs that were sent, for recall with the arrow keys.

/// The sent inputs, and the place of the recall. The draft that was not sent follows the newest
/// input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputHistory {
    /// Each input once, the newest last.
    sent: Vec<String>,
    /// The recalled position in `sent`, and the draft, from the first recall on until the draft is
    /// shown again.
    recalled: Option<(usize, String)>,
}

/// The largest number of inputs that are kept.
const MOST: usize = 100;

impl InputHistory {
    /// Adds an input that was sent, and ends the recall.
    pub fn remember(&mut self, input: &str) {
        self.recalled = None;
        self.sent.retain(|old| old != input);
        self.sent.push(input.into());
        if self.sent.len() > MOST {
            self.sent.remove(0);
        }
    }

    /// The input before the present one. `None` if that is the oldest. `present` is the text of the
    /// input field, which becomes the draft when the recall begins.
    pub fn older(&mut self, present: &str) -> Option<String> {
        let (position, draft) =
            self.recalled.take().unwrap_or_else(|| (self.sent.len(), present.into()));
        let older = position.checked_sub(1);
        self.recalled = Some((older.unwrap_or(position), draft));
        self.sent.get(older?).cloned()
    }

    /// The input after the recalled one, or the draft after the newest. `None` if nothing is
    /// recalled.
    pub fn newer(&mut self) -> Option<String> {
        let (position, draft) = self.recalled.take()?;
        match self.sent.get(position + 1) {
            Some(newer) => {
                self.recalled = Some((position + 1, draft));
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
