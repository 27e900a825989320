//! A direction along a list: of events, or of completions. Shortcuts and the console's keys use it.

/// Towards later or earlier entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}
