//! The tables of documents that are made from the code. docs/en/reference/recipes.md has the state
//! tables of the recipes: for each state and each possible stimulus, the actions of the program and
//! its next state, found by random walks through the programs. docs/en/reference/formats.md has the
//! options of programs.

mod palette;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use lictor_core::message::{Consistency, Operation};
use lictor_core::store::{KvVerb, Query};
use lictor_core::time::Instant;
use lictor_recipes::{
    Action, CallSlot, Due, Lock, LockOptions, MonitorOptions, Naive, OnLoss, Order, Program,
    ProgramError, Recipe, Report, Semaphore, SemaphoreOptions, Stimulus, UserPolicy, Watcher,
    WatcherOptions,
};
use lictor_sim::trace::{OptionSchema, OptionValue, PROGRAM_KINDS, program_options};

/// The documents with tables, from the workspace's root.
pub const DOCUMENTS: [&str; 2] = ["docs/en/reference/recipes.md", "docs/en/reference/formats.md"];

/// The number and length of the walks: far more than is needed to find everything.
const WALKS: u64 = 400;
const STEPS: u64 = 60;

/// One row of a table: the stimuli that lead from one state to another with the same actions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TableRow {
    state: String,
    /// The column `on`: the stimuli.
    on: BTreeSet<String>,
    does: String,
    next: String,
}

/// The states in which a program obeys an order to stop only after the answer to its call.
const STOPPABLE: [&str; 7] =
    ["CreatingSession", "Watching", "Acquiring", "Rereading", "Enrolling", "Surveying", "Claiming"];

/// The part of a program whose states a table describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramPart {
    Recipe,
    Renewer,
    Watch,
    /// The renewal of a session that was given up; it has no table.
    FormerSession,
}

/// The document with each of its tables replaced by the one that the code gives.
pub fn renewed(document: &str) -> String {
    let mut text = String::new();
    let mut is_old = false;
    for line in document.lines() {
        is_old &= line != END;
        if !is_old {
            text.push_str(line);
            text.push('\n');
        }
        if let Some(name) = line.strip_prefix(BEGIN).and_then(|it| it.strip_suffix(" -->")) {
            text.push_str(&table(name).unwrap_or_default());
            is_old = true;
        }
    }
    text
}

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end of table -->";

/// A table by the name that a document uses for it; `None` if there is no such table.
fn table(name: &str) -> Option<String> {
    let rows = match name {
        "lock" => walk(&lock(0), ProgramPart::Recipe),
        "semaphore" => walk(&semaphore(), ProgramPart::Recipe),
        "renewer" => walk(&lock(0), ProgramPart::Renewer),
        "watch" => walk(&lock(2), ProgramPart::Watch),
        "naive" => walk(&naive(), ProgramPart::Recipe),
        "watcher" => walk(&watcher(), ProgramPart::Recipe),
        "options" => return Some(options()),
        _ => return None,
    };
    let mut text = String::from("\n| state | on | does | next |\n|---|---|---|---|\n");
    for TableRow { state, on, does, next } in rows {
        let on = Vec::from_iter(on).join("; ");
        let _ = writeln!(text, "| {state} | {on} | {does} | {next} |");
    }
    text.push('\n');
    Some(text)
}

/// The options of the kinds of programs; one row for those that several kinds have alike.
fn options() -> String {
    let mut rows: Vec<(OptionSchema, Vec<&str>)> = Vec::new();
    for kind in PROGRAM_KINDS {
        for option in program_options(kind) {
            match rows.iter_mut().find(|(known, _)| *known == option) {
                Some((_, kinds)) => kinds.push(kind),
                None => rows.push((option, vec![kind])),
            }
        }
    }
    let mut text = String::from("\n| option | value | default | programs |\n|---|---|---|---|\n");
    for (OptionSchema { name, value, default }, kinds) in rows {
        let value = match value {
            OptionValue::Text => "text".into(),
            OptionValue::Number => "number".into(),
            OptionValue::Duration => "duration".into(),
            OptionValue::DurationOrNever => "duration, or `never`".into(),
            OptionValue::Choice(words) => format!("`{}`", words.join("`, `")),
            OptionValue::Session => "name or id of a session".into(),
        };
        let default = if default.is_empty() { default } else { format!("`{default}`") };
        let kinds = if kinds.len() == PROGRAM_KINDS.len() {
            "all".into()
        } else {
            format!("`{}`", kinds.join("`, `"))
        };
        let _ = writeln!(text, "| `{name}` | {value} | {default} | {kinds} |");
    }
    text.push('\n');
    text
}

