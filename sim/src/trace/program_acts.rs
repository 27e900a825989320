//! Acts and events of programs and guarded resources in the line language: `orders lock-1 start`,
//! `guards db asks=modify-index`. A program without words of its own is a dump in base64.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::id::{ActorName, ProgramName, ResourceName, SessionRef};
use lictor_recipes::{
    Belief, ChildEvent, Ending, Fence, FenceKind, GaveUp, Order, Program, Report,
};

use super::Names;
use super::params::word_of;
use super::programs::{FENCES, program_of, program_words};
use super::tokens::{Args, push_bytes, push_operand, push_param};
use crate::act::Act;
use crate::event::{ProgramEvent, Rejected, Used};
use crate::fault::Memory;
use crate::tcp::HttpClient;

const ORDERS: [(&str, Order); 3] =
    [("start", Order::Start), ("stop", Order::Stop), ("destroy", Order::Destroy)];

const HTTP_CLIENTS: [(&str, HttpClient); 5] = [
    ("go", HttpClient::Go),
    ("node", HttpClient::Node),
    ("requests", HttpClient::Requests),
    ("py-consul", HttpClient::PyConsul),
    ("curl", HttpClient::Curl),
];

impl HttpClient {
    /// Its word in the line language.
    pub fn word(self) -> &'static str {
        word_of(self, &HTTP_CLIENTS)
    }
}

pub(super) fn spawn_words(
    (name, program): (&ProgramName, &Program),
    (resource, http): (Option<&ResourceName>, HttpClient),
    names: &Names,
    words: &mut String,
) {
    words.push_str("spawns");
    push_operand(words, name.as_str());
    match program_words(program, names) {
        Some(own_words) => {
            words.push(' ');
            words.push_str(&own_words);
        }
        None => push_param(words, "of", &dump_of(program)),
    }
    if let Some(resource) = resource {
        push_param(words, "uses", resource.as_str());
    }
    if http != HttpClient::default() {
        push_param(words, "http", word_of(http, &HTTP_CLIENTS));
    }
}

/// A program that has begun, for which there are no words.
fn dump_of(program: &Program) -> String {
    STANDARD.encode(postcard::to_allocvec(program).expect("a Vec takes all bytes"))
}

fn program_of_dump(text: &str) -> Option<Program> {
    postcard::from_bytes(&STANDARD.decode(text).ok()?).ok()
}

pub(super) fn order_words(name: &ProgramName, order: Order, words: &mut String) {
    words.push_str("orders");
    push_operand(words, name.as_str());
    push_operand(words, word_of(order, &ORDERS));
}

pub(super) fn guard_words(resource: &ResourceName, asks: FenceKind, words: &mut String) {
    words.push_str("guards");
    push_operand(words, resource.as_str());
    push_param(words, "asks", word_of(asks, &FENCES));
}

pub(super) fn spawn_of(actor: &str, args: &mut Args<'_>, names: &Names) -> Option<Act> {
    let program = ProgramName::from(args.next("the name of a program"));
    let initial = match args.take("of") {
        Some(record) => {
            let dumped = program_of_dump(record);
            if dumped.is_none() {
                args.invalid_value("program", "of", record);
            }
            dumped?
        }
        None => program_of(args, names)?,
    };
    let resource = args.take("uses").map(ResourceName::from);
    let http = args.choice(("http", "HTTP client"), &HTTP_CLIENTS).unwrap_or_default();
    let (actor, initial) = (ActorName::from(actor), Arc::new(initial));
    Some(Act::Spawn { actor, program, initial, resource, http })
}

pub(super) fn order_of(args: &mut Args<'_>) -> Option<Act> {
    let program = ProgramName::from(args.next("the name of a program"));
    let word = args.next("start, stop or destroy");
    let found = ORDERS.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        args.invalid_value("order", "order", word);
    }
    found.map(|(_, order)| Act::Order { program, order: *order })
}

pub(super) fn guard_of(args: &mut Args<'_>) -> Option<Act> {
    let resource = ResourceName::from(args.next("the name of a resource"));
    let asks = args.choice(("asks", "kind of token"), &FENCES);
    if asks.is_none() {
        args.fail_missing("asks=, a kind of token");
    }
    Some(Act::Guard { resource, asks: asks? })
}

