//! Runs client programs in real time against an agent, Lictor's or Consul's: `recipes [--addr URL]
//! lock ...`. It prints their reports, and how many held the lock at once.

#[cfg(not(target_arch = "wasm32"))]
mod options;
#[cfg(not(target_arch = "wasm32"))]
mod run;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    run::main()
}

/// In a browser there are no sockets.
#[cfg(target_arch = "wasm32")]
fn main() {}
