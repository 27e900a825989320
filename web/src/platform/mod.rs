//! What only a browser has: storage, settings of the document, and the interface for scripts.

pub mod keeper;
pub mod script;
pub mod settings;
