//! Acts in the line language, and back: `web-1 joins`, `server heals`. Words that express no act
//! are refused with the reason. Only the words of [`Act::Advance`] are not read back.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use lictor_core::id::{ActorName, RequestId};

use super::error::WordsError;
use super::faults::{fault_of, fault_words, link_of, link_words, plan_words};
use super::program_acts::{guard_of, guard_words, order_of, order_words, spawn_of, spawn_words};
use super::requests::{request_of, request_words};
use super::tokens::{Args, in_words};
use super::{Names, SERVER};
use crate::act::Act;

/// The words of an act.
pub fn words_of(act: &Act, names: &Names) -> String {
    if let Act::Request { request, .. } = act {
        return request_words(request, names);
    }
    let mut words = String::new();
    match act {
        Act::Request { .. } => {}
        Act::Join { .. } => words.push_str("joins"),
        Act::Cancel { id } => words = format!("cancels {id}"),
        Act::Failover => words.push_str("fails-over"),
        Act::Advance { to } => words = format!("waits until={}", to.as_nanos()),
        Act::Link { link, .. } => link_words(link, &mut words),
        Act::Inject { fault, plan } => {
            fault_words(fault, &mut words);
            plan_words(plan, &mut words);
        }
        Act::Repair { fault } => {
            words.push_str("mends ");
            fault_words(fault, &mut words);
        }
        Act::Heal => words.push_str("heals"),
        Act::Spawn { program, initial, resource, http, .. } => {
            spawn_words((program, initial), (resource.as_ref(), *http), names, &mut words);
        }
        Act::Order { program, order } => order_words(program, *order, &mut words),
        Act::Guard { resource, asks } => guard_words(resource, *asks, &mut words),
    }
    words
}

/// The actor of an act: a client, or the server.
pub fn actor_of(act: &Act) -> &str {
    let actor = match act {
        Act::Join { actor }
        | Act::Request { actor, .. }
        | Act::Link { actor, .. }
        | Act::Spawn { actor, .. } => Some(actor),
        Act::Inject { fault, .. } | Act::Repair { fault } => fault.actor(),
        Act::Cancel { .. }
        | Act::Failover
        | Act::Advance { .. }
        | Act::Heal
        | Act::Order { .. }
        | Act::Guard { .. } => None,
    };
    actor.map_or(SERVER, ActorName::as_str)
}

/// The act of an actor that the words express.
///
/// # Errors
///
/// Says which word is unknown, missing or wrong.
pub fn act_of(actor: &str, what: &str, names: &Names) -> Result<Act, WordsError> {
    let words = in_words(what)?;
    let (verb, words) = match words.split_first() {
        Some((verb, words)) => (verb.text.as_str(), words),
        None => ("", words.as_slice()),
    };
    let mut args = Args::new(verb, words);
    let act = act(actor, &mut args, names);
    args.finish()?;
    act.ok_or_else(|| WordsError::Verb(verb.to_owned()))
}

/// Parses an act. `None` after an error, which `args` reports.
fn act(actor: &str, args: &mut Args<'_>, names: &Names) -> Option<Act> {
    let name = || ActorName::from(actor);
    Some(match args.verb {
        "joins" => Act::Join { actor: name() },
        "cancels" => Act::Cancel { id: RequestId(args.next_number("the number of a call")) },
        "fails-over" => Act::Failover,
        "heals" => Act::Heal,
        "spawns" => return spawn_of(actor, args, names),
        "orders" => return order_of(args),
        "guards" => return guard_of(args),
        "links" => Act::Link { actor: name(), link: link_of(args) },
        "mends" => {
            let verb = args.next("what is to be mended");
            let fault = fault_of(verb, actor, args);
            if fault.is_none() {
                args.fail(WordsError::Verb(verb.to_owned()));
            }
            Act::Repair { fault: fault? }
        }
        verb => match fault_of(verb, actor, args) {
            Some(fault) => Act::Inject { fault, plan: args.plan() },
            None => Act::Request { actor: name(), request: request_of(args, names)? },
        },
    })
}
