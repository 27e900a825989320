//! The strings of the guide panel in English.

use super::super::console_words::GuideWords;
use super::sentences::counted;
use crate::console::{FilledValue, StepRole};
use crate::format::clock;

pub(super) const WORDS: GuideWords = GuideWords {
    heading: "Your guide",
    found: |commands, lines, samples| {
        let left_out = match samples {
            0 => "prose left out".to_owned(),
            _ => format!("prose and {} left out", counted(samples, "JSON sample", "JSON samples")),
        };
        format!(
            "{} found in {}; {left_out}",
            counted(commands, "command", "commands"),
            counted(lines, "line", "lines")
        )
    },
    left_out: |commands| format!("{} left out", counted(commands, "command", "commands")),
    line: |line| format!("line {line}"),
    paste_here: "Paste commands or a whole guide, prose included",
    find_commands: "Find the commands",
    nothing_found: "No command found. Lictor reads curl and plain HTTP, such as \
                    PUT /v1/session/create.",
    show_text: "Show the text",
    paste_another: "Paste another",
    asked_once: "Asked once, used in every step",
    body_is_sender: "name of the sender",
    content_of: |file| format!("Content of {file}"),
    session_of: |id| format!("{id} is the session of"),
    as_written: "nobody here",
    step: |role| match role {
        StepRole::CreateSession => "Create a session",
        StepRole::RenewSession => "Renew the session",
        StepRole::DestroySession => "Destroy the session",
        StepRole::Acquire => "Acquire the key",
        StepRole::Release => "Release the key",
        StepRole::CreateLock => "Create the key that coordinates",
        StepRole::TakeSlot => "Take a slot",
        StepRole::ReleaseSlot => "Release the slot",
        StepRole::Read => "Read the state",
        StepRole::Watch => "Wait for a change",
        StepRole::Delete => "Delete the key",
        StepRole::Assign => "Set a variable",
        StepRole::Write => "Write a file",
        StepRole::Print => "Print a text",
        StepRole::Start => "Start a program",
        StepRole::Other => "Send a request",
    },
    from_text: "from the text",
    completed: "address completed",
    from_step: |name, step| format!("{name}: from step {step}"),
    send_as: "Send as",
    send_step: |step| format!("Send step {step}"),
    send_all: |first, last| format!("Send steps {first} to {last}"),
    send_all_hint: |first, last| {
        format!("Steps {first} to {last}, one by one, up to the first false or missing value")
    },
    send: "Send",
    again: "Again",
    filled_in: |values| {
        let described = values.iter().map(|value| match value {
            FilledValue::Session => "the session of the sender",
            FilledValue::Index => "the index as last read",
            FilledValue::Lock => "<lock> as <prefix>/.lock",
            FilledValue::Document => "its body composed from the holders",
        });
        format!("Filled in: {}", described.collect::<Vec<_>>().join(", "))
    },
    each_step: "Each step lets 1 s pass.",
    enter_above: |name| format!("{name} has no value. Enter it above."),
    whole_number: "Limit is a whole number from 1 on.",
    no_path: "A prefix or key has no empty part, no . or .., and no slash at its beginning.",
    no_free_slot: |limit, watch| {
        let next = watch.map(|step| format!(" Continue with the watch, step {step}."));
        let held = counted(limit as usize, "slot", "slots");
        format!("No free slot: live sessions hold {held}.{}", next.unwrap_or_default())
    },
    no_slot_held: "The sender holds no slot that it could release.",
    reason_and_next: |reason, next| format!("{reason}. {next}"),
    read_again: |step| format!("Read again: step {step}."),
    held_already: "The sender holds a slot already: this writes the same holders again.",
    again_sends: "Now it would send:",
    holders: |limit, holders| match holders {
        "" => format!("limit {limit}, no holder"),
        _ => format!("limit {limit}, held by {holders}"),
    },
    waits: "waits for a change",
    no_answer: "no answer yet",
    at: |at| format!("{} s", clock(at)),
    keys_read: |count, index| {
        let keys = counted(count, "key", "keys");
        if index.is_empty() { keys } else { format!("{keys}, index {index}") }
    },
    go_on: |step| format!("Continue with step {step}."),
    open_as_guide: "Open as a guide",
    holds_commands: |count| format!("{} in this text.", counted(count, "command", "commands")),
};
