//! The width of the page, which decides how long labels are: text has the same size on all pages.
//! A drawing has a label for each width, of which the style displays one.

/// An axis of at most this many pixels is narrow.
const NARROW_AXIS: f64 = 440.0;

/// The width of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageWidth {
    Wide,
    Narrow,
}

/// How many times as wide a letter is on a narrow page, as a share of the axis.
pub(super) const NARROW_LETTER: f64 = 2.4;

impl PageWidth {
    pub const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// The width of a page on which the axis has this many pixels.
    pub fn of_axis(pixels: f64) -> Self {
        if pixels <= NARROW_AXIS { Self::Narrow } else { Self::Wide }
    }

    /// The width of a letter, relative to that on a wide page.
    pub(super) fn letter(self) -> f64 {
        match self {
            Self::Wide => 1.0,
            Self::Narrow => NARROW_LETTER,
        }
    }

    /// The class of what is displayed on such a page only.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Wide => "wide-only",
            Self::Narrow => "narrow-only",
        }
    }
}
