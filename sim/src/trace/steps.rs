//! The steps of a script in the line language: `step="5s destroys-holder db/leader"`.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::http::{self, Agent, client};
use lictor_core::id::Key;
use lictor_core::message::Operation;
use lictor_recipes::{Step, Task};

use super::Names;
use super::error::WordsError;
use super::requests::{request_of, request_words};
use super::tokens::{
    Args, in_words, push_bytes, push_operand, push_param, span_of, span_word, value,
};

const STEP: &str = "step";
const DESTROYS: &str = "destroys-holder";
const RELEASES: &str = "force-releases";
const EDITS: &str = "edits";
const REPEATS: &str = "repeats";

pub(super) fn parse_steps(args: &mut Args<'_>, names: &Names) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(text) = args.take(STEP) {
        match step_of(text, names) {
            Ok(step) => steps.push(step),
            Err(error) => args.fail(error),
        }
    }
    steps
}

/// Adds the steps to the words of a script. `None` if a step has no words.
pub(super) fn write_steps(steps: &[Step], words: &mut String) -> Option<()> {
    for Step { after, task } in steps {
        let mut step = span_word(*after);
        task_words(task, &mut step)?;
        push_param(words, STEP, &step);
    }
    Some(())
}

fn task_words(task: &Task, words: &mut String) -> Option<()> {
    let (verb, key) = match task {
        Task::Do(operation) => {
            let request = client::encode(operation).ok()?;
            words.push(' ');
            words.push_str(&request_words(&request, &Names::default()));
            return Some(());
        }
        Task::Repeat => {
            push_operand(words, REPEATS);
            return Some(());
        }
        Task::DestroyHolder(key) => (DESTROYS, key),
        Task::ForceRelease(key) => (RELEASES, key),
        Task::Edit { key, .. } => (EDITS, key),
    };
    push_operand(words, verb);
    push_operand(words, key.as_str());
    if let Task::Edit { value, .. } = task {
        push_bytes(words, "value", value);
    }
    Some(())
}

fn step_of(text: &str, names: &Names) -> Result<Step, WordsError> {
    let error = || value(STEP, text, "step");
    let words = in_words(text)?;
    if let [after, verb] = words.as_slice()
        && verb.text == REPEATS
    {
        let after = span_of(&after.text).filter(|after| !after.is_zero()).ok_or_else(error)?;
        return Ok(Step { after, task: Task::Repeat });
    }
    let [after, verb, words @ ..] = words.as_slice() else { return Err(error()) };
    let after = span_of(&after.text).ok_or_else(error)?;
    let args = &mut Args::new(&verb.text, words);
    let task = match args.verb {
        DESTROYS => Task::DestroyHolder(key(args)),
        RELEASES => Task::ForceRelease(key(args)),
        EDITS => Task::Edit { key: key(args), value: Arc::from(args.bytes("value")) },
        _ => Task::Do(operation_of(args, names).ok_or_else(error)?),
    };
    args.finish().map(|()| Step { after, task })
}

fn key(args: &mut Args<'_>) -> Key {
    Key::from(args.next("a key"))
}

/// The operation that the server of the world decodes from a request; it is the same for each of
/// its agents.
fn operation_of(args: &mut Args<'_>, names: &Names) -> Option<Operation> {
    let request = request_of(args, names)?;
    if args.has_failed() {
        return None;
    }
    let agent = Agent::of(names.server());
    http::decode(&agent, &request).ok().map(|call| call.request.operation)
}
