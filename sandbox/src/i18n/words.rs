//! The table of all strings of the page: a field for each text, and a function for each sentence
//! with values in it. A field that is missing in a language does not compile.

use core::time::Duration;

use lictor_core::id::{CheckId, Index, SessionId};
use lictor_core::time::Instant;
use lictor_recipes::{Due, FenceKind, Report};
use lictor_sim::journal::LinkError;
use lictor_sim::{Always, CallStage, Fault, Leg, Rejected};

use super::catalog_words::{HealthCheckWords, VersionWords};
use super::console_words::{ConsoleWords, GuideWords};
use super::incident_words::IncidentWords;
use super::learn_words::LearnWords;
use super::network_words::NetworkWords;
use super::refusal_words::RefusalWords;
use super::request_words::RequestWords;
use super::saved_world_words::SavedWorldWords;
use crate::act_form::{ActFormError, ActParam};
use crate::faults::FailoverKind;
use crate::format::hundredths;
use crate::lessons::ForecastVisibility;
use crate::program_form::ProgramFormError;
use crate::programs::StartError;
use crate::request_text;
use crate::settings::Theme;
use crate::share::ImportError;
use crate::view::SessionFuture;
use crate::view::rows::{ActSummary, ActText, BranchTitle, Deadline, Tense};
use lictor_sim::record::{
    EndCause, EventCall, EventResult, EventRow, EventSource, ExplainedReason, Note, ServerCall,
};

/// Selects a string of the table.
pub type Word = fn(&Words) -> &'static str;

type Text = &'static str;
/// A sentence about a span of time.
type OfSpan = fn(Duration) -> String;

/// The words of one language, in the order in which the page shows them.
pub struct Words {
    /// Between the items of a list, between clauses, before an explanation, after a sentence, and
    /// after a number of seconds or milliseconds.
    pub list: Text,
    pub comma: Text,
    pub colon: Text,
    pub stop: Text,
    pub second: Text,
    pub millisecond: Text,

    // Toolbar and page
    pub heading: Text,
    pub skip_to_events: Text,
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
    pub key_help: Text,
    pub close: Text,

    // Actors
    pub actors: Text,
    pub actions: Text,
    pub add_actor: Text,
    pub acts_of: fn(&str) -> String,
    pub select_actor: fn(&str) -> String,
    pub idle: Text,
    pub has_session: fn(&str) -> String,
    /// More than one.
    pub has_sessions: fn(usize) -> String,
    /// For a change, in a blocking query.
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
    pub none: Text,
    pub unset: Text,

    // Timeline
    pub timeline: Text,
    pub extent: Text,
    pub extent_whole: Text,
    pub extent_minute: Text,
    pub lanes: Text,
    /// The label of the panel with the controls that have no room in the toolbar.
    pub more: Text,
    pub legend: Text,
    pub legend_true: Text,
    pub legend_false: Text,
    pub legend_fault: Text,
    pub legend_renewal: Text,
    pub legend_session_end: Text,
    pub legend_rejected: Text,
    pub legend_lock_delay: Text,
    pub legend_two_believers: Text,
    pub time: Text,
    pub ahead: Text,
    pub server: Text,
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
    pub ended: fn(&EndCause) -> String,
    pub axis_label: fn(&str) -> String,
    pub server_lane_label: fn(usize) -> String,
    pub lock_lane_label: fn(&str, usize) -> String,
    pub belief_lane_label: fn(&str, usize, usize) -> String,
    pub session_lane_label: fn(&str) -> String,
    pub slots_lane_label: fn(&str) -> String,

    // Why
    /// The time of the refusal that is explained.
    pub last_false: fn(Instant) -> String,
    pub last_error: fn(Instant) -> String,
    pub chain_label: Text,
    pub chain_held: fn(&str) -> String,
    pub chain_ended: fn(&str, &EndCause) -> String,
    /// The length and end of a lock-delay.
    pub chain_lock_delay: fn(Duration, Instant) -> String,
    pub chain_leader_lost: &'static str,
    pub chain_got: fn(&str) -> String,
    /// At the beginning of a world in which something has happened later.
    pub beginning: fn(usize) -> String,
    pub start_heading: Text,
    pub start_text: Text,
    pub start_button: fn(&str, &str) -> String,

