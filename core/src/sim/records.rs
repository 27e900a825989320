//! Records: whole worlds, and programs that have begun, as texts. They say what neither a seed with
//! acts nor words can say, and for it they take code for every kind of state there is, a quarter of
//! a page's size. So they are the feature `records`, which a page can do without: it then neither
//! writes nor reads them, and says so.

use alloc::string::String;

use super::World;
use crate::recipe::Program;

/// Why bytes are not a world.
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
    #[error("this program was built without dumps")]
    LeftOut,
}

#[cfg(feature = "records")]
mod kept {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::{DumpError, Program, String, World};
    use crate::json;

    pub(in crate::sim) fn world_record(world: &World) -> Option<String> {
        Some(STANDARD.encode(world.dump()))
    }

    pub(in crate::sim) fn world_of(record: &str) -> Result<World, DumpError> {
        let dump = STANDARD.decode(record).map_err(|_| DumpError::Damaged)?;
        World::restore(&dump)
    }

    pub(in crate::sim) fn program_record(program: &Program) -> Option<String> {
        Some(json::to_text(program))
    }

    pub(in crate::sim) fn program_of(record: &str) -> Option<Program> {
        json::from_text(record).ok()
    }

    /// Whether a program is the one that its words make.
    pub(in crate::sim) fn is_in_words(program: &Program, made: &Program) -> bool {
        program == made
    }
}

#[cfg(not(feature = "records"))]
mod kept {
    use super::{DumpError, Program, String, World};

    pub(in crate::sim) fn world_record(_: &World) -> Option<String> {
        None
    }

    pub(in crate::sim) fn world_of(_: &str) -> Result<World, DumpError> {
        Err(DumpError::LeftOut)
    }

    pub(in crate::sim) fn program_record(_: &Program) -> Option<String> {
        None
    }

    pub(in crate::sim) fn program_of(_: &str) -> Option<Program> {
        None
    }

    /// Where nothing is read from records, all programs were made of words.
    pub(in crate::sim) fn is_in_words(_: &Program, _: &Program) -> bool {
        true
    }
}

pub(super) use self::kept::{is_in_words, program_of, program_record, world_of, world_record};
