//! The panels of the page, one per file. They read rows and call the runtime; they keep no truth.

pub mod console;
pub mod help;
pub mod toolbar;
