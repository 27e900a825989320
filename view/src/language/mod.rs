//! The languages of the page, with their tags and their own names.

pub mod chinese;
pub mod english;

/// The languages of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// The language for a browser's language tag: Chinese for `zh` and its variants, else English.
    pub fn of_browser(tag: &str) -> Self {
        let primary = tag.split('-').next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }

    /// The tag for the `lang` attribute of the page.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// The language's name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_follows_the_browser() {
        assert_eq!(Language::of_browser("zh-CN"), Language::Chinese);
        assert_eq!(Language::of_browser("ZH"), Language::Chinese);
        assert_eq!(Language::of_browser("en-GB"), Language::English);
        assert_eq!(Language::of_browser("zha"), Language::English);
        assert_eq!(Language::of_browser(""), Language::English);
    }
}
