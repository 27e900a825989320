//! A text without what only a terminal or an editor needs: colours and other control sequences, the
//! mark of its encoding, and a carriage return, which ends a line if it stands alone.

use alloc::borrow::Cow;
use alloc::string::String;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// The mark of UTF-8, which some editors write at the beginning of a file.
const ENCODING: char = '\u{feff}';

/// The text without these characters, with the same lines.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains([ESCAPE, ENCODING, '\r']) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find([ESCAPE, ENCODING, '\r']) {
        plain.push_str(&rest[..place]);
        rest = &rest[place..];
        rest = if rest.starts_with(ESCAPE) {
            after_sequence(&rest[ESCAPE.len_utf8()..])
        } else if let Some(after) = rest.strip_prefix(ENCODING) {
            after
        } else {
            let after = &rest[1..];
            plain.push_str(if after.starts_with('\n') { "" } else { "\n" });
            after
        };
    }
    plain.push_str(rest);
    plain.into()
}

/// The text after a control sequence, without the escape character with which it begins. One that
/// does not end in its line ends with the character after its introducer.
fn after_sequence(text: &str) -> &str {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let end = match line.chars().next() {
        Some('[') => line[1..].find(|it| matches!(it, '@'..='~')).map(|place| place + 2),
        Some(']') => {
            let ends = [line.find(BELL).map(|it| it + 1), line.find("\u{1b}\\").map(|it| it + 2)];
            ends.into_iter().flatten().min()
        }
        _ => None,
    };
    let first = line.chars().next().map_or(0, char::len_utf8);
    &text[end.unwrap_or(first)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_marks_are_left_out_and_lines_stay() {
        for (text, expected) in [
            ("no \u{e4} colour\n", "no \u{e4} colour\n"),
            ("\u{1b}[1;39m[\n  \u{1b}[0;32m\"a\"\u{1b}[0m]", "[\n  \"a\"]"),
            ("a \u{1b}[01;31m\u{1b}[Kb\u{1b}[m\u{1b}[K c", "a b c"),
            ("\u{1b}]8;;http://a\u{7}b\u{1b}]8;;\u{1b}\\c", "bc"),
            ("\u{feff}[]\r\na\rb\r\n", "[]\na\nb\n"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[1\nb", "a1\nb"),
            ("a\u{1b}\u{e4}b", "ab"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
