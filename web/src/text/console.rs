//! The console's words; see the table in the parent module.

use super::Text;

/// What the console says.
pub struct ConsoleWords {
    pub heading: Text,
    pub command_for: fn(&str) -> String,
    pub empty: Text,
    pub pending: Text,
    pub cancelled: Text,
}
