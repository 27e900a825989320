//! The command `lictor-agent export`: prints a saved world as a test, a diagram or a trace.

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};
use lictor_export::{ExportError, Format, UnknownFormat, export};

use super::next_argument::next;

pub(crate) const USAGE: &str = "\
Usage: lictor-agent export FORMAT [FILE]

Writes a world that the page has saved, or the link to one, to standard output. Without FILE, or
with `-`, it reads standard input. FORMAT is one of

  rust        a test on lictor_core::Consul
  go          a test against an agent that HashiCorp's sdk/testutil starts
  python      a test against an agent, for pytest or as a program
  javascript  a test on the npm package lictor, for node --test
  bash        a script with curl and jq against any agent
  mermaid     a sequence diagram
  perfetto    trace events in JSON, for ui.perfetto.dev

A test sends what reached the server of the world, at the same times, and asserts the answers.

Exit status: 0; 1 if no test of this world is possible; 2 for input that is no world.
";

/// The arguments of the command.
#[derive(Debug)]
pub(crate) struct ExportSettings {
    format: Format,
    file: PathBuf,
}

/// Why the command prints nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportFailure {
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error("{0}: {1}")]
    Export(String, Box<ExportError>),
}

impl ExportFailure {
    /// The exit status of the program.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::File(..) => 2,
            Self::Export(_, error) if matches!(**error, ExportError::Unreadable(_)) => 2,
            Self::Export(..) => 1,
        }
    }
}

impl ExportSettings {
    /// Parses the arguments after the command's name. `None` for `--help`.
    pub(crate) fn parse(parser: &mut Parser) -> Result<Option<Self>, lexopt::Error> {
        let (mut format, mut file) = (None, None);
        while let Some(argument) = next(parser)? {
            match argument {
                Arg::Value(name) if format.is_none() => {
                    let parsed = name.string()?.parse();
                    format = Some(parsed.map_err(|error: UnknownFormat| {
                        lexopt::Error::Custom(format!("export: {error}").into())
                    })?);
                }
                Arg::Value(name) if file.is_none() => file = Some(name.into()),
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                argument => return Err(argument.unexpected()),
            }
        }
        let missing = || lexopt::Error::Custom("export: which format? --help lists them".into());
        let file = file.unwrap_or_else(|| PathBuf::from("-"));
        Ok(Some(Self { format: format.ok_or_else(missing)?, file }))
    }

    /// Reads the world and returns the text to print.
    pub(crate) fn run(&self) -> Result<String, ExportFailure> {
        let is_standard_input = self.file.as_os_str() == "-";
        let mut name = self.file.display().to_string();
        let mut text = String::new();
        let read = if is_standard_input {
            name = "standard input".into();
            io::stdin().read_to_string(&mut text).map(drop)
        } else {
            fs::read_to_string(&self.file).map(|read| text = read)
        };
        read.map_err(|error| ExportFailure::File(name.clone(), error))?;
        export(&text, self.format).map_err(|error| ExportFailure::Export(name, error.into()))
    }
}
