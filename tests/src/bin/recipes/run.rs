//! Makes the programs of the command line and runs them in real time. It fails if more of them held
//! at once than may, none ever held, or one did not stop.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use lictor_core::message::SessionDraft;
use lictor_recipes::{
    Candidate, Child, ConsulLock, ConsulLockOptions, Lock, LockOptions, Naive, Order, Program,
    ProgramError, Recipe, Report, Semaphore, SemaphoreOptions, SessionOptions, UserPolicy, Watcher,
    WatcherOptions, WatcherReports,
};
use lictor_tests::real_time::{ProgramReport, Runner, program, report_text};

use crate::options::{CommandLine, Kind, USAGE};

/// The time that programs may take to stop, in addition to one blocking read (RCL-08).
const END: Duration = Duration::from_secs(5);

pub(crate) fn main() -> ExitCode {
    let options = match CommandLine::read(env::args_os().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("recipes: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("recipes: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &CommandLine) -> Result<ExitCode, ProgramError> {
    let mut runner = Runner::new(&options.address);
    for number in 1..=options.count {
        let name = format!("{}-{number}", options.kind.name());
        runner.add(&name, client(options, &name)?);
    }
    if options.kind == Kind::Election {
        let watch = WatcherOptions::new(&options.key).with_reports(WatcherReports::Leaders);
        let follower = Recipe::Watcher(Box::new(Watcher::new(watch)));
        runner.add("follower", Program::new(follower));
    }
    let mut acquired = 0;
    let mut failed = 0;
    let mut on_report = |report: &ProgramReport| {
        acquired += u64::from(matches!(report.report, Report::Acquired { .. }));
        failed += u64::from(matches!(report.report, Report::Failed(_)));
        if !options.is_quiet {
            println!("{}", report_text::line(report));
        }
    };
    runner.order_all(Order::Start, &mut on_report);
    runner.run(options.lasts, &mut on_report);
    let has_ended = runner.end(END + options.wait, &mut on_report);
    let (most, limit) = (runner.most_at_once(), most(options));
    println!("{acquired} acquired, {failed} failed, at most {most} of {limit} at once");
    let has_passed = has_ended && most <= limit && acquired > 0;
    Ok(if has_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The number of clients that may hold at once.
fn most(options: &CommandLine) -> usize {
    match options.kind {
        Kind::Semaphore | Kind::Guide => usize::try_from(options.limit).unwrap_or(0),
        Kind::Lock | Kind::Election | Kind::ConsulLock | Kind::Naive => 1,
    }
}

fn client(options: &CommandLine, name: &str) -> Result<Program, ProgramError> {
    let session = SessionOptions::named(name).with_ttl(options.ttl.as_str());
    let lock = || {
        LockOptions::new(&options.key, name.as_bytes())
            .with_session(session.clone())
            .with_wait_time(options.wait)
    };
    let semaphore = |plain: SemaphoreOptions| {
        Semaphore::new(plain.with_session(session.clone()).with_wait_time(options.wait))
    };
    let program = match options.kind {
        Kind::Lock => program(Lock::new(lock()), Recipe::Lock)?,
        Kind::Election => program(Candidate::new(lock()), Recipe::Candidate)?,
        Kind::Semaphore => {
            let plain = SemaphoreOptions::new(&options.key, options.limit);
            program(semaphore(plain), Recipe::Semaphore)?
        }
        Kind::Guide => {
            let plain = SemaphoreOptions::of_the_guide(&options.key, options.limit);
            program(semaphore(plain), Recipe::Semaphore)?
        }
        Kind::ConsulLock => {
            let command = ConsulLockOptions::new(&options.key, child(options));
            program(ConsulLock::new(command), Recipe::ConsulLock)?
        }
        Kind::Naive => Program::new(Recipe::Naive(naive(options, name))),
    };
    Ok(program.with_policy(user_policy(options)))
}

fn naive(options: &CommandLine, name: &str) -> Naive {
    let mut naive = Naive::new(options.key.as_str().into(), name.as_bytes());
    naive.session = SessionDraft { ttl: options.ttl.as_str().into(), ..SessionDraft::named(name) };
    naive
}

fn child(options: &CommandLine) -> Child {
    Child::new("work").with_runs(filled(options.hold))
}

/// The policy of the users. The holder's time is set for programs without a child only, because
/// `consul lock` holds until its child ends.
fn user_policy(options: &CommandLine) -> UserPolicy {
    let policy = UserPolicy::default().with_again(filled(options.again));
    if options.kind == Kind::ConsulLock { policy } else { policy.with_hold(filled(options.hold)) }
}

/// A duration of the command line, where 0 means none.
fn filled(span: Duration) -> Option<Duration> {
    Some(span).filter(|span| !span.is_zero())
}
