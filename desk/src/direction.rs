//! A direction along a list.

/// Towards later or earlier entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}
