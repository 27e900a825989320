//! The panels that open beside the picture of the page, and the names under which the browser's
//! storage contains the open ones.

/// A panel that opens beside the picture or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenPanel {
    /// The clients with their requests and faults.
    Act,
    /// More lanes, and the cards of locks, semaphores, sessions and health checks.
    Details,
    Events,
    Console,
}

impl OpenPanel {
    pub const ALL: [Self; 4] = [Self::Act, Self::Details, Self::Events, Self::Console];

    /// The name of the panel in the browser's storage and in test ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Details => "details",
            Self::Events => "events",
            Self::Console => "console",
        }
    }

    /// Whether the panel is in the row below the picture.
    fn is_in_drawer(self) -> bool {
        self != Self::Act
    }
}

/// A set of open panels, in the order of [`OpenPanel::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelSet([bool; 4]);

impl PanelSet {
    /// The set whose names a text has, in any order; other words are ignored.
    pub fn from_text(text: &str) -> Self {
        Self(OpenPanel::ALL.map(|panel| text.split(' ').any(|name| name == panel.name())))
    }

    pub fn to_text(self) -> String {
        let open = OpenPanel::ALL.into_iter().filter(|panel| self.has(*panel));
        open.map(OpenPanel::name).collect::<Vec<_>>().join(" ")
    }

    pub fn has(self, panel: OpenPanel) -> bool {
        self.0[panel as usize]
    }

    pub fn toggle(&mut self, panel: OpenPanel) {
        self.0[panel as usize] ^= true;
    }

    /// Whether a panel below the picture is open.
    pub fn has_drawer(self) -> bool {
        OpenPanel::ALL.into_iter().any(|panel| panel.is_in_drawer() && self.has(panel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_panels_is_read_as_it_was_written_and_unknown_words_are_ignored() {
        for text in ["", "act", "events console", "act details events console"] {
            assert_eq!(PanelSet::from_text(text).to_text(), text);
        }
        assert_eq!(PanelSet::from_text("console, act map").to_text(), "act");
        assert!(PanelSet::from_text("details").has_drawer());
        assert!(!PanelSet::from_text("act").has_drawer());
    }
}
