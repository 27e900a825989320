//! What only a browser has: the store of worlds, the clipboard, the wall clock, the settings of
//! the document, and the words in its language.

pub mod clipboard;
pub mod local_time;
pub mod settings;
pub mod words;
pub mod world_store;
