//! The page in English: labels and short texts.

mod catalog;
mod console;
mod errors;
mod guide;
mod incident;
mod learn;
mod network;
mod refusals;
mod sentences;
mod world;

use lictor_recipes::{FenceKind, Order};
use lictor_sim::Always;
use lictor_sim::journal::LinkError;

use self::sentences::{
    acquired, counted, deadline, ended, note, reply, seconds, server_call, session_ended, why,
    why_past,
};
use super::request_words::RequestWords;
use super::saved_world_words::SavedWorldWords;
use super::words::{CheckWords, KeyLaneWords, PastWords, ShareWords, ViewWords, Words};
use crate::act_form::ActParam;
use crate::format::{clock, tenths};
use crate::share::world_summary::WorldSummary;
use crate::share::{DamageError, ImportError};
use crate::view::SessionFuture;
use crate::view::rows::{ActSummary, ActText};

pub(super) const WORDS: Words = Words {
    list: ", ",
    comma: ", ",
    colon: ": ",
    stop: ". ",
    second: " s",
    millisecond: " ms",
    heading: "Lictor, a sandbox for Consul sessions and locks",
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
    help_intro: "A Consul server runs in this page, and you control its time. Choose an actor, use \
                 its buttons or the console, then let time pass.",
    documentation: "Documentation",
    help_keys: "Every key has a button. Keys are off while you type in a field.",
    help_single_keys: "Use single keys",
    help_voice: "Announce events to screen readers",
    key_run: "Run or pause",
    key_next: "To the next event or deadline",
    key_second: "One second forward or back",
    key_actor: "Select actor A, B, C and so on",
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
    has_sessions: |count| format!("{count} sessions"),
    waits: "waiting for a change",
    awaits_answer: "waiting for an answer",
    believes_to_hold: |key| format!("believes it holds {key}, but does not"),
    holds_keys: |keys| format!("holds {keys}"),
    holds_nothing: "holds nothing",
    node_failing: "node check critical",
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
    fail_check: "Fail check",
    fail_hint: "Report the node's serfHealth check as critical",
    restore_hint: "Report the node's serfHealth check as passing",
    needs_session: "Needs a session first",
    needs_key: "Needs a key",
    needs_process: "Its process is not running",
    buttons_use: "What the buttons use, for every client",
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
    more: "More",
    legend: "Legend",
    legend_true: "true",
    legend_false: "false",
    legend_fault: "fault",
    legend_renewal: "renewal",
    legend_session_end: "session ends",
    legend_rejected: "rejected",
    legend_lock_delay: "lock-delay",
    legend_two_believers: "two believers",
    time: "Time",
    ahead: "ahead",
    server: "server",
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
    ended,
    axis_label: |now| format!("Time axis; the current time is {now} seconds"),
    server_lane_label: |count| format!("Server log: {count} entries so far"),
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

    last_false: |at| format!("Last false, at {} s", clock(at)),
    last_error: |at| format!("Last refused, at {} s", clock(at)),
    chain_label: "Cause chain",
    chain_held: |label| format!("{label} acquired it"),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    chain_leader_lost: "the leader was lost",
    chain_lock_delay: |span, until| {
        format!("lock-delay of {}, until {} s", seconds(span), clock(until))
    },
    chain_got: |name| format!("{name} got "),
    beginning: |later| {
        let follow = counted(later, "event follows", "events follow");
        format!("This is the beginning; {follow}.")
    },
    start_heading: "Nothing has happened yet.",
    start_text: "Three clients, one Consul server, time 0.",
    start_button: |name, key| format!("{name} acquires {key}"),

    state: "State",
    index_pair: ("LockIndex", "Modify"),
    holder: "Holder",
    nobody: "nobody",
    unknown_session: "unknown session",
    lock_delay_left: "Lock-delay left",
    session_end: |label, cause, at| match at {
        Some(at) => format!("session {label} {} at {} s", ended(cause), clock(at)),
        None => format!("{}, before this world began", session_ended(label, cause)),
    },
    ring_label: |left, whole| format!("{} of {} seconds left", tenths(left), tenths(whole)),
    key_deleted: "deleted",
    history: "LockIndex history",
    history_count: acquired,
    history_reset_deleted: |at| format!("reset at {} s: key deleted", clock(at)),
    history_reset_written: |at| format!("reset at {} s: plain write", clock(at)),
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
    dead_holders: |labels| format!("{labels} stays in Holders until a contender's next CAS."),
    pruned: |who, by, index| format!("{who} removed by {by} at index {index}."),
    nobody_listed: "Holders is empty.",
    sessions: "Sessions",
    sessions_scale: "0 to 2 × TTL",
    no_sessions: "No session yet. Locks are held by sessions.",
    clock_guaranteed: |left| format!("guaranteed for {}", seconds(left)),
    clock_over: |over| format!("past its TTL by {}", seconds(over)),
    clock_future: |future, left| match future {
        SessionFuture::Renewed(_) => format!(", TTL starts again in {}", seconds(left)),
        SessionFuture::Ends(_) => format!(", ends in {}", seconds(left)),
        SessionFuture::Expires(_) => format!(", expires in {}", seconds(left)),
        SessionFuture::MayExpire(_) => format!(", expires in {} unless renewed", seconds(left)),
    },
    no_ttl: |checks| match checks {
        [] => "no TTL, no checks: lasts until its node leaves or it is destroyed",
        _ => "no TTL: lasts until a check fails, its node leaves or it is destroyed",
    },
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
    next_recorded: "Next up, as recorded",
    next_up_nothing: "Nothing: no timer is running.",
    next_up_end: "No further event is recorded on this branch.",
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
    why_past,
    refusals: refusals::WORDS,
    copy_curl: "Copy as curl",

    requests: REQUESTS,
    network: network::WORDS,
    past: PAST,
    view: VIEW,
    checks: CHECKS,
    health_checks: catalog::HEALTH_CHECKS,
    key_lane: KEY_LANE,
    version: catalog::VERSION,
    learn: learn::WORDS,
    share: SHARE,
    saved_world: SAVED_WORLD,
    world: world::WORDS,
    console: console::WORDS,
    guide: guide::WORDS,
    incident: incident::WORDS,
};

