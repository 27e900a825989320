//! The steps of a script in words: `step="5s destroys-holder db/leader"`, `step="1s put a
//! acquire=@"`.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Names;
use super::faults::span_word;
use super::given::{Given, in_words, quoted, span_of, value};
use super::scribe::Scribe;
use super::words::{WordsError, parameter, request_of, request_words};
use crate::http::{self, Agent, Layout, client};
use crate::id::{Key, NodeName};
use crate::message::Operation;
use crate::recipe::{Step, Task};

const STEP: &str = "step";

pub(super) fn steps(
    steps: &mut Vec<Step>,
    scribe: &mut Scribe<'_, '_>,
    names: &Names,
) -> Result<(), WordsError> {
    match scribe {
        Scribe::Reads(given) => {
            while let Some(text) = given.take(STEP) {
                steps.push(step_of(text, names)?);
            }
        }
        Scribe::Writes(words) => {
            for Step { after, task } in steps.iter() {
                let step = format!("{} {}", span_word(*after), task_words(task)?);
                words.push_str(&format!(" {STEP}={}", quoted(&step)));
            }
        }
    }
    Ok(())
}

fn task_words(task: &Task) -> Result<String, WordsError> {
    Ok(match task {
        Task::Do(operation) => match client::encode(operation) {
            Ok(request) => request_words(&request, &Names::default()),
            Err(failure) => return Err(value(STEP, &format!("{failure}"), "request")),
        },
        Task::DestroyHolder(key) => format!("destroys-holder {}", quoted(key.as_str())),
        Task::ForceRelease(key) => format!("force-releases {}", quoted(key.as_str())),
        Task::Edit { key, value } => {
            format!("edits {}{}", quoted(key.as_str()), parameter("value", value))
        }
    })
}

fn step_of(text: &str, names: &Names) -> Result<Step, WordsError> {
    let wrong = || value(STEP, text, "step");
    let words = in_words(text)?;
    let mut words = words.iter().map(|word| word.text.as_str());
    let after = words.next().and_then(span_of).ok_or_else(wrong)?;
    let verb = words.next().ok_or_else(wrong)?;
    let mut given = Given::new(verb, words);
    let task = match verb {
        "destroys-holder" => Task::DestroyHolder(key(&mut given)?),
        "force-releases" => Task::ForceRelease(key(&mut given)?),
        "edits" => Task::Edit { key: key(&mut given)?, value: Arc::from(given.bytes("value")?) },
        _ => Task::Do(operation_of(&mut given, names).ok_or_else(wrong)?),
    };
    given.used_up().map(|()| Step { after, task })
}

fn key(given: &mut Given<'_>) -> Result<Key, WordsError> {
    given.first("a key").map(Key::from)
}

/// What a server understands by a request, whoever its agent is.
fn operation_of(given: &mut Given<'_>, names: &Names) -> Option<Operation> {
    let request = request_of(given, names).ok()?;
    let agent =
        Agent { node: NodeName::from(""), datacenter: "dc1".into(), layout: Layout::Compact };
    http::decode(&agent, &request).ok().map(|call| call.request.operation)
}
