//! What is needed to draw a lane in addition to its track: the language, the axis, the width of the
//! page, the end of the forecast, and the history without the fix; and a lane that is drawn.

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::record::Record;

use super::axis::Axis;
use super::page_width::{PageWidth, fits};
use super::shape::Shape;
use super::words::{Words, words};
use crate::language::Language;
use crate::rows;

/// The context for drawing a lane.
#[derive(Clone)]
pub struct DrawContext {
    pub language: Language,
    pub axis: Axis,
    pub page: PageWidth,
    /// The end of the forecast: open spans are drawn up to there.
    pub until: Instant,
    /// The history without the fix, while the lesson runs with it.
    pub former: Option<Arc<Record>>,
}

/// A lane as it is drawn.
pub struct DrawnLane {
    /// Its class in the page.
    pub class: &'static str,
    /// The height of its shapes, in pixels.
    pub height: u32,
    /// Its name and the line below it, which may be empty.
    pub title: [String; 2],
    /// Its accessible label.
    pub label: String,
    pub shapes: Vec<Shape>,
}

impl DrawContext {
    pub(super) fn words(&self) -> &'static Words {
        words(self.language)
    }

    /// The texts of the rows, in the same language.
    pub(super) fn row_words(&self) -> &'static rows::Words {
        rows::words(self.language)
    }

    /// A context in English with an axis of this many seconds and a forecast up to another time.
    #[cfg(test)]
    pub(super) fn plain(seconds: u64, until: u64) -> Self {
        use crate::test_world::at;
        let scale = super::scale::Scale::plain(at(seconds));
        let axis = Axis::all(&Arc::new(scale));
        let (language, page) = (Language::English, PageWidth::Wide);
        Self { language, axis, page, until: at(until), former: None }
    }

    /// Whether a text that is drawn on all pages has room on this share of the axis.
    pub(super) fn fits(&self, text: &str, share: f64) -> bool {
        fits(text, share / self.page.letter())
    }

    /// The end of a span, or the end of the forecast if that is earlier.
    pub fn drawn_until(&self, end: Instant) -> Instant {
        end.min(self.until)
    }
}
