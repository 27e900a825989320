//! [`Words`], the type of all texts of the page's own controls in one language. A field is a text,
//! or a function from values to a sentence with them. Each language is one value of the type, so a
//! language that lacks a text does not compile.

use core::time::Duration;

use lictor_core::id::{CheckId, Index};
use lictor_core::time::Instant;
use lictor_sim::Always;
use lictor_view::rows::{CheckLine, ForecastVisibility};
use lictor_view::settings::Theme;

use super::catalog_words::{HealthCheckWords, VersionWords};
use super::export_words::ExportWords;
use super::incident_words::IncidentWords;
use crate::faults::FailoverKind;

type Text = &'static str;

/// The texts of the page's own controls in one language, by the parts of the page.
pub struct Words {
    // Toolbar and page
    pub heading: Text,
    pub skip_to_picture: Text,
    pub sandbox: Text,
    pub seed: Text,
    pub run_mode: Text,
    pub step: Text,
    pub play: Text,
    pub step_hint: Text,
    pub play_hint: Text,
    pub speed: Text,
    pub speed_reached: fn(&str) -> String,
    pub language: fn(Text) -> String,
    pub theme: fn(Text) -> String,
    pub theme_auto: Text,
    pub theme_light: Text,
    pub theme_dark: Text,
    pub help: Text,
    pub help_heading: Text,
    pub help_intro: Text,
    pub documentation: Text,
    pub help_keys: Text,
    pub help_single_keys: Text,
    pub help_voice: Text,
    pub key_run: Text,
    pub key_next: Text,
    pub key_second: Text,
    pub key_actor: Text,
    pub key_filter: Text,
    pub key_panels: Text,
    pub key_help: Text,
    pub close: Text,

    // Actors
    pub actions: Text,
    pub add_actor: Text,
    pub acts_of: fn(&str) -> String,
    pub select_actor: fn(&str) -> String,
    pub idle: Text,
    pub has_session: fn(&str) -> String,
    /// The number of an actor's sessions, which is above 1.
    pub has_sessions: fn(usize) -> String,
    /// The state of an actor with a blocking query: it waits for a change.
    pub waits: Text,
    pub awaits_answer: Text,
    pub believes_to_hold: fn(&str) -> String,
    pub holds_keys: fn(&str) -> String,
    pub holds_nothing: Text,
    pub node_failing: Text,
    pub new_session: Text,
    pub new_session_hint: Text,
    pub acquire: Text,
    pub release: Text,
    pub renew: Text,
    pub destroy: Text,
    pub read: Text,
    pub read_hint: Text,
    pub watch: Text,
    pub watch_hint: Text,
    pub fail_check: Text,
    pub fail_hint: Text,
    pub restore_hint: Text,
    pub needs_session: Text,
    pub needs_key: Text,
    /// The note on actions that a crashed or paused client cannot do.
    pub needs_process: Text,
    pub buttons_use: Text,
    pub key: Text,
    pub ttl: Text,
    pub lock_delay: Text,
    pub behavior: Text,
    pub unset: Text,

    // Timeline
    pub extent: Text,
    pub extent_whole: Text,
    pub extent_recent: Text,
    pub lanes: Text,
    /// The label of the panel with the controls that have no room in the toolbar.
    pub more: Text,
    pub legend: Text,
    pub time: Text,
    pub axis_label: fn(&str) -> String,

    // Why
    /// The time of the refusal that is explained.
    pub last_false: fn(Instant) -> String,
    pub last_error: fn(Instant) -> String,
    pub chain_label: Text,
    /// The heading of what can be done about a key that cannot be locked.
    pub cures: Text,
    pub chain_held: fn(&str) -> String,
    /// The length and end of a lock-delay.
    pub chain_lock_delay: fn(Duration, Instant) -> String,
    pub chain_leader_lost: &'static str,
    /// Between a request and its result.
    pub chain_got: Text,
    /// The text at the beginning of a world, with the number of the later events.
    pub beginning: fn(usize) -> String,
    pub start_heading: Text,
    /// With the number of clients.
    pub start_text: fn(usize) -> String,
    pub start_button: fn(&str, &str) -> String,

