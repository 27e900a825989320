//! Programs in the line language, and back: `spawns p lock db/leader value=web-1 ttl=15s
//! retries=3`. Only a program that has not started has such words.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::{Key, SessionRef};
use lictor_core::message::LOCK_DELAY_DEFAULT;
use lictor_core::time;
use lictor_recipes::{
    Candidate, Child, ConsulLock, ConsulLockOptions, Ending, ExitCode, FenceKind, IndexReset, Lock,
    LockOptions, MonitorOptions, Naive, OnLoss, Program, ProgramError, Recipe, Script, Semaphore,
    SemaphoreOptions, SessionOptions, Style, Tries, UserPolicy, Watcher, WatcherOptions,
    WatcherReports, Writer,
};

use super::Names;
use super::error::WordsError;
use super::params::{OptionSchema, ParamCodec};
use super::steps::{parse_steps, write_steps};
use super::tokens::{Args, in_words, push_operand};

/// The default interval of a writer's writes and of a shell script's attempts.
const SECOND: Duration = Duration::from_secs(1);

pub(super) const FENCES: [(&str, FenceKind); 6] = [
    ("nothing", FenceKind::None),
    ("session", FenceKind::Session),
    ("lock-index", FenceKind::LockIndex),
    ("modify-index", FenceKind::ModifyIndex),
    ("triple", FenceKind::Triple),
    ("check-session", FenceKind::CheckSession),
];

/// The words of a program, if parsing them gives the same program.
pub(super) fn program_words(program: &Program, names: &Names) -> Option<String> {
    let mut words = String::new();
    recipe_words(program.recipe(), &mut words)?;
    let mut codec = ParamCodec::Writes(&mut words);
    around(&mut (program.policy(), program.request_timeout()), &mut codec);
    let again = in_words(&words).ok()?;
    let mut args = Args::new("", &again);
    let names = Names::default().with_server(names.server());
    let again = program_of(&mut args, &names)?;
    (args.finish().is_ok() && *program == again).then_some(words)
}

/// The kinds of programs that have a key or prefix and options: the first word of a program.
pub const PROGRAM_KINDS: [&str; 7] =
    ["lock", "semaphore", "candidate", "consul-lock", "writer", "watcher", "naive"];

/// The options that a program has, with their defaults. Those of a semaphore depend on its `style`,
/// so the words may have options. Words that are no program of [`PROGRAM_KINDS`] have none.
pub fn program_options(words: &str) -> Vec<OptionSchema> {
    let mut listed = Vec::new();
    let tokens = in_words(words).unwrap_or_default();
    let mut args = Args::new("", &tokens);
    let kind = args.next("a kind of program");
    if PROGRAM_KINDS.contains(&kind) {
        let key = args.next("a key");
        let mut codec = ParamCodec::Reads { args: &mut args, listed: Some(&mut listed) };
        recipe_of(kind, key, &mut codec, &Names::default());
        around(&mut (UserPolicy::default(), None), &mut codec);
    }
    listed
}

/// Parses a program from its kind and its key and options, or its steps.
pub(super) fn program_of(args: &mut Args<'_>, names: &Names) -> Option<Program> {
    let recipe = match args.next("a kind of program") {
        "script" => Recipe::Script(Script::new(parse_steps(args, names))),
        kind => {
            let key = args.next("a key");
            let codec = &mut ParamCodec::Reads { args, listed: None };
            match recipe_of(kind, key, codec, names) {
                Some(Ok(recipe)) => recipe,
                Some(Err(error)) => {
                    args.fail(WordsError::Program { key: key.to_string(), error });
                    return None;
                }
                None => {
                    args.invalid_value("program", "program", kind);
                    return None;
                }
            }
        }
    };
    let mut wanted = (UserPolicy::default(), None);
    around(&mut wanted, &mut ParamCodec::Reads { args, listed: None });
    let program = Program::new(recipe).with_policy(wanted.0);
    Some(match wanted.1 {
        Some(request_timeout) => program.with_request_timeout(request_timeout),
        None => program,
    })
}

/// A recipe from its kind, its key and its options; `None` for an unknown kind.
fn recipe_of(
    kind: &str,
    key: &str,
    codec: &mut ParamCodec<'_, '_>,
    names: &Names,
) -> Option<Result<Recipe, ProgramError>> {
    Some(match kind {
        "lock" => Lock::new(lock_of(key, codec, names)).map(|it| Recipe::Lock(Box::new(it))),
        "candidate" => {
            let made = Candidate::new(lock_of(key, codec, names));
            made.map(|it| Recipe::Candidate(Box::new(it)))
        }
        "writer" => {
            let options = lock_of(key, codec, names);
            let (mut fence, mut every) = (FENCES[0].1, SECOND);
            codec.choice("token", &mut fence, &FENCES);
            codec.duration("every", (&mut every, &SECOND));
            Writer::new(options, fence, every).map(|it| Recipe::Writer(Box::new(it)))
        }
        "semaphore" => {
            let mut style = STYLES[0].1;
            codec.choice("style", &mut style, &STYLES);
            let mut options = plain_semaphore(key, style);
            semaphore(&mut options, codec);
            own_session(&mut options.session, codec, names);
            Semaphore::new(options).map(|it| Recipe::Semaphore(Box::new(it)))
        }
        "consul-lock" => {
            let mut options = plain_command(key);
            command(&mut options, codec);
            ConsulLock::new(options).map(|it| Recipe::ConsulLock(Box::new(it)))
        }
        "watcher" => {
            let mut options = WatcherOptions::new(key);
            watcher(&mut options, codec);
            Ok(Recipe::Watcher(Box::new(Watcher::new(options))))
        }
        "naive" => {
            let mut script = Naive::new(Key::from(key), b"");
            naive(&mut script, codec);
            Ok(Recipe::Naive(script))
        }
        _ => return None,
    })
}

