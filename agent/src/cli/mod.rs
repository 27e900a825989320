//! The command line of `lictor-agent`: flags, configuration files, the printed log, and the
//! commands `incident` and `export`.

pub(crate) mod arguments;
mod config;
mod config_schema;
mod consul_flags;
pub(crate) mod export;
mod format;
mod hcl;
pub(crate) mod incident;
mod live;
pub(crate) mod log;
mod next_argument;
mod settings;
