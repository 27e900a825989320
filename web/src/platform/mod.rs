//! The parts that depend on the browser: the store of worlds, the clipboard, the reader's
//! settings, and the words in the chosen language.

pub mod clipboard;
pub mod look;
pub mod settings;
pub mod words;
pub mod worker;
pub mod world_store;