const REQUESTS: RequestWords = RequestWords {
    creates: "new session",
    renews: |session| format!("renews {session}"),
    destroys: |session| format!("destroys {session}"),
    reads: "reads",
    waits: "waits for a change",
    wait_ends: "wait ends",
    acquires: |key| format!("acquires {key}"),
    tries: |key| format!("tries {key}"),
    releases: |key| format!("releases {key}"),
    writes: |key| format!("writes {key}"),
    deletes: |key| format!("deletes {key}"),
    free: |key| format!("{key} free"),
};

const CHECKS: CheckWords = CheckWords {
    heading: "Checks",
    count: |kept, all| format!("checks {kept}/{all}"),
    ahead: |count| format!("{count} ahead"),
    two_now: "two believers",
    rule: |rule| match rule {
        Always::OneHolder => "One holder per lock",
        Always::LivingHolder => "No holder whose session has ended",
        Always::LimitKept => "Holders within the limit",
        Always::FenceKept => "No stale write past a correct fence",
        Always::IndexesGrow => "Indexes only grow",
        Always::AnsweredOnce => "Each call answered once",
    },
    holds: "holds",
    broken: |at| format!("broken at {at} s"),
    one_believer: "One believer per lock (people and programs)",
    since: |at| format!("two since {at} s"),
    times: |count| format!("two at once, {}", counted(count, "time", "times")),
    stale: "Stale writes rejected",
    stale_count: |rejected, all| format!("{rejected} of {all}"),
    stale_accepted: |count, asks| {
        let writes = counted(count as usize, "stale write accepted", "stale writes accepted");
        format!("{writes}; the fence was {}", fence(asks))
    },
};

/// An act with its time and its client.
fn act_at(act: &ActSummary) -> String {
    let client = act.actor.as_ref().map(|name| format!(" {name}:")).unwrap_or_default();
    format!("{} s{client} {}", clock(act.at), act_text(&act.text))
}

/// An act in a few words.
fn act_text(text: &ActText) -> String {
    match text {
        ActText::Words(words) => words.clone(),
        ActText::Fault(fault) => (world::WORDS.fault)(fault),
        ActText::Edited { text, changes } if changes.is_empty() => {
            format!("{}, edited", act_text(text))
        }
        ActText::Edited { text, changes } => {
            let changes: Vec<_> = changes.iter().map(world::change).collect();
            format!("{} with {}", act_text(text), changes.join(", "))
        }
        ActText::Repair(fault) => (world::WORDS.repair)(fault),
        ActText::Spawn(program) => format!("{program} added"),
        ActText::Order { program, order: Order::Start } => format!("{program} started"),
        ActText::Order { program, .. } => format!("{program} stopped"),
    }
}

