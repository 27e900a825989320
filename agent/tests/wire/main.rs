//! The agent as its users meet it: a program that is started, talked to over HTTP, and killed.
#![cfg(unix)]

mod clock;
mod limits;
mod raw;
mod recipes;
mod requests;
mod server;
mod snapshot;
mod stopping;
mod waiting;