    // State
    pub state: Text,
    pub index_pair: (Text, Text),
    pub holder: Text,
    pub act_here: Text,
    /// The heading of the clients and their acts; gets the time at the cursor.
    pub act_at: fn(&str) -> String,
    pub details: Text,
    pub console: Text,
    pub time_menu: Text,
    /// The button that fills a field with an example.
    pub try_example: Text,
    /// In place of the picture, while the text beside it has no world.
    pub no_world: Text,
    /// The label of the line about the state of a key.
    pub state_line: Text,
    pub key_deleted: Text,
    pub history: Text,
    pub history_count: fn(usize) -> String,
    pub history_reset_deleted: fn(Instant) -> String,
    pub history_reset_written: fn(Instant) -> String,
    pub copy_sequencer: Text,
    pub copied: Text,
    pub limit_live: fn(Option<u64>, usize) -> String,
    pub holders: fn(&str) -> String,
    pub shape_list: Text,
    pub shape_map: Text,
    pub shape_unreadable: Text,
    pub shape_missing: Text,
    pub badge_listed: (Text, Text),
    pub badge_key: (Text, Text),
    pub badge_session: (Text, Text),
    pub dead_holders: fn(&str) -> String,
    pub pruned: fn(&str, &str, u64) -> String,
    pub nobody_listed: Text,
    pub sessions: Text,
    pub sessions_scale: Text,
    pub no_sessions: Text,
    /// What can end a session without a TTL, given the checks that it is bound to; without a hint
    /// at the future while a question is open.
    pub no_ttl: fn(&[CheckId], ForecastVisibility) -> Text,
    pub holds_list: fn(&str) -> String,
    pub no_locks: Text,
    pub keys: Text,
    pub no_keys: Text,
    pub column_key: Text,
    pub column_lock_index: Text,
    pub column_modify_index: Text,
    pub column_holder: Text,
    pub column_value: Text,

    // Clock
    pub run: Text,
    pub pause: Text,
    pub next_event: Text,
    pub in_span_short: fn(u64) -> String,
    pub run_to: fn(Instant) -> String,
    pub nothing_due: Text,
    pub clock_label_now: Text,
    pub events_so_far: fn(usize) -> String,
    pub next_up: Text,
    /// The heading of the next event in the past.
    pub next_recorded: Text,
    pub next_up_nothing: Text,
    /// The text after the last event of the branch.
    pub next_up_end: Text,

    // Events
    pub events: Text,
    pub events_or_keys: Text,
    pub filter: Text,
    pub filter_hint: Text,
    pub no_events: Text,
    pub no_matches: Text,
    /// The line above the events that follow if nobody acts, with the present time.
    pub from_here_on: fn(&str) -> String,
    pub of_all: fn(usize, usize) -> String,
    pub column_number: Text,
    pub column_time: Text,
    pub column_index: Text,
    pub column_actor: Text,
    pub column_call: Text,
    pub column_result: Text,
    pub save_events: Text,
    pub column_why: Text,

    pub past: PastWords,
    pub view: ViewWords,
    pub checks: CheckWords,
    pub health_checks: HealthCheckWords,
    pub version: VersionWords,
    pub world: WorldWords,
    pub incident: IncidentWords,
    pub export: ExportWords,
}

impl Words {
    /// The name of a theme.
    pub fn theme_name(&self, theme: Theme) -> &'static str {
        match theme {
            Theme::Auto => self.theme_auto,
            Theme::Light => self.theme_light,
            Theme::Dark => self.theme_dark,
        }
    }
}