fn recipe_words(recipe: &Recipe, words: &mut String) -> Option<()> {
    match recipe {
        Recipe::Lock(it) => lock_words("lock", it, words),
        Recipe::Candidate(it) => lock_words("candidate", it.lock(), words),
        Recipe::Writer(it) => {
            lock_words("writer", it.lock(), words);
            let mut codec = ParamCodec::Writes(words);
            codec.choice("token", &mut it.fence(), &FENCES);
            codec.duration("every", (&mut it.every(), &SECOND));
        }
        Recipe::Semaphore(it) => {
            let mut options = it.options();
            let mut codec = begin("semaphore", options.prefix.as_str(), words);
            codec.choice("style", &mut options.style, &STYLES);
            semaphore(&mut options, &mut codec);
            own_session(&mut options.session, &mut codec, &Names::default());
        }
        Recipe::ConsulLock(it) => {
            let mut options = it.options();
            let mut codec = begin("consul-lock", &options.prefix, words);
            command(&mut options, &mut codec);
        }
        Recipe::Watcher(it) => {
            let mut codec = begin("watcher", it.options().key.as_str(), words);
            watcher(&mut it.options().clone(), &mut codec);
        }
        Recipe::Naive(it) => naive(&mut it.clone(), &mut begin("naive", it.key.as_str(), words)),
        Recipe::Script(it) => {
            words.push_str("script");
            return write_steps(&it.steps, words);
        }
    }
    Some(())
}

/// Writes the kind and key of a program, before its options.
fn begin<'a>(kind: &str, key: &str, words: &'a mut String) -> ParamCodec<'static, 'a> {
    words.push_str(kind);
    push_operand(words, key);
    ParamCodec::Writes(words)
}

const STYLES: [(&str, Style); 2] = [("go", Style::GoClient), ("guide", Style::Guide)];

fn lock_of(key: &str, codec: &mut ParamCodec<'_, '_>, names: &Names) -> LockOptions {
    let mut options = LockOptions::new(key, b"");
    lock(&mut options, codec);
    own_session(&mut options.session, codec, names);
    options
}

fn lock_words(kind: &str, recipe: &Lock, words: &mut String) {
    let mut options = recipe.options();
    let mut codec = begin(kind, options.key.as_str(), words);
    lock(&mut options, &mut codec);
    own_session(&mut options.session, &mut codec, &Names::default());
}

fn lock(options: &mut LockOptions, codec: &mut ParamCodec<'_, '_>) {
    let plain = LockOptions::new("", b"");
    codec.bytes("value", &mut options.value);
    session(&mut options.session, &plain.session, codec);
    monitor(&mut options.monitor, codec);
    codec.choice("tries", &mut options.tries, &TRIES);
    codec.duration("wait", (&mut options.wait_time, &plain.wait_time));
}

fn plain_semaphore(prefix: &str, style: Style) -> SemaphoreOptions {
    match style {
        Style::GoClient => SemaphoreOptions::new(prefix, 0),
        Style::Guide => SemaphoreOptions::of_the_guide(prefix, 0),
    }
}

fn semaphore(options: &mut SemaphoreOptions, codec: &mut ParamCodec<'_, '_>) {
    let plain = plain_semaphore("", options.style);
    codec.required_number("limit", &mut options.limit);
    codec.bytes("value", &mut options.value);
    session(&mut options.session, &plain.session, codec);
    monitor(&mut options.monitor, codec);
    codec.choice("tries", &mut options.tries, &TRIES);
    codec.duration("wait", (&mut options.wait_time, &plain.wait_time));
}

const TRIES: [(&str, Tries); 2] = [("forever", Tries::Forever), ("once", Tries::Once)];

fn session(options: &mut SessionOptions, plain: &SessionOptions, codec: &mut ParamCodec<'_, '_>) {
    codec.text("name", (&mut options.name, &plain.name));
    codec.text("ttl", (&mut options.ttl, &plain.ttl));
    // A lock-delay that is not set is the server's default, also if 0 is written: as in the Go
    // client, 0 is not sent (RCL-21).
    let default = Duration::from_nanos(LOCK_DELAY_DEFAULT.unsigned_abs());
    let is_unset = |delay: Duration| delay.is_zero() || delay == default;
    let mut delay = if is_unset(options.lock_delay) { default } else { options.lock_delay };
    codec.duration("delay", (&mut delay, &default));
    options.lock_delay = if is_unset(delay) { Duration::ZERO } else { delay };
}

