//! Phrases that the words of several parts share, in Chinese.

use core::time::Duration;

use crate::format::tenths;

pub fn seconds(span: Duration) -> String {
    format!("{} 秒", tenths(span))
}

/// Bytes that cannot be shown as text.
pub fn bytes_not_text(length: usize) -> String {
    format!("{length} 个字节，不是文本")
}
