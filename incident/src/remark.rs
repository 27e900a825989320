//! What the program that collected the lists of an incident says about them, as a line of a text.

use alloc::format;
use alloc::string::String;

/// What such a line begins with.
pub(crate) const MARK: &str = "lictor: ";

/// The line, which a reader of the text shows as a note beside its answers.
pub fn remark(text: &str) -> String {
    format!("{MARK}{}\n", text.replace(['\n', '\r'], " "))
}
