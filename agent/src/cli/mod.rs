//! The program's command line, configuration files and log. main.rs runs what `arguments` parses.

pub(crate) mod arguments;
mod config;
mod consul_flags;
pub(crate) mod log;
mod settings;
