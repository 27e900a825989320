//! Writes a world of clients as a text for other programs: a test in Rust, Go, Python, JavaScript
//! or bash that sends what reached its server and asserts the answers, a Mermaid sequence diagram,
//! or a trace for Perfetto. An exported test was carried out on a server before it is returned, so
//! it asserts no answer that its requests do not have.

#![warn(missing_docs)]

mod arrivals;
mod bash;
mod catalog;
mod go;
mod javascript;
mod language;
mod mermaid;
mod perfetto;
mod python;
mod replay;
mod rust;
mod steps;
mod template;
mod world;

use std::fmt;
use std::str::FromStr;

pub use self::world::UnreadableWorld;

use self::steps::{Answer, Step, Test};
use self::world::WorldEvents;

/// The format in which a world is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A test on `lictor_core::Consul`.
    Rust,
    /// A test against an agent that HashiCorp's `sdk/testutil` starts.
    Go,
    /// A test against an agent, for pytest or as a program.
    Python,
    /// A test on the npm package `lictor`, for `node --test`.
    JavaScript,
    /// A script with curl and jq against any agent.
    Bash,
    /// A sequence diagram.
    Mermaid,
    /// Trace events in JSON.
    Perfetto,
}

/// Why a world is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The text is no world.
    #[error(transparent)]
    Unreadable(#[from] UnreadableWorld),
    /// The world was saved without its earliest events, so no test leads to the same state.
    #[error(
        "the beginning of this world is no longer known: only mermaid and perfetto show the rest"
    )]
    NoBeginning,
    /// The test would not assert a single answer.
    #[error("no request reached the server of this world, so there is nothing to assert")]
    NothingToAssert,
    /// The server of the world has a setting that the format cannot express.
    #[error("the npm package has no setting disable_kv_key_validation, which this world has")]
    KeyNames,
}

/// A name that is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of {names}", names = NAMES.map(|(name, _)| name).join(", "))]
pub struct UnknownFormat(String);

const NAMES: [(&str, Format); 7] = [
    ("rust", Format::Rust),
    ("go", Format::Go),
    ("python", Format::Python),
    ("javascript", Format::JavaScript),
    ("bash", Format::Bash),
    ("mermaid", Format::Mermaid),
    ("perfetto", Format::Perfetto),
];

impl Format {
    /// A name for the file, by which a runner of tests finds it.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Rust => "world.rs",
            Self::Go => "world_test.go",
            Self::Python => "test_world.py",
            Self::JavaScript => "world.test.mjs",
            Self::Bash => "world.sh",
            Self::Mermaid => "world.mmd",
            Self::Perfetto => "world-trace.json",
        }
    }

    /// How to use the file, and what that needs, in a sentence or two.
    pub fn needs(self) -> &'static str {
        match self {
            Self::Rust => rust::RUN,
            Self::Go => go::RUN,
            Self::Python => python::NEEDS,
            Self::JavaScript => javascript::RUN,
            Self::Bash => bash::NEEDS,
            Self::Mermaid => {
                "Markdown on GitHub and GitLab draws it in a block of the language mermaid."
            }
            Self::Perfetto => "Open the file at https://ui.perfetto.dev.",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format).ok_or_else(|| UnknownFormat(name.into()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = NAMES.iter().find(|(_, format)| format == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

/// Writes the branch of a saved world on which its cursor is, up to its end. The world is the text
/// of a log, a page that was saved with its world, or a link to a world or to a lesson.
///
/// # Errors
///
/// Fails if the text is no world, and for a test also if it would assert nothing, or if its server
/// could not have the state or the settings of the world.
pub fn export(world: &str, format: Format) -> Result<String, ExportError> {
    let world = world::read(world)?;
    Ok(match format {
        Format::Rust => rust::write(&test_of(&world)?),
        Format::Go => go::write(&test_of(&world)?),
        Format::Python => python::write(&test_of(&world)?),
        Format::JavaScript if world.config.disable_kv_key_validation => {
            return Err(ExportError::KeyNames);
        }
        Format::JavaScript => javascript::write(&test_of(&world)?),
        Format::Bash => bash::write(&test_of(&world)?),
        Format::Mermaid => mermaid::write(&world),
        Format::Perfetto => perfetto::write(&world),
    })
}

/// The test of a world. Fails if the beginning of the world is unknown, or if the test would assert
/// no answer.
fn test_of(world: &WorldEvents) -> Result<Test, ExportError> {
    if !world.has_beginning {
        return Err(ExportError::NoBeginning);
    }
    let mut test = steps::steps(&world.config, &arrivals::arrivals(&world.events));
    replay::answer(&mut test);
    test.find_used();
    let is_asserted = |step: &Step| match step {
        Step::Request(request) => request.answer != Answer::Unknown,
        _ => false,
    };
    if test.steps.iter().any(is_asserted) { Ok(test) } else { Err(ExportError::NothingToAssert) }
}
