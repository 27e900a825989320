//! Random client programs with the policies of their users. The same dice give the same programs.

use std::sync::Arc;
use std::time::Duration;

use lictor_core::id::{ActorName, Key, ProgramName, ResourceName};
use lictor_recipes::{
    Candidate, Child, ConsulLock, ConsulLockOptions, Ending, ExitCode, FenceKind, IndexReset, Lock,
    LockOptions, Naive, OnFailure, Order, Program, Recipe, Script, Semaphore, SemaphoreOptions,
    Step, Task, UserPolicy, Watcher, WatcherOptions, WatcherReports, Writer,
};
use lictor_sim::{Act, HttpClient, World};

use crate::dice::Dice;

/// The key for which the locks of the Go client contend.
pub const LOCK: &str = "lead";
/// The prefixes of the semaphores, of the Go client and of the guide.
pub const SEMAPHORES: [&str; 2] = ["jobs/", "slots/"];
/// The key of the elections.
pub const ELECTION: &str = "chief";
/// The prefix of `consul lock`.
pub const COMMAND: &str = "deploy";
/// The key of the shell scripts.
const SHELL: &str = "shell";
/// The key of the writers.
const LEDGER: &str = "ledger";

const FENCES: [FenceKind; 6] = [
    FenceKind::None,
    FenceKind::Session,
    FenceKind::LockIndex,
    FenceKind::ModifyIndex,
    FenceKind::Triple,
    FenceKind::CheckSession,
];

/// What a program does in a random world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramRole {
    Lock,
    Semaphore,
    Guide,
    Naive,
    /// It writes to a resource under a lock.
    Writer(FenceKind),
    /// It takes part in the election.
    Candidate,
    /// It watches the leader.
    Follower,
    /// It polls a missing key, or an election, for changes.
    Watcher,
    /// `consul lock`, with a child process that writes.
    Command,
    /// An operator, which destroys sessions and releases locks of others.
    Operator,
}

impl ProgramRole {
    /// Two contenders for the lock, and some others.
    pub fn some(dice: &mut Dice) -> Vec<Self> {
        let writer = Self::Writer(*dice.one_of(&FENCES));
        let others = [
            Self::Lock,
            Self::Semaphore,
            Self::Guide,
            Self::Naive,
            Self::Operator,
            writer,
            writer,
            writer,
            writer,
            Self::Candidate,
            Self::Candidate,
            Self::Follower,
            Self::Watcher,
            Self::Command,
        ];
        let chosen: Vec<Self> = others.into_iter().filter(|_| dice.below(2) == 0).collect();
        let mut roles = vec![Self::Lock, Self::Lock];
        if !chosen.is_empty() {
            roles.extend((0..dice.below(8)).map(|_| *dice.one_of(&chosen)));
        }
        roles
    }

    /// The resource to which it writes, and the fence that the resource checks; `None` if it writes
    /// to none.
    pub fn guard(self) -> Option<(ResourceName, FenceKind)> {
        match self {
            Self::Writer(fence) => Some((ResourceName::from("ledger"), fence)),
            Self::Command => Some((ResourceName::from("notes"), FenceKind::None)),
            Self::Lock
            | Self::Semaphore
            | Self::Guide
            | Self::Naive
            | Self::Operator
            | Self::Candidate
            | Self::Follower
            | Self::Watcher => None,
        }
    }

    /// A program of this role that treats failures in one of these ways.
    pub fn program(self, dice: &mut Dice, failures: &[OnFailure]) -> Program {
        let request_timeout = Duration::from_millis(2_000 + dice.below(10_000) as u64);
        let program =
            Program::new(self.recipe(dice, failures)).with_request_timeout(request_timeout);
        program.with_policy(policy(dice))
    }

    fn recipe(self, dice: &mut Dice, failures: &[OnFailure]) -> Recipe {
        match self {
            Self::Lock => Recipe::Lock(Box::new(lock(dice, LOCK, failures))),
            Self::Semaphore => {
                let options = SemaphoreOptions::new(SEMAPHORES[0], 2);
                semaphore(options.with_on_failure(on_failure(dice, failures)))
            }
            Self::Guide => semaphore(SemaphoreOptions::of_the_guide(SEMAPHORES[1], 2)),
            Self::Naive => Recipe::Naive(Naive::new(Key::from(SHELL), b"naive")),
            Self::Writer(fence) => {
                let every = Duration::from_millis(300 + dice.below(3_000) as u64);
                let writer = Writer::new(options(dice, LEDGER, failures), fence, every);
                Recipe::Writer(Box::new(writer.expect("the key is not empty")))
            }
            Self::Operator => operator(dice, &[LOCK, SHELL, LEDGER, ELECTION]),
            Self::Candidate => {
                let options = options(dice, ELECTION, failures);
                let options = options.with_value(candidate_name(dice));
                Recipe::Candidate(Box::new(Candidate::new(options).expect("the key is not empty")))
            }
            Self::Follower => {
                let reports = WatcherReports::Leaders;
                let options = WatcherOptions::new(ELECTION).with_reports(reports);
                Recipe::Watcher(Box::new(Watcher::new(options)))
            }
            Self::Watcher => watcher(dice),
            Self::Command => command(dice),
        }
    }
}

