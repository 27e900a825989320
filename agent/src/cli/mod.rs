//! The command line, configuration files and log of `lictor-agent`. `arguments` collects the
//! settings from flags and files, `settings` has their table, and main.rs starts the server with
//! the result.

pub(crate) mod arguments;
mod config;
mod consul_flags;
pub(crate) mod log;
mod settings;
