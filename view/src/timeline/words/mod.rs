//! The strings on the lanes, the axis and the legend in each language.

mod chinese;
mod english;

use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_incident::{EndReason, MarkKind};
use lictor_sim::record::RequestUse;

use crate::language::Language;

type Text = &'static str;

/// The strings of the timeline in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The strings of the timeline in one language.
pub struct Words {
    pub timeline: Text,
    /// The label of parts that are hidden because they would show the answer.
    pub hidden: Text,
    /// The same label where there is little room.
    pub hidden_short: Text,
    /// At this time, something happened without the fix.
    pub without_fix: fn(Instant) -> String,
    pub ahead: Text,
    pub server_truth: Text,
    pub belief: Text,
    pub client_view: Text,
    pub believes: Text,
    pub still_believes: Text,
    pub slots: fn(Option<u64>) -> String,
    pub session_named: fn(&str) -> String,
    pub holds: Text,
    pub guaranteed: Text,
    pub grace: Text,
    pub expires: Text,
    /// The label of the part of the axis that the forecast has not reached.
    pub not_computed: Text,
    pub server_lane_label: fn(usize) -> String,
    pub lock_lane_label: fn(&str, usize) -> String,
    pub belief_lane_label: fn(&str, usize, usize) -> String,
    pub session_lane_label: fn(&str) -> String,
    pub slots_lane_label: fn(&str) -> String,
    /// The name of the lane of takeovers, and its label with the key.
    pub takeover: Text,
    pub takeover_lane_label: fn(&str) -> String,
    /// The two spans of a takeover, after their seconds.
    pub takeover_session: Text,
    pub takeover_delay: Text,
    /// The start and end of the visible part, and the length of the whole.
    pub visible_part: fn(&str, &str, &str) -> String,

    // Connections, checks and resources
    pub connection_use: fn(RequestUse) -> Text,
    /// The label of a lane: its client, its use, the number of requests, and the number of times
    /// that one of them was sent again.
    pub connection_lane_label: fn(&str, Text, usize, usize) -> String,
    /// The line below the name of a connection of the client's user.
    pub connection: Text,
    /// The check, its node and its status now, which is `None` for a removed check.
    pub check_lane_label: fn(&str, &str, Option<&CheckStatus>) -> String,
    /// The sessions that a check follows, below the name of a lane, where there is little room.
    pub check_follows: fn(&str) -> String,
    /// A check that follows no session, with its node.
    pub check_of_node: fn(&str) -> String,
    /// The check is not registered, or its node is not.
    pub check_absent: Text,
    /// A node that gossip does not reach.
    pub no_gossip: Text,
    pub resource: Text,
    pub resource_lane_label: fn(&str, usize) -> String,

    // Signs of the legend
    pub legend_true: Text,
    pub legend_false: Text,
    pub legend_fault: Text,
    pub legend_renewal: Text,
    pub legend_session_end: Text,
    pub legend_rejected: Text,
    pub legend_lock_delay: Text,
    pub legend_two_believers: Text,
    pub legend_answered: Text,
    pub legend_cut: Text,

    pub key_lane: KeyLaneWords,
    pub observed: ObservedWords,
}

/// The strings of the lanes of an incident, in one language. A bound is a text: `at 09:11:05`.
pub struct ObservedWords {
    /// Below the name of a lock: the lane has what the sources show.
    pub observed: Text,
    pub semaphore: Text,
    /// Below the name of a session: its short id, which may be empty.
    pub session: fn(&str) -> String,
    /// The lock of a key, and what a client believes about a key.
    pub lock: fn(&str) -> String,
    pub client: fn(&str, &str) -> String,

    // A sentence about a bar: what lasts, its begin, its end, and more about the end.
    pub held: fn(&str) -> String,
    pub unheld: Text,
    pub delayed: Text,
    pub maybe_delayed: Text,
    pub lives: Text,
    pub believes: Text,
    pub begins: fn(&str) -> String,
    pub ends: fn(&str) -> String,
    pub goes_on: Text,
    pub never_ends: Text,
    pub aside: fn(&str) -> String,
    pub reason: fn(EndReason) -> Text,
    pub assumed: Text,

    /// The earliest and the latest time of something, of which each may be unknown.
    pub bounds: fn(Option<&str>, Option<&str>) -> String,
    /// Something that happens at a moment: what, the name of the session, and when.
    pub mark: fn(MarkKind, &str, &str) -> String,
    /// The number of all such events, and the last of them in words.
    pub marks: fn(usize, &[String]) -> String,
    pub unknown: Text,
    pub if_nobody_acts: Text,
    /// When another client can take the lock, and when a contender a slot.
    pub open: fn(&str) -> String,
    pub open_slot: fn(&str) -> String,
    pub no_open_slot: Text,
    /// What is between two parts of a label, and between two sentences.
    pub between: Text,
    pub after_sentence: Text,
    /// How many keys, and how many sessions and clients, have no lane.
    pub left_out: fn(usize, usize) -> String,
    /// What is before the axis is not drawn.
    pub earlier: Text,
}

/// The strings on the lanes of a key, in one language.
pub struct KeyLaneWords {
    /// The name of the lane of values, below the name of the key.
    pub value: Text,
    /// The value without the fix of a lesson.
    pub former: Text,
    pub reads: Text,
    /// The key and the name of the lane.
    pub label: fn(&str, &str) -> String,
    /// A value of this many bytes, which are not text.
    pub bytes: fn(usize) -> String,
    /// A value of no bytes.
    pub empty: Text,
    pub no_key: Text,
    pub waits: Text,
    /// A change of the key ended the wait.
    pub woken: Text,
}
