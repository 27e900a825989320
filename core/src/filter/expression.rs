//! A filter as it was written, before it is checked against a type of rows.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// An expression of the filter language (FLT-02).
#[derive(Debug)]
pub(super) enum Expression {
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
    Match(Match),
}

/// A statement about a field.
#[derive(Debug)]
pub(super) struct Match {
    /// The names that lead to the field.
    pub(super) selector: Vec<String>,
    pub(super) operator: Operator,
    /// Empty for an operator that takes no value.
    pub(super) value: String,
}

/// The operator of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    In,
    NotIn,
    IsEmpty,
    IsNotEmpty,
    Matches,
    NotMatches,
}

impl Operator {
    /// The name in error texts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Equal => "Equal",
            Self::NotEqual => "Not Equal",
            Self::In => "In",
            Self::NotIn => "Not In",
            Self::IsEmpty => "Is Empty",
            Self::IsNotEmpty => "Is Not Empty",
            Self::Matches => "Matches",
            Self::NotMatches => "Not Matches",
        }
    }

    /// Whether it is the negation of another one.
    pub(super) fn is_negated(self) -> bool {
        matches!(self, Self::NotEqual | Self::NotIn | Self::IsNotEmpty | Self::NotMatches)
    }
}