/// A session that the program does not create itself, by its name or id.
fn own_session(options: &mut SessionOptions, codec: &mut ParamCodec<'_, '_>, names: &Names) {
    let read = |name: &str| SessionRef::from(names.spelt(name));
    codec.session("session", &mut options.existing, read);
}

fn monitor(options: &mut MonitorOptions, codec: &mut ParamCodec<'_, '_>) {
    let plain = MonitorOptions::default();
    codec.number("retries", (&mut options.retries, &plain.retries));
    codec.duration("retry-time", (&mut options.retry_time, &plain.retry_time));
}

/// A child that ends after SIGTERM.
fn plain_command(prefix: &str) -> ConsulLockOptions {
    ConsulLockOptions::new(prefix, Child::new("child"))
}

fn command(options: &mut ConsulLockOptions, codec: &mut ParamCodec<'_, '_>) {
    let plain = plain_command("");
    let (child, plain_child) = (&mut options.child, &plain.child);
    codec.text("command", (&mut child.command, &plain_child.command));
    codec.duration_or_never("runs", (&mut child.runs, &plain_child.runs));
    codec.choice("ends", &mut child.ends, &ENDINGS);
    codec.duration_or_never("stop-time", (&mut child.stop_time, &plain_child.stop_time));
    codec.duration_or_never("every", (&mut child.writes_every, &plain_child.writes_every));
    codec.number("holders", (&mut options.holders, &plain.holders));
    let mut name = options.name.clone().unwrap_or_default();
    codec.text("name", (&mut name, &Arc::default()));
    options.name = Some(name).filter(|name| !name.is_empty());
    let mut timeout = Duration::from_nanos(u64::try_from(options.timeout).unwrap_or_default());
    codec.duration("timeout", (&mut timeout, &Duration::ZERO));
    options.timeout = i64::try_from(time::nanos(timeout)).unwrap_or(i64::MAX);
    codec.number("monitor-retry", (&mut options.monitor_retry, &plain.monitor_retry));
    codec.choice("exit-code", &mut options.exit_code, &EXIT_CODES);
}

const ENDINGS: [(&str, Ending); 2] = [("success", Ending::Success), ("failure", Ending::Failure)];
const EXIT_CODES: [(&str, ExitCode); 2] =
    [("own", ExitCode::Nothing), ("child", ExitCode::OfTheChild)];

fn watcher(options: &mut WatcherOptions, codec: &mut ParamCodec<'_, '_>) {
    let plain = WatcherOptions::new("");
    codec.duration_or_never("wait", (&mut options.wait, &plain.wait));
    codec.duration("pause", (&mut options.pause, &plain.pause));
    codec.choice("index-reset", &mut options.index_reset, &INDEX_RESETS);
    codec.choice("tells", &mut options.reports, &TELLS);
}

const INDEX_RESETS: [(&str, IndexReset); 2] =
    [("on-decrease", IndexReset::OnDecrease), ("never", IndexReset::Never)];
const TELLS: [(&str, WatcherReports); 2] =
    [("answers", WatcherReports::Answers), ("leaders", WatcherReports::Leaders)];

fn naive(options: &mut Naive, codec: &mut ParamCodec<'_, '_>) {
    let plain = Naive::new(Key::from(""), b"");
    codec.bytes("value", &mut options.value);
    codec.text("name", (&mut options.session.name, &plain.session.name));
    codec.text("ttl", (&mut options.session.ttl, &plain.session.ttl));
    let behavior = (&mut options.session.behavior, &plain.session.behavior);
    codec.word("behavior", behavior, &["release", "delete"]);
    let nanos = |nanos: i64| Duration::from_nanos(u64::try_from(nanos).unwrap_or_default());
    let mut delay = nanos(options.session.lock_delay);
    codec.duration("delay", (&mut delay, &nanos(plain.session.lock_delay)));
    options.session.lock_delay = i64::try_from(time::nanos(delay)).unwrap_or(i64::MAX);
    codec.duration("pause", (&mut options.pause, &plain.pause));
}

/// The options of every program: its user's policy, and its request timeout.
fn around(
    (policy, request_timeout): &mut (UserPolicy, Option<Duration>),
    codec: &mut ParamCodec<'_, '_>,
) {
    let plain = UserPolicy::default();
    codec.duration_or_never("hold", (&mut policy.hold, &plain.hold));
    codec.choice("on-loss", &mut policy.on_loss, &ON_LOSS);
    codec.duration_or_never("again", (&mut policy.again, &plain.again));
    codec.duration_or_never("request-timeout", (request_timeout, &None));
}

const ON_LOSS: [(&str, OnLoss); 3] = [
    ("unlock", OnLoss::Unlock),
    ("stand-still", OnLoss::StandStill),
    ("lock-again", OnLoss::LockAgain),
];
