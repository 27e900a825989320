//! The agent as its users run it: in the process of a test, or as a program that is started, called
//! over HTTP, and killed.
#![cfg(unix)]

mod answer;
mod clock;
mod command_line;
mod export;
mod follow;
mod in_process;
mod incident;
mod limits;
mod live;
mod log;
mod monitor;
mod page;
mod raw;
mod requests;
mod server;
mod snapshot;
mod stopping;
mod waiting;
