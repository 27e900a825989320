//! The addresses of the parts of the page. A part is in the fragment, so that the page of a server
//! or of a file is the same for all of them.

use lictor_sim::scenario::SCENARIOS;

/// A part of the page that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The list of the questions.
    Questions,
    /// A question before the guess, or with its answer if there was a guess.
    Question(u32),
    Guide,
    Incident,
    /// An incident that follows a cluster, on a page that `lictor-agent incident --page` serves.
    Live,
    Sandbox,
}

impl Address {
    /// The part that a fragment names; `None` for a link to a world and for any other text.
    pub fn read(fragment: &str) -> Option<Self> {
        let path = fragment.strip_prefix("#/")?.split('?').next()?;
        match path {
            "questions" => Some(Self::Questions),
            "guide" => Some(Self::Guide),
            "incident" => Some(Self::Incident),
            "live" => Some(Self::Live),
            "sandbox" => Some(Self::Sandbox),
            _ => {
                let number = path.strip_prefix("question/")?.parse().ok()?;
                (1..=SCENARIOS.len() as u32).contains(&number).then_some(Self::Question(number))
            }
        }
    }

    /// The fragment that names the part.
    pub fn fragment(self) -> String {
        match self {
            Self::Questions => "#/questions".to_owned(),
            Self::Question(number) => format!("#/question/{number}"),
            Self::Guide => "#/guide".to_owned(),
            Self::Incident => "#/incident".to_owned(),
            Self::Live => "#/live".to_owned(),
            Self::Sandbox => "#/sandbox".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_read_from_its_own_fragment() {
        let parts = [
            Address::Questions,
            Address::Question(1),
            Address::Question(25),
            Address::Guide,
            Address::Incident,
            Address::Live,
            Address::Sandbox,
        ];
        for part in parts {
            assert_eq!(Address::read(&part.fragment()), Some(part));
        }
    }

    #[test]
    fn links_to_worlds_and_unknown_parts_are_no_address() {
        for fragment in ["", "#", "#v1.abc", "#/", "#/question/0", "#/question/26", "#/question/x"]
        {
            assert_eq!(Address::read(fragment), None, "{fragment}");
        }
    }
}