fn lock(retries: u32) -> Program {
    let monitor = MonitorOptions::default().with_retries(retries);
    let options = LockOptions::new(palette::KEY, b"").with_monitor(monitor);
    let lock = Lock::new(options).expect("the options are in order");
    Program::new(Recipe::Lock(Box::new(lock))).with_policy(quiet())
}

fn semaphore() -> Program {
    let semaphore = Semaphore::new(SemaphoreOptions::new(palette::KEY, palette::LIMIT));
    let semaphore = semaphore.expect("the options are in order");
    Program::new(Recipe::Semaphore(Box::new(semaphore))).with_policy(quiet())
}

fn naive() -> Program {
    Program::new(Recipe::Naive(Naive::new(palette::KEY.into(), b"")))
}

fn watcher() -> Program {
    let watcher = Watcher::new(WatcherOptions::new(palette::KEY));
    Program::new(Recipe::Watcher(Box::new(watcher)))
}

/// A policy that gives no orders by itself, so that a walk decides when the program starts again.
fn quiet() -> UserPolicy {
    UserPolicy::default().with_on_loss(OnLoss::StandStill)
}

/// The rows found by many walks, with states in the order in which they were reached.
fn walk(program: &Program, part: ProgramPart) -> Vec<TableRow> {
    let mut rows: Vec<TableRow> = Vec::new();
    for seed in 1..=WALKS {
        let mut walker = Walker::new(program.clone(), seed);
        for _ in 0..STEPS {
            let Some((on, row)) = walker.step(part) else { continue };
            let is_same = |it: &&mut TableRow| {
                (&it.state, &it.does, &it.next) == (&row.state, &row.does, &row.next)
            };
            match rows.iter_mut().find(is_same) {
                Some(known) => drop(known.on.insert(on)),
                None => rows.push(TableRow { on: [on].into(), ..row }),
            }
        }
    }
    let reached = |row: &TableRow| rows.iter().position(|it| it.state == row.state);
    let mut sorted = rows.clone();
    sorted.sort_by_cached_key(|row| (reached(row), row.on.clone(), row.next.clone()));
    sorted
}

struct Walker {
    program: Program,
    now: Instant,
    chance: u64,
    /// Whether the program has an order to stop that it has not obeyed yet.
    is_stopping: bool,
}

impl Walker {
    fn new(program: Program, seed: u64) -> Self {
        Self { program, now: Instant::EPOCH, chance: seed, is_stopping: false }
    }

    /// Makes one step. Returns a row without its stimulus, and the stimulus, if this part of the
    /// program did something.
    fn step(&mut self, part: ProgramPart) -> Option<(String, TableRow)> {
        let (owner, on, stimulus) = self.choose();
        let (state, renewer) = (self.state(part), self.state(ProgramPart::Renewer));
        let mut actions = Vec::new();
        let is_stop = stimulus == Stimulus::Order(Order::Stop);
        self.program.step(self.now, stimulus, &mut actions);
        self.is_stopping |= is_stop && actions.is_empty();
        self.is_stopping &= STOPPABLE.contains(&self.program.state());
        let next = self.state(part);
        let mut does: Vec<_> =
            actions.iter().filter_map(|action| action_text(part, action)).collect();
        let has_ended = renewer != "Idle" && self.state(ProgramPart::Renewer) == "Idle";
        if part == ProgramPart::Recipe
            && has_ended
            && !does.iter().any(|it| it.contains("create session"))
        {
            does.push("end the session".into());
        }
        let is_own = owner == part || part == ProgramPart::Recipe && state != next;
        let on = if is_own { Some(on) } else { outside(part, &state, &next) };
        let happened = state != next || !does.is_empty();
        let does = if does.is_empty() { "-".into() } else { does.join(", ") };
        let row = TableRow { state, on: BTreeSet::new(), does, next };
        if happened { on.map(|on| (on, row)) } else { None }
    }

