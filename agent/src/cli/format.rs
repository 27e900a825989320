//! The formats of configuration files.

use std::str::FromStr;

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Hcl,
}

/// The error for a format that is neither JSON nor HCL.
#[derive(Debug, thiserror::Error)]
#[error("not hcl or json")]
pub(crate) struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "json" => Ok(Self::Json),
            "hcl" => Ok(Self::Hcl),
            _ => Err(UnknownFormat),
        }
    }
}
