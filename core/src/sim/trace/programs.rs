//! Programs in words: `spawns p lock db/leader value=web-1 ttl=15s retries=3`. The words only make
//! programs that have not begun; what has is written as its record.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;

use super::given::{Given, value};
use super::words::WordsError;
use crate::id::Key;
use crate::recipe::{
    Habit, Lock, LockOptions, MonitorOptions, Naive, OnLoss, Program, Recipe, Semaphore,
    SemaphoreOptions, SessionOptions, Tries, Trouble,
};

/// A program by its kind, the key that it is about, and its options.
pub(super) fn program_of(given: &mut Given<'_>) -> Result<Program, WordsError> {
    let kind = given.first("a kind of program")?;
    let key = given.first("a key")?;
    let recipe = match kind.as_str() {
        "lock" => lock(&key, given)?,
        "semaphore" => semaphore(&key, given)?,
        "naive" => Recipe::Naive(Naive::new(Key::from(key.as_str()), &given.bytes("value")?)),
        other => return Err(value("program", other, "program")),
    };
    let mut program = Program::new(recipe).with_habit(habit(given)?);
    if let Some(patience) = given.span("patience")? {
        program = program.with_patience(patience);
    }
    Ok(program)
}

fn lock(key: &str, given: &mut Given<'_>) -> Result<Recipe, WordsError> {
    let mut options = LockOptions::new(key, &given.bytes("value")?);
    session(&mut options.session, given)?;
    monitor(&mut options.monitor, given)?;
    options.tries = tries(given)?;
    options.wait_time = given.span("wait")?.unwrap_or(options.wait_time);
    made(Lock::new(options).map(|lock| Recipe::Lock(Box::new(lock))), key)
}

fn semaphore(prefix: &str, given: &mut Given<'_>) -> Result<Recipe, WordsError> {
    let limit = given.number("limit")?.ok_or_else(|| given.needs("limit="))?;
    let mut options = match given.take("style") {
        None | Some("go") => SemaphoreOptions::new(prefix, limit),
        Some("guide") => SemaphoreOptions::of_the_guide(prefix, limit),
        Some(other) => return Err(value("style", other, "style")),
    };
    options.value = Arc::from(given.bytes("value")?);
    session(&mut options.session, given)?;
    monitor(&mut options.monitor, given)?;
    options.tries = tries(given)?;
    options.wait_time = given.span("wait")?.unwrap_or(options.wait_time);
    made(Semaphore::new(options).map(|it| Recipe::Semaphore(Box::new(it))), prefix)
}

fn made(recipe: Result<Recipe, Trouble>, key: &str) -> Result<Recipe, WordsError> {
    let because = |trouble: Trouble| WordsError::Program {
        key: key.to_string(),
        trouble: trouble.to_string(),
    };
    recipe.map_err(because)
}

fn session(options: &mut SessionOptions, given: &mut Given<'_>) -> Result<(), WordsError> {
    if let Some(ttl) = given.take("ttl") {
        options.ttl = Arc::from(ttl);
    }
    options.lock_delay = given.span("delay")?.unwrap_or(options.lock_delay);
    Ok(())
}

fn monitor(options: &mut MonitorOptions, given: &mut Given<'_>) -> Result<(), WordsError> {
    options.retries = given.number("retries")?.unwrap_or(options.retries);
    options.retry_time = given.span("retry-time")?.unwrap_or(options.retry_time);
    Ok(())
}

fn tries(given: &mut Given<'_>) -> Result<Tries, WordsError> {
    match given.take("tries") {
        None | Some("forever") => Ok(Tries::Forever),
        Some("once") => Ok(Tries::Once),
        Some(other) => Err(value("tries", other, "number of tries")),
    }
}

fn habit(given: &mut Given<'_>) -> Result<Habit, WordsError> {
    let on_loss = match given.take("on-loss") {
        None | Some("unlock") => OnLoss::Unlock,
        Some("stand-still") => OnLoss::StandStill,
        Some("lock-again") => OnLoss::LockAgain,
        Some(other) => return Err(value("on-loss", other, "habit")),
    };
    Ok(Habit { hold: given.span("hold")?, on_loss, again: given.span("again")? })
}
