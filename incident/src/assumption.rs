//! What the world of an incident assumes, in sentences with the times of day or those of the world.

use alloc::format;
use alloc::string::String;

use jiff::Timestamp;
use lictor_core::engine::LOCK_DELAY_MAX;
use lictor_core::id::NodeName;

use crate::observed::At;
use crate::time::seconds;

/// What a world assumes where the sources leave something open.
pub(crate) enum Assumption {
    /// A session ends at the latest of the possible moments.
    EndsLatest { session: String, earliest: Timestamp, latest: Timestamp },
    /// A session has ended by its TTL, at this moment at the latest.
    HasEnded { session: String, latest: Timestamp },
    /// A holder has no TTL and the longest lock-delay, as no list has it.
    Unlisted { session: String },
    /// The lock-delay of a key lasts until the latest of the possible moments.
    DelayedLatest { key: String, latest: Timestamp },
    /// A list was taken at this moment, although nothing says when.
    Taken { list: String, time: Timestamp },
    /// A session has something else in place of a member that the list does not have.
    Dropped { session: String, member: &'static str, instead: &'static str },
    /// Who holds a key is not known: it is as the last list has it, or nobody holds it.
    UnknownHolder { key: String },
    /// A node exists that no list has.
    UnlistedNode { node: NodeName },
}

impl Assumption {
    /// The assumption in a sentence, with its times as `at` writes them.
    pub(crate) fn sentence(&self, at: At<'_>) -> String {
        match self {
            Self::EndsLatest { session, earliest, latest } => format!(
                "{session} ends at {}, the latest moment: it may end from {} on",
                at(*latest),
                at(*earliest)
            ),
            Self::HasEnded { session, latest } => {
                format!("{session} has ended by its TTL, at {} at the latest", at(*latest))
            }
            Self::Unlisted { session } => format!(
                "{session} is not in a session list: it has no TTL here and a lock-delay of {}, \
                 the longest",
                seconds(LOCK_DELAY_MAX)
            ),
            Self::DelayedLatest { key, latest } => {
                format!("{key} is delayed until {}, the latest moment", at(*latest))
            }
            Self::Taken { list, time } => {
                format!("{list} was taken at {}: nothing says when, it may be older", at(*time))
            }
            Self::Dropped { session, member, instead } => {
                format!("the list does not have the {member} of {session}: here it {instead}")
            }
            Self::UnknownHolder { key } => format!(
                "who holds {key} is not known: here it is as the last list has it, or nobody \
                 holds it"
            ),
            Self::UnlistedNode { node } => format!("node {node} is not in a list of nodes"),
        }
    }

    /// Whether a deadline of the world may be earlier in reality.
    pub(crate) const fn is_about_time(&self) -> bool {
        !matches!(self, Self::UnlistedNode { .. })
    }
}
