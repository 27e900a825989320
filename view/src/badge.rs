//! How a client's badge is drawn: its hue and its pattern. Successive badges differ in both.

use lictor_sim::record::{Badge, SessionTag};

/// The CSS class that sets the hue; there are eight, which repeat.
pub fn class(badge: Badge) -> &'static str {
    const CLASSES: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
    CLASSES[usize::from(badge.0 % 8)]
}

/// The class of the hue of a session's owner, and of an unknown one.
pub fn class_of(session: &SessionTag) -> &'static str {
    session.owner.as_ref().map_or("a8", |owner| class(owner.badge))
}

/// The SVG paint of the pattern, `None` for a plain badge; then stripes, dots and bars, which
/// repeat.
pub fn pattern(badge: Badge) -> Option<&'static str> {
    const PAINTS: [Option<&str>; 4] =
        [None, Some("url(#p-stripe)"), Some("url(#p-dot)"), Some("url(#p-bar)")];
    PAINTS[usize::from(badge.0 % 4)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_hue_and_in_pattern() {
        for number in 0..30 {
            let (one, next) = (Badge(number), Badge(number + 1));
            assert_ne!(class(one), class(next));
            assert_ne!(pattern(one), pattern(next));
        }
    }
}
