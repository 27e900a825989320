//! Finds and replaces UUIDs in texts, in either letter case.

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub(super) const PATTERN: &str =
    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

static UUID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(PATTERN).expect("the pattern is a constant"));

pub(super) fn is_in(text: &str) -> bool {
    UUID.is_match(text)
}

/// The length of the UUID with which a text begins, if it begins with one.
pub(super) fn length_at_start(text: &str) -> Option<usize> {
    Some(UUID.find(text).filter(|uuid| uuid.start() == 0)?.len())
}

/// All UUIDs in a text, in lower case.
pub(super) fn all_in(text: &str) -> impl Iterator<Item = String> {
    UUID.find_iter(text).map(|uuid| uuid.as_str().to_lowercase())
}

pub(super) fn replace_all(text: &str, with: impl Fn(&str) -> String) -> String {
    UUID.replace_all(text, |uuid: &Captures<'_>| with(&uuid[0])).into_owned()
}
