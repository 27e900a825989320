//! Runs many random worlds: `soak [FROM] [WORLDS]`, the first seed and how many. It stops at the
//! first seed that fails, and otherwise prints how often each expected thing occurred.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use lictor_tests::random_worlds::{Found, WorldFailure, run};

const WORLDS: u64 = 10_000;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (from, worlds) = match (numbers.next(), numbers.next()) {
        (None, None) => (1, WORLDS),
        (Some(Ok(from)), None) => (from, WORLDS),
        (Some(Ok(from)), Some(Ok(worlds))) => (from, worlds),
        _ => {
            eprintln!("soak: two numbers at most: the first seed, and how many worlds");
            return ExitCode::FAILURE;
        }
    };
    let begun = Instant::now();
    let soak = Soak { next: AtomicU64::new(from), end: from.saturating_add(worlds), ..Soak::new() };
    let threads = thread::available_parallelism().map_or(1, Into::into);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| soak.work());
        }
    });
    soak.report(worlds, begun)
}

/// The state that the threads share.
struct Soak {
    next: AtomicU64,
    end: u64,
    found: Mutex<Found>,
    failures: Mutex<Vec<WorldFailure>>,
}

impl Soak {
    fn new() -> Self {
        let (found, failures) = (Mutex::default(), Mutex::default());
        Self { next: AtomicU64::new(0), end: 0, found, failures }
    }

    fn work(&self) {
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.end {
                return;
            }
            match run(seed) {
                Ok(found) => locked(&self.found).add(found),
                Err(failure) => {
                    self.next.store(self.end, Ordering::Relaxed);
                    locked(&self.failures).push(*failure);
                }
            }
        }
    }

    fn report(&self, worlds: u64, begun: Instant) -> ExitCode {
        if let Some(failure) = locked(&self.failures).iter().min_by_key(|it| it.seed) {
            println!("{failure}");
            return ExitCode::FAILURE;
        }
        let found = locked(&self.found);
        for (what, times) in &found.seen {
            println!("{times:>9}  {what:?}");
        }
        println!("{:>9}  contenders acquire a lock, a slot or a leadership", found.holds);
        for (lost_by, (times, longest)) in &found.overlaps {
            println!("{times:>9}  two clients act under leases, {lost_by:?}, at most {longest:?}");
        }
        println!("{worlds} worlds in {:.1} s", begun.elapsed().as_secs_f64());
        let unseen = found.unseen();
        if unseen.is_empty() {
            return ExitCode::SUCCESS;
        }
        println!("never seen: {unseen:?}");
        ExitCode::FAILURE
    }
}

/// Locks a mutex even if a thread has panicked with it: such a panic is reported by its thread.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
