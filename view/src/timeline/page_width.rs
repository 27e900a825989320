//! The width of the page, which decides how long labels are: text has the same size on all pages.

/// An axis of at most this many pixels is narrow.
const NARROW_AXIS: f64 = 440.0;

/// The width of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageWidth {
    Wide,
    Narrow,
}

impl PageWidth {
    /// The width of a page on which the axis has this many pixels.
    pub fn of_axis(pixels: f64) -> Self {
        if pixels <= NARROW_AXIS { Self::Narrow } else { Self::Wide }
    }
}
