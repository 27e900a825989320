//! The strings of the timeline in English.

use lictor_core::store::catalog::CheckStatus;
use lictor_incident::{EndReason, MarkKind};
use lictor_sim::record::RequestUse;

use super::{KeyLaneWords, ObservedWords, Words};
use crate::format::clock;
use crate::language::english::{acquired, bytes_not_text, counted};

pub(super) const WORDS: Words = Words {
    timeline: "Timeline",
    hidden: "Hidden until you guess",
    hidden_short: "Hidden",
    without_fix: |at| format!("without the fix: {} s", clock(at)),
    ahead: "ahead",
    server_truth: "server truth",
    belief: "belief",
    client_view: "client view",
    believes: "believes it holds",
    still_believes: "still believes",
    slots: |limit| match limit {
        Some(1) => "1 slot".into(),
        Some(limit) => format!("{limit} slots"),
        None => "no limit".into(),
    },
    session_named: |label| format!("session {label}"),
    holds: "holds",
    guaranteed: "guaranteed",
    grace: "grace",
    expires: "expires",
    not_computed: "not computed",
    server_lane_label: |count| format!("Server log: {} so far", counted(count, "entry", "entries")),
    lock_lane_label: |key, count| format!("Lock {key} as the server sees it: {}", acquired(count)),
    belief_lane_label: |key, now, overlaps| {
        format!(
            "Beliefs about {key}: {} it now; two at once {}",
            counted(now, "client believes it holds", "clients believe they hold"),
            counted(overlaps, "time", "times")
        )
    },
    session_lane_label: |label| format!("Session {label}: guaranteed, then grace"),
    slots_lane_label: |prefix| format!("Semaphore {prefix}: its slots"),
    takeover: "takeover",
    takeover_lane_label: |key| format!("Takeover of {key}: session, then lock-delay"),
    takeover_session: "session",
    takeover_delay: "lock-delay",
    visible_part: |from, to, end| format!("{from} to {to} of {end} seconds"),

    connection_use: |usage| match usage {
        RequestUse::Renewals => "renewals",
        RequestUse::Watch => "watch",
        RequestUse::Requests => "requests",
    },
    connection_lane_label: |client, usage, requests, again| {
        let again = counted(again, "time", "times");
        format!("Connection of {client}, {usage}: {requests} sent, {again} sent again")
    },
    connection: "connection",
    check_lane_label: |check, node, status| {
        format!("Check {check} of {node}: {}", status.map_or("removed", CheckStatus::as_str))
    },
    check_follows: |name| match name {
        "" => "no name".into(),
        name => format!("follows {name}"),
    },
    check_of_node: |node| format!("check of {node}"),
    check_absent: "not in the catalog",
    no_gossip: "silent",
    resource: "resource",
    resource_lane_label: |name, count| format!("Writes to the resource {name}: {count}"),

    legend_true: "true",
    legend_false: "false",
    legend_fault: "fault",
    legend_renewal: "renewal",
    legend_session_end: "session ends",
    legend_rejected: "rejected",
    legend_lock_delay: "lock-delay",
    legend_two_believers: "two believers",
    legend_answered: "answered",
    legend_cut: "network cut",

    key_lane: KEY_LANE,
    observed: OBSERVED,
};

const OBSERVED: ObservedWords = ObservedWords {
    observed: "observed",
    semaphore: "semaphore",
    session: |id| if id.is_empty() { "session".into() } else { format!("session {id}") },
    lock: |key| format!("Lock {key}, as the sources show it"),
    client: |client, key| format!("{client} about {key}, by its own log and clock"),

    held: |session| format!("held by {session}"),
    unheld: "held by nobody",
    delayed: "a lock-delay refuses each acquire",
    maybe_delayed: "perhaps a lock-delay refuses each acquire",
    lives: "lives",
    believes: "believes it holds the key",
    begins: |bounds| format!(", begins {bounds}"),
    ends: |bounds| format!(", ends {bounds}"),
    goes_on: ", goes on",
    never_ends: ", does not end by itself",
    aside: |text| format!(" ({text})"),
    reason: |reason| match reason {
        EndReason::Expired => "its TTL",
        EndReason::Destroyed => "destroyed",
        EndReason::NodeFailed => "its node failed",
        EndReason::NodeRemoved => "its node was removed",
        EndReason::Lost => "logs that it has lost the lock",
        EndReason::Released => "logs that it has released the lock",
        _ => "for another reason",
    },
    assumed: "the moment of the list is assumed",

    bounds: |earliest, latest| match (earliest, latest) {
        (Some(from), Some(to)) if from == to => format!("at {from}"),
        (Some(from), Some(to)) => format!("between {from} and {to}"),
        (Some(from), None) => format!("at {from} or later"),
        (None, Some(to)) => format!("at {to} or earlier"),
        (None, None) => "at an unknown time".into(),
    },
    mark: |kind, session, time| {
        let what = match kind {
            MarkKind::Asked => format!("{session} asks for it"),
            MarkKind::Refused => "a lock-delay refuses an acquire".into(),
            MarkKind::Renewed => "renewed".into(),
            MarkKind::RenewedByClient => "renewed, by the log of a client,".into(),
            MarkKind::Elected => "a leader is elected".into(),
            MarkKind::Acquired => "logs that it holds the lock".into(),
            MarkKind::Lost => "logs that it has lost the lock".into(),
            MarkKind::Released => "logs that it has released the lock".into(),
            _ => "something else".into(),
        };
        format!("{what} at {time}")
    },
    marks: |all, last| {
        let last_of_all = match last.len() {
            count if count == all => "events".into(),
            count => format!("the last {count} of {all} events"),
        };
        format!("{last_of_all}: {}", last.join(", "))
    },
    unknown: "nothing is known",
    if_nobody_acts: "if nobody acts and the leader stays",
    open: |bounds| format!("another client can take it {bounds}"),
    open_slot: |bounds| format!("a contender can take a slot {bounds}"),
    no_open_slot: "when a contender can take a slot is not known",
    between: "; ",
    after_sentence: " ",
    left_out: |keys, others| match (keys, others) {
        (0, others) => format!("Not drawn: {}.", counted(others, "lane", "lanes")),
        (keys, 0) => format!("Not drawn: {}.", counted(keys, "key", "keys")),
        (keys, others) => format!(
            "Not drawn: {}, and {} of sessions and clients.",
            counted(keys, "key", "keys"),
            counted(others, "lane", "lanes")
        ),
    },
    earlier: "Earlier events are not drawn.",
};

const KEY_LANE: KeyLaneWords = KeyLaneWords {
    bytes: bytes_not_text,
    value: "value",
    former: "without the fix",
    reads: "read, woken",
    label: |key, lane| format!("{key}: {lane}"),
    empty: "\"\" empty",
    no_key: "no key",
    waits: "waits",
    woken: "woken",
};
