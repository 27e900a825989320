//! English.

use core::time::Duration;

use lictor_core::error::{Cause, Reason};

use super::Words;
use crate::format::{clock, tenths};
use crate::history::{Note, Reply, ServerCall, Who, Why};
use crate::view::rows::Deadline;

pub(super) const WORDS: Words = Words {
    heading: "Lictor, a sandbox of Consul sessions and locks",
    skip_to_events: "Skip to the events table",
    sandbox: "Sandbox",
    seed: "seed",
    run_mode: "Run mode",
    step: "Step",
    play: "Play",
    step_hint: "Run goes to the next deadline",
    play_hint: "Run lets time pass",
    speed: "Speed",
    speed_reached: |times| format!("reaches {times}×"),
    language: |name| format!("Language: {name}"),
    theme: |name| format!("Theme: {name}"),
    theme_auto: "automatic",
    theme_light: "light",
    theme_dark: "dark",
    help: "Keys and help",
    help_heading: "Keys",
    help_intro: "A Consul server runs in this page, with time under your control. Choose an actor, \
                 use its buttons or the console, and let time pass.",
    help_keys: "Every key has a button. Keys work while no field is being typed in.",
    help_single_keys: "Use single keys",
    help_voice: "Tell screen readers what happens",
    key_run: "Run or pause",
    key_next: "To the next event or deadline",
    key_second: "One second on or back",
    key_actor: "Select actor A, B, C and so on",
    key_acquire: "Acquire",
    key_release: "Release",
    key_renew: "Renew",
    key_destroy: "Destroy the session",
    key_health: "Fail or restore the node's check",
    key_filter: "Filter the events",
    key_help: "This help",
    close: "Close",

    actors: "Actors",
    actions: "Actions",
    add_actor: "Add",
    acts_of: |name| format!("Requests of {name}"),
    select_actor: |name| format!("Select {name}"),
    idle: "no session",
    has_session: |label| format!("session {label}"),
    waits: "waits for a change",
    believes_to_hold: |key| format!("believes it holds {key}, and does not"),
    holds_keys: |keys| format!("holds {keys}"),
    node_failing: "node failing",
    new_session: "Session",
    new_session_hint: "Create a session",
    acquire: "Acquire",
    release: "Release",
    renew: "Renew",
    destroy: "Destroy",
    read: "Read",
    read_hint: "Read the key",
    watch: "Watch",
    watch_hint: "Read the key when it changes (blocking query, 60 s)",
    health: "Health",
    failing: "Failing",
    fail_hint: "Report the node's serfHealth check as critical",
    restore_hint: "Report the node's serfHealth check as passing",
    needs_session: "Needs a session first",
    buttons_use: "Buttons use",
    key: "Key",
    ttl: "TTL",
    lock_delay: "LockDelay",
    behavior: "Behavior",
    none: "none",
    unset: "default",

    timeline: "Timeline",
    extent: "Extent of the axis",
    extent_whole: "All",
    extent_minute: "1 min",
    lanes: "Lanes",
    legend: "Legend",
    legend_true: "true",
    legend_false: "false",
    legend_lock_delay: "lock-delay",
    legend_two_believers: "two believers",
    time: "Time",
    ahead: "ahead",
    server: "server",
    server_truth: "server truth",
    belief: "belief",
    who_thinks_so: "who thinks so",
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
    ended,
    axis_label: |now| format!("Axis; now is {now} seconds"),
    server_lane_label: |count| format!("Log of the server: {count} entries so far"),
    lock_lane_label: |key, count| {
        format!("Lock {key} as the server sees it: acquired {count} times")
    },
    belief_lane_label: |key, now, doubles| {
        format!("Belief about {key}: {now} believe to hold it now; two at once {doubles} times")
    },
    session_lane_label: |label| format!("Session {label}: guaranteed, then grace"),
    slots_lane_label: |prefix| format!("Semaphore {prefix}: its slots"),

    why_false: "Why false?",
    why_error: "Why refused?",
    chain_label: "Cause chain",
    chain_held: |label| format!("{label} acquired it"),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    chain_lock_delay: |span| format!("lock-delay of {}", seconds(span)),
    chain_until: |at| format!("until {} s", clock(at)),
    chain_got: |name| format!("{name} got "),
    start_heading: "Nothing has happened yet.",
    start_text: "Three clients, one Consul server, time stands at 0.",
    start_button: |name, key| format!("{name} acquires {key}"),
    quiet_heading: "Nothing was refused so far.",
    quiet_text: "Let a second actor acquire the key.",

    state: "State",
    index_pair: ("LockIndex", "Modify"),
    holder: "Holds",
    nobody: "nobody",
    unknown_session: "unknown session",
    lock_delay_left: "Lock-delay left",
    lock_delay_none: "free to acquire",
    lock_delay_not_running: "none runs",
    session_end: |label, cause, at| format!("session {label} {} at {} s", ended(cause), clock(at)),
    ring_label: |left, whole| format!("{} of {} seconds left", tenths(left), tenths(whole)),
    key_deleted: "deleted",
    history: "LockIndex history",
    history_count: |count| match count {
        1 => "acquired once".into(),
        count => format!("acquired {count} times"),
    },
    history_reset_deleted: |at| format!("reset {} s: deleted", clock(at)),
    history_reset_written: |at| format!("reset {} s: plain write", clock(at)),
    copy_sequencer: "Copy the sequencer",
    copied: "Copied",
    limit_live: |limit, live| match limit {
        Some(limit) => format!("Limit {limit}, {live} live"),
        None => format!("no Limit, {live} live"),
    },
    holders: |prefix| format!("Holders and contenders of {prefix}"),
    shape_list: "list",
    shape_map: "map",
    shape_unreadable: "not a semaphore document",
    shape_missing: "no .lock yet",
    badge_listed: ("listed", "not listed"),
    badge_key: ("key", "no key"),
    badge_session: ("session", "no session"),
    dead_holders: |labels| format!("{labels} stays listed until the next contender's CAS."),
    pruned: |who, by, index| format!("{who} removed by {by} at index {index}."),
    nobody_listed: "Nobody is listed.",
    sessions: "Sessions",
    sessions_scale: "0 to 2 × TTL",
    no_sessions: "No session yet. A session is what holds a lock.",
    clock_guaranteed: |left, ends| {
        format!("guaranteed {} more, server ends it in {}", seconds(left), seconds(ends))
    },
    clock_grace: (
        |over| format!("guarantee over {} ago", seconds(over)),
        |ends| format!(", server ends it in {}", seconds(ends)),
    ),
    clock_label: |gone, whole| format!("{} of {} seconds gone", tenths(gone), tenths(whole)),
    no_ttl: "no TTL: lives as long as its checks",
    holds_list: |keys| format!("holds {keys}"),
    ended_at: |at, cause| format!("{} at {} s", ended(cause), clock(at)),
    no_locks: "No key has been locked yet.",
    keys: "Keys",
    no_keys: "No key yet. Acquire one, or PUT one in the console.",
    column_key: "key",
    column_lock_index: "LockIndex",
    column_modify_index: "ModifyIndex",
    column_holder: "holder",
    column_value: "value",

    run: "Run",
    pause: "Pause",
    next_event: "To the next deadline",
    in_span_short: |seconds| format!("+{seconds} s"),
    run_to: |at| format!("Run to {} s", clock(at)),
    nothing_due: "Nothing is due",
    clock_label_now: "Time",
    events_so_far: |count| match count {
        1 => "1 event".into(),
        count => format!("{count} events"),
    },
    next_up: "Next up, if nobody acts",
    next_up_nothing: "Nothing: no timer runs.",
    in_span: |span| format!("+{}", seconds(span)),
    deadline,
    due_in: |due, span| format!("{due} in {}", seconds(span)),

    events: "Events",
    events_or_keys: "Events or keys",
    filter: "Filter events",
    filter_hint: "actor, key, result",
    no_events: "Nothing has happened yet.",
    no_matches: "No event matches.",
    of_all: |some, all| format!("{some} of {all}"),
    column_number: "#",
    column_time: "t, s",
    column_index: "index",
    column_actor: "actor",
    column_call: "call",
    column_result: "result",
    save_events: "Save the listed events as a table (CSV)",
    column_why: "why",
    server_call,
    reply,
    note,
    why,
    copy_curl: "Copy as curl",

    past: super::past::ENGLISH,
    view: super::view::ENGLISH,
    checks: super::checks::ENGLISH,
    learn: super::learn::ENGLISH,
    share: super::share::ENGLISH,
    keep: super::keep::ENGLISH,
    world: super::world::ENGLISH,
    console: super::console::ENGLISH,
};

