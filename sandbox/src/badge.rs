//! The number of an actor and its badge: a letter, a hue and a pattern, so that colour is never the
//! only difference. The history stores the number, the timeline uses hue and pattern, and the
//! component `badge` of the page draws the badge.

/// The number of an actor, which determines its letter, hue and pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Badge(pub u16);

impl Badge {
    /// A to Z; beyond that letters repeat, and the name beside the badge tells them apart.
    pub fn letter(self) -> char {
        char::from(b'A' + (self.0 % 26) as u8)
    }

    /// The class that sets the hue: eight of them, which repeat.
    pub fn class(self) -> &'static str {
        const CLASSES: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
        CLASSES[usize::from(self.0 % 8)]
    }

    /// The paint of the pattern: plain, stripes, dots, bars, which repeat.
    pub fn pattern(self) -> Option<&'static str> {
        const PAINTS: [Option<&str>; 4] =
            [None, Some("url(#p-stripe)"), Some("url(#p-dot)"), Some("url(#p-bar)")];
        PAINTS[usize::from(self.0 % 4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_hue_and_in_pattern() {
        for number in 0..30 {
            let (one, next) = (Badge(number), Badge(number + 1));
            assert_ne!(one.class(), next.class());
            assert_ne!(one.pattern(), next.pattern());
        }
    }

    #[test]
    fn letters_repeat_after_z() {
        assert_eq!((Badge(25).letter(), Badge(26).letter()), ('Z', 'A'));
    }
}
