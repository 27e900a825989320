//! The table of a key, as `consul kv get -detailed` prints it. Its value is plain text, and can
//! have several lines.

use alloc::string::String;
use core::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::clock_time;
use crate::lists::KeyEntry;

/// The first row of a table.
const FIRST: &str = "CreateIndex";

/// The table at the beginning of a text, with its length. An error says what it lacks; `None` if
/// there is no table.
pub(crate) fn read(text: &str, is_base64: bool) -> Option<Result<(KeyEntry, usize), String>> {
    let mut rows = Rows { rest: text };
    let create_index = rows.next(FIRST)?.parse().ok()?;
    Some(key(rows, create_index, is_base64).map(|(key, rest)| (key, text.len() - rest.len())))
}

/// Whether a table begins here.
pub(crate) fn begins(text: &str) -> bool {
    text.strip_prefix(FIRST).is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// The place of a table's value in the text of its last row; `None` if it is another row, or empty.
pub(crate) fn value(text: &str) -> Option<Range<usize>> {
    let row = text.strip_prefix("Value").filter(|rest| rest.starts_with([' ', '\t']))?;
    let line_end = row.find('\n').map_or(row.len(), |end| end + 1);
    let end = line_end + end_of_value(&row[line_end..]);
    let value = row[..end].trim();
    let start = text.len() - row.trim_start().len();
    (!value.is_empty()).then(|| start..start + value.len())
}

fn key<'a>(
    mut rows: Rows<'a>,
    create_index: u64,
    is_base64: bool,
) -> Result<(KeyEntry, &'a str), String> {
    let mut row = |name: &str| rows.next(name).ok_or_else(|| missing(name));
    let number = |name: &str, text: &str| text.parse::<u64>().map_err(|_| missing(name));
    let flags = number("Flags", row("Flags")?)?;
    let key = row("Key")?.into();
    let lock_index = number("LockIndex", row("LockIndex")?)?;
    let modify_index = number("ModifyIndex", row("ModifyIndex")?)?;
    let session = Some(row("Session")?).filter(|id| !matches!(*id, "" | "-")).map(String::from);
    // Consul Enterprise has these, too.
    let [_, namespace] = ["Partition", "Namespace"].map(|name| rows.next(name).map(String::from));
    let first = rows.next("Value").ok_or_else(|| missing("Value"))?;
    let more = &rows.rest[..end_of_value(rows.rest)];
    let value = alloc::format!("{first}\n{more}");
    let value = value.trim_end();
    let value = if is_base64 { value.into() } else { STANDARD.encode(value) };
    let value = Some(value).filter(|value| !value.is_empty());
    let entry = KeyEntry {
        key,
        lock_index,
        flags,
        value,
        session,
        is_holder_known: true,
        has_session_member: true,
        namespace,
        create_index,
        modify_index,
    };
    Ok((entry, &rows.rest[more.len()..]))
}

fn missing(name: &str) -> String {
    alloc::format!(
        "the table of a key (`consul kv get -detailed`) without its row {name}: copy it again"
    )
}

struct Rows<'a> {
    rest: &'a str,
}

impl<'a> Rows<'a> {
    /// The value of the next row, if it has this name.
    fn next(&mut self, name: &str) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        let after = line.trim_start().strip_prefix(name)?;
        let is_row = after.trim().is_empty() || after.starts_with([' ', '\t']);
        self.rest = if is_row { rest } else { self.rest };
        is_row.then_some(after.trim())
    }
}

/// The length of the further lines of a value. They end where something else begins: a blank line
/// with another table after it, a prompt, a list, or a line with a time.
fn end_of_value(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if begins_another(line.trim()) {
            break;
        }
        end += line.len();
    }
    end
}

fn begins_another(line: &str) -> bool {
    begins(line)
        || is_prompt(line)
        || line.starts_with(['[', '{'])
        || clock_time::at_start(line).is_some()
}

/// `$ curl ..`, `# consul ..`, `[root@host ~]# ..`, `user@host:~$ ..`.
fn is_prompt(line: &str) -> bool {
    let is_mark = |word: &str| word.ends_with(['$', '#', '%', '>', '❯']);
    line.split_whitespace().take(2).any(is_mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "CreateIndex      9\nFlags            0\nKey              jobs/leader\n\
        LockIndex        1\nModifyIndex      12\n\
        Session          4154283e-a8f4-f7f1-22ce-3de43166da77\nValue            worker-a\n";

    fn table(text: &str) -> (KeyEntry, &str) {
        let (key, length) = read(text, false).expect("a table").expect("a whole one");
        (key, &text[length..])
    }

    #[test]
    fn a_table_is_read_like_the_entry_of_a_list() {
        let text = alloc::format!("{TABLE}\n$ curl");
        let (key, rest) = table(&text);
        assert_eq!((key.key.as_str(), key.lock_index, key.modify_index), ("jobs/leader", 1, 12));
        assert_eq!(key.session.as_deref(), Some("4154283e-a8f4-f7f1-22ce-3de43166da77"));
        assert_eq!(key.value.as_deref(), Some("d29ya2VyLWE="));
        assert_eq!(rest, "$ curl");
    }

    #[test]
    fn a_key_without_a_session_has_a_hyphen_and_tables_follow_each_other() {
        let free = TABLE.replace("4154283e-a8f4-f7f1-22ce-3de43166da77", "-");
        let text = alloc::format!("{free}\n{TABLE}");
        let (key, rest) = table(&text);
        assert_eq!((key.session, rest), (None, TABLE));
    }

    #[test]
    fn a_value_has_all_its_lines() {
        let text = alloc::format!("{TABLE}and more\n\nand more\n[root@n1 ~]# exit");
        let (key, rest) = table(&text);
        assert_eq!(key.value, Some(STANDARD.encode("worker-a\nand more\n\nand more")));
        assert_eq!(rest, "[root@n1 ~]# exit");
        let (key, _) = table(&TABLE.replace("worker-a", ""));
        assert_eq!(key.value, None);
        let (key, _) = read(TABLE, true).unwrap().unwrap();
        assert_eq!(key.value.as_deref(), Some("worker-a"));
    }

    #[test]
    fn a_part_of_a_table_says_which_row_is_missing() {
        for (row, name) in [("LockIndex        1\n", "LockIndex"), ("Flags            0", "Flags")]
        {
            let reason = read(&TABLE.replace(row, ""), false).unwrap().unwrap_err();
            assert!(reason.contains(name), "{reason}");
        }
        let cut = &TABLE[..TABLE.find("Session").unwrap()];
        assert!(read(cut, false).unwrap().unwrap_err().contains("Session"));
        for text in ["CreateIndex", "CreateIndex nine\n", "Key  k\n", ""] {
            assert_eq!(read(text, false), None, "{text}");
        }
    }
}
