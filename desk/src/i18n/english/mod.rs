//! The page in English: labels and short texts.

mod catalog;
mod incident;
mod world;

use lictor_sim::Always;
use lictor_view::format::{clock, whole_seconds};
use lictor_view::language::english::{acquired, counted, seconds};
use lictor_view::rows::CheckLine;

use super::export_words::ExportWords;
use super::words::{CheckWords, PastWords, ViewWords, Words};

pub(super) const WORDS: Words = Words {
    heading: "Lictor, a sandbox for Consul sessions and locks",
    skip_to_picture: "Skip to the picture",
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
    key_panels: "Open or close: Act, Details, Events, Console",
    key_help: "This help",
    close: "Close",

    actions: "Actions",
    add_actor: "Add",
    acts_of: |name| format!("Requests of {name}"),
    select_actor: |name| format!("Select {name}"),
    idle: "no session",
    has_session: |label| format!("session {label}"),
    has_sessions: |count| counted(count, "session", "sessions"),
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
    unset: "default",

    extent: "Extent of the axis",
    extent_whole: "All",
    extent_recent: "90 s",
    lanes: "Lanes",
    more: "More",
    legend: "Legend",
    time: "Time",
    axis_label: |now| format!("Time axis; the current time is {now} seconds"),

    last_false: |at| format!("Last false, at {} s", clock(at)),
    last_error: |at| format!("Last refused, at {} s", clock(at)),
    chain_label: "Cause chain",
    cures: "What can be done",
    chain_held: |label| format!("{label} acquired it"),
    chain_leader_lost: "the leader was lost",
    chain_lock_delay: |span, until| {
        format!("lock-delay of {}, until {} s", seconds(span), clock(until))
    },
    chain_got: " got ",
    beginning: |later| {
        let follow = counted(later, "event follows", "events follow");
        format!("This is the beginning; {follow}.")
    },
    start_heading: "Nothing has happened yet.",
    start_text: |clients| {
        format!("{}, one Consul server, time 0.", counted(clients, "client", "clients"))
    },
    start_button: |name, key| format!("{name} acquires {key}"),

    state: "State",
    index_pair: ("LockIndex", "Modify"),
    holder: "Holder",
    act_here: "Act here",
    act_at: |now| format!("Act at {now} s"),
    details: "Details",
    console: "Console",
    time_menu: "Speed and view",
    try_example: "Try an example",
    no_world: "Your world begins with the first step.",
    state_line: "State of the key",
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
    no_ttl: |checks, visibility| match checks {
        _ if visibility.is_hidden() => "no TTL",
        [] => "no TTL, no checks: lasts until its node leaves or it is destroyed",
        _ => "no TTL: lasts until a check fails, its node leaves or it is destroyed",
    },
    holds_list: |keys| format!("holds {keys}"),
    no_locks: "No key has been locked yet.",
    keys: "Keys",
    no_keys: "No keys. Acquire one, or PUT one in the console.",
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

    events: "Events",
    events_or_keys: "Events or keys",
    filter: "Filter events",
    filter_hint: "actor, key, result",
    no_events: "Nothing has happened yet.",
    no_matches: "No event matches.",
    from_here_on: |now| format!("{now} s, and from here on if nobody acts"),
    of_all: |some, all| format!("{some} of {all}"),
    column_number: "#",
    column_time: "t, s",
    column_index: "index",
    column_actor: "actor",
    column_call: "call",
    column_result: "result",
    save_events: "Save the listed events as a table (CSV)",
    column_why: "why",

    past: PAST,
    view: VIEW,
    checks: CHECKS,
    health_checks: catalog::HEALTH_CHECKS,
    version: catalog::VERSION,
    world: world::WORDS,
    incident: incident::WORDS,
    export: EXPORT,
};

