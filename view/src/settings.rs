//! The settings of a reader besides the language: theme and spacing of the timeline, with the names
//! by which links and the browser's storage contain them.

/// The theme of the page: light, dark, or that of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Auto,
    Light,
    Dark,
}

/// The unit of the timeline's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Seconds, except where idle time is folded.
    Time,
    /// Events: all steps have the same width.
    Order,
}

impl Spacing {
    /// The name of the spacing in a link and in the browser's storage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Order => "order",
        }
    }

    /// The spacing with this name; `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Time, Self::Order].into_iter().find(|spacing| spacing.name() == name)
    }
}

impl Theme {
    /// The value of the page's `data-theme`; `None` lets the system decide.
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The theme with this attribute; that of the system for any other text.
    pub fn of_attribute(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }

    /// The theme that the theme button chooses after this one.
    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}