/// The words of a program's event, if it has a line of its own.
pub(super) fn program_event_words(event: &ProgramEvent) -> Option<String> {
    match event {
        ProgramEvent::Spawned => Some("appears".into()),
        ProgramEvent::Ordered(order) => Some(format!("is ordered to {}", word_of(*order, &ORDERS))),
        ProgramEvent::Restarted(Memory::Kept) => Some("continues after a crash".into()),
        ProgramEvent::Restarted(Memory::Lost) => Some("restarts after a crash".into()),
        ProgramEvent::Believes(belief) => Some(belief_words(belief)),
        ProgramEvent::Reports(report) => report_words(report),
        ProgramEvent::Due(_) => None,
    }
}

/// The words of a report, unless an answer or a belief has already expressed it.
fn report_words(report: &Report) -> Option<String> {
    Some(match report {
        Report::Failed(error) => format!("fails: {error}"),
        Report::RenewerStopped(error) => format!("stops renewing: {error}"),
        Report::GaveUp(GaveUp::Stopped) => "gives up, as ordered".into(),
        Report::GaveUp(GaveUp::TimedOut) => "gives up: timed out".into(),
        Report::Pruned(dead) => {
            let dead: Vec<&str> = dead.iter().map(SessionRef::as_str).collect();
            format!("takes {} from the list", dead.join(", "))
        }
        Report::Leader(Some(value)) => {
            let mut words = String::from("sees the leader");
            push_bytes(&mut words, "value", value);
            words
        }
        Report::Leader(None) => "sees no leader".into(),
        Report::NothingToDo { .. } => "finds nothing to do".into(),
        Report::Destroyed => "has cleaned up".into(),
        Report::Child(event) => child_words(*event).into(),
        Report::Exited(code) => format!("exits with {code}"),
        Report::SessionCreated(_)
        | Report::Acquired { .. }
        | Report::TokenKnown(_)
        | Report::Lost(_)
        | Report::Released
        | Report::ReleasedNothing
        | Report::Answered { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => return None,
    })
}

fn child_words(event: ChildEvent) -> &'static str {
    match event {
        ChildEvent::Started => "starts its child",
        ChildEvent::Ended(Ending::Success) => "sees its child succeed",
        ChildEvent::Ended(Ending::Failure) => "sees its child fail",
        ChildEvent::Asked => "asks its child to end",
        ChildEvent::Killed => "kills its child",
    }
}

pub(super) fn used_words(used: &Used) -> (String, String) {
    let token = token_words(&used.write.fence);
    let what = format!("{} writes to {}{token}", used.program, used.resource);
    let outcome = match &used.verdict {
        Ok(()) => "accepted".to_string(),
        Err(rejected) => format!("rejected: {}", rejected_words(rejected)),
    };
    (what, outcome)
}

fn token_words(fence: &Fence) -> String {
    match fence {
        Fence::None => String::new(),
        Fence::Session(session) => format!(" with session {session}"),
        Fence::LockIndex(index) => format!(" with LockIndex {index}"),
        Fence::ModifyIndex(index) => format!(" with ModifyIndex {index}"),
        Fence::Triple { key, lock_index, session } => {
            format!(" with LockIndex {lock_index} of {key} by {session}")
        }
    }
}

fn rejected_words(rejected: &Rejected) -> String {
    match rejected {
        Rejected::OtherKind { .. } => "another kind of token is asked for".into(),
        Rejected::OlderLockIndex { presented, accepted } => {
            format!("LockIndex {presented} is older than {accepted}")
        }
        Rejected::OlderModifyIndex { presented, accepted } => {
            format!("ModifyIndex {presented} is older than {accepted}")
        }
        Rejected::EarlierSession { presented, accepted } => {
            format!("{presented} came before {accepted}")
        }
        Rejected::OtherKey { presented, accepted } => format!("{presented} is not {accepted}"),
        Rejected::NotTheHolder => "it does not hold the key".into(),
    }
}

fn belief_words(belief: &Belief) -> String {
    match belief {
        Belief::Unknown => "knows nothing".into(),
        Belief::Contending { .. } => "wants the lock".into(),
        Belief::Believes { token, .. } => format!("believes it holds {}", token.key),
        Belief::KnowsLost { .. } => "knows that it has lost the lock".into(),
        Belief::LetGo { .. } => "counts the lock as released".into(),
    }
}