    // State
    pub state: Text,
    pub index_pair: (Text, Text),
    pub holder: Text,
    pub nobody: Text,
    pub unknown_session: Text,
    pub lock_delay_left: Text,
    /// The time is none if it is not known.
    pub session_end: fn(&str, &EndCause, Option<Instant>) -> String,
    pub ring_label: fn(Duration, Duration) -> String,
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
    /// How long its TTL still lasts, or for how long it is over.
    pub clock_guaranteed: OfSpan,
    pub clock_over: OfSpan,
    /// What comes next for it, and in what time.
    pub clock_future: fn(&SessionFuture, Duration) -> String,
    /// What can end a session without a TTL, given the checks that it is bound to.
    pub no_ttl: fn(&[CheckId]) -> Text,
    pub holds_list: fn(&str) -> String,
    pub ended_at: fn(Instant, &EndCause) -> String,
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
    /// The same in the past.
    pub next_recorded: Text,
    pub next_up_nothing: Text,
    /// In the past, after the last event of the branch.
    pub next_up_end: Text,
    pub in_span: fn(Duration) -> String,
    pub deadline: fn(&Deadline) -> String,
    /// The next deadline, and the time until then.
    pub due_in: fn(&str, Duration) -> String,

    // Events
    pub events: Text,
    pub events_or_keys: Text,
    pub filter: Text,
    pub filter_hint: Text,
    pub no_events: Text,
    pub no_matches: Text,
    pub of_all: fn(usize, usize) -> String,
    pub column_number: Text,
    pub column_time: Text,
    pub column_index: Text,
    pub column_actor: Text,
    pub column_call: Text,
    pub column_result: Text,
    pub save_events: Text,
    pub column_why: Text,
    pub server_call: fn(&ServerCall) -> String,
    pub reply: fn(&EventResult) -> String,
    pub note: fn(&Note) -> String,
    pub why: fn(&ExplainedReason) -> String,
    /// The same for a reason that no longer holds.
    pub why_past: fn(&ExplainedReason) -> String,
    pub refusals: RefusalWords,
    pub copy_curl: Text,

    /// Requests in two or three words.
    pub requests: RequestWords,
    pub network: NetworkWords,
    pub past: PastWords,
    pub view: ViewWords,
    pub checks: CheckWords,
    pub health_checks: HealthCheckWords,
    pub key_lane: KeyLaneWords,
    pub version: VersionWords,
    pub learn: LearnWords,
    pub share: ShareWords,
    pub saved_world: SavedWorldWords,
    pub world: WorldWords,
    pub console: ConsoleWords,
    pub guide: GuideWords,
    pub incident: IncidentWords,
}

impl Words {
    /// A row of the event list as one line.
    pub fn description(&self, row: &EventRow, visibility: ForecastVisibility) -> String {
        let who = self.source(&row.source);
        let (call, reply) = (self.call(&row.call), (self.reply)(&row.reply));
        let note = self.note_while(&row.note, visibility);
        let Self { colon, comma, stop, .. } = self;
        format!("{who}{colon}{call}{comma}{reply}{stop}{note}")
    }

    /// Why a request was refused.
    pub fn why_in(&self, tense: Tense, why: &ExplainedReason) -> String {
        match tense {
            Tense::Present => (self.why)(why),
            Tense::Past => (self.why_past)(why),
        }
    }

    /// The detail of an event; while a question is open, without its hints at the future.
    pub fn note_while(&self, note: &Note, visibility: ForecastVisibility) -> String {
        match note {
            Note::Renewed { .. } if visibility.is_veiled() => self.learn.renewed_veiled.to_owned(),
            Note::ClocksRestarted if visibility.is_veiled() => String::new(),
            note => (self.note)(note),
        }
    }

