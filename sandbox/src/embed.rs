//! The options of an embedded page, read from its address: which parts and lanes are shown, in what
//! language and theme, and the version of Consul of a new world (docs/en/use/embedding.md). Unknown
//! values are collected and reported.
use lictor_core::{ConsulVersion, UnknownVersion};
use percent_encoding::percent_decode_str;

use crate::language::Language;
use crate::settings::Theme;
use crate::timeline::lane_id::{KeyLane, LaneId};

/// A part of the page that can be shown by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePart {
    Lanes,
    Why,
    Facts,
    Time,
    Clients,
    Console,
}

/// What a lane is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    Server,
    Locks,
    Keys,
    Sessions,
    Checks,
    Slots,
    Resources,
    Connections,
}

/// The options. Those that are not given have defaults that fit a page of documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedOptions {
    pub parts: Vec<PagePart>,
    pub lanes: Vec<LaneKind>,
    pub language: Option<Language>,
    pub theme: Option<Theme>,
    /// Whether a lesson is shown with its answer, and without its question.
    pub has_answer: bool,
    /// The version of Consul of a new world.
    pub consul: Option<ConsulVersion>,
    /// A version of Consul that there is none of.
    pub unknown_consul: Option<UnknownVersion>,
    /// Unknown values, as they were written.
    pub unknown: Vec<String>,
}

const PARTS: [(&str, PagePart); 6] = [
    ("lanes", PagePart::Lanes),
    ("why", PagePart::Why),
    ("facts", PagePart::Facts),
    ("time", PagePart::Time),
    ("clients", PagePart::Clients),
    ("console", PagePart::Console),
];
const LANES: [(&str, LaneKind); 8] = [
    ("server", LaneKind::Server),
    ("connections", LaneKind::Connections),
    ("locks", LaneKind::Locks),
    ("keys", LaneKind::Keys),
    ("sessions", LaneKind::Sessions),
    ("checks", LaneKind::Checks),
    ("slots", LaneKind::Slots),
    ("resources", LaneKind::Resources),
];
const LANGUAGES: [(&str, Language); 2] = [("en", Language::English), ("zh", Language::Chinese)];
const THEMES: [(&str, Theme); 3] =
    [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];

impl EmbedOptions {
    /// Reads the query of the page's address; none if the page is not embedded.
    pub fn read(query: &str) -> Option<Self> {
        let members = || query.trim_start_matches('?').split('&');
        members().find(|member| name_of(member) == "embed")?;
        let mut asked = Self {
            parts: vec![PagePart::Lanes, PagePart::Facts, PagePart::Time],
            lanes: LANES[2..].iter().map(|(_, kind)| *kind).collect(),
            language: None,
            theme: None,
            has_answer: false,
            consul: None,
            unknown_consul: None,
            unknown: Vec::new(),
        };
        for member in members() {
            asked.take(name_of(member), &value_of(member));
        }
        Some(asked)
    }

    fn take(&mut self, name: &str, value: &str) {
        match name {
            "show" => self.parts = self.all(value, &PARTS),
            "lanes" => self.lanes = self.all(value, &LANES),
            "lang" => self.language = self.all(value, &LANGUAGES).last().copied(),
            "open-answer" => self.has_answer = true,
            "theme" => self.theme = self.all(value, &THEMES).last().copied(),
            "consul" => match value.parse() {
                Ok(version) => self.consul = Some(version),
                Err(unknown) => self.unknown_consul = Some(unknown),
            },
            // Other parameters belong to the host page.
            _ => {}
        }
    }

    /// The known values among words; unknown ones are collected.
    fn all<T: Copy>(&mut self, words: &str, known: &[(&str, T)]) -> Vec<T> {
        let mut meant = Vec::new();
        for word in words.split_whitespace() {
            match known.iter().find(|(name, _)| *name == word) {
                Some((_, it)) => meant.push(*it),
                None => self.unknown.push(word.to_owned()),
            }
        }
        meant
    }