const CHECKS: CheckWords = CheckWords {
    heading: "Checks",
    count: |kept, all| match all {
        0 => "checks".into(),
        all => format!("checks {kept}/{all}"),
    },
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
    nothing: "nothing to check yet",
    watches: |line| match line {
        CheckLine::Rule(Always::OneHolder) => {
            "Watches each change of a key's holder in the store, not what clients believe."
        }
        CheckLine::Rule(Always::LivingHolder) => {
            "Watches each session that ends while it holds a key."
        }
        CheckLine::Rule(Always::LimitKept) => {
            "Watches the holders that each document of a semaphore lists."
        }
        CheckLine::Rule(Always::FenceKept) => {
            "Watches writes to guarded resources that ask for the ModifyIndex of the lock."
        }
        CheckLine::Rule(Always::IndexesGrow) => {
            "Watches the index of each log entry, and what each client reads."
        }
        CheckLine::Rule(Always::AnsweredOnce) => "Watches each request and each blocking query.",
        CheckLine::OneBeliever => {
            "Watches what clients conclude from their answers, not what they do with it."
        }
        CheckLine::StaleWrites => {
            "Watches writes of programs to guarded resources. It does not see plain writes to a \
             key, which Consul accepts from every client."
        }
    },
    stale: "Stale writes rejected",
    stale_count: |rejected, all| format!("{rejected} of {all}"),
};

const PAST: PastWords = PastWords {
    first: "To the beginning",
    previous: "Previous event",
    last: "To the latest",
    scrubber: "Time; arrow keys go from event to event",
    of_events: |reached, all| format!("event {reached}/{all}"),
    place: |at, (reached, all), latest| format!("{at} seconds, event {reached} of {all}, {latest}"),
    branch: "Branch",
    undo: "Undo",
    redo: "Redo",
    key_undo: "Undo or redo the last action",
    edit_act: "Edit, move or remove this action",
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
    takeovers: |key, spans, until| match spans {
        [Some(one), Some(other)] => {
            let [one, other] = [one, other].map(whole_seconds);
            format!("{key}: takeover after {one} s against {other} s.")
        }
        [Some(one), None] => {
            let one = whole_seconds(one);
            format!("{key}: takeover after {one} s against none by {} s.", clock(until))
        }
        [None, Some(other)] => {
            let other = whole_seconds(other);
            format!("{key}: no takeover by {} s against one after {other} s.", clock(until))
        }
        [None, None] => format!("{key}: no takeover by {} s.", clock(until)),
    },
    go_there: "Go there",
    at_end: |at| format!("at {at} s"),
    nobody: "nobody",
    key_previous: "To the previous event",
    key_problem: "To the next or previous problem",
    key_ends: "To the beginning or the latest",
    key_tenth: "A tenth of the axis forward or back",
    begins: |at| format!("Events before {at} s are no longer kept."),
    observed: |left_out| {
        let text = "The rows before 0 s were observed, not simulated.";
        match left_out {
            0 => text.to_owned(),
            _ => format!("{text} {left_out} earlier ones are left out."),
        }
    },
    on_paper: |some, all| {
        format!("The first {some} of {all} rows. The page saves all events as a table (CSV).")
    },
};

const EXPORT: ExportWords = ExportWords {
    heading: "Export",
    hint: "Export this branch",
    format: "Format",
    test: |language| format!("Test in {language}"),
    diagram: "Sequence diagram (Mermaid)",
    trace: "Trace (Perfetto)",
    save: "Download",
    writing: "Writing …",
    refused: |why| format!("Not possible: {why}."),
    not_loaded: "The part of this page that exports cannot be loaded, or has failed; a page that \
                 was saved as one file has none. Save a log, and export it in a terminal with \
                 lictor-agent export.",
};

const VIEW: ViewWords = ViewWords {
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    key_zoom: "Zoom the timeline",
    key_all: "All of the timeline",
    key_axis: "Axis by time or by order",
    axis: "Axis",
    order: "Order",
    overview: "overview",
    overview_label: "The part of the timeline that is shown",
};