    /// The name of a branch.
    pub fn branch_name(&self, title: &BranchTitle) -> String {
        match title {
            BranchTitle::Main => self.past.main_branch.to_owned(),
            BranchTitle::With(act) => (self.past.branch_with)(act),
            BranchTitle::Without(act) => (self.past.branch_without)(act),
            BranchTitle::Moved { act, from } => (self.past.branch_moved)(act, *from),
            BranchTitle::Named(name) => name.clone(),
        }
    }

    /// The name of a theme.
    pub fn theme_name(&self, theme: Theme) -> &'static str {
        match theme {
            Theme::Auto => self.theme_auto,
            Theme::Light => self.theme_light,
            Theme::Dark => self.theme_dark,
        }
    }

    /// The texts of a row of the event list, by column.
    pub fn cells(&self, row: &EventRow) -> [String; 7] {
        [
            row.number.to_string(),
            hundredths(row.at.since(Instant::EPOCH)),
            row.index.map_or_else(|| "–".to_owned(), |index| index.to_string()),
            self.source(&row.source).to_owned(),
            self.call(&row.call),
            (self.reply)(&row.reply),
            (self.note)(&row.note),
        ]
    }

    /// The server, or the name of a client.
    pub fn source<'a>(&self, source: &'a EventSource) -> &'a str {
        match source {
            EventSource::Server => self.server,
            EventSource::Actor(who) => who.name.as_str(),
        }
    }

    pub fn call(&self, call: &EventCall) -> String {
        match call {
            EventCall::Http { call, sessions } => request_text::summary(&call.request, |id| {
                let id = SessionId::parse(id)?;
                let (_, label) = sessions.iter().find(|(of, _)| *of == id)?;
                Some(label.to_string())
            }),
            EventCall::Server(call) => (self.server_call)(call),
            EventCall::Fault(fault) => (self.world.fault)(fault),
            EventCall::Repair(fault) => (self.world.repair)(fault),
            EventCall::Write { resource, number } => (self.world.write)(resource, *number),
            EventCall::Program(name) => name.to_string(),
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
    pub broken: fn(&str) -> String,
    pub one_believer: Text,
    pub since: fn(&str) -> String,
    pub times: fn(usize) -> String,
    pub stale: Text,
    pub stale_count: fn(u64, u64) -> String,
    /// The number of accepted stale writes, and the kind of token that was required.
    pub stale_accepted: fn(u64, FenceKind) -> String,
}

/// The strings on the lanes of a key, in one language.
pub struct KeyLaneWords {
    /// Below the name of the key.
    pub value: Text,
    /// The value without the fix of a story.
    pub former: Text,
    pub reads: Text,
    /// The key and the name of the lane.
    pub label: fn(&str, &str) -> String,
    /// A value of no bytes.
    pub empty: Text,
    pub no_key: Text,
    pub waits: Text,
    /// A change of the key ended the wait.
    pub woken: Text,
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
    pub main_branch: Text,
    /// A branch that begins with an act, one without an act of its parent, and one that does it at
    /// another time than this.
    pub branch_with: fn(&ActSummary) -> String,
    pub branch_without: fn(&ActSummary) -> String,
    pub branch_moved: fn(&ActSummary, Instant) -> String,
    pub undo: Text,
    pub redo: Text,
    pub key_undo: Text,
    /// An act in a few words.
    pub act: fn(&ActText) -> String,
    /// Of the button on the row of an act, and the panel that it opens.
    pub edit_act: Text,
    pub edit_of: fn(&str) -> String,
    pub edit_intro: Text,
    pub replay: Text,
    pub remove_act: Text,
    pub act_param: fn(ActParam) -> Text,
    pub act_error: fn(&ActFormError) -> String,
    pub key_edit: Text,
    /// The number of later acts that were not possible after an edit.
    pub left_out: fn(usize) -> String,
    pub compare: Text,
    pub compare_with: Text,
    /// The time until which two branches are the same; none if they do not differ.
    pub same_until: fn(Option<&str>) -> String,
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
    /// The numbers of printed rows and of all rows.
    pub on_paper: fn(usize, usize) -> String,
}

/// The strings of links and files, in one language.
pub struct ShareWords {
    pub share: Text,
    pub heading: Text,
    pub link: Text,
    /// The label of a link to a page of a lesson.
    pub lesson: Text,
    /// The label of HTML that embeds the page.
    pub embed_html: Text,
    pub copy: Text,
    pub length: fn(usize) -> String,
    pub too_long: fn(usize) -> String,
    pub save: Text,
    pub file: Text,
    /// The label of a file that contains the whole page.
    pub page: Text,
    /// The label of a file with a drawing of the timeline.
    pub picture: Text,
    pub open: Text,
    pub paste: Text,
    pub open_it: Text,
    pub choose: Text,
    pub drop: Text,
    pub import_error: fn(&ImportError) -> String,
    /// Why there is no link to a world.
    pub no_link: fn(&LinkError) -> String,
    /// The link to the whole page, in an embedded part.
    pub whole: Text,
    pub unknown: fn(&str) -> String,
}

/// The strings of the visible part of the timeline, in one language.
pub struct ViewWords {
    /// The button that shows this many lanes that a lesson does not need.
    pub more_lanes: fn(usize) -> String,
    pub more_lanes_hint: Text,
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
    /// The start and end of the visible part, and the length of the whole.
    pub part: fn(&str, &str, &str) -> String,
}

/// The texts about everything outside the server, in one language.
pub struct WorldWords {
    pub pause: Text,
    pub pause_hint: Text,
    pub crash: Text,
    pub crash_hint: Text,
    pub server: Text,
    /// The label of the server, with its index.
    pub leads: fn(Index) -> String,
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
    /// The button that opens the programs of the selected client.
    pub program: Text,
    pub programs_of: fn(&str) -> String,
    pub program_kind: Text,
    /// What a program of a kind does, in a sentence.
    pub program_about: fn(&str) -> Text,
    /// The state of a program, which docs/en/reference/recipes.md names in English.
    pub program_state: fn(Text) -> Text,
    /// The name and the meaning of an option of a program.
    pub program_option: fn(&str) -> Option<(Text, Text)>,
    pub program_error: fn(&ProgramFormError) -> String,
    pub start_error: fn(&StartError) -> String,
    /// The key that a program is about, and the options that are used less often.
    pub program_key: Text,
    pub more_options: Text,
    pub start: Text,
    pub stop: Text,
    pub why_not: fn(&str) -> String,
    pub resource: Text,
    pub resource_lane_label: fn(&str, usize) -> String,
    pub takeover: Text,
    /// The same for a held lock.
    pub takeover_if_dead: Text,
    /// The time of the takeover, and the time until then.
    pub takeover_in: fn(Duration) -> String,
    pub takeover_at: fn(Instant) -> String,
    pub takeover_now: Text,
    pub takeover_none: Text,
    pub takeover_none_why: fn(&[CheckId]) -> Text,
    /// The sum of the three terms.
    pub takeover_sum: fn(&[String; 4]) -> String,
    pub believes: Text,
    pub fault: fn(&Fault) -> String,
    pub repair: fn(&Fault) -> String,
    pub began: Text,
    /// The result of the event with which a fault ends.
    pub mended: Text,
    pub accepted: Text,
    pub rejected: Text,
    pub no_answer: Text,
    pub says: Text,
    pub write: fn(&str, u64) -> String,
    pub lost: fn(Leg) -> &'static str,
    pub broken: fn(CallStage) -> &'static str,
    pub rejected_why: fn(&Rejected) -> String,
    pub report: fn(&Report) -> String,
    pub due: fn(Due) -> &'static str,
}
