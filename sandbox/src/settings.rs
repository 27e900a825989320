//! Settings of a reader beside the language: the theme, the spacing of the timeline, and switches,
//! with the names under which they are stored and shared. The page keeps them in the browser's
//! storage.

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Auto,
    Light,
    Dark,
}

/// A setting that is on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// What a position on the timeline's axis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// A second, where time is not folded.
    Time,
    /// An event: all steps are equal, however long they took.
    Order,
}

impl Spacing {
    /// Its name in a link and in the browser's storage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Order => "order",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        [Self::Time, Self::Order].into_iter().find(|spacing| spacing.name() == name)
    }
}

impl Theme {
    /// The value of the page's `data-theme`; none lets the system decide.
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    pub fn of_attribute(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }

    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

impl Switch {
    /// Off if it is the name of that, else on.
    pub fn named(name: &str) -> Self {
        if name == Self::Off.name() { Self::Off } else { Self::On }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}
