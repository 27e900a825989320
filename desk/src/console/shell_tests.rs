//! Tests of the words of a shell.

use super::error::{CommandError, ErrorKind, Unclosed};
use super::shell::{CommandEnd, words};
use super::text_cursor::TextCursor;
use super::word::{Expansion, Part};

fn read(text: &str) -> Result<Vec<String>, CommandError> {
    let mut cursor = TextCursor::new(text);
    let words = words(&mut cursor, CommandEnd::Line, &mut no_command)?;
    if let Some(output) = words.output {
        return Err(CommandError::new(ErrorKind::Redirect, output.span));
    }
    let mut expansion = Expansion::new(&|_| None);
    let tokens: Vec<_> = words.words.iter().map(|word| expansion.token(word)).collect();
    Ok(tokens.iter().map(|token| expansion.source_text(&token.text)).collect())
}

/// For texts without a command in brackets.
fn no_command(cursor: &mut TextCursor<'_>, _: char) -> Result<Part, CommandError> {
    let at = cursor.at();
    Err(CommandError::new(ErrorKind::NoCommand, at..at))
}

fn kind(text: &str) -> Option<(ErrorKind, usize)> {
    read(text).err().map(|error| (error.kind, error.span.start))
}

#[test]
fn quotes_escapes_and_continued_lines_are_removed() {
    for (text, expected) in [
        ("curl  -d 'a b' \"c \\\"d\\\"\" e\\ f", &["curl", "-d", "a b", "c \"d\"", "e f"][..]),
        ("curl \\\n  -s \\  \n> x\ny", &["curl", "-s", "x"]),
        ("curl \\\r\n x\r\n", &["curl", "x"]),
        ("curl ^\r\n  -s `\n x^y", &["curl", "-s", "x^y"]),
        ("a \"\\x \\\\ \\$\" 'b\\'", &["a", "\\x \\ $", "b\\"]),
        ("a $'it\\'s\\t\\x41\\u00e9' b", &["a", "it's\tAé", "b"]),
        ("a $'' '' b", &["a", "", "", "b"]),
        ("a # b\nc", &["a"]),
        ("a#b ; c", &["a#b"]),
        ("a && b", &["a"]),
        ("a & b", &["a"]),
        ("x?recurse&index=1 -s", &["x?recurse"]),
        ("a\u{a0}b", &["a", "b"]),
        ("'{\"Holders\": [\"$s1\", \"<other>\"]}'", &["{\"Holders\": [\"<s1>\", \"<other>\"]}"]),
        ("x/<Updated Lock Body>?cas=${i}", &["x/<Updated Lock Body>?cas=<i>"]),
        ("\\$s \"\\$s\" $'\\x24s' '$5' $", &["$s", "$s", "$s", "$5", "$"]),
        ("${a:-b c}d \"${a:-\"${b:-'e'}\"}\" ${a:-}", &["b cd", "'e'", ""]),
        ("$1 ${2} \"$?\" ${a%b} $((a + 1))", &["<$1>", "<$2>", "<$?>", "<${a%b}>", "<$((a + 1))>"]),
        ("{{ host }}/a {b}", &["<host>/a", "{b}"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|&word| word.into()).collect();
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn unsupported_syntax_is_reported_with_its_position() {
    for (text, expected, at) in [
        ("curl x > y", ErrorKind::Redirect, 9),
        ("curl x >", ErrorKind::Redirect, 7),
        ("curl x >> y", ErrorKind::Redirect, 7),
        ("curl x 2> y", ErrorKind::Redirect, 10),
        ("curl x >&3", ErrorKind::Redirect, 7),
        ("curl x << ", ErrorKind::Redirect, 7),
        ("curl \u{2013}X PUT", ErrorKind::Dash, 5),
        ("curl <", ErrorKind::Redirect, 5),
        ("curl “x”", ErrorKind::CurlyQuote, 5),
        ("curl $'\\xff'", ErrorKind::NotText, 5),
        ("curl $'a\\x00'", ErrorKind::NotText, 5),
        ("curl 'x", ErrorKind::Unfinished(Unclosed::SingleQuote), 5),
        ("curl \"x", ErrorKind::Unfinished(Unclosed::DoubleQuote), 5),
        ("curl \"x\\", ErrorKind::Unfinished(Unclosed::DoubleQuote), 5),
        ("curl ${x:-y", ErrorKind::Unfinished(Unclosed::Bracket), 5),
        ("curl x \\\n", ErrorKind::Unfinished(Unclosed::Line), 7),
        ("curl x ^\n", ErrorKind::Unfinished(Unclosed::Line), 7),
    ] {
        assert_eq!(kind(text), Some((expected, at)), "{text}");
    }
}

#[test]
fn a_closing_bracket_ends_the_inner_command() {
    let mut cursor = TextCursor::new("curl '(' x) ; y");
    let inside = words(&mut cursor, CommandEnd::Bracket(')'), &mut no_command).expect("closed");
    assert_eq!((inside.words.len(), cursor.rest()), (3, " ; y"));
}