/// A new program, an order to an existing one, or a new resource.
pub fn program_act(dice: &mut Dice, world: &World) -> Act {
    let names: Vec<ProgramName> = world.programs().map(|(name, _)| name.clone()).collect();
    if dice.below(12) == 0 {
        let resource = ResourceName::from(format!("r{}", dice.below(4)));
        return Act::Guard { resource, asks: *dice.one_of(&FENCES) };
    }
    if names.is_empty() || (names.len() < 8 && dice.below(3) == 0) {
        return spawn(dice, world, names.len());
    }
    let order = *dice.one_of(&[Order::Start, Order::Start, Order::Stop, Order::Destroy]);
    Act::Order { program: dice.one_of(&names).clone(), order }
}

fn spawn(dice: &mut Dice, world: &World, number: usize) -> Act {
    let resource = ResourceName::from(format!("r{}", dice.below(4)));
    let resource = world.resource(resource.as_str()).map(|_| resource);
    let actor = match world.actors() {
        [] => ActorName::from("nobody"),
        actors => dice.one_of(actors).name.clone(),
    };
    let program = ProgramName::from(format!("p{number}"));
    let writer = ProgramRole::Writer(*dice.one_of(&FENCES));
    let roles = [
        ProgramRole::Lock,
        ProgramRole::Semaphore,
        ProgramRole::Guide,
        ProgramRole::Naive,
        ProgramRole::Operator,
        writer,
        ProgramRole::Candidate,
        ProgramRole::Follower,
        ProgramRole::Watcher,
        ProgramRole::Command,
    ];
    // The line language cannot express another treatment of failures.
    let initial = Arc::new(dice.one_of(&roles).program(dice, &[OnFailure::AsInGo]));
    let http = *dice.one_of(&HttpClient::ALL);
    Act::Spawn { actor, program, initial, resource, http }
}

fn lock(dice: &mut Dice, key: &str, failures: &[OnFailure]) -> Lock {
    Lock::new(options(dice, key, failures)).expect("the key is not empty")
}

fn options(dice: &mut Dice, key: &str, failures: &[OnFailure]) -> LockOptions {
    let mut options = LockOptions::new(key, b"me");
    options.monitor.retries = dice.below(3) as u32;
    options.session.lock_delay = Duration::from_secs(*dice.one_of(&[0, 0, 1, 15]));
    options.with_on_failure(on_failure(dice, failures))
}

fn on_failure(dice: &mut Dice, failures: &[OnFailure]) -> OnFailure {
    match failures {
        [failure] => *failure,
        several => *dice.one_of(several),
    }
}

fn semaphore(options: SemaphoreOptions) -> Recipe {
    Recipe::Semaphore(Box::new(Semaphore::new(options).expect("prefix and limit are valid")))
}

/// The name of a candidate.
fn candidate_name(dice: &mut Dice) -> Arc<[u8]> {
    Arc::from(dice.one_of(&["ada", "bob", "eve"]).as_bytes())
}

/// A watcher that polls at intervals, or with blocking queries.
fn watcher(dice: &mut Dice) -> Recipe {
    let millis = |dice: &mut Dice| Duration::from_millis(200 + dice.below(20_000) as u64);
    let key = if dice.below(2) == 0 { ELECTION } else { "nothing/here" };
    let mut options = WatcherOptions::new(key);
    options.wait = (dice.below(3) > 0).then(|| millis(dice));
    options.pause = millis(dice) / 4;
    options.index_reset = *dice.one_of(&[IndexReset::OnDecrease, IndexReset::Never]);
    Recipe::Watcher(Box::new(Watcher::new(options)))
}

/// A child process that runs for a while, or until SIGTERM if it handles that.
fn command(dice: &mut Dice) -> Recipe {
    let span = |dice: &mut Dice| Duration::from_millis(dice.below(12_000) as u64);
    let child = Child::new("make")
        .with_runs((dice.below(3) > 0).then(|| span(dice)))
        .with_ends(*dice.one_of(&[Ending::Success, Ending::Failure]))
        .with_stop_time((dice.below(2) > 0).then(|| span(dice)))
        .with_writes_every(Duration::from_secs(2));
    let options = ConsulLockOptions::new(COMMAND, child)
        .with_holders(1 + dice.below(2) as i64)
        .with_monitor_retry(dice.below(4) as i64)
        .with_timeout(*dice.one_of(&[0, 0, 30_000_000_000]))
        .with_exit_code(*dice.one_of(&[ExitCode::Nothing, ExitCode::OfTheChild]));
    Recipe::ConsulLock(Box::new(ConsulLock::new(options).expect("the options are valid")))
}

fn operator(dice: &mut Dice, keys: &[&str]) -> Recipe {
    let key = Key::from(*dice.one_of(keys));
    let task = match dice.below(2) {
        0 => Task::DestroyHolder(key),
        _ => Task::ForceRelease(key),
    };
    let after = Duration::from_millis(dice.below(40_000) as u64);
    Recipe::Script(Script::new(vec![Step { after, task }]))
}

/// A policy of a user that starts the program again some time after its end.
fn policy(dice: &mut Dice) -> UserPolicy {
    let span = |dice: &mut Dice| Duration::from_millis(500 + dice.below(20_000) as u64);
    let hold = (dice.below(4) > 0).then(|| span(dice));
    UserPolicy::default().with_hold(hold).with_again(span(dice))
}
