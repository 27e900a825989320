//! The command line, configuration files and log of `lictor-agent`. `arguments` collects the
//! settings from flags and files, `settings` has their table, and main.rs starts the server with
//! the result.

pub(crate) mod arguments;
mod config;
mod config_schema;
mod consul_flags;
mod format;
mod hcl;
pub(crate) mod incident;
pub(crate) mod log;
mod settings;
mod sockaddr;