fn seconds(span: Duration) -> String {
    format!("{} s", tenths(span))
}

/// The end of a session, as a verb.
fn ended(cause: &Cause) -> String {
    match cause {
        Cause::Requested => "destroyed".into(),
        Cause::TtlExpired => "expired (2 × TTL)".into(),
        Cause::CheckCritical(check) => format!("ended (check {check} critical)"),
        Cause::CheckRemoved(check) => format!("ended (check {check} removed)"),
        Cause::NodeRemoved => "ended (node removed)".into(),
    }
}

fn owned(owner: Option<&Who>, session: &str) -> String {
    owner.map_or_else(|| format!("session {session}"), |who| who.name.to_string())
}

fn why(why: &Why) -> String {
    match &why.reason {
        Reason::HeldBy { since, .. } => {
            format!("{} holds it since index {since}", owned(why.owner.as_ref(), &why.session))
        }
        Reason::LockDelay { until, cause, .. } => format!(
            "in lock-delay, {} left; session {} {}",
            seconds(until.since(why.at)),
            why.session,
            ended(cause)
        ),
        Reason::NotHeld => "nobody holds the key".into(),
        Reason::KeyMissing => "the key does not exist".into(),
        Reason::IndexDiffers { expected, .. } if expected.0 == 0 => {
            "cas=0 asks for a new key, and it exists".into()
        }
        Reason::IndexDiffers { expected, actual } => {
            format!("ModifyIndex is {actual}, not {expected}")
        }
        Reason::SessionEnded { at, cause, .. } => {
            format!("session {} {} at {} s", why.session, ended(cause), clock(*at))
        }
        Reason::SessionUnknown => "no session has this id".into(),
        Reason::TransactionFailed { failed } => {
            format!("{failed} of the operations failed, so none was applied")
        }
    }
}

