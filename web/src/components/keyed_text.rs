//! A sentence in which the names of keys have the look of code. The sentence is inserted as text,
//! never as markup.

use leptos::prelude::*;

/// A sentence in which these keys are elements of code.
pub fn keyed_text(text: &str, keys: &[String]) -> impl IntoView + use<> {
    let parts = parts(text, keys).into_iter().map(|part| match part {
        Part::Words(words) => view! { {words} }.into_any(),
        Part::Key(key) => view! { <code class="key">{key}</code> }.into_any(),
    });
    parts.collect_view()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    Key(String),
}

/// The parts of a sentence. A key inside of a longer word or path is not a mention of the key.
fn parts(text: &str, keys: &[String]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((start, key)) = first_mention(rest, keys) {
        if start > 0 {
            parts.push(Part::Words(rest[..start].to_owned()));
        }
        parts.push(Part::Key(key.to_owned()));
        rest = &rest[start + key.len()..];
    }
    if !rest.is_empty() {
        parts.push(Part::Words(rest.to_owned()));
    }
    parts
}

/// The first mention of a key, and its offset; of several keys at the same place the longest one.
fn first_mention<'a>(text: &str, keys: &'a [String]) -> Option<(usize, &'a str)> {
    let mentions = keys.iter().filter(|key| !key.is_empty()).filter_map(|key| {
        let mut starts = text.match_indices(key.as_str()).map(|(start, _)| start);
        let start = starts.find(|start| {
            let (before, after) = (&text[..*start], &text[start + key.len()..]);
            !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
        })?;
        Some((start, key.as_str()))
    });
    mentions.min_by_key(|(start, key)| (*start, usize::MAX - key.len()))
}

/// Whether a letter next to a name makes it a part of a longer one.
fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn keys_are_found_as_whole_names() {
        let words = |text: &str| Part::Words(text.to_owned());
        let key = |text: &str| Part::Key(text.to_owned());
        let found = parts("A holds db/leader, not lead. 键lead空", &keys(&["lead", "db/leader"]));
        let expected = [
            words("A holds "),
            key("db/leader"),
            words(", not "),
            key("lead"),
            words(". 键"),
            key("lead"),
            words("空"),
        ];
        assert_eq!(found, expected);
        assert_eq!(parts("leading", &keys(&["lead", ""])), [words("leading")]);
    }
}
