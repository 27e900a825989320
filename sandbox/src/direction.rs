//! A direction along a list: of events, or of completions.

/// Towards later or earlier entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}
