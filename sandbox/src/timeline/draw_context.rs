//! The context for drawing a lane, in addition to its track: the language, the axis, and the end of
//! the forecast.

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
    /// The history without the fix, while the lesson runs with it.
    pub former: Option<Arc<Record>>,
}

impl DrawContext {
    /// The end of a span as far as it is drawn: nothing is known of the time after the forecast,
    /// and a question hides it.
    pub fn drawn_until(&self, end: Instant) -> Instant {
        end.min(self.until)
    }
}
