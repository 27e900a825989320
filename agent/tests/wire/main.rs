//! The program as its users run it: started, called over HTTP, and killed. Tests of the library in
//! the process of the caller are in tests/in_process.rs.
#![cfg(unix)]

mod answer;
mod clock;
mod command_line;
mod incident;
mod limits;
mod log;
mod monitor;
mod raw;
mod requests;
mod server;
mod snapshot;
mod stopping;
mod waiting;