/// The name of a field of an act.
fn param(param: ActParam) -> &'static str {
    match param {
        ActParam::Time => "Time in seconds",
        ActParam::SessionName => "Name",
        ActParam::Ttl => "TTL",
        ActParam::LockDelay => "LockDelay",
        ActParam::Behavior => "Behavior",
        ActParam::Node => "Node",
        ActParam::Checks => "NodeChecks",
        ActParam::Key => "Key",
        ActParam::Value => "Value",
        ActParam::Acquire => "Acquire for session",
        ActParam::Release => "Release for session",
        ActParam::Cas => "cas index",
        ActParam::Index => "index",
        ActParam::Wait => "wait",
        ActParam::Session => "Session",
        ActParam::Address => "Address",
        ActParam::Body => "Body",
        ActParam::Multiplier => "raft_multiplier",
        ActParam::Lasts => "Duration",
        ActParam::Words => "Action",
    }
}

/// The kind of token that a guarded resource requires.
fn fence(asks: FenceKind) -> &'static str {
    match asks {
        FenceKind::None => "none",
        FenceKind::Session => "the session",
        FenceKind::LockIndex => "the LockIndex",
        FenceKind::ModifyIndex => "the ModifyIndex",
        FenceKind::Triple => "key, LockIndex and session",
        FenceKind::CheckSession => "the session, checked with the server",
    }
}

const KEY_LANE: KeyLaneWords = KeyLaneWords {
    value: "value",
    former: "without the fix",
    reads: "read, woken",
    label: |key, lane| format!("{key}: {lane}"),
    empty: "\"\" empty",
    no_key: "no key",
    waits: "waits",
    woken: "woken",
};

const SAVED_WORLD: SavedWorldWords = SavedWorldWords {
    earlier: "Earlier worlds",
    earlier_text: "The five worlds that a question, a link, a file or another sandbox has \
                   replaced last. The world that is open now takes their place in this list.",
    dropped_next: "The next world that is replaced drops this one. To keep it, open it and save \
                   it.",
    nothing_done: "nothing done yet",
    of_question: |number, title| format!("Question {number}: {title}"),
    describes: |world| {
        let WorldSummary { clients, events, end, keys, question } = world;
        let question = question.map(|number| format!("question {number}"));
        let clients = match clients.as_slice() {
            [] => "no client".to_owned(),
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            [one, ..] => format!("{one} and {} others", clients.len() - 1),
        };
        let events = match events {
            1 => "1 event".to_owned(),
            events => format!("{events} events"),
        };
        let size = format!("{clients}, {events}, {} s", clock(*end));
        let keys = (!keys.is_empty()).then(|| keys.join(", "));
        question.into_iter().chain([size]).chain(keys).collect::<Vec<_>>().join(" · ")
    },
    worlds: "Worlds",
    worlds_text: "Saved worlds stay in this browser and are the same in all its tabs. A world \
                  keeps its clients, every event and its branches.",
    save_as: "Save this world as",
    save_world: "Save",
    nothing_saved: "No world is saved yet.",
    find: "Find a world",
    none_found: "No world matches.",
    open_saved: |name| format!("Open {name}"),
    rename: |name| format!("Rename {name}"),
    delete: |name| format!("Delete {name}"),
    open: "Open",
    rename_it: "Rename",
    new_name: "New name",
    cancel: "Cancel",
    deleted: |name| format!("“{name}” is deleted."),
    fresh: "A fresh sandbox",
    stopped: "The page has stopped",
    stopped_text: "This is a bug in Lictor. Your work is not lost: reload the page to continue, or \
                   save the world as a file and attach it to a report.",
    damaged: "Your last world cannot be opened",
    damaged_text: "It is kept until you discard it. A new world has been started.",
    unsaved: "This world is not saved",
    unsaved_text: "The browser's storage is full or was cleared. The world is lost when you close \
                  or reload this tab.",
    store_again: "Save it in the browser again",
    save: "Save it as a file",
    reload: "Reload the page",
    start_over: "Start a new world without it",
    discard: "Discard it",
};

