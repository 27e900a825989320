//! Tests of several packages that run natively only: they read files, start programs, or would take
//! too long in a browser.

mod cli;
mod compatibility;
mod exhaustive;
mod exports;
mod fuzz;
mod incident_worlds;
mod incidents;
mod json;
mod recipes;
mod recorded_server;
mod replayer;
mod rules;