/// The strings of the checks, in one language.
pub struct CheckWords {
    pub heading: Text,
    pub count: fn(usize, usize) -> String,
    pub ahead: fn(usize) -> String,
    pub two_now: Text,
    pub rule: fn(Always) -> &'static str,
    pub holds: Text,
    /// The result of a check without a case that it could have failed.
    pub nothing: Text,
    /// What a check watches, and what it cannot see.
    pub watches: fn(CheckLine) -> Text,
    pub broken: fn(&str) -> String,
    pub one_believer: Text,
    pub since: fn(&str) -> String,
    pub times: fn(usize) -> String,
    pub stale: Text,
    pub stale_count: fn(u64, u64) -> String,
}

/// The strings of time travel, in one language.
pub struct PastWords {
    pub first: Text,
    pub previous: Text,
    pub last: Text,
    pub scrubber: Text,
    /// The number of events up to the cursor, and the number of all events.
    pub of_events: fn(usize, usize) -> String,
    /// The time, the number and the text of an event, with the number of all events.
    pub place: fn(&str, (usize, usize), &str) -> String,
    pub branch: Text,
    pub undo: Text,
    pub redo: Text,
    pub key_undo: Text,
    /// The label of the button on the row of an act, and of the panel that it opens.
    pub edit_act: Text,
    pub key_edit: Text,
    /// The number of later acts that were not possible after an edit.
    pub left_out: fn(usize) -> String,
    pub compare: Text,
    pub compare_with: Text,
    /// The time until which two branches are the same. `None` if they do not differ.
    pub same_until: fn(Option<&str>) -> String,
    /// How long after the first difference a key is taken over on each of two branches; `None` if
    /// it is not, up to the end of the comparison.
    pub takeovers: fn(&str, [Option<Duration>; 2], Instant) -> String,
    pub go_there: Text,
    /// The heading of the holders at the end of the shorter branch, with its time.
    pub at_end: fn(&str) -> String,
    pub nobody: Text,
    pub key_previous: Text,
    pub key_problem: Text,
    pub key_ends: Text,
    pub key_tenth: Text,
    /// The note on events that are no longer kept, with the time of the first kept one.
    pub begins: fn(&str) -> String,
    /// The note on the rows before the beginning, with the number of those that are left out.
    pub observed: fn(u64) -> String,
    /// The numbers of printed rows and of all rows.
    pub on_paper: fn(usize, usize) -> String,
}

/// The strings of the visible part of the timeline, in one language.
pub struct ViewWords {
    pub zoom_in: Text,
    pub zoom_out: Text,
    pub key_zoom: Text,
    pub key_all: Text,
    pub key_axis: Text,
    /// The label of the axis of seconds, and of the axis of events.
    pub axis: Text,
    pub order: Text,
    pub overview: Text,
    pub overview_label: Text,
}

/// The texts about faults, programs and the leader, in one language.
pub struct WorldWords {
    pub pause: Text,
    pub pause_hint: Text,
    pub crash: Text,
    pub crash_hint: Text,
    pub server: Text,
    /// The label of the server, with its index.
    pub leads: fn(Index) -> String,
    /// The label of the server while there is no leader, with its index.
    pub no_leader: fn(Index) -> String,
    pub failover: Text,
    pub failover_hint: Text,
    /// The button that opens the options of the failover, and the heading of them.
    pub failover_options: Text,
    pub failover_kind_label: Text,
    pub failover_kind: fn(FailoverKind) -> Text,
    /// How long the failover lasts, and a length that the seed decides.
    pub failover_lasts: Text,
    pub failover_random: Text,
    pub slow_clock: Text,
    pub slow_clock_hint: Text,
    pub faults: Text,
    pub until_pressed_again: Text,
    pub faults_of: fn(&str) -> String,
    pub is_paused: Text,
    pub is_down: Text,
    pub is_cut: Text,
    /// The state of a client whose network is cut until a time.
    pub is_cut_until: fn(Instant) -> String,
    /// The button that opens the form of a cut, and its longer text.
    pub cut: Text,
    pub cut_hint: Text,
    /// The button that opens the programs of the selected client.
    pub program: Text,
    /// The state of a program, which docs/en/reference/recipes.md names in English.
    pub program_state: fn(Text) -> Text,
    pub believes: Text,
}