const PAST: PastWords = PastWords {
    first: "To the beginning",
    previous: "Previous event",
    last: "To the latest",
    scrubber: "Time; arrow keys go from event to event",
    of_events: |reached, all| format!("event {reached}/{all}"),
    place: |at, (reached, all), latest| format!("{at} seconds, event {reached} of {all}, {latest}"),
    branch: "Branch",
    main_branch: "main",
    branch_with: act_at,
    branch_without: |act| format!("without {}", act_at(act)),
    branch_moved: |act, from| format!("{}, moved from {} s", act_at(act), clock(from)),
    undo: "Undo",
    redo: "Redo",
    key_undo: "Undo or redo the last action",
    act: act_text,
    edit_act: "Edit, move or remove this action",
    edit_of: |call| format!("Edit, move or remove {call}"),
    edit_intro: "The later actions are replayed on top of it, on a new branch. Ctrl+Z takes it \
                 back.",
    replay: "Replay with this",
    remove_act: "Remove it",
    act_param: param,
    act_error: errors::act_form_error,
    key_edit: "Edit, move or remove the action at the cursor",
    left_out: |count| {
        format!(
            "{} not possible any more and left out",
            counted(count, "later action was", "later actions were")
        )
    },
    compare: "Compare branches",
    compare_with: "The branch to compare with",
    same_until: |at| match at {
        Some(at) => format!("The same until {at} s. After that:"),
        None => "The same, as far as both branches go.".into(),
    },
    go_there: "Go there",
    at_end: |at| format!("at {at} s"),
    nobody: "nobody",
    key_previous: "To the previous event",
    key_problem: "To the next or previous problem",
    key_ends: "To the beginning or the latest",
    key_tenth: "A tenth of the axis forward or back",
    begins: |at| format!("Events before {at} s are no longer kept."),
    on_paper: |some, all| {
        format!("The first {some} of {all} rows. The page saves all events as a table (CSV).")
    },
};

const SHARE: ShareWords = ShareWords {
    share: "Share",
    heading: "Share and open",
    link: "Link to this world and its history",
    lesson: "Link to this page of the story",
    embed_html: "HTML for a page of documentation",
    copy: "Copy",
    length: |length| format!("{length} characters; nothing is sent to a server"),
    too_long: |length| format!("{length} characters: too long for some programs, so send the file"),
    save: "Save, with all branches",
    file: "As a log (JSONL)",
    page: "As a page (HTML)",
    picture: "The timeline as a picture (SVG)",
    open: "Open",
    paste: "Paste a link or a log",
    open_it: "Open",
    choose: "Choose a file",
    drop: "A file can also be dropped anywhere on the page; the console and the guide take text \
           files.",
    import_error: |why| match why {
        ImportError::TooLarge => "This is too large to be opened; nothing was changed.".into(),
        ImportError::Foreign => {
            "This is neither a link nor a log of Lictor; nothing was changed.".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::Damaged | LinkError::NotALink)) => {
            "This link is damaged or cut off; nothing was changed. Copy the whole link again."
                .into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownVersion { .. })) => {
            "This link is for a later version of Lictor; nothing was changed.".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownConsul)) => format!(
            "This link is for a version of Consul that Lictor does not have; it has {}. Nothing \
             was changed.",
            catalog::all(" and ")
        ),
        ImportError::Damaged(DamageError::UnknownLesson(name)) => {
            format!("There is no story {name}; nothing was changed.")
        }
        ImportError::Damaged(why) => format!("This cannot be read ({why}); nothing was changed."),
    },
    no_link: errors::no_link,
    whole: "Open the whole page",
    unknown: |words| format!("Unknown attribute values: {words}"),
};

const VIEW: ViewWords = ViewWords {
    more_lanes: |count| if count == 1 { "+1 lane".into() } else { format!("+{count} lanes") },
    more_lanes_hint: "Lanes that this story does not need",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    key_zoom: "Zoom the timeline",
    key_all: "All of the timeline",
    key_axis: "Axis by time or by order",
    axis: "Axis",
    order: "Order",
    overview: "overview",
    overview_label: "The part of the timeline that is shown",
    part: |from, to, end| format!("{from} to {to} of {end} seconds"),
};
