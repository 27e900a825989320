//! Explanations of Consul's errors, in English.

use crate::rows::words::refusals::RefusalWords;

pub(super) const WORDS: RefusalWords = RefusalWords {
    unprintable_path: "the path has a character that cannot be printed; nothing was done",
    undecodable_query: "the query string cannot be decoded; nothing was done",
    unknown_path: "no endpoint of Consul has this path",
    methods: |allowed| format!("this path allows {allowed}"),
    moved: |location| format!("redirected to {location}; nothing was done"),
    behavior: "Behavior is \"release\" or \"delete\"",
    ttl: "a TTL is a number with a unit, such as \"15s\"",
    ttl_negative: |min| format!("a TTL cannot be negative; the minimum is {min}"),
    ttl_too_long: |ttl| format!("{ttl} is above the maximum of 24h"),
    ttl_too_short: |ttl, min| format!("{ttl} is below the minimum of {min}"),
    missing_node: "the catalog has no node of this name",
    missing_check: |check| format!("the node of the session has no check {check}"),
    critical_check: |check| {
        format!("a session can depend on check {check} only while it is not critical")
    },
    empty_check: "an id in the list of checks is empty",
    missing_session: "the request names no session",
    unknown_session: "no session has this id",
    check_without_ttl: |check| {
        format!("clients report the status of checks with a TTL only, and {check} has none")
    },
    unbound_query: "a query needs a name, a template or a session",
};
