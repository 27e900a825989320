//! Phrases that the words of several parts share, in English.

use core::time::Duration;

use crate::format::tenths;

pub fn seconds(span: Duration) -> String {
    format!("{} s", tenths(span))
}

/// A count with its noun: `1 time`, `3 times`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Bytes that cannot be shown as text.
pub fn bytes_not_text(length: usize) -> String {
    match length {
        1 => "1 byte that is not text".into(),
        length => format!("{length} bytes that are not text"),
    }
}

/// How often a lock was acquired.
pub fn acquired(count: usize) -> String {
    match count {
        1 => "acquired once".into(),
        count => format!("acquired {count} times"),
    }
}
