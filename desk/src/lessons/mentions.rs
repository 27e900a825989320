//! The keys that a sentence of a lesson mentions, which the page shows as code.

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentencePart {
    Words(String),
    Key(String),
}

/// The parts of a sentence that may mention these keys. A key inside of a longer word or path is
/// not a mention of the key. A key of letters alone is never one: `lead`, `session` and `other` are
/// also words of sentences.
pub fn key_mentions(text: &str, keys: &[String]) -> Vec<SentencePart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((start, key)) = first_mention(rest, keys) {
        if start > 0 {
            parts.push(SentencePart::Words(rest[..start].to_owned()));
        }
        parts.push(SentencePart::Key(key.to_owned()));
        rest = &rest[start + key.len()..];
    }
    if !rest.is_empty() {
        parts.push(SentencePart::Words(rest.to_owned()));
    }
    parts
}

/// The first mention of a key, and its offset; of several keys at the same place the longest one.
fn first_mention<'a>(text: &str, keys: &'a [String]) -> Option<(usize, &'a str)> {
    let mentions = keys.iter().filter(|key| !is_word(key)).filter_map(|key| {
        let mut starts = text.match_indices(key.as_str()).map(|(start, _)| start);
        let start = starts.find(|start| {
            let (before, after) = (&text[..*start], &text[start + key.len()..]);
            !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
        })?;
        Some((start, key.as_str()))
    });
    mentions.min_by_key(|(start, key)| (*start, usize::MAX - key.len()))
}

/// Whether a key could be a word of a sentence.
fn is_word(key: &str) -> bool {
    key.chars().all(char::is_alphabetic)
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

    fn words(text: &str) -> SentencePart {
        SentencePart::Words(text.to_owned())
    }

    #[test]
    fn keys_are_found_as_whole_names() {
        let key = |text: &str| SentencePart::Key(text.to_owned());
        let keys = keys(&["lead-1", "db/leader", "leader-1"]);
        let found = key_mentions("A holds db/leader, not lead-1. 键lead-1空", &keys);
        let expected = [
            words("A holds "),
            key("db/leader"),
            words(", not "),
            key("lead-1"),
            words(". 键"),
            key("lead-1"),
            words("空"),
        ];
        assert_eq!(found, expected);
        assert_eq!(key_mentions("mislead-1", &keys), [words("mislead-1")]);
    }

    #[test]
    fn a_key_that_is_a_word_does_not_make_the_word_a_key() {
        let text = "The session ends, and no other client wants to lead.";
        assert_eq!(key_mentions(text, &keys(&["session", "lead", "other", ""])), [words(text)]);
    }
}
