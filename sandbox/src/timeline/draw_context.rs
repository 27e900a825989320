//! The context for drawing a lane, in addition to its track: the language, the axis, and the end of
//! the forecast. `LaneId::shapes` gets it, `lanes`, `belief` and `bar` draw with it.

use lictor_core::time::Instant;

use std::sync::Arc;

use super::axis::Axis;
use crate::i18n::Words;
use lictor_sim::record::Record;

/// The context for drawing a lane.
#[derive(Clone)]
pub struct DrawContext {
    pub words: &'static Words,
    pub axis: Axis,
    /// The end of the forecast: open spans are drawn up to there.
    pub until: Instant,
    /// Whether the time after `until` is hidden, because a question is open: not even what is known
    /// of it is drawn then, such as the end of a lock-delay.
    pub is_veiled: bool,
    /// The history without the fix, while the lesson runs with it.
    pub former: Option<Arc<Record>>,
}

impl DrawContext {
    /// The end of a span as far as it is drawn.
    pub fn drawn_until(&self, end: Instant) -> Instant {
        if self.is_veiled { end.min(self.until) } else { end }
    }
}