    pub fn shows(&self, part: PagePart) -> bool {
        self.parts.contains(&part)
    }

    /// Whether a lane is of a kind that is shown.
    pub fn has_lane(&self, lane: &LaneId) -> bool {
        !matches!(lane, LaneId::Key(_, KeyLane::Former)) && self.lanes.contains(&LaneKind::of(lane))
    }
}

impl LaneKind {
    pub fn of(lane: &LaneId) -> Self {
        match lane {
            LaneId::Server => Self::Server,
            LaneId::Lock(..) => Self::Locks,
            LaneId::Connection(_) => Self::Connections,
            LaneId::Key(..) => Self::Keys,
            LaneId::Session(..) => Self::Sessions,
            LaneId::Check(_) => Self::Checks,
            LaneId::Slots(_) => Self::Slots,
            LaneId::Resource(_) => Self::Resources,
        }
    }

    /// Its name in the attribute `lanes` of `<lictor-sandbox>`.
    pub fn name(self) -> &'static str {
        LANES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

fn name_of(member: &str) -> &str {
    member.split('=').next().unwrap_or_default()
}

/// The decoded value of a query parameter.
fn value_of(member: &str) -> String {
    let value = member.split_once('=').map_or("", |(_, value)| value).replace('+', " ");
    percent_decode_str(&value).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_by_itself_is_not_embedded() {
        for query in ["", "?", "?show=lanes", "?embedded", "?x=embed"] {
            assert_eq!(EmbedOptions::read(query), None, "{query}");
        }
    }

    #[test]
    fn missing_options_have_their_defaults() {
        let asked = EmbedOptions::read("?embed").expect("it is embedded");
        assert_eq!(asked.parts, [PagePart::Lanes, PagePart::Facts, PagePart::Time]);
        assert!(asked.lanes.len() == 6 && asked.unknown.is_empty());
        assert!(!asked.has_lane(&LaneId::Server));
        assert_eq!((asked.language, asked.theme), (None, None));
        assert_eq!(EmbedOptions::read("?utm=x&embed=1&a=%ff"), Some(asked));
    }

    #[test]
    fn parts_lanes_language_and_theme_can_be_chosen() {
        let query = "?embed&show=console+time&lanes=locks%20slots&lang=zh&theme=dark";
        let asked = EmbedOptions::read(query).expect("it is embedded");
        assert_eq!(asked.parts, [PagePart::Console, PagePart::Time]);
        assert_eq!(asked.lanes, [LaneKind::Locks, LaneKind::Slots]);
        assert_eq!(asked.language, Some(Language::Chinese));
        assert_eq!(asked.theme, Some(Theme::Dark));
    }

    #[test]
    fn a_lesson_is_shown_with_its_answer_if_that_is_asked_for() {
        let has_answer = |query: &str| EmbedOptions::read(query).map(|asked| asked.has_answer);
        assert_eq!(has_answer("?embed&show=lanes"), Some(false));
        assert_eq!(has_answer("?embed&open-answer="), Some(true));
    }

    #[test]
    fn a_new_world_is_of_the_version_that_is_asked_for() {
        let asked = |query: &str| EmbedOptions::read(query).expect("it is embedded");
        assert_eq!(asked("?embed").consul, None);
        assert_eq!(asked("?embed&consul=1.13").consul, Some(ConsulVersion::V1_13));
        for unknown in ["9.9", "", "<b>", "1.13.x"] {
            let asked = asked(&format!("?embed&consul={unknown}"));
            assert_eq!(asked.consul, None);
            let says = asked.unknown_consul.expect("there is no such version").to_string();
            assert!(says.ends_with("the known versions are 1.13, 1.22"), "{says}");
        }
    }

    #[test]
    fn unknown_values_are_reported() {
        let asked =
            EmbedOptions::read("?embed&show=lanes+<b>&theme=%E9%94%81&lang=").expect("it is");
        assert_eq!(asked.parts, [PagePart::Lanes]);
        assert_eq!(asked.unknown, ["<b>", "锁"]);
    }
}
