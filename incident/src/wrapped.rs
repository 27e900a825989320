//! Lines that a terminal broke where a row ended, and lists in them.

use alloc::string::String;

/// The JSON at the beginning of a text without the line ends that are in the middle of a text or a
/// number, and its length in the text. An error has the length of what was looked at in vain.
pub(crate) fn json(text: &str) -> Result<(String, usize), usize> {
    let end = end_of_json(text).ok_or(text.len())?;
    let mut joined = String::with_capacity(end);
    let lines = || text[..end].lines();
    let indent = lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min();
    let row = |(number, line): (usize, &str)| match indent {
        Some(indent) if number > 0 => line.get(indent..).unwrap_or_default().trim_end().into(),
        _ => String::from(line.trim_end()),
    };
    let rows = || lines().enumerate().map(row);
    let widest = rows().map(|row| width(&row)).max().unwrap_or_default();
    let mut is_in_string = false;
    let mut is_escaped = false;
    for row in rows() {
        joined.push_str(&row);
        for byte in row.bytes() {
            is_in_string ^= byte == b'"' && !is_escaped;
            is_escaped = is_in_string && byte == b'\\' && !is_escaped;
        }
        // A row that lacks one character ended with a space, which a copy of a terminal drops.
        if is_in_string && width(&row) + 1 == widest {
            joined.push(' ');
        }
    }
    Ok((joined, end))
}

/// The length of the list or the object at the beginning of a text, by its brackets.
fn end_of_json(text: &str) -> Option<usize> {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    let mut is_indent = false;
    for (place, byte) in text.bytes().enumerate() {
        is_indent = matches!(byte, b'\r' | b'\n') || is_indent && byte == b' ';
        if is_indent {
            continue;
        }
        if is_in_string {
            is_in_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The lines of a text that may continue the line before it, as that one is as wide as the row of a
/// terminal: the joined line, and the length of the further ones.
pub(crate) fn line(
    first: &str,
    rest: &str,
    row: usize,
    may_continue: impl Fn(&str) -> bool,
) -> Option<(String, usize)> {
    let mut joined = String::from(first);
    let (mut last, mut length) = (first, 0);
    for next in rest.split_inclusive('\n') {
        let line = next.trim_end();
        if width(last) != row || !may_continue(line) {
            break;
        }
        joined.push_str(line);
        length += next.len();
        last = line;
    }
    (length > 0).then_some((joined, length))
}

/// The width of the rows of a terminal from which a text was copied: that of its widest lines, if
/// there are several.
pub(crate) fn row_width(text: &str) -> Option<usize> {
    let (mut widest, mut count) = (0, 0);
    for line in text.lines() {
        let width = width(line);
        if width > widest {
            (widest, count) = (width, 0);
        }
        count += usize::from(width == widest);
    }
    (count > 1 && widest >= NARROWEST).then_some(widest)
}

/// No terminal that shows a log has narrower rows.
const NARROWEST: usize = 40;

/// The number of characters of a line.
pub(crate) fn width(line: &str) -> usize {
    line.trim_end().chars().count()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// A text in rows of a width, as a terminal shows and copies it.
    fn rows(text: &str, width: usize) -> String {
        let chars: alloc::vec::Vec<char> = text.chars().collect();
        let rows = chars.chunks(width).map(|row| String::from_iter(row).trim_end().into());
        rows.collect::<alloc::vec::Vec<String>>().join("\n")
    }

    const LIST: &str = concat!(
        r#"[{"LockIndex":1,"Key":"jobs/a \"b\"/leader","Flags":0,"#,
        r#""Session":"4154283e-a8f4-f7f1-22ce-3de43166da77","#,
        r#""CreateIndex":276043,"ModifyIndex":508509}]"#,
    );

    #[test]
    fn a_list_in_rows_of_any_width_is_the_same_list() {
        let expected: serde_json::Value = serde_json::from_str(LIST).unwrap();
        for width in 20..=LIST.len() {
            for indent in ["", "    "] {
                let text = rows(LIST, width).replace('\n', &format!("\n{indent}"));
                let text = format!("{text}\n$ exit");
                let (joined, length) = json(&text).unwrap();
                assert_eq!(serde_json::from_str(&joined).ok().as_ref(), Some(&expected), "{text}");
                assert_eq!(&text[length..], "\n$ exit");
            }
        }
    }

    #[test]
    fn what_is_not_closed_is_no_list() {
        for text in ["[{\"a\": \"b", "{", "[{}"] {
            assert_eq!(json(text), Err(text.len()), "{text}");
        }
    }

    #[test]
    fn a_line_is_continued_while_its_rows_are_full() {
        let text = rows(&"0123456789".repeat(25), 100);
        let text = format!("{text}\nnext");
        let (first, rest) = text.split_once('\n').unwrap();
        let row = row_width(&text).unwrap();
        let (joined, length) = line(first, rest, row, |line| line != "next").unwrap();
        assert_eq!((joined.len(), &rest[length..]), (250, "next"));
        assert_eq!(line("short", rest, row, |_| true), None);
        assert_eq!(row_width("one\nlonger"), None, "no two lines have the same width");
    }
}
