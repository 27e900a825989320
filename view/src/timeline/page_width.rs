//! The width of the page and of a letter, which decide how long labels are: text has the same size
//! on all pages.

/// An axis of at most this many pixels is narrow.
const NARROW_AXIS: f64 = 440.0;

/// The approximate width of a letter on a wide page, as a share of the axis.
pub(super) const LETTER: f64 = 0.012;

/// The width of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageWidth {
    Wide,
    Narrow,
}

impl PageWidth {
    pub const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// The width of a page on which the axis has this many pixels.
    pub fn of_axis(pixels: f64) -> Self {
        if pixels <= NARROW_AXIS { Self::Narrow } else { Self::Wide }
    }

    /// The width of a letter as a share of the axis, relative to that on a wide page.
    pub(super) fn letter(self) -> f64 {
        match self {
            Self::Wide => 1.0,
            Self::Narrow => 2.4,
        }
    }
}

/// Whether a name has room on this share of the axis of a wide page. A Chinese character is as wide
/// as two letters.
pub(super) fn fits(name: &str, share: f64) -> bool {
    let letters = name.chars().map(|letter| if letter < '\u{2e80}' { 1 } else { 2 }).sum::<u32>();
    share > LETTER * f64::from(letters + 1)
}