    fn state(&self, part: ProgramPart) -> String {
        match part {
            ProgramPart::Recipe if self.is_stopping => {
                format!("{} (stopping)", self.program.state())
            }
            ProgramPart::Recipe => self.program.state().into(),
            ProgramPart::Renewer => {
                self.program.renewer().map_or("-", |renewer| renewer.state()).into()
            }
            ProgramPart::Watch => self.program.watch_state().unwrap_or("-").into(),
            ProgramPart::FormerSession => "-".into(),
        }
    }

    /// A possible stimulus: an order, the answer to a pending call, or a deadline.
    fn choose(&mut self) -> (ProgramPart, String, Stimulus) {
        let calls = self.program.outstanding().len();
        let pick = self.below(calls + 2);
        if pick < calls {
            return self.answer(pick);
        }
        if let (true, Some((at, due))) = (pick == calls, self.program.next_deadline()) {
            self.now = self.now.max(at);
            let part = match due {
                Due::Renew => ProgramPart::Renewer,
                Due::WatchAgain => ProgramPart::Watch,
                _ => ProgramPart::Recipe,
            };
            return (part, deadline(due).into(), Stimulus::Tick);
        }
        let orders = [Order::Start, Order::Start, Order::Start, Order::Stop, Order::Destroy];
        let order = orders[self.below(orders.len())];
        (ProgramPart::Recipe, format!("order {order:?}"), Stimulus::Order(order))
    }

    /// One of the possible answers to an outstanding call.
    fn answer(&mut self, index: usize) -> (ProgramPart, String, Stimulus) {
        let call = self.program.outstanding()[index].clone();
        let session = self.program.renewer().and_then(|renewer| renewer.session());
        let answers = palette::answers(&call.operation, session);
        let (stimulus, result) = answers[self.below(answers.len())].clone();
        let part = match call.slot {
            CallSlot::Renewer | CallSlot::SessionDestroy | CallSlot::Check => ProgramPart::Renewer,
            CallSlot::FormerRenewal => ProgramPart::FormerSession,
            CallSlot::Monitor => ProgramPart::Watch,
            CallSlot::Main | CallSlot::Work => ProgramPart::Recipe,
        };
        (part, stimulus.into(), Stimulus::Reply { call: call.call, result })
    }

    /// A random number below a bound; any generator reaches all states.
    fn below(&mut self, limit: usize) -> usize {
        let mixed = self.chance.wrapping_mul(6_364_136_223_846_793_005);
        self.chance = mixed.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.chance >> 33).unwrap_or(0) % limit
    }
}

fn deadline(due: Due) -> &'static str {
    match due {
        Due::TimeOut(_) => "the call has taken too long",
        Due::Renew => "the renewal is due",
        Due::WatchAgain => "the pause after a failure is over",
        Due::TryAgain => "the pause is over",
        Due::NextStep => "the next step is due",
        Due::Write => "a write is due",
        Due::ChildEnds => "the child ends",
        Due::Kill => "the child does not end",
        Due::EndOfWork => "the work is done",
        Due::StartAgain => "it wants the lock again",
        Due::LeaseEnds => "its lease ends",
    }
}

