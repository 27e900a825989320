//! The options of an embedded page, read from its address: which parts and lanes are shown, in what
//! language and theme, and the version of Consul of a new world (docs/en/use/embedding.md). Unknown
//! values are collected, to be reported; unknown parameters belong to the host page.

use lictor_core::{ConsulVersion, UnknownVersion};
use lictor_view::language::Language;
use lictor_view::settings::Theme;
use lictor_view::timeline::lane_id::{KeyLane, LaneId};
use percent_encoding::percent_decode_str;

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
    /// The version of Consul of a new world; `None` if it is not given or unknown.
    pub consul: Option<ConsulVersion>,
    /// The value of `consul` if it is no known version.
    pub unknown_consul: Option<UnknownVersion>,
    /// Unknown values of the other options, decoded.
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
    /// Reads the query of the page's address. `None` if the page is not embedded.
    pub fn read(query: &str) -> Option<Self> {
        let members = || query.trim_start_matches('?').split('&');
        members().find(|member| name_of(member) == "embed")?;
        let mut options = Self {
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
            options.take(name_of(member), &value_of(member));
        }
        Some(options)
    }

    fn take(&mut self, name: &str, value: &str) {
        match name {
            "show" => self.parts = self.known_values(value, &PARTS),
            "lanes" => self.lanes = self.known_values(value, &LANES),
            "lang" => self.language = self.known_values(value, &LANGUAGES).last().copied(),
            "open-answer" => self.has_answer = true,
            "theme" => self.theme = self.known_values(value, &THEMES).last().copied(),
            "consul" => match value.parse() {
                Ok(version) => self.consul = Some(version),
                Err(unknown) => self.unknown_consul = Some(unknown),
            },
            // Other parameters belong to the host page.
            _ => {}
        }
    }

    /// The known values among words; unknown ones are collected.
    fn known_values<T: Copy>(&mut self, words: &str, known: &[(&str, T)]) -> Vec<T> {
        let mut values = Vec::new();
        for word in words.split_whitespace() {
            match known.iter().find(|(name, _)| *name == word) {
                Some((_, value)) => values.push(*value),
                None => self.unknown.push(word.to_owned()),
            }
        }
        values
    }

    pub fn shows(&self, part: PagePart) -> bool {
        self.parts.contains(&part)
    }

    /// Whether a lane is of a kind that is shown. The values of a key without a lesson's fix are
    /// never shown.
    pub fn has_lane(&self, lane: &LaneId) -> bool {
        !matches!(lane, LaneId::Key(_, KeyLane::Former)) && self.lanes.contains(&LaneKind::of(lane))
    }
}

impl LaneKind {
    pub fn of(lane: &LaneId) -> Self {
        match lane {
            LaneId::Server => Self::Server,
            LaneId::Lock(..) | LaneId::Takeover(_) => Self::Locks,
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
        let options = EmbedOptions::read("?embed").expect("it is embedded");
        assert_eq!(options.parts, [PagePart::Lanes, PagePart::Facts, PagePart::Time]);
        assert!(options.lanes.len() == 6 && options.unknown.is_empty());
        assert!(!options.has_lane(&LaneId::Server));
        assert_eq!((options.language, options.theme), (None, None));
        assert_eq!(EmbedOptions::read("?utm=x&embed=1&a=%ff"), Some(options));
    }

    #[test]
    fn parts_lanes_language_and_theme_can_be_chosen() {
        let query = "?embed&show=console+time&lanes=locks%20slots&lang=zh&theme=dark";
        let options = EmbedOptions::read(query).expect("it is embedded");
        assert_eq!(options.parts, [PagePart::Console, PagePart::Time]);
        assert_eq!(options.lanes, [LaneKind::Locks, LaneKind::Slots]);
        assert_eq!(options.language, Some(Language::Chinese));
        assert_eq!(options.theme, Some(Theme::Dark));
    }

    #[test]
    fn a_lesson_can_be_shown_with_its_answer() {
        let has_answer = |query: &str| EmbedOptions::read(query).map(|options| options.has_answer);
        assert_eq!(has_answer("?embed&show=lanes"), Some(false));
        assert_eq!(has_answer("?embed&open-answer="), Some(true));
    }

    #[test]
    fn the_version_of_a_new_world_can_be_chosen() {
        let read = |query: &str| EmbedOptions::read(query).expect("it is embedded");
        assert_eq!(read("?embed").consul, None);
        assert_eq!(read("?embed&consul=1.13").consul, Some(ConsulVersion::V1_13));
        for unknown in ["9.9", "", "<b>", "1.13.x"] {
            let options = read(&format!("?embed&consul={unknown}"));
            assert_eq!(options.consul, None);
            let error = options.unknown_consul.expect("there is no such version").to_string();
            assert!(error.ends_with("the known versions are 1.13, 1.22"), "{error}");
        }
    }

    #[test]
    fn unknown_values_are_reported() {
        let query = "?embed&show=lanes+<b>&theme=%E9%94%81&lang=";
        let options = EmbedOptions::read(query).expect("it is embedded");
        assert_eq!(options.parts, [PagePart::Lanes]);
        assert_eq!(options.unknown, ["<b>", "锁"]);
    }
}
