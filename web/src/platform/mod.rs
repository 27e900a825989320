//! What only a browser has: the store of worlds, the clipboard, the wall clock, and the settings of
//! the document.

pub mod clipboard;
pub mod local_time;
pub mod settings;
pub mod world_store;
