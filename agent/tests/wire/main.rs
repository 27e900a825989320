//! The program as its users run it: started, called over HTTP, and killed.
#![cfg(unix)]

mod answer;
mod clock;
mod command_line;
mod export;
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
