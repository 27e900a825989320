//! What only a browser has: the store of worlds, the clipboard, and the settings of the document.
//! The functions for scripts are in `script`, above the panels.

pub mod clipboard;
pub mod local_time;
pub mod settings;
pub mod world_store;