/// The reason for a step of a part that got no stimulus itself.
fn outside(part: ProgramPart, state: &str, next: &str) -> Option<String> {
    let why = match part {
        ProgramPart::Renewer if state == next => return None,
        ProgramPart::Renewer if state == "Idle" => "the recipe begins",
        ProgramPart::Renewer if next == "Idle" => "the recipe ends",
        ProgramPart::Watch if state == "Off" && next != "Off" => "the recipe holds",
        ProgramPart::Watch if state != "Off" && next == "Off" => "the recipe gives it back",
        ProgramPart::Recipe
        | ProgramPart::Renewer
        | ProgramPart::Watch
        | ProgramPart::FormerSession => return None,
    };
    Some(why.into())
}

/// Whether an action belongs to a part.
fn is_of(part: ProgramPart, action: &Action) -> bool {
    let owner = match action {
        Action::Send { operation, .. } => match operation {
            Operation::CreateSession(_)
            | Operation::RenewSession(_)
            | Operation::DestroySession(_) => ProgramPart::Renewer,
            Operation::Read { consistency: Consistency::Consistent, .. } => ProgramPart::Watch,
            _ => ProgramPart::Recipe,
        },
        Action::Report(Report::SessionCreated(_) | Report::RenewerStopped(_)) => {
            ProgramPart::Renewer
        }
        Action::Report(Report::TokenKnown(_) | Report::Lost(_)) => ProgramPart::Watch,
        Action::Report(_) | Action::Abandon(_) | Action::Use(_) => ProgramPart::Recipe,
    };
    part == ProgramPart::Recipe || part == owner
}

/// The text of an action; `None` for one that the table of this part leaves out.
fn action_text(part: ProgramPart, action: &Action) -> Option<String> {
    match action {
        Action::Send { operation: Operation::DestroySession(_), .. }
            if part == ProgramPart::Recipe =>
        {
            None
        }
        other if !is_of(part, other) => None,
        Action::Send { operation, .. } => Some(operation_text(operation).into()),
        Action::Use(_) => Some("write to the resource".into()),
        Action::Abandon(_) | Action::Report(Report::Failed(ProgramError::Busy)) => None,
        Action::Report(Report::Failed(error)) => Some(format!("fail: {}", text_of(error))),
        Action::Report(report) => Some(format!("report {}", name_of(report))),
    }
}

/// The kind of an error, without its details.
fn text_of(error: &ProgramError) -> String {
    let text = error.to_string();
    let head = text.split_once(": ").map_or(text.as_str(), |(head, _)| head);
    head.split_once(" (").map_or(head, |(head, _)| head).into()
}

/// The variant's name.
fn name_of(report: &Report) -> String {
    format!("{report:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn operation_text(operation: &Operation) -> &'static str {
    match operation {
        Operation::CreateSession(_) => "create a session",
        Operation::DestroySession(_) => "destroy the session",
        Operation::RenewSession(_) => "renew the session",
        Operation::Kv { verb, .. } => match verb {
            KvVerb::Set(_) => "write",
            KvVerb::Cas { .. } => "write by check-and-set",
            KvVerb::Acquire { .. } => "acquire",
            KvVerb::Release { .. } => "release",
            KvVerb::Delete => "delete",
            KvVerb::DeleteCas { .. } => "delete by check-and-set",
            KvVerb::DeleteTree => "delete the tree",
        },
        Operation::Read { query, consistency, .. } => {
            match (query, operation.blocking_wait(), consistency) {
                (Query::Tree(_), None, Consistency::Default) => "list",
                (Query::Tree(_), Some(_), Consistency::Default) => "list and wait",
                (Query::Tree(_), None, _) => "list consistently",
                (Query::Tree(_), Some(_), _) => "list consistently and wait",
                (_, None, Consistency::Default) => "read",
                (_, Some(_), Consistency::Default) => "read and wait",
                (_, None, _) => "read consistently",
                (_, Some(_), _) => "read consistently and wait",
            }
        }
        _ => "ask something else",
    }
}
