//! Dumps as text: whole worlds, and programs that have begun, as base64.
//!
//! A log contains a dump if a seed and acts cannot describe how its world begins (`journal::log`),
//! or if the line language cannot express a program (`trace::program_acts`). The binary format is
//! in `dump`.

use alloc::string::String;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_recipes::Program;

use crate::World;

/// Why bytes are not a dump of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    #[error("this is not a dump of a world")]
    NotADump,
    #[error("the dump has version {found}; this program reads {known}")]
    UnknownVersion { found: u32, known: u32 },
    #[error("the dump is cut off: {found} of {expected} bytes")]
    CutOff { expected: u64, found: u64 },
    #[error("the dump is damaged")]
    Damaged,
    #[error("the dump is at odds with itself: {0}")]
    AtOdds(&'static str),
}

pub(crate) fn world_to_text(world: &World) -> String {
    STANDARD.encode(world.dump())
}

pub(crate) fn world_from_text(text: &str) -> Result<World, DumpError> {
    let dump = STANDARD.decode(text).map_err(|_| DumpError::Damaged)?;
    World::restore(&dump)
}

pub(crate) fn program_to_text(program: &Program) -> String {
    STANDARD.encode(postcard::to_allocvec(program).expect("a Vec takes all bytes"))
}

pub(crate) fn program_from_text(text: &str) -> Option<Program> {
    postcard::from_bytes(&STANDARD.decode(text).ok()?).ok()
}
