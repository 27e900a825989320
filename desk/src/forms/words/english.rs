//! The strings of the forms in English, and what is wrong with an act or a program.

use lictor_sim::trace::{OptionValue, WordsError};
use lictor_sim::{ActError, CutDirection, CutMode};
use lictor_view::format::clock;
use lictor_view::language::Language;
use lictor_view::rows;
use lictor_view::time_travel::EditError;

use super::{ActFormWords, CutFormWords, ProgramFormWords, Words};
use crate::forms::act_form::{ActFormError, ActParam};
use crate::forms::cut_form::CutFormError;
use crate::forms::program_form::ProgramFormError;
use crate::programs::StartError;

pub(super) const WORDS: Words = Words { act: ACT, cut: CUT, program: PROGRAM };

const ACT: ActFormWords = ActFormWords {
    heading_of: |call| format!("Edit, move or remove {call}"),
    intro: "The later actions are replayed on top of it, on a new branch. Ctrl+Z takes it \
                 back.",
    replay: "Replay with this",
    remove: "Remove it",
    param: param_name,
    error: act_form_error,
};

const CUT: CutFormWords = CutFormWords {
    heading_of: |name| format!("Network of {name}"),
    mode: "Mode",
    modes: |mode| match mode {
        CutMode::Drop => ("Silent", "packets vanish"),
        CutMode::Reset => ("RST", "connections break"),
        CutMode::HostUnreachable => ("No route", "ICMP: host unreachable"),
        CutMode::Reject => ("Refused", "the server is killed"),
        CutMode::InterfaceDown => ("Down", "its own interface"),
        CutMode::Prohibited => ("Prohibited", "ICMP: by a firewall"),
        CutMode::NoNeighbour => ("No neighbour", "no answer to ARP"),
    },
    way: "Direction",
    ways: |way| match way {
        CutDirection::Both => "both",
        CutDirection::ToServer => "to server",
        CutDirection::FromServer => "from server",
    },
    until: "until t =",
    no_end: "s (empty: no end)",
    cut_now: "Cut",
    change: "Change the cut",
    cancel: "Cancel",
    heal: "Heal now",
    error: |error| match error {
        CutFormError::Until => "until: write a number of seconds like 20.5, or nothing".into(),
        CutFormError::Past { now } => {
            format!("until: it is already {} s; write a later time", clock(*now))
        }
    },
};

const PROGRAM: ProgramFormWords = ProgramFormWords {
    heading_of: |name| format!("Programs of {name}"),
    kind: "Kind of program",
    about: |kind| match kind {
        "lock" => {
            "The Go client's lock: it renews its session, and watches the key while it holds it."
        }
        "semaphore" => {
            "A slot of a semaphore: a contender key, and its place in the .lock document."
        }
        "candidate" => {
            "A candidate in a leader election: it tries to lead whenever there is no leader, and \
             starts again after a failure."
        }
        "consul-lock" => {
            "The command consul lock: it runs a child process while it holds the lock or a slot."
        }
        "writer" => "A lock under which a guarded resource is written at intervals.",
        "watcher" => "Blocking reads of one key, one after the other.",
        "naive" => {
            "A lock as a shell script takes it: no renewal, no watch, trust in the first true."
        }
        _ => "",
    },
    error: program_error,
    start_error,
    more_options: "More options",
    start: "Start",
    stop: "Stop",
    unsent_zero: "The Go client does not send 0, so the server uses its default of 15 s.",
    why_not: |why| format!("Not possible: {why}"),
};

/// The name of a field of an act.
fn param_name(param: ActParam) -> &'static str {
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

/// The errors of the simulation have their English words with them.
fn words_error(error: &WordsError) -> String {
    match error {
        WordsError::Value { name, text, kind: "value" } => {
            format!("{text:?} is not a value of {name}")
        }
        WordsError::Value { name, text, kind: "span" } => {
            format!("{name}: {text:?} is not a duration such as 1.5s")
        }
        WordsError::Program { error, .. } => error.to_string(),
        error => error.to_string(),
    }
}

fn act_error(error: &ActError) -> String {
    error.to_string()
}

fn start_error(error: &StartError) -> String {
    match error {
        StartError::Options(error) => words_error(error),
        StartError::Act(error) => act_error(error),
    }
}

fn act_form_error(error: &ActFormError) -> String {
    match error {
        ActFormError::Duration { param, error } => {
            format!("{}: {error}. Write it like 15s.", param_name(*param))
        }
        ActFormError::Missing(param) => format!("{} is missing", param_name(*param)),
        ActFormError::Time => {
            format!("{}: write a number like 12.5", param_name(ActParam::Time))
        }
        ActFormError::Edit(EditError::NoSuchAct) => "this action is no longer there".into(),
        ActFormError::Edit(EditError::NoSuchTime { begin, end }) => {
            format!("{}: from {} to {}", param_name(ActParam::Time), clock(*begin), clock(*end))
        }
        ActFormError::Edit(EditError::Words(error)) => words_error(error),
        ActFormError::Edit(EditError::Act(error)) => act_error(error),
    }
}

fn program_error(error: &ProgramFormError) -> String {
    match error {
        ProgramFormError::NoKey => "a key or prefix is missing".into(),
        ProgramFormError::Option { option, error } => {
            let (name, _) = (rows::words(Language::English).program_option)(option.name)
                .unwrap_or((option.name, ""));
            let WordsError::Value { text, .. } = error else {
                return format!("{name}: {}", words_error(error));
            };
            let expected = match &option.value {
                OptionValue::Number => "; write a number".into(),
                OptionValue::Duration => "; write it like 15s".into(),
                OptionValue::DurationOrNever => "; write it like 15s, or never".into(),
                OptionValue::Choice(words) => format!("; it is one of {}", words.join(", ")),
                OptionValue::Text | OptionValue::Session => String::new(),
            };
            format!("{name}: {text:?} is not valid{expected}")
        }
        ProgramFormError::Options(error) => words_error(error),
        ProgramFormError::Act(error) => act_error(error),
    }
}
