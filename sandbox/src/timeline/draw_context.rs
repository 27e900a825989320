//! What every drawing of a lane depends on beside its track: the language, the axis, and how far
//! ahead is known. `lanes`, `belief` and `bar` draw with it.

use lictor_core::time::Instant;

use super::axis::Axis;
use crate::i18n::Words;

/// What a drawing depends on beside its track.
#[derive(Clone)]
pub struct DrawContext {
    pub words: &'static Words,
    pub axis: Axis,
    /// How far ahead the forecast reaches: open spans are drawn up to there.
    pub until: Instant,
}