fn reply(reply: &Reply) -> String {
    match reply {
        Reply::True => "true".into(),
        Reply::False => "false".into(),
        Reply::Ok => "ok".into(),
        Reply::NotFound => "not found".into(),
        Reply::Refused(status) => format!("error {status}"),
        Reply::Waits => "waits".into(),
        Reply::Cancelled => "cancelled".into(),
        Reply::Ended => "ended".into(),
        Reply::Joined => "joined".into(),
        Reply::Fault => WORDS.world.began.into(),
        Reply::Mended => WORDS.world.mended.into(),
        Reply::Accepted => WORDS.world.accepted.into(),
        Reply::Rejected => WORDS.world.rejected.into(),
        Reply::NoAnswer => WORDS.world.no_answer.into(),
        Reply::Says => WORDS.world.says.into(),
    }
}

fn note(note: &Note) -> String {
    match note {
        Note::Nothing => String::new(),
        Note::Why(reason) => why(reason),
        Note::Consul(text) => text.clone(),
        Note::LockIndex(count) => format!("LockIndex {count}"),
        Note::Created { label } => format!("session {label}"),
        Note::TimerBack { ends } => format!("timer back: ends at {} s", clock(*ends)),
        Note::Parked { min_index, until } => {
            format!("until index passes {min_index}, or {} s", clock(*until))
        }
        Note::Woken { index } => format!("woken at index {index}"),
        Note::WaitOver => "wait is over, nothing changed".into(),
        Note::SessionEnded { cause, freed } => match freed.as_slice() {
            [] => ended(cause),
            keys => format!("{}; frees {}", ended(cause), keys.join(", ")),
        },
        Note::LockDelayOver => "free to acquire again".into(),
        Note::OwnNode => "on a node of its own".into(),
        Note::Rejected(why) => (WORDS.world.rejected_why)(why),
        Note::Lost(half) => (WORDS.world.lost)(*half).into(),
        Note::Said(report) => (WORDS.world.report)(report),
    }
}

fn server_call(call: &ServerCall) -> String {
    match call {
        ServerCall::SessionEnded { label } => format!("session {label} ended"),
        ServerCall::LockDelayOver { key } => format!("{key} lock-delay over"),
        ServerCall::CheckLapsed { check } => format!("check {check} lapsed"),
        ServerCall::Joined => "joins the sandbox".into(),
    }
}

fn deadline(deadline: &Deadline) -> String {
    match deadline {
        Deadline::SessionEnds { label } => format!("{label} expires"),
        Deadline::LockDelayOver { key } => format!("{key} free"),
        Deadline::WaitOver { actor } => format!("{actor}: wait over"),
        Deadline::CheckLapses { check } => format!("{check} lapses"),
        Deadline::Reap => "tombstones go".into(),
        Deadline::Program { name, due } => format!("{name}: {}", (WORDS.world.due)(*due)),
    }
}
