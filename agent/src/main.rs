//! `lictor-agent`: the engine behind real HTTP/1.1, in real time or in a test's. Unmodified clients
//! of Consul talk to it.
//!
//! Nothing of Consul's behaviour lives here: requests become values, one task owns the engine,
//! values become answers. What is left is what values do not have: sockets, a clock, limits, and an
//! orderly end.

mod body;
mod clock;
mod config;
mod control;
mod cors;
mod disk;
mod exchange;
mod leader;
mod lenient;
mod log_frame;
mod options;
mod patient;
mod serve;
mod settings;

use std::process::ExitCode;

use mimalloc::MiMalloc;
use options::Asked;

/// Its memory is in large pages where the system has them: a store is read all over, and with pages
/// of 4 KiB a read waits for their addresses about as long as for what it reads.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match options::asked(std::env::args_os().skip(1)) {
        Ok(Asked::Usage) => {
            print!("{}", options::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Asked::Version) => {
            println!("lictor-agent {} (as Consul 1.13.9)", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Ok(Asked::Run(settings)) => {
            for note in &settings.notes {
                eprintln!("lictor-agent: without effect: {note}");
            }
            match serve::run(*settings) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => fail(&error, ExitCode::FAILURE),
            }
        }
        Err(error) => fail(&error, ExitCode::from(2)),
    }
}

fn fail(error: &dyn std::error::Error, code: ExitCode) -> ExitCode {
    eprintln!("lictor-agent: {error}");
    code
}
